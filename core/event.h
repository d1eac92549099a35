/* Events of sleeptuned: their names, and how certain an xrun is. */
#ifndef ST_CORE_EVENT_H
#define ST_CORE_EVENT_H

#include <stdbool.h>

/** All names of events; sleeptuned(8) explains them and "minute" of the journal. */
#define ST_EVENT_NAMES                                                                                       \
    "late-wake, simulated-xrun, own-xrun, observed-xrun, starved-client, observe, observe-lost, suspend, "   \
    "clock-jump, pause, degraded, recovered, demoted, starved, loop-stalled, loop-resumed, rtkit, "          \
    "audio-open, "                                                                                           \
    "audio-unavailable, audio-lost, config-read, config-rejected, loop-restart, loop-rests, loop-runs, "     \
    "http-failed, "                                                                                          \
    "socket-rights, history-aside, history-changed, unclean-end"

/** Whether it is one of ST_EVENT_NAMES. */
bool st_event_is_name(const char *text);

enum st_certainty {
    ST_CERTAINTY_NONE,
    ST_CERTAINTY_EXACT,    /* reported by the program that counts it */
    ST_CERTAINTY_PROBABLE, /* concluded from what was observed */
};

/** How people write the name of a source of xruns: "PipeWire" for "pipewire"; another one unchanged. Pure. */
const char *st_event_source_title(const char *source);

/** "exact", "probable", "" for none. Threads: any. */
const char *st_event_certainty(enum st_certainty certainty);

#endif
