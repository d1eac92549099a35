/* Combines what was heard of a stream (silence.h) with what is known about its program: dropouts,
 * each with its reason. Pure; times are CLOCK_MONOTONIC in ns.
 *
 * A silence alone can be part of the music. It is certainly a dropout if the program did not run at
 * that time (client_buffer.h), which is then the reason, or if several silences follow each other:
 * the program writes too slowly. It is probably a dropout if it is whole, or in a stream of the
 * ALSA plug-in, and rare (silence.h). Other silences do not count, nor do silences near a change of
 * the stream: corked, another volume, another sink. */
#pragma once

#include "core/event.h"
#include "xruns/helpers/client_buffer.h"

#define ST_LISTENED_MAX 16 /* streams that are listened to at once */

#define ST_LISTENED_WHOLE 1U
#define ST_LISTENED_RARE  2U
#define ST_LISTENED_OWN   4U

/** What was heard of one stream and is not reported yet. All 0 except plug_in at first, and each
 * time when listening begins. */
struct st_listened {
    bool plug_in; /* a stream of the ALSA plug-in, whose silences begin within a cycle */
    int64_t begin_ns, end_ns; /* span of the silences that are not reported yet */
    struct st_listened_sum {
        int64_t n, lost_ns, longest_ns;
    } all, alone;  /* all: all of these silences; alone: those that count without other evidence */
    int64_t own_n; /* silences with ST_LISTENED_OWN */
    bool rare;     /* one of the silences has ST_LISTENED_RARE */
    int64_t changed_ns;
    struct st_client_buffer_loss stood; /* the program's last standstill; lost_ns 0: none */
    int64_t stood_ns;                   /* when `stood` was set */
};

/* Dropouts of one stream and reason. */
struct st_listened_loss {
    int64_t n, begin_ns, end_ns, lost_ns, longest_ns;
    enum st_certainty certainty;
    enum st_dropout_reason reason;
};

/** Adds a silence. @param signs ST_LISTENED_WHOLE ... (silence.h) */
void st_listened_find(struct st_listened *listened, int64_t begin_ns, int64_t lost_ns,
                      unsigned signs);

/** The stream has changed: corked, volume, sink. */
void st_listened_change(struct st_listened *listened, int64_t now_ns);

/** The stream's program did not run for longer than its buffer lasts. */
void st_listened_stand(struct st_listened *listened, const struct st_client_buffer_loss *loss,
                       int64_t now_ns);

/** Makes a dropout of a standstill of the program, for a stream that the listener does not hear. */
struct st_listened_loss st_listened_of_buffer(const struct st_client_buffer_loss *loss,
                                              int64_t end_ns);

/** Takes the next dropout from the silences heard so far; call some 25 times a second. @return
 * false: there is no loss to report. */
bool st_listened_take(struct st_listened *listened, int64_t now_ns, struct st_listened_loss *ret);

/** Listening ends. @return false: no loss left to report; a last silence does not count, since a
 * program can end that way. */
bool st_listened_end(struct st_listened *listened, struct st_listened_loss *ret);

/** Parses a line of the helper program that listens: "lost ID BEGIN LOST SIGNS". @return false: the
 * line is something else. */
bool st_listened_parse(const char *line, uint32_t *ret_id, int64_t *ret_begin_ns,
                       int64_t *ret_lost_ns, unsigned *ret_signs);
