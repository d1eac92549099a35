/* Why a client of a sound server was not ready in its cycle. */
#pragma once

#include "core/base.h"

/* Next step where no program that plays has real-time rights; FreeBSD does not tell whether they have
 * them. */
#define ST_DROPOUT_REASON_GET_RIGHTS "sudo sleeptune apply linux-rt-permission" /* on Linux */
#define ST_DROPOUT_REASON_LOG_IN     "log out and in again (the right to real-time priority is set up)"

/* Next step where two cards have rates too far apart. */
#define ST_DROPOUT_REASON_ONE_CLOCK "one clock for both cards (word clock, S/PDIF), or use one card"

#define ST_DROPOUT_REASON_CULPRIT_BYTES 64 /* of its name */

/* How the names of streams of `listen` begin, which are no one's music; a process name is cut to 15 bytes. */
#define ST_DROPOUT_TEST_CLIENT "sleeptune-liste"

/* The culprit of a client that waited because PipeWire's server for PulseAudio was stopped; a client may have
 * this name, too. */
#define ST_DROPOUT_REASON_PULSE_SERVER "pipewire-pulse"
#define ST_DROPOUT_REASON_PULSEAUDIO   "pulseaudio" /* the same of a server that is PulseAudio itself */

enum st_dropout_reason {
    ST_DROPOUT_UNKNOWN,             /* the source cannot know, or the figures of the cycle do not decide */
    ST_DROPOUT_TOO_SLOW,            /* it was woken on time, had the CPU, and computed past the deadline */
    ST_DROPOUT_WOKEN_LATE,          /* it was woken so late that its usual work did not fit any more */
    ST_DROPOUT_CPU_TAKEN,           /* another program had the CPU while it wanted to run */
    ST_DROPOUT_CPU_TAKEN_BY_ITSELF, /* another thread of its own process had the CPU */
    ST_DROPOUT_STOPPED,             /* SIGSTOP, a debugger, or a frozen control group */
    ST_DROPOUT_BLOCKED,             /* it slept in its cycle: a lock, a disk, another process */
    ST_DROPOUT_WAITED_FOR_OTHER, /* a client whose output it needs was not ready: the other one is to blame */
    ST_DROPOUT_SWAPPED_OUT,      /* it waited for pages of its memory that had to be read from disk */
    ST_DROPOUT_WRITES_SLOWLY,    /* it ran, and wrote less sound than is played */
    ST_DROPOUT_REASONS
};

/* Who has to change something. */
enum st_dropout_blame {
    ST_DROPOUT_BLAME_UNKNOWN,
    ST_DROPOUT_BLAME_ITSELF,
    ST_DROPOUT_BLAME_OTHER, /* another client */
    ST_DROPOUT_BLAME_CPU    /* another program, or the computer */
};

/** Stable. */
const char *st_dropout_reason_name(enum st_dropout_reason reason);

enum st_dropout_blame st_dropout_reason_blame(enum st_dropout_reason reason);

/** For screens, after a client's name: "computed too long", "was woken late" ... */
const char *st_dropout_reason_text(enum st_dropout_reason reason);

/** Who computes more than this part of each period does so at any buffer size. */
#define ST_DROPOUT_REASON_FULL 0.9

/** For screens: "the device ran dry", "the device overflowed", or that it is one of the two. @param device
 * its name, as in struct st_xrun_seen. */
const char *st_dropout_reason_device(const char *device);
/** The same of a program's own stream on it: "let its stream run dry". */
const char *st_dropout_reason_stream(const char *device);

/** Notes who was to blame n times more (the majority vote of Boyer and Moore): `culprit` is then who was most
 * often, if that was more than half, whatever the order; it leads all others by culprit_n, 0 at first. */
void st_dropout_reason_vote(char culprit[ST_DROPOUT_REASON_CULPRIT_BYTES], int64_t *culprit_n,
                            const char name[ST_DROPOUT_REASON_CULPRIT_BYTES], int64_t n);
