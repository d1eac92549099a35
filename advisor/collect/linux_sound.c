/* Linux: sound devices: open streams, USB interfaces, interrupts. */
#include "advisor/collect/collector.h"
#include "advisor/parse/linux_text.h"
#include "core/ns.h"
#include "core/text/pattern.h"
#include "core/text/text.h"
#include "xruns/alsa.h"

/* --- sound devices: streams that are open, USB interfaces --- */

#define USB_DEVICES "/sys/bus/usb/devices"
#define ASOUND      "/proc/asound"
#define CARDS       ASOUND "/cards"
#define CARDS_MAX   32 /* SNDRV_CARDS */

#define USB_DEVICES_MAX 512
#define STREAMS_MAX     64
#define KEY_BYTES       256
#define PATH_BYTES      256
#define NAME_MAX_BYTES  40 /* longer names of devices are not the kernel's */

struct scan {
    struct st_collector *c;
    const char *folder; /* of the level above */
    size_t n;
};

/* --- USB --- */

/** What it hangs on: the name of the controller, and the kind of the hub before it: 01 has one translator for
 * all full-speed devices, 02 one a port. */
static void usb_path(struct st_collector *c, const char *device)
{
    char key[KEY_BYTES];
    const char *dot = strrchr(device, '.');
    int64_t hubs_n = 0;
    for (const char *at = device; *at != '\0'; at++)
        hubs_n += *at == '.';
    ST_PRINT(key, ST_KEYS_USB_AUDIO "%s.hubs_n", device);
    st_collector_put_int(c, key, hubs_n, USB_DEVICES);
    ST_PRINT(key, ST_KEYS_USB_AUDIO "%s.controller", device);
    st_collector_read(c, key,
                      ST_TEXT(PATH_BYTES, USB_DEVICES "/usb%.*s/product", (int)strcspn(device, "-"), device),
                      ST_VALUE_TEXT);
    if (dot == NULL)
        return;
    ST_PRINT(key, ST_KEYS_USB_AUDIO "%s.hub", device);
    st_collector_read(c, key,
                      ST_TEXT(PATH_BYTES, USB_DEVICES "/%.*s/bDeviceProtocol", (int)(dot - device), device),
                      ST_VALUE_TEXT);
}

static void usb_device(struct st_collector *c, const char *device)
{
    static const struct {
        const char *file;
        const char *key;
        enum st_value_kind kind;
    } leaves[] = {
        {"idVendor", "vendor_id", ST_VALUE_TEXT},
        {"idProduct", "product_id", ST_VALUE_TEXT},
        {"product", "product", ST_VALUE_TEXT},
        {"power/control", "control", ST_VALUE_TEXT},
        {"power/autosuspend_delay_ms", "autosuspend_ms", ST_VALUE_INT},
        {"speed", "speed_mbit", ST_VALUE_INT},
    };
    for (size_t i = 0; i < ST_ARRAY_LEN(leaves); i++) {
        char key[KEY_BYTES];
        ST_PRINT(key, ST_KEYS_USB_AUDIO "%s.%s", device, leaves[i].key);
        if (i == 0 && st_facts_find(c->facts, key) != NULL) /* has several audio interfaces */
            return;
        st_collector_read(c, key, ST_TEXT(PATH_BYTES, USB_DEVICES "/%s/%s", device, leaves[i].file),
                          leaves[i].kind);
    }
    usb_path(c, device);
}

/** The subclass of one of a device's interfaces; "": not known. */
static void subclass(struct st_collector *c, const char *interface, char *ret, size_t bytes)
{
    if (st_collector_text(c, ST_TEXT(PATH_BYTES, USB_DEVICES "/%s/bInterfaceSubClass", interface), ret,
                          bytes) != 0)
        ret[0] = '\0';
}

/** Does this interface make its device a sound card? 02 carries sound and 03 MIDI, which reserves no
 * bandwidth; each device has a 01 before it, which says nothing. (USB Device Class Definition for Audio
 * Devices 1.0, A.2) */
