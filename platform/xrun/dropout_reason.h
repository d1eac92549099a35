/* Why a client of a sound server was not ready in its cycle. */
#ifndef ST_PLATFORM_XRUN_DROPOUT_REASON_H
#define ST_PLATFORM_XRUN_DROPOUT_REASON_H

enum st_dropout_reason {
    ST_DROPOUT_UNKNOWN,             /* the source cannot know, or the figures of the cycle do not decide */
    ST_DROPOUT_TOO_SLOW,            /* it was woken on time, had the CPU, and computed past the deadline */
    ST_DROPOUT_WOKEN_LATE,          /* it was woken so late that its usual work did not fit any more */
    ST_DROPOUT_CPU_TAKEN,           /* another program had the CPU while it wanted to run */
    ST_DROPOUT_CPU_TAKEN_BY_ITSELF, /* another thread of its own process had the CPU */
    ST_DROPOUT_STOPPED,             /* SIGSTOP, a debugger, or a frozen control group */
    ST_DROPOUT_EXITED,              /* its process ended, or it left the graph within the cycle */
    ST_DROPOUT_WAITED_FOR_OTHER, /* a client whose output it needs was not ready: the other one is to blame */
    ST_DROPOUT_REASONS
};

/** Stable: "unknown", "too-slow", "woken-late", "cpu-taken", "cpu-taken-by-itself", "stopped", "exited",
 * "waited-for-other". */
const char *st_dropout_reason_name(enum st_dropout_reason reason);

/** For screens, after a client's name: "computed too long", "was woken late" ... */
const char *st_dropout_reason_text(enum st_dropout_reason reason);

#endif
