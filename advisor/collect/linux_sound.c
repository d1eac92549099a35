/* Linux: sound devices: open streams, USB interfaces, interrupts. */
#include "advisor/collect/collector.h"
#include "advisor/parse/linux_text.h"
#include "core/ns.h"
#include "xruns/alsa.h"

/* --- sound devices: streams that are open, USB interfaces --- */

#define USB_DEVICES "/sys/bus/usb/devices"
#define ASOUND      "/proc/asound"
#define CARDS       ASOUND "/cards"
#define CARDS_MAX   32 /* as SNDRV_CARDS of the kernel */

#define USB_DEVICES_MAX 512
#define STREAMS_MAX     64
#define NAME_MAX_BYTES                                                                             \
    40 /* bytes; entries with longer names are skipped, since the kernel's devices have shorter    \
          ones */

struct scan {
    struct st_collector *c;
    const char *folder; /* the folder whose entries are listed */
    size_t n, depth;
};

/* --- USB --- */

static void usb_device(struct st_collector *c, const char *device)
{
    enum folder { ITS_OWN, OF_CONTROLLER, OF_HUB };
    static const struct {
        const char *file, *key;
        enum st_value_kind kind;
        enum folder folder;
    } leaves[] = {
        {"idVendor", "vendor_id", ST_VALUE_TEXT},
        {"idProduct", "product_id", ST_VALUE_TEXT},
        {"product", "product", ST_VALUE_TEXT},
        {"power/control", "control", ST_VALUE_TEXT},
        {"power/autosuspend_delay_ms", "autosuspend_ms", ST_VALUE_INT},
        {"speed", "speed_mbit", ST_VALUE_INT},
        {"product", "controller", ST_VALUE_TEXT, OF_CONTROLLER},
        /* protocol of a hub: 01 means one transaction translator for all full-speed devices, 02 one
           for each port */
        {"bDeviceProtocol", "hub", ST_VALUE_TEXT, OF_HUB},
    };
    const char *dot = strrchr(device, '.');
    const char *const folders[] = {device, st_text("usb%.*s", (int)strcspn(device, "-"), device),
                                   dot != NULL ? st_text("%.*s", (int)(dot - device), device)
                                               : NULL};
    const char *key = st_text(ST_KEYS_USB_AUDIO "%s.hubs_n", device);
    int64_t hubs_n = 0;
    if (st_facts_has(c->facts, key)) /* already read: the device has several audio interfaces */
        return;
    for (const char *at = device; *at != '\0'; at++)
        hubs_n += *at == '.';
    st_collector_put_int(c, key, hubs_n, USB_DEVICES);
    ST_EACH (leaf, leaves) {
        if (folders[leaf->folder] != NULL)
            st_collector_read(c, st_text(ST_KEYS_USB_AUDIO "%s.%s", device, leaf->key),
                              st_text(USB_DEVICES "/%s/%s", folders[leaf->folder], leaf->file),
                              leaf->kind);
    }
}

/** The text of a file of a USB interface; "": not known. */
static const char *of_interface(const struct st_collector *c, const char *interface,
                                const char *file)
{
    return st_tree_text(c->p, st_text(USB_DEVICES "/%s/%s", interface, file));
}

/** Does this interface make its device a sound card? Subclass 02 carries sound; 03 carries MIDI,
 * which reserves no bandwidth; 01 says nothing, since each device has it before the others (USB
 * Device Class Definition for Audio Devices 1.0, A.2). */
static bool carries_usb_sound(const struct st_collector *c, const char *interface)
{
    const char *subclass = of_interface(c, interface, "bInterfaceSubClass"),
               *dot = strrchr(interface, '.');
    for (int i = 0; i < 16 && dot != NULL && st_text_begins(subclass, "01"); i++) {
        const char *other = st_text("%.*s%d", (int)(dot - interface) + 1, interface, i);
        if (st_text_begins(of_interface(c, other, "bInterfaceSubClass"), "03"))
            return false; /* if the device carries sound, too, another interface says so */
    }
    return !st_text_begins(subclass, "03");
}

/** Reads a USB interface: "1-2.3:1.0" is one of the device "1-2.3". Class 01 is audio, 0e video. */
static int usb_interface(void *ctx, const char *name)
{
    struct scan *scan = ctx;
    const size_t len = strcspn(name, ":");
    if (name[len] == '\0' || len >= NAME_MAX_BYTES || strlen(name) > 2 * NAME_MAX_BYTES)
        return 0;
    const char *class = of_interface(scan->c, name, "bInterfaceClass"),
               *device = st_text("%.*s", (int)len, name);
    if (st_text_begins(class, "01") && carries_usb_sound(scan->c, name))
        usb_device(scan->c, device);
    else if (st_text_begins(class, "0e"))
        st_collector_read(scan->c, st_text(ST_KEYS_USB_CAMERA "%s.product", device),
                          st_text(USB_DEVICES "/%s/product", device), ST_VALUE_TEXT);
    return ++scan->n == USB_DEVICES_MAX;
}

/* --- ALSA streams --- */