static bool carries_usb_sound(struct st_collector *c, const char *interface)
{
    char its[8], other[8], name[2 * NAME_MAX_BYTES + 8];
    subclass(c, interface, its, sizeof(its));
    if (!st_text_begins(its, "01"))
        return !st_text_begins(its, "03");
    const char *dot = strrchr(interface, '.');
    for (int i = 0; i < 16 && dot != NULL; i++) {
        ST_PRINT(name, "%.*s%d", (int)(dot - interface) + 1, interface, i);
        subclass(c, name, other, sizeof(other));
        if (st_text_begins(other, "03"))
            return false; /* if it carries sound, too, another interface says so */
    }
    return true;
}

/** "1-2.3:1.0" is an interface of the device "1-2.3"; class 01 is audio, 0e video. */
static int usb_interface(void *ctx, const char *name)
{
    struct scan *scan = ctx;
    char path[PATH_BYTES], class[16] = "", device[NAME_MAX_BYTES];
    const char *colon = strchr(name, ':');
    if (colon == NULL || (size_t)(colon - name) >= sizeof(device) || strlen(name) > 2 * sizeof(device))
        return 0;
    ST_PRINT(path, USB_DEVICES "/%s/bInterfaceClass", name);
    ST_PRINT(device, "%.*s", (int)(colon - name), name);
    (void)!st_collector_text(scan->c, path, class, sizeof(class));
    const char *key = ST_TEXT(KEY_BYTES, ST_KEYS_USB_CAMERA "%s.product", device);
    ST_PRINT(path, USB_DEVICES "/%s/product", device);
    if (st_text_begins(class, "01") && carries_usb_sound(scan->c, name))
        usb_device(scan->c, device);
    else if (st_text_begins(class, "0e"))
        st_collector_read(scan->c, key, path, ST_VALUE_TEXT);
    return ++scan->n == USB_DEVICES_MAX;
}

/* --- ALSA streams --- */

struct stream {
    struct st_collector *c;
    const char *name; /* "card0.pcm0p.sub0" */
    const char *path;
};

/** The last part of the key of a line of hw_params: "period_frames" of "period_size"; NULL: none. */
static const char *hw_param_leaf(const char *name)
{
    static const struct {
        const char *name, *leaf;
    } rows[] = {{"period_size", "period_frames"}, {"buffer_size", "buffer_frames"}, {"rate", "rate_hz"}};
    ST_EACH (row, rows) {
        if (st_text_is(row->name, name))
            return row->leaf;
    }
    return NULL;
}

/** A line of hw_params: "period_size: 512", "rate: 48000 (48000/1)". */
static void hw_param(void *ctx, ST_UNUSED const char *section, const char *name, const char *value)
{
    const struct stream *stream = ctx;
    const char *leaf = hw_param_leaf(name);
    if (leaf == NULL)
        return;
    const char *key = ST_TEXT(KEY_BYTES, ST_KEYS_ALSA "%s.%s", stream->name, leaf);
    st_facts_put_number(stream->c->facts, key, ST_TEXT(32, "%.*s", (int)strcspn(value, " "), value), value,
                        stream->path);
}

/* The rate in Hz at which the device moved since the start. @return 0; -ENODATA: it does not run, or for
 * less than 3 s, when one step of the position is too much. */
static int rate_of(const struct st_alsa_status *status, int64_t *ret_hz)
{
    const int64_t ms = status->now_ns / ST_NS_PER_MS - status->trigger_ns / ST_NS_PER_MS;
    if (status->state != ST_ALSA_RUNNING || ms < 3000 || status->hw_ptr_frames >= INT64_MAX / 1000)
        return -ENODATA;
    *ret_hz = status->hw_ptr_frames * 1000 / ms;
    return 0;
}

/** The program that opened the stream, and its rate since the start. */
static void stream_status(struct st_collector *c, const char *name, const char *text, const char *source)
{
    struct st_alsa_status status;
    if (st_alsa_status_parse(text, &status) != 0)
        return;
    const char *path = ST_TEXT(64, "/proc/%lld/comm", (long long)status.owner_tid);
    if (status.owner_tid > 0)
        st_collector_read(c, ST_TEXT(KEY_BYTES + 32, ST_KEYS_ALSA "%s.owner", name), path, ST_VALUE_TEXT);
    int64_t hz;
    if (rate_of(&status, &hz) == 0)
        st_collector_put_int(c, ST_TEXT(KEY_BYTES + 32, ST_KEYS_ALSA "%s.moved_hz", name), hz, source);
}

