/* Linux: what this runs in (hypervisor, container), and the idle latency that somebody asked for. */
#include <errno.h>
#include <string.h>

#include "advisor/collect/collect_sources.h"
#include "advisor/facts/text.h"

#define HYPERVISOR_KEY "system.hypervisor"
#define VIRTUAL_KEY    "linux.virtual"
#define VIRTUAL_SOURCE "/proc/cpuinfo, /sys/class/dmi, CPUID"
#define REQUEST_KEY    "linux.pmqos.cpu_dma_latency_us"
#define REQUEST_PATH   "/dev/cpu_dma_latency"

static const char *const patterns[] = {
    REQUEST_KEY, "linux.virtual", "system.container", "system.hypervisor", NULL,
};

static void container(struct st_collector *c)
{
    static const struct {
        const char *path;
        const char *name; /* NULL: the file's text is the name */
    } marks[] = {
        {"/.flatpak-info", "flatpak"},    {"/run/.toolboxenv", "toolbox"}, {"/run/systemd/container", NULL},
        {"/run/.containerenv", "podman"}, {"/.dockerenv", "docker"},
    };
    for (size_t i = 0; i < ST_ARRAY_LEN(marks); i++) {
        char text[256];
        size_t len;
        const int r = c->p->read_text(c->p, marks[i].path, text, sizeof(text), &len);
        if (r == 0 || r == -EFBIG) {
            st_collector_put_text(c, "system.container", marks[i].name != NULL ? marks[i].name : text, NULL,
                                  marks[i].path);
            return;
        }
    }
    st_collector_put_state(c, "system.container", ST_FACT_ABSENT, 0, NULL, marks[0].path);
}

/** A captured request is a file of 4 bytes: s32, microseconds, little-endian. */
static void captured_request(struct st_collector *c)
{
    char buf[16];
    size_t len = 0;
    const int r = c->p->read_text(c->p, REQUEST_PATH, buf, sizeof(buf), &len);
    if (r != 0) {
        st_collector_put_failure(c, REQUEST_KEY, r, REQUEST_PATH);
    } else if (len != 4) {
        st_collector_put_state(c, REQUEST_KEY, ST_FACT_MALFORMED, 0, buf, REQUEST_PATH);
    } else {
        uint32_t value = 0;
        for (size_t i = 4; i-- > 0;)
            value = value << 8 | (unsigned char)buf[i];
        st_collector_put_int(c, REQUEST_KEY, (int32_t)value, NULL, REQUEST_PATH);
    }
}

/** Nothing came from the circumstances: a device is refused with -EINVAL once it is open, so this says why.
 */
static void unread_request(struct st_collector *c)
{
    char buf[16];
    size_t len;
    const int r = c->p->read_text(c->p, REQUEST_PATH, buf, sizeof(buf), &len);
    st_collector_put_failure(c, REQUEST_KEY, r != 0 ? r : -EINVAL, REQUEST_PATH);
}

/** Of the circumstances, what no text file tells. */
static void circumstance(void *ctx, const char *key, const char *value)
{
    struct st_collector *c = ctx;
    int64_t number;
    if (strcmp(key, "hypervisor") == 0) {
        const bool is_virtual = strcmp(value, "none") != 0;
        st_collector_put_int(c, VIRTUAL_KEY, is_virtual, value, VIRTUAL_SOURCE);
        if (is_virtual)
            st_collector_put_text(c, HYPERVISOR_KEY, value, NULL, VIRTUAL_SOURCE);
    } else if (c->live && strcmp(key, "cpu_dma_latency_us") == 0 && st_text_int(value, &number) == 0) {
        st_collector_put_int(c, REQUEST_KEY, number, NULL, REQUEST_PATH);
    }
}

static void collect(struct st_collector *c)
{
    container(c);
    c->p->circumstances(c->p, -1, circumstance, c);
    if (st_facts_find(c->facts, VIRTUAL_KEY) == NULL)
        st_collector_put_state(c, VIRTUAL_KEY, ST_FACT_ABSENT, 0, NULL, VIRTUAL_SOURCE);
    if (st_facts_find(c->facts, HYPERVISOR_KEY) == NULL)
        st_collector_put_state(c, HYPERVISOR_KEY, ST_FACT_ABSENT, 0, NULL, VIRTUAL_SOURCE);
    if (!c->live)
        captured_request(c);
    else if (st_facts_find(c->facts, REQUEST_KEY) == NULL)
        unread_request(c);
}

const struct st_collect_source st_collect_linux_machine = {
    .os = ST_OS_LINUX, .collect = collect, .patterns = patterns};
