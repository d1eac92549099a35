/* Compares CLOCK_MONOTONIC, the wall clock and the time that the computer was suspended. */
#include "daemon/loop/clockwatch.h"

#include "core/ns.h"

#define TRIES 8
/* reads of the three clocks that take longer are repeated; far shorter than a jump that is
 * reported */
#define TOGETHER_NS (10 * ST_NS_PER_MS)

/* Reads all three clocks at nearly one moment: if the thread were stopped between two reads, a jump
 * would be reported. If it is stopped in each try, the try with the shortest stop is used. */
static void read_clocks(struct st_platform *platform, struct st_clockwatch *seen)
{
    int64_t tightest_ns = INT64_MAX;
    for (int i = 0; i < TRIES && tightest_ns > TOGETHER_NS; i++) {
        struct st_clockwatch read = {.started = true, .now_ns = st_platform_now_ns(platform)};
        read.wall_ns = st_platform_wall_ns(platform);
        if (platform->suspended_ns(platform, &read.suspended_ns) < 0)
            read.suspended_ns = 0;
        const int64_t span_ns = st_ns_sub(st_platform_now_ns(platform), read.now_ns);
        if (span_ns >= tightest_ns)
            continue;
        tightest_ns = span_ns;
        *seen = read;
    }
}

void st_clockwatch_tick(struct st_clockwatch *watch, struct st_platform *platform,
                        struct st_events *events)
{
    struct st_clockwatch seen = {.started = true};
    const int64_t rest_ns = watch->rest_ns;
    read_clocks(platform, &seen);
    const struct st_clockwatch last = *watch;
    *watch = seen;
    watch->rest_ns = rest_ns;
    if (!last.started)
        return;
    const int64_t elapsed_ns = st_ns_sub(seen.now_ns, last.now_ns);
    const int64_t slept_ns = st_ns_sub(seen.suspended_ns, last.suspended_ns);
    /* while the computer is suspended, the wall clock goes on and CLOCK_MONOTONIC does not */
    const int64_t jump_ns =
        st_ns_sub(st_ns_sub(st_ns_sub(seen.wall_ns, last.wall_ns), elapsed_ns), slept_ns);
    if (slept_ns >= ST_CLOCKWATCH_SUSPEND_NS)
        st_events_add(events, ST_LOG_INFO, seen.wall_ns, ST_EVENT_SUSPEND,
                      "the computer was suspended for %s", st_ns_text(slept_ns));
    if (jump_ns >= ST_CLOCKWATCH_JUMP_NS || jump_ns <= -ST_CLOCKWATCH_JUMP_NS)
        st_events_add(events, ST_LOG_INFO, seen.wall_ns, ST_EVENT_CLOCK_JUMP,
                      "the time of day was set %s %s; this does not affect the timing test, which "
                      "uses another clock",
                      st_ns_text(jump_ns < 0 ? -jump_ns : jump_ns),
                      jump_ns < 0 ? "back" : "forward");
    if (elapsed_ns >= ST_CLOCKWATCH_PAUSE_NS + rest_ns)
        st_events_add(
            events, ST_LOG_WARN, seen.wall_ns, ST_EVENT_PAUSE,
            "sleeptuned did not run for %s: it was stopped, the computer was paused, programs "
            "without real-time priority got no CPU, or a disk or sound server did not answer",
            st_ns_text(elapsed_ns));
}
