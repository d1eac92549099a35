#include "platform/xrun/dropout_reason.h"

#include <stdio.h>

#include "core/ns.h"

#define FRAMES_MIN 16
#define FRAMES_MAX 8192 /* the most that PipeWire and JACK take */

static const struct {
    const char *name, *text;
} reasons[ST_DROPOUT_REASONS] = {
    [ST_DROPOUT_UNKNOWN] = {"unknown", "was not ready, reason unknown"},
    [ST_DROPOUT_TOO_SLOW] = {"too-slow", "computed too long"},
    [ST_DROPOUT_WOKEN_LATE] = {"woken-late", "was woken late"},
    [ST_DROPOUT_CPU_TAKEN] = {"cpu-taken", "lost the CPU to another program"},
    [ST_DROPOUT_CPU_TAKEN_BY_ITSELF] = {"cpu-taken-by-itself", "lost the CPU to another thread of its own"},
    [ST_DROPOUT_STOPPED] = {"stopped", "was stopped or frozen"},
    [ST_DROPOUT_EXITED] = {"exited", "exited"},
    [ST_DROPOUT_WAITED_FOR_OTHER] = {"waited-for-other", "waited for another client"},
};

const char *st_dropout_reason_name(enum st_dropout_reason reason)
{
    return reasons[reason].name;
}

const char *st_dropout_reason_text(enum st_dropout_reason reason)
{
    return reasons[reason].text;
}

const char *st_dropout_reason_figures(enum st_dropout_reason reason, int64_t busy_ns, int64_t wait_ns,
                                      int64_t period_ns, char *buf, size_t buf_bytes)
{
    char time[32], period[32];
    buf[0] = '\0';
    if (reason == ST_DROPOUT_TOO_SLOW && period_ns > 0 && busy_ns > period_ns)
        snprintf(buf, buf_bytes, " (%s of %s)", st_ns_format_short(busy_ns, time, sizeof(time)),
                 st_ns_format_short(period_ns, period, sizeof(period)));
    else if (reason == ST_DROPOUT_WOKEN_LATE && wait_ns > 0)
        snprintf(buf, buf_bytes, " (by %s)", st_ns_format_short(wait_ns, time, sizeof(time)));
    return buf;
}

int64_t st_dropout_reason_room_frames(int64_t frames, int64_t period_ns, int64_t busy_ns)
{
    int64_t larger = FRAMES_MIN;
    if (frames <= 0 || period_ns <= 0)
        return 0;
    while (larger <= FRAMES_MAX &&
           (larger <= frames || (double)larger * (double)period_ns < (double)busy_ns * (double)frames))
        larger *= 2;
    return larger <= FRAMES_MAX ? larger : 0;
}