/** Puts the program that opened the stream, and the rate in Hz at which the device's position moved
 * since the start. Within the first 3 s there is no rate, since one step of the position would
 * change it too much. */
static void stream_status(struct st_collector *c, const char *name, const char *source)
{
    struct st_alsa_status status;
    if (st_alsa_status_parse(st_tree_text(c->p, source), &status) != 0)
        return;
    const char *path = st_text("/proc/%jd/comm", status.owner_tid);
    if (status.owner_tid > 0)
        st_collector_read(c, st_text(ST_KEYS_ALSA "%s.owner", name), path, ST_VALUE_TEXT);
    const int64_t ms = status.now_ns / ST_NS_PER_MS - status.trigger_ns / ST_NS_PER_MS;
    if (status.state == ST_ALSA_RUNNING && ms >= 3000 && status.hw_ptr_frames < INT64_MAX / 1000)
        st_collector_put_int(c, st_text(ST_KEYS_ALSA "%s.moved_hz", name),
                             status.hw_ptr_frames * 1000 / ms, source);
}

/** Puts a lower bound of the steps in which the position of a PipeWire playback stream moves: the
 * frames by which it moved between two readings, minus those that the longest possible time between
 * them explains. Takes 50 ms. */
static void stream_steps(struct st_collector *c, const char *name, const char *path)
{
    struct st_alsa_status status;
    const char *owner;
    int64_t rate_hz, now_ns = 0;
    double behind_s = HUGE_VAL, step_s = 0;
    if (!c->live || strstr(name, "p.sub") == NULL ||
        st_facts_text(c->facts, st_text(ST_KEYS_ALSA "%s.owner", name), &owner) != 0 ||
        (!st_text_begins(owner, "pipewire") && strstr(owner, "data-loop") == NULL))
        return;
    if (st_facts_int(c->facts, st_text(ST_KEYS_ALSA "%s.rate_hz", name), &rate_hz) != 0 ||
        rate_hz <= 0)
        return;
    for (int i = 0; i < 50; i++) {
        const double before_s = st_ns_seconds(st_platform_now_ns(c->p));
        if (st_alsa_status_parse(st_tree_text(c->p, path), &status) != 0)
            return;
        const double at_s = (double)status.hw_ptr_frames / (double)rate_hz;
        now_ns = st_platform_now_ns(c->p);
        /* between an xrun and the next start the position does not move */
        if (status.state == ST_ALSA_RUNNING) {
            behind_s = fmin(behind_s, at_s - before_s);
            step_s = fmax(step_s, at_s - st_ns_seconds(now_ns) - behind_s);
        }
        (void)!c->p->sleep_until_ns(c->p, now_ns + ST_NS_PER_MS);
    }
    if (isfinite(behind_s))
        st_collector_put_int(c, st_text(ST_KEYS_ALSA "%s.step_frames", name),
                             (int64_t)fmin(step_s * (double)rate_hz, INT32_MAX), path);
}

static void one_stream(struct st_collector *c, const char *folder, const char *name)
{
    static const struct {
        const char *pattern, *leaf;
    } lines[] = {{"period_size: %s", "period_frames"},
                 {"buffer_size: %s", "buffer_frames"},
                 {"rate: %s", "rate_hz"}};
    const char *path = st_text("%s/hw_params", folder), *status = st_text("%s/status", folder);
    if (st_text_begins(st_tree_text(c->p, path), "closed"))
        return;
    ST_EACH (line, lines)
        st_collector_line(c, st_text(ST_KEYS_ALSA "%s.%s", name, line->leaf), path, line->pattern,
                          ST_VALUE_INT);
    stream_status(c, name, status);
    stream_steps(c, name, status);
}

/** Walks the three levels of folders in /proc/asound: card0, pcm0p, sub0. Other names, such as
 * "cards", are skipped. */
static int level(void *ctx, const char *name)
{
    static const char *const prefixes[] = {"card", "pcm", "sub"};
    struct scan *scan = ctx;
    const char *prefix = prefixes[scan->depth], *folder = st_text("%s/%s", scan->folder, name);
    if (!st_text_begins(name, prefix) || strcspn(name, "0123456789") != strlen(prefix) ||
        strlen(name) > NAME_MAX_BYTES)
        return 0;
    if (scan->depth + 1 == ST_ARRAY_LEN(prefixes)) {
        one_stream(scan->c, folder, st_text_swap(st_text("%s", folder + sizeof(ASOUND)), '/', '.'));
        return ++scan->n == STREAMS_MAX;
    }
    struct scan below = {.c = scan->c, .folder = folder, .n = scan->n, .depth = scan->depth + 1};
    /* an error is ignored: a device that went away has no stream */
    (void)st_collector_list(scan->c, folder, level, &below);
    scan->n = below.n;
    return scan->n >= STREAMS_MAX;
}

/** Calls fn for each entry of a folder. @param key the fact that becomes unreadable if the folder
 * cannot be read. */