/** A lower bound of the steps in which the position of a stream that PipeWire plays moves: for two looks, the
 * frames between them without those of the longest time that can lie between them. Takes 50 ms. */
static void stream_steps(struct st_collector *c, const char *name, const char *path)
{
    struct st_alsa_status status;
    const char *owner;
    char text[1024];
    int64_t rate_hz, now_ns = 0;
    double behind_s = HUGE_VAL, step_s = 0;
    if (!c->live || strstr(name, "p.sub") == NULL ||
        st_facts_text(c->facts, ST_TEXT(KEY_BYTES + 32, ST_KEYS_ALSA "%s.owner", name), &owner) != 0 ||
        (!st_text_begins(owner, "pipewire") && strstr(owner, "data-loop") == NULL))
        return;
    if (st_facts_int(c->facts, ST_TEXT(KEY_BYTES + 32, ST_KEYS_ALSA "%s.rate_hz", name), &rate_hz) != 0 ||
        rate_hz <= 0)
        return;
    for (int i = 0; i < 50; i++) {
        const double before_s = st_ns_seconds(st_clock_now_ns(&c->p->clock));
        if (st_collector_text(c, path, text, sizeof(text)) != 0 || st_alsa_status_parse(text, &status) != 0)
            return;
        const double at_s = (double)status.hw_ptr_frames / (double)rate_hz;
        now_ns = st_clock_now_ns(&c->p->clock);
        if (status.state == ST_ALSA_RUNNING) { /* not between an xrun and the next start */
            behind_s = fmin(behind_s, at_s - before_s);
            step_s = fmax(step_s, at_s - st_ns_seconds(now_ns) - behind_s);
        }
        (void)!c->p->clock.sleep_until_ns(&c->p->clock, now_ns + ST_NS_PER_MS);
    }
    if (isfinite(behind_s))
        st_collector_put_int(c, ST_TEXT(KEY_BYTES + 32, ST_KEYS_ALSA "%s.step_frames", name),
                             (int64_t)fmin(step_s * (double)rate_hz, INT32_MAX), path);
}

static void one_stream(struct st_collector *c, const char *folder, const char *name)
{
    char path[PATH_BYTES], text[1024];
    struct stream stream = {c, name, path};
    ST_PRINT(path, "%.200s/hw_params", folder);
    const int r = st_collector_text(c, path, text, sizeof(text));
    if (r != 0) {
        st_collector_put_failure(c, ST_TEXT(KEY_BYTES + 32, ST_KEYS_ALSA "%s.buffer_frames", name), r, path);
        return;
    }
    if (st_text_begins(text, "closed"))
        return;
    st_linux_text_settings(text, ':', "", hw_param, &stream);
    ST_PRINT(path, "%.200s/status", folder);
    if (st_collector_text(c, path, text, sizeof(text)) == 0)
        stream_status(c, name, text, path);
    stream_steps(c, name, path);
}

/* The three levels of /proc/asound: card0, pcm0p, sub0. */

static int substream(void *ctx, const char *name)
{
    struct scan *scan = ctx;
    if (!st_text_begins(name, "sub") || strlen(name) > NAME_MAX_BYTES)
        return 0;
    const char *folder = ST_TEXT(PATH_BYTES, "%s/%s", scan->folder, name);
    char *stream = ST_TEXT(KEY_BYTES, "%s", folder + sizeof(ASOUND));
    for (char *at = stream; *at != '\0'; at++)
        *at = *at == '/' ? '.' : *at;
    one_stream(scan->c, folder, stream);
    return ++scan->n == STREAMS_MAX;
}

/** Into a folder that the prefix and a number name: "card0", not "cards". */
static int descend(struct scan *scan, const char *name, const char *prefix, st_name_fn next)
{
    if (!st_text_begins(name, prefix) || strcspn(name, "0123456789") != strlen(prefix) ||
        strlen(name) > NAME_MAX_BYTES || strlen(scan->folder) > 2 * NAME_MAX_BYTES)
        return 0;
    const char *folder = ST_TEXT(PATH_BYTES, "%s/%s", scan->folder, name);
    struct scan below = {.c = scan->c, .folder = folder, .n = scan->n};
    (void)st_collector_list(scan->c, folder, next, &below); /* what went away has no stream */
    scan->n = below.n;
    return scan->n >= STREAMS_MAX;
}

