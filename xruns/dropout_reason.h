/* Why a client of a sound server was not ready in its cycle. */
#pragma once

#include "core/base.h"

/* The command to advise if no program that plays has real-time rights. Not for FreeBSD, which does
 * not report these rights. */
#define ST_DROPOUT_REASON_GET_RIGHTS "sudo sleeptune apply linux-rt-permission" /* on Linux */

#define ST_DROPOUT_REASON_LOG_IN                                                                   \
    "log out and in again (then your programs get the right to real-time priority)"

/* The advice if the clocks of two cards run too far apart. */
#define ST_DROPOUT_REASON_ONE_CLOCK                                                                \
    "connect both cards to one clock (word clock, S/PDIF), or use one card"

#define ST_DROPOUT_REASON_CULPRIT_BYTES 64 /* size of a culprit's name */

/* Beginning of the names of the streams of `sleeptune listen`, which are not the user's music; a
 * process name is cut to 15 bytes. */
#define ST_DROPOUT_TEST_CLIENT "sleeptune-liste"

/* Culprit of a client that waited because pipewire-pulse, PipeWire's server for PulseAudio clients,
 * was stopped. A client can have this name as well. */
#define ST_DROPOUT_REASON_PULSE_SERVER "pipewire-pulse"
/* the culprit if PulseAudio itself was stopped */
#define ST_DROPOUT_REASON_PULSEAUDIO "pulseaudio"

enum st_dropout_reason {
    ST_DROPOUT_UNKNOWN, /* the source cannot know, or the figures of the cycle are not conclusive */
    ST_DROPOUT_TOO_SLOW,   /* woken on time, had the CPU, and computed past the deadline */
    ST_DROPOUT_WOKEN_LATE, /* woken so late that its usual work did not fit */
    ST_DROPOUT_CPU_TAKEN,  /* another program had the CPU while the client was ready to run */
    ST_DROPOUT_CPU_TAKEN_BY_ITSELF, /* another thread of the client's process had the CPU */
    ST_DROPOUT_STOPPED,             /* SIGSTOP, a debugger, or a frozen control group */
    ST_DROPOUT_BLOCKED,             /* slept within the cycle: a lock, a disk, another process */
    ST_DROPOUT_WAITED_FOR_OTHER,    /* the client needs the output of another client, which was not
                                       ready */
    ST_DROPOUT_SWAPPED_OUT,         /* waited for memory pages that had to be read from disk */
    ST_DROPOUT_WRITES_SLOWLY,       /* ran, but wrote less sound than is played */
    ST_DROPOUT_REASONS
};

/* Who has to change something to avoid the dropout. */
enum st_dropout_blame {
    ST_DROPOUT_BLAME_UNKNOWN,
    ST_DROPOUT_BLAME_ITSELF,
    ST_DROPOUT_BLAME_OTHER, /* another client */
    ST_DROPOUT_BLAME_CPU    /* another program, or the computer */
};

/** The name of a reason in lines of helper programs and in JSON; never changes. */
const char *st_dropout_reason_name(enum st_dropout_reason reason);

enum st_dropout_blame st_dropout_reason_blame(enum st_dropout_reason reason);

/** For screens, after a client's name: "computed too long", "was woken late" ... */
const char *st_dropout_reason_text(enum st_dropout_reason reason);

/** A client that computes longer than this share of each period has too little time at any buffer
 * size. */
#define ST_DROPOUT_REASON_FULL 0.9

/** For screens: "the device ran dry", "the device overflowed", or one of the two if it is not known
 * which.
 * @param device its name, as in struct st_xrun_seen. */
const char *st_dropout_reason_device(const char *device);
/** For screens, of a program's own stream on the device: "let its stream run dry". */
const char *st_dropout_reason_stream(const char *device);

/** Votes n times for `name` as the culprit (majority vote of Boyer and Moore): afterwards `culprit`
 * is the most frequent name if it had more than half of all votes, whatever their order. culprit_n,
 * 0 at first, is its lead over all other names. */
void st_dropout_reason_vote(char culprit[ST_DROPOUT_REASON_CULPRIT_BYTES], int64_t *culprit_n,
                            const char name[ST_DROPOUT_REASON_CULPRIT_BYTES], int64_t n);
