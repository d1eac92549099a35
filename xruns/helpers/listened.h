/* What was heard of a stream (silence.h), put together with what is known of its program: dropouts, each with
 * its reason. Pure; times are CLOCK_MONOTONIC in ns.
 *
 * A silence alone may be the music's. It is a dropout for sure if the program stood still at that time
 * (client_buffer.h), which also is the reason, or if several follow each other: then the program writes too
 * slowly. It probably is one if it is whole, or the ALSA plug-in's, and rare (silence.h). Others are none,
 * and none are those near a change of the stream: corked, another volume, another sink. */
#pragma once

#include "core/event.h"
#include "xruns/helpers/client_buffer.h"

#define ST_LISTENED_MAX 16 /* streams that are heard at once */

#define ST_LISTENED_WHOLE 1U
#define ST_LISTENED_RARE  2U
#define ST_LISTENED_OWN   4U

/** All 0 but plug_in at first, and each time when listening begins. */
struct st_listened {
    bool plug_in;             /* the ALSA plug-in's: silences begin within a cycle */
    int64_t begin_ns, end_ns; /* of the silences that are not reported yet */
    struct st_listened_sum {
        int64_t n, lost_ns, longest_ns;
    } all, alone;  /* of these silences; of those that count without another sign */
    int64_t own_n; /* of the silences: with ST_LISTENED_OWN */
    bool rare;     /* one of the silences has ST_LISTENED_RARE */
    int64_t changed_ns;
    struct st_client_buffer_loss stood; /* lost_ns 0: it did not */
    int64_t stood_ns;                   /* when that was known */
};

/* Dropouts of one stream and reason. */
struct st_listened_loss {
    int64_t n, begin_ns, end_ns, lost_ns, longest_ns;
    enum st_certainty certainty;
    enum st_dropout_reason reason;
};

/** A silence. @param signs ST_LISTENED_WHOLE ... (silence.h) */
void st_listened_find(struct st_listened *listened, int64_t begin_ns, int64_t lost_ns, unsigned signs);

/** Something about the stream has changed. */
void st_listened_change(struct st_listened *listened, int64_t now_ns);

/** Its program stood still for longer than its buffer. */
void st_listened_stand(struct st_listened *listened, const struct st_client_buffer_loss *loss,
                       int64_t now_ns);

/** Some 25 times a second. @return false: there is nothing to report. */
bool st_listened_take(struct st_listened *listened, int64_t now_ns, struct st_listened_loss *ret);

/** Listening ends. @return false: nothing is left to report, or a last silence may be how the program ended.
 */
bool st_listened_end(struct st_listened *listened, struct st_listened_loss *ret);

/** The line of the program that listens: "lost ID BEGIN LOST SIGNS". @return false: it is none. */
bool st_listened_parse(const char *line, uint32_t *ret_id, int64_t *ret_begin_ns, int64_t *ret_lost_ns,
                       unsigned *ret_signs);
