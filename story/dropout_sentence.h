/* The sentence about dropouts: who, how many of all, when, and why. One for status, check and history. */
#ifndef ST_STORY_DROPOUT_SENTENCE_H
#define ST_STORY_DROPOUT_SENTENCE_H

#include <stdbool.h>

#include "xruns/dropout_place.h"
#include "xruns/dropout_reason.h"

/** What it is about. */
struct st_dropout_sentence {
    const char *name;              /* of the client; its bytes are printed as they are */
    enum st_dropout_reason reason; /* of most of them */
    uint64_t n, all_n;             /* its dropouts, and those of all, >= 1 */
    uint64_t reason_n; /* of n: with that reason, if it is less than nine in ten that is said; 0: all */
    const char *when;  /* "in 24 h", "(watched since 14:03)" */
    const char *why;   /* after "it": st_dropout_reason_why() */
    /* no sound for so long, in all of n and in the longest of them; lost_ns 0: not known */
    int64_t lost_ns, longest_ns;
    bool lost_partly;            /* not of all of them is it known */
    enum st_dropout_place place; /* of most of them */
    const char *server;          /* whose buffers they are, as on screens; not read if lost_ns is 0 */
};

/** "HeavyReverb made 407 of 412 dropouts in 24 h: it computed too long.", "... in 24 h: 300 times it ...",
 * "mpv lost sound 10 times in 24 h, 4.7 s in all (longest 490 ms), between it and PipeWire: it was stopped or
 * frozen." Pure.
 * @return buf. */
const char *st_dropout_sentence(const struct st_dropout_sentence *about, char *buf, size_t buf_bytes);

/** The same for a place with room for a few words: "HeavyReverb: 407 dropouts". @return buf. */
const char *st_dropout_sentence_brief(const char *name, uint64_t n, char *buf, size_t buf_bytes);

#endif