static void scan_folder(struct st_collector *c, const char *folder, st_name_fn fn, const char *key)
{
    struct scan scan = {.c = c, .folder = folder};
    const int r = st_collector_list(c, folder, fn, &scan);
    if (r != 0 && r != -ENOENT)
        st_collector_put_failure(c, key, r, folder);
}

/* --- interrupt lines of sound devices and of the buses that carry sound --- */

#define SOURCE    "/proc/interrupts"
#define LINES_MAX 64

/** Puts the PCI address of the device that interrupts. It is in "PCI-MSI-0000:00:14.0 0-edge" or,
 * before Linux 6.2, in the number of "PCI-MSI 327680-edge": domain << 27 | bus << 19 | device << 14
 * | function << 11 | index (pci_msi_domain_calc_hwirq() of drivers/pci/msi/irqdomain.c). */
static void put_pci(struct st_collector *c, const char *key, const char *line)
{
    const char *at = strstr(line, "PCI-MSI");
    char *end;
    if (at == NULL)
        return;
    at += strcspn(at + 4, "- ") + 4;
    const unsigned long long number = strtoull(at, &end, 10);
    if (*at == '-')
        st_collector_put_text(c, key, st_text("%.*s", (int)strcspn(at + 1, " "), at + 1), SOURCE);
    else if (end != at && st_text_begins(end, "-edge"))
        st_collector_put_text(c, key,
                              st_text("%04llx:%02llx:%02llx.%llx", number >> 27 & 0xffff,
                                      number >> 19 & 0xff, number >> 14 & 0x1f, number >> 11 & 7),
                              SOURCE);
}

static void collect_interrupts(struct st_collector *c)
{
    char *end;
    int r = st_collector_begin(c, SOURCE, c->buf, c->buf_bytes);
    const char *heading = r == 0 ? strstr(c->buf, "CPU") : NULL;
    if (r == 0 && (heading == NULL || heading > c->buf + strcspn(c->buf, "\n")))
        r = -EBADMSG;
    st_collector_put_result(c, ST_KEY_IRQ_READABLE, r, 1, SOURCE);
    if (r != 0)
        return;
    size_t n = 0;
    ST_TEXT_EACH (line, c->buf, "\n") {
        st_text_trim(line);
        const unsigned long number = strtoul(line, &end, 10);
        /* the actions follow the last two adjacent blanks of the line: "16-fasteoi   i801_smbus,
         * snd_hda_intel:card0" */
        const char *actions = NULL, *at = end != line && *end == ':' ? strstr(end, "  ") : NULL;
        for (; at != NULL; at = strstr(at + 1, "  "))
            actions = at + 2;
        if (actions == NULL || !st_linux_text_carries_sound(actions) || n++ >= LINES_MAX)
            continue;
        st_collector_put_text(c, st_text(ST_KEYS_IRQ "%lu.actions", number), actions, SOURCE);
        put_pci(c, st_text(ST_KEYS_IRQ "%lu.pci", number), end + 1);
        st_collector_read(c, st_text(ST_KEYS_IRQ "%lu.cpus", number),
                          st_text("/proc/irq/%lu/effective_affinity_list", number), ST_VALUE_TEXT);
    }
}

/* --- cards --- */

static void put_card(struct st_collector *c, unsigned long number, const char *leaf,
                     const char *text)
{
    st_collector_put_text(c, st_text(ST_KEYS_CARD "%lu.%s", number, leaf), text, CARDS);
}

/** Reads lines such as " 0 [NVidia   ]: HDA-Intel - HDA NVidia". The line below each says what
 * interrupts for the card: the interrupt in "HDA NVidia at 0xfc080000 irq 97", or the USB
 * controller in "... at usb-0000:02:00.0-9.1, full speed". */
static void collect_cards(struct st_collector *c)
{
    struct st_pattern_parts parts;
    unsigned long number = 0;
    int64_t n = 0;
    const int r = st_collector_begin(c, CARDS, c->buf, c->buf_bytes);
    if (r != 0) {
        st_collector_put_failure(c, ST_KEY_CARDS_N, r, CARDS);
        return;
    }
    ST_TEXT_EACH (line, c->buf, "\n") {
        line += strspn(line, " ");
        if (n < CARDS_MAX && st_pattern_match(line, "%d [%l]: %l - %l", &parts)) {
            n++;
            number = strtoul(parts.text[0], NULL, 10);
            put_card(c, number, "driver", parts.text[2]);
            put_card(c, number, "name", parts.text[3]);
        } else if (n > 0 && st_pattern_match(line, "* at usb-%l-", &parts)) {
            put_card(c, number, "controller", parts.text[0]);
        } else if (n > 0 && st_pattern_match(line, "* irq %d", &parts)) {
            put_card(c, number, "irq", parts.text[0]);
        }
    }
    st_collector_put_int(c, ST_KEY_CARDS_N, n, CARDS);
}

void st_linux_sound_collect(struct st_collector *c)
{
    scan_folder(c, ASOUND, level, "linux.alsa.any.buffer_frames");
    scan_folder(c, USB_DEVICES, usb_interface, "linux.usb_audio.any.control");
    collect_cards(c);
    collect_interrupts(c);
}
