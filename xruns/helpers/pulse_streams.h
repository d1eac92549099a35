/* Which playback streams of a PulseAudio server ran empty, judged by looking at their queues now and then.
 *
 * PulseAudio tells only a stream's own program that it underran. What others can read is how much a stream
 * has queued in the server: one that plays (not corked), had something queued, has nothing, and later has
 * something again was starved in between. One that is empty and then ends had played all it had. All
 * functions: one thread. */
#pragma once

#include "xruns/dropout_reason.h"

#define ST_PULSE_STREAMS_MAX 128 /* of them at once; further ones are not watched */

/* A queue with no more is empty: PulseAudio adds what its resampler holds back (180 us from 44.1 to 48
 * kHz, 16.1) */
#define ST_STREAM_EMPTY_US   1000
#define ST_STREAM_LONGEST_US 60000000 /* no buffer is so long: the server's figure is wrong */
#define ST_STREAM_PAUSE_US   5000000  /* empty for longer without a known reason: its program pauses */

enum st_stream_queue { ST_STREAM_NEW, ST_STREAM_FILLED, ST_STREAM_EMPTY };

struct st_stream {
    uint32_t index; /* PulseAudio's, never used again while the server runs */
    enum st_stream_queue queue;
    bool seen;                     /* in the look that is under way */
    bool stopped;                  /* set by who looks: its program was, while it was empty */
    enum st_dropout_reason reason; /* of the last loss */
    uint64_t filled_us, first_empty_us, last_empty_us; /* looks */
    uint64_t held_us;                                  /* in queue and sink at the last look */
    uint64_t longest_us, looks_n;
    int64_t asked_ms;
};

struct st_pulse_streams {
    struct st_stream streams[ST_PULSE_STREAMS_MAX];
    size_t streams_n;
    bool playing;                    /* one plays, as of the last look */
    uint64_t silent_us, answered_us; /* set by who looks: when the server last did not answer; 0: never */
};

void st_pulse_streams_look_begin(struct st_pulse_streams *streams);

/** @return NULL: it is not known yet, or has no room. */
struct st_stream *st_pulse_streams_find(struct st_pulse_streams *streams, uint32_t index);

/** One stream of this look. Sound is lost where the server did not answer for longer than queue and sink
 * held: what a program writes passes the thread that answers.
 * @param queued_us what it has queued in the server. @param sink_us in its sink. @param silent_us for how
 * long the server did not answer; 0: it did.
 * @return when it was starved since the look before: how long it was empty, to about one pause between two
 * looks, for the stream's reason; 0: it was not, or its program paused. */
uint64_t st_pulse_streams_look(struct st_pulse_streams *streams, uint32_t index, bool corked,
                               uint64_t queued_us, uint64_t sink_us, uint64_t silent_us, uint64_t now_us);

/** Who looks is to ask whether its program is stopped: not when that is known, nor after
 * ST_STREAM_PAUSE_US. */
bool st_pulse_streams_is_asked(const struct st_stream *stream, uint64_t now_us);

/** How long a buffer its program asked for, about: PulseAudio does not tell, but it holds no more than that
 * in queue and sink. To be asked once a look. @return the longest of some looks, in ms; 0: after too few. */
int64_t st_pulse_streams_asked_ms(struct st_stream *stream);

/** Forgets the streams that this look has not seen. */
void st_pulse_streams_look_end(struct st_pulse_streams *streams);