static int pcm(void *ctx, const char *name)
{
    return descend(ctx, name, "pcm", substream);
}

static int card(void *ctx, const char *name)
{
    return descend(ctx, name, "card", pcm);
}

static void collect_devices(struct st_collector *c)
{
    static const struct {
        const char *folder;
        st_name_fn fn;
        const char *key; /* of what stands for all when the folder cannot be read */
    } sets[] = {
        {ASOUND, card, "linux.alsa.any.buffer_frames"},
        {USB_DEVICES, usb_interface, "linux.usb_audio.any.control"},
    };
    ST_EACH (set, sets) {
        struct scan scan = {.c = c, .folder = set->folder};
        const int r = st_collector_list(c, set->folder, set->fn, &scan);
        if (r != 0 && r != -ENOENT)
            st_collector_put_failure(c, set->key, r, set->folder);
    }
}

/* --- interrupt lines of sound and of the buses that carry it --- */

#define SOURCE    "/proc/interrupts"
#define LINES_MAX 64

static void one_line(void *ctx, unsigned number, const char *actions, const char *pci)
{
    struct scan *lines = ctx;
    char key[64];
    if (!st_linux_text_carries_sound(actions) || lines->n == LINES_MAX)
        return;
    lines->n++;
    ST_PRINT(key, ST_KEYS_IRQ "%u.actions", number);
    st_collector_put_text(lines->c, key, actions, SOURCE);
    ST_PRINT(key, ST_KEYS_IRQ "%u.pci", number);
    if (pci[0] != '\0')
        st_collector_put_text(lines->c, key, pci, SOURCE);
    ST_PRINT(key, ST_KEYS_IRQ "%u.cpus", number);
    st_collector_read(lines->c, key, ST_TEXT(64, "/proc/irq/%u/effective_affinity_list", number),
                      ST_VALUE_TEXT);
}

static void collect_interrupts(struct st_collector *c)
{
    static const char key[] = ST_KEY_IRQ_READABLE;
    struct scan lines = {.c = c};
    int r = st_collector_text(c, SOURCE, c->buf, c->buf_bytes);
    if (r != 0 && r != -EFBIG)
        st_collector_put_failure(c, key, r, SOURCE);
    else if (st_linux_text_interrupts(c->buf, one_line, &lines) != 0)
        st_collector_put_malformed(c, key, c->buf, SOURCE);
    else
        st_collector_put_int(c, key, 1, SOURCE);
}

/* --- cards --- */

/** What interrupts for it: the controller of "usb-0000:00:14.0-1.2", the number of "irq 97". */
static void one_card(void *ctx, const struct st_sound_card *card)
{
    struct scan *cards = ctx;
    struct st_pattern_parts parts;
    char key[64];
    if (cards->n++ == CARDS_MAX)
        return;
    const struct {
        const char *leaf, *text;
    } rows[] = {{"driver", card->driver}, {"name", card->name}};
    ST_EACH (row, rows) {
        ST_PRINT(key, ST_KEYS_CARD "%u.%s", card->number, row->leaf);
        st_collector_put_text(cards->c, key, row->text, CARDS);
    }
    const bool is_usb = st_pattern_match(card->where, "* at usb-%l-", &parts);
    ST_PRINT(key, ST_KEYS_CARD "%u.%s", card->number, is_usb ? "controller" : "irq");
    if (is_usb || st_pattern_match(card->where, "* irq %d", &parts))
        st_collector_put_text(cards->c, key, parts.text[0], CARDS);
}

static void collect_cards(struct st_collector *c)
{
    struct scan cards = {.c = c};
    const int r = st_collector_text(c, CARDS, c->buf, c->buf_bytes);
    const bool is_read = r == 0 || r == -EFBIG;
    if (is_read)
        st_linux_text_cards(c->buf, one_card, &cards);
    st_collector_put_result(c, ST_KEY_CARDS_N, is_read ? 0 : r, (int64_t)cards.n, CARDS);
}

static void collect(struct st_collector *c)
{
    collect_devices(c);
    collect_cards(c);
    collect_interrupts(c);
}

const struct st_collect_source st_collect_linux_sound = {ST_OS_LINUX, collect};
