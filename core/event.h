/* The kinds of sleeptuned's events, and how certain a dropout is. */
#pragma once

#include "core/base.h"

/* All kinds of events. sleeptuned(8) explains them. */
#define ST_EVENT_KIND_LIST(FIRST, NEXT)                                                            \
    FIRST(LATE_WAKE, "late-wake")                                                                  \
    NEXT(OWN_DROPOUT, "own-dropout")                                                               \
    NEXT(DEVICE_DROPOUT, "device-dropout")                                                         \
    NEXT(CLIENT_DROPOUT, "client-dropout")                                                         \
    NEXT(OBSERVE, "observe")                                                                       \
    NEXT(OBSERVE_LOST, "observe-lost")                                                             \
    NEXT(SUSPEND, "suspend")                                                                       \
    NEXT(CLOCK_JUMP, "clock-jump")                                                                 \
    NEXT(PAUSE, "pause")                                                                           \
    NEXT(DEGRADED, "degraded")                                                                     \
    NEXT(RECOVERED, "recovered")                                                                   \
    NEXT(DEMOTED, "demoted")                                                                       \
    NEXT(STARVED, "starved")                                                                       \
    NEXT(LOOP_STALLED, "loop-stalled")                                                             \
    NEXT(LOOP_RESUMED, "loop-resumed")                                                             \
    NEXT(RTKIT, "rtkit")                                                                           \
    NEXT(AUDIO_OPEN, "audio-open")                                                                 \
    NEXT(AUDIO_UNAVAILABLE, "audio-unavailable")                                                   \
    NEXT(AUDIO_LOST, "audio-lost")                                                                 \
    NEXT(CONFIG_READ, "config-read")                                                               \
    NEXT(CONFIG_REJECTED, "config-rejected")                                                       \
    NEXT(LOOP_RESTART, "loop-restart")                                                             \
    NEXT(LOOP_RESTS, "loop-rests")                                                                 \
    NEXT(LOOP_RUNS, "loop-runs")                                                                   \
    NEXT(HTTP_FAILED, "http-failed")                                                               \
    NEXT(SOCKET_RIGHTS, "socket-rights")                                                           \
    NEXT(HISTORY_ASIDE, "history-aside")                                                           \
    NEXT(HISTORY_CHANGED, "history-changed")                                                       \
    NEXT(HISTORY_LOST, "history-lost")                                                             \
    NEXT(KERNEL_LOG, "kernel-log")                                                                 \
    NEXT(HEARD, "heard")                                                                           \
    NEXT(UNCLEAN_END, "unclean-end")

#define ST_EVENT_KIND_ID(id, name) ST_EVENT_##id,
enum st_event_kind { ST_EVENT_KIND_LIST(ST_EVENT_KIND_ID, ST_EVENT_KIND_ID) ST_EVENT_KINDS };
#undef ST_EVENT_KIND_ID

#define ST_EVENT_KIND_FIRST(id, name) name
#define ST_EVENT_KIND_NEXT(id, name)  ", " name
/** The names of all kinds: "late-wake, own-dropout, ...". */
#define ST_EVENT_NAMES ST_EVENT_KIND_LIST(ST_EVENT_KIND_FIRST, ST_EVENT_KIND_NEXT)

/** The name of a kind: "late-wake". All functions here are pure; threads: any. */
const char *st_event_kind_name(enum st_event_kind kind);

/** The kind with this name. @return ST_EVENT_KINDS: there is none. */
enum st_event_kind st_event_kind_of(const char *name);

/** Does this kind stand for lost sound: of another program, a device, or sleeptuned's own test
 * stream? A late wake-up of the timing test does not. */
bool st_event_kind_is_dropout(enum st_event_kind kind);

enum st_certainty {
    ST_CERTAINTY_NONE,
    ST_CERTAINTY_EXACT,    /* reported by a program that counts its own dropouts */
    ST_CERTAINTY_PROBABLE, /* concluded from other observations */
};
