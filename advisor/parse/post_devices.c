/* Posted texts about devices: hw_params and status of /proc/asound, /proc/interrupts, lsusb -t. */
#include "advisor/parse/linux_text.h"
#include "advisor/parse/post.h"
#include "core/text/text.h"
#include "xruns/alsa.h"

#define KEY_BYTES    160
#define STATUS_BYTES 1024

/* --- /proc/asound: sound/core/pcm.c of Linux --- */

/** Which stream: by the prompt above, or by what grep and tail put before the line. */
static void find_stream(struct st_post *post, const char *line)
{
    unsigned card, device, sub;
    char way;
    const char *at = strstr(line, "/proc/asound/card");
    if (at == NULL)
        at = strstr(post->command, "/proc/asound/card");
    if (at != NULL && sscanf(at, "/proc/asound/card%3u/pcm%3u%c/sub%3u", &card, &device, &way, &sub) == 4 &&
        (way == 'p' || way == 'c'))
        ST_PRINT(post->pcm.name, "card%u.pcm%u%c.sub%u", card, device, way, sub);
}

static void pcm_end(struct st_post *post)
{
    struct st_alsa_status status;
    char key[KEY_BYTES];
    int64_t hz;
    const char *text = post->pcm.status.text;
    if (text != NULL && st_alsa_status_parse(text, &status) == 0 && st_alsa_status_moved(&status, &hz) == 0) {
        ST_PRINT(key, ST_KEYS_ALSA "%s.moved_hz", post->pcm.name);
        st_post_int(post, key, hz);
    }
    free(post->pcm.status.text);
    post->pcm.status = (struct st_text_buffer){0};
}

static bool pcm_line(struct st_post *post, char *line)
{
    static const char *const of_status[] = {"state: ", "owner_pid ", "trigger_time: ", "tstamp ",   "delay ",
                                            "avail ",  "avail_max ", "hw_ptr ",        "appl_ptr ", "-----",
                                            NULL};
    static const char *const of_params[] = {"access: ", "format: ", "subformat: ", "channels: ", NULL};
    char number[32];
    const char *leaf;
    find_stream(post, line);
    if (st_text_begins(line, "/proc/asound/")) /* grep . FILE... */
        line += strcspn(line, ":") + (strchr(line, ':') != NULL);
    if (st_text_begins(line, "access: ")) { /* the first line of hw_params */
        pcm_end(post);
        if (post->pcm.name[0] == '\0')
            ST_PRINT(post->pcm.name, "card");
    }
    if (st_text_begins_among(line, of_params))
        return true;
    if (post->pcm.name[0] != '\0' && st_text_begins_among(line, of_status)) {
        if (post->pcm.status.bytes < STATUS_BYTES)
            st_text_buffer_printf(&post->pcm.status, "%s\n", line);
        return true;
    }
    char *colon = strstr(line, ": ");
    if (colon == NULL || post->pcm.name[0] == '\0')
        return false;
    *colon = '\0';
    leaf = st_linux_text_hw_param(line);
    *colon = ':';
    if (leaf == NULL)
        return false;
    const char *key = ST_TEXT(KEY_BYTES, ST_KEYS_ALSA "%s.%s", post->pcm.name, leaf);
    ST_PRINT(number, "%.*s", (int)(strcspn(colon + 2, " ") % sizeof(number)), colon + 2);
    st_facts_put_number(post->facts, key, number, line, post->source);
    return true;
}

const struct st_post_format st_post_pcm = {
    "/proc/asound", "grep . /proc/asound/card*/pcm*/sub*/hw_params   # while music plays", pcm_line, pcm_end};

/* --- /proc/interrupts, also without its heading --- */

static void put_interrupt(void *ctx, unsigned number, const char *actions, const char *pci)
{
    struct st_post *post = ctx;
    char key[KEY_BYTES];
    if (!st_linux_text_carries_sound(actions))
        return;
    ST_PRINT(key, ST_KEYS_IRQ "%u.actions", number);
    st_post_text(post, key, actions);
    ST_PRINT(key, ST_KEYS_IRQ "%u.pci", number);
    if (pci[0] != '\0')
        st_post_text(post, key, pci);
    st_post_int(post, ST_KEY_IRQ_READABLE, 1);
}

