/* Linux: interrupt lines of sound and of the buses that carry it. */
#include <errno.h>
#include <string.h>

#include "advisor/collect/collect_sources.h"
#include "advisor/parse/parse_linux.h"

#define SOURCE    "/proc/interrupts"
#define LINES_MAX 64

static const char *const patterns[] = {
    "linux.irq.*.actions",
    "linux.irq.*.affinity",
    "linux.irq.readable",
    NULL,
};

struct lines {
    struct st_collector *c;
    size_t n;
};

/** Names of drivers, as they stand in /proc/interrupts. */
static bool carries_sound(const char *actions)
{
    static const char *const words[] = {"snd",  "hda",  "AudioDSP", "sof-", "ACP_",     "xhci",
                                        "ehci", "ohci", "uhci",     "dwc",  "firewire", "usb"};
    for (size_t i = 0; i < ST_ARRAY_LEN(words); i++) {
        if (strstr(actions, words[i]) != NULL)
            return true;
    }
    return false;
}

static void one_line(void *ctx, unsigned number, const char *actions)
{
    struct lines *lines = ctx;
    char key[64], path[64];
    if (!carries_sound(actions) || lines->n == LINES_MAX)
        return;
    lines->n++;
    snprintf(key, sizeof(key), "linux.irq.%u.actions", number);
    st_collector_put_text(lines->c, key, actions, NULL, SOURCE);
    snprintf(key, sizeof(key), "linux.irq.%u.affinity", number);
    snprintf(path, sizeof(path), "/proc/irq/%u/smp_affinity_list", number);
    st_collector_file(lines->c, key, path, ST_VALUE_TEXT);
}

static void collect(struct st_collector *c)
{
    static const char key[] = "linux.irq.readable";
    struct lines lines = {.c = c};
    size_t len;
    int r = c->p->read_text(c->p, SOURCE, c->buf, c->buf_bytes, &len);
    if (r != 0 && r != -EFBIG)
        st_collector_put_failure(c, key, r, SOURCE);
    else if (st_parse_interrupts(c->buf, one_line, &lines) != 0)
        st_collector_put_state(c, key, ST_FACT_MALFORMED, 0, c->buf, SOURCE);
    else
        st_collector_put_int(c, key, 1, NULL, SOURCE);
}

const struct st_collect_source st_collect_linux_irq = {
    .os = ST_OS_LINUX, .collect = collect, .patterns = patterns};
