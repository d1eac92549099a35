/* Three clocks side by side. */
#include "daemon/clockwatch.h"

#include "lib/ns.h"

void st_clockwatch_tick(struct st_clockwatch *watch, struct st_platform *platform, struct st_events *events)
{
    struct st_clockwatch seen = {.started = true};
    seen.now_ns = platform->now_ns(platform);
    seen.wall_ns = platform->wall_ns(platform);
    if (platform->suspended_ns(platform, &seen.suspended_ns) < 0)
        seen.suspended_ns = 0;
    const struct st_clockwatch last = *watch;
    *watch = seen;
    if (!last.started)
        return;
    const int64_t elapsed_ns = st_ns_sub(seen.now_ns, last.now_ns);
    const int64_t slept_ns = st_ns_sub(seen.suspended_ns, last.suspended_ns);
    /* the wall clock goes on while the machine sleeps, CLOCK_MONOTONIC does not */
    const int64_t jump_ns = st_ns_sub(st_ns_sub(st_ns_sub(seen.wall_ns, last.wall_ns), elapsed_ns), slept_ns);
    char text[32];
    if (slept_ns >= ST_CLOCKWATCH_SUSPEND_NS) {
        const struct st_log_field fields[] = {{"SUSPENDED_NS", slept_ns}};
        st_events_add(events, ST_LOG_INFO, seen.wall_ns, "suspend", fields, 1,
                      "the machine was suspended for %s", st_ns_format(slept_ns, text, sizeof(text)));
    }
    if (jump_ns >= ST_CLOCKWATCH_JUMP_NS || jump_ns <= -ST_CLOCKWATCH_JUMP_NS) {
        const struct st_log_field fields[] = {{"JUMP_NS", jump_ns}};
        st_events_add(events, ST_LOG_INFO, seen.wall_ns, "clock-jump", fields, 1,
                      "the wall clock was set %s %s; the loop runs on another clock",
                      st_ns_format(jump_ns < 0 ? -jump_ns : jump_ns, text, sizeof(text)),
                      jump_ns < 0 ? "back" : "forward");
    }
    if (elapsed_ns >= ST_CLOCKWATCH_PAUSE_NS) {
        const struct st_log_field fields[] = {{"PAUSE_NS", elapsed_ns}};
        st_events_add(events, ST_LOG_WARN, seen.wall_ns, "pause", fields, 1,
                      "the daemon did not run for %s: it was stopped, the machine was paused, or ordinary "
                      "threads starved",
                      st_ns_format(elapsed_ns, text, sizeof(text)));
    }
}