static bool interrupts_line(struct st_post *post, char *line)
{
    char text[4200], *end;
    const char *at = line + strspn(line, " ");
    if (st_text_begins(at, "CPU0 ") && strstr(at, "CPU1") != NULL)
        return post->interrupts = true;
    (void)!strtoul(at, &end, 10);
    const bool numbered = end != at && *end == ':' && strspn(end + 1, " ") > 0;
    const char *count = numbered ? end + 1 + strspn(end + 1, " ") : NULL;
    if (post->interrupts && count == NULL &&
        st_text_begins(at + strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"), ":  "))
        return true; /* "NMI:   12   12   Non-maskable interrupts" */
    if (count == NULL || strspn(count, "0123456789") == 0 || count[strspn(count, "0123456789 ")] == '\0' ||
        strspn(count, "0123456789 ") < 4)
        return false;
    if (!post->interrupts && !st_linux_text_carries_sound(count))
        return false;
    ST_PRINT(text, "CPU\n%s", at);
    return st_linux_text_interrupts(text, put_interrupt, post) == 0;
}

const struct st_post_format st_post_interrupts = {"/proc/interrupts", "cat /proc/interrupts", interrupts_line,
                                                  NULL};

/* --- lsusb -t: usbutils' lsusb-t.c --- */

/** Only the number of its interfaces tells a sound card from a MIDI keyboard. At 12 Mbit/s the translator of
 * a hub before it matters, which this text does not have. */
static void put_usb(struct st_post *post, unsigned interface, int speed_mbit)
{
    char device[64], key[KEY_BYTES];
    ST_PRINT(device, "%d-%d", post->usb.bus, post->usb.ports[0]);
    for (int i = 1; i <= post->usb.depth; i++)
        ST_APPEND(device, ".%d", post->usb.ports[i]);
    if (interface < 2 || (speed_mbit <= 12 && post->usb.depth > 0 && !post->usb.software))
        return;
    ST_PRINT(key, ST_KEYS_USB_AUDIO "%s.speed_mbit", device);
    st_post_int(post, key, speed_mbit);
    ST_PRINT(key, ST_KEYS_USB_AUDIO "%s.hubs_n", device);
    st_post_int(post, key, post->usb.depth);
    ST_PRINT(key, ST_KEYS_USB_AUDIO "%s.controller", device);
    if (post->usb.software)
        st_post_text(post, key, "DWC OTG Controller");
}

static bool usb_line(struct st_post *post, char *line)
{
    const char *at = strstr(line, "|__ Port "), *bus = strstr(line, "/:  Bus ");
    const char *comma = strrchr(line, ',');
    unsigned number, interface;
    int port;
    if (bus != NULL && sscanf(bus, "/:  Bus %3u.Port", &number) == 1) {
        post->usb.bus = (int)number;
        post->usb.software = strstr(bus, "Driver=dwc_otg") != NULL;
        return true;
    }
    if (at == NULL || post->usb.bus == 0 ||
        sscanf(at, "|__ Port %3d: Dev %*3u, If %3u, ", &port, &interface) != 2)
        return at != NULL;
    const size_t indent = strspn(line, " \t|");
    post->usb.depth = (int)(indent / 4) - 1;
    if (post->usb.depth < 0 || post->usb.depth >= (int)ST_ARRAY_LEN(post->usb.ports) || comma == NULL)
        return true;
    post->usb.ports[post->usb.depth] = port;
    if (strstr(at, "Class=Audio,") != NULL)
        put_usb(post, interface, (int)strtol(comma + 1, NULL, 10));
    return true;
}

const struct st_post_format st_post_usb = {"lsusb -t", "sleeptune snapshot", usb_line, NULL};
