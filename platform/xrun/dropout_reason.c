#include "platform/xrun/dropout_reason.h"

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
