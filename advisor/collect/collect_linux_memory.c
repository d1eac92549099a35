/* Linux: swap, and the file system of the user's home. */
#include <errno.h>
#include <string.h>

#include "advisor/collect/collect_sources.h"
#include "advisor/parse/parse_linux.h"

static const char *const patterns[] = {
    "linux.swap.zram_n", "linux.swap.zram_first", "linux.swap.other_n", "linux.home.fstype", NULL,
};

static void swap(struct st_collector *c)
{
    static const char source[] = "/proc/swaps";
    struct st_swaps swaps;
    size_t len;
    const int r = c->p->read_text(c->p, source, c->buf, c->buf_bytes, &len);
    if (r != 0) {
        st_collector_put_failure(c, "linux.swap.other_n", r, source);
        st_collector_put_failure(c, "linux.swap.zram_n", r, source);
    } else if (st_parse_swaps(c->buf, &swaps) != 0) {
        st_collector_put_state(c, "linux.swap.other_n", ST_FACT_MALFORMED, 0, c->buf, source);
        st_collector_put_state(c, "linux.swap.zram_n", ST_FACT_MALFORMED, 0, c->buf, source);
    } else {
        st_collector_put_int(c, "linux.swap.other_n", (int64_t)swaps.other_n, NULL, source);
        st_collector_put_int(c, "linux.swap.zram_n", (int64_t)swaps.zram_n, NULL, source);
        st_collector_put_int(c, "linux.swap.zram_first", swaps.zram_first, NULL, source);
    }
}

static void home(struct st_collector *c)
{
    static const char key[] = "linux.home.fstype";
    static const char source[] = "/proc/self/mounts";
    char type[64];
    size_t len;
    int r = c->p->read_text(c->p, source, c->buf, c->buf_bytes, &len);
    if (r == 0)
        r = st_parse_mounts(c->buf, c->home[0] != '\0' ? c->home : "/home", type, sizeof(type));
    if (r == 0)
        st_collector_put_text(c, key, type, NULL, source);
    else
        st_collector_put_failure(c, key, r, source);
}

static void collect(struct st_collector *c)
{
    swap(c);
    home(c);
}

const struct st_collect_source st_collect_linux_memory = {
    .os = ST_OS_LINUX, .collect = collect, .patterns = patterns};
