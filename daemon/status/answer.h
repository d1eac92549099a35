/* The answer of the first screen: which program made the dropouts and why, whether this computer keeps its
 * timing, and what to do now. Other programs' dropouts come first, then the loop of the daemon. */
#ifndef ST_DAEMON_STATUS_ANSWER_H
#define ST_DAEMON_STATUS_ANSWER_H

#include "daemon/status/view.h"

struct st_answer {
    const struct st_observed_view
        *server; /* the source with the most dropouts, else one that watches; NULL */
    const struct st_dropout_client *client; /* of it, with the most dropouts; NULL: no client made one */
    enum st_dropout_reason reason;          /* of most of that client's dropouts */
    uint64_t dropouts_n;                    /* of all sources: device xruns and clients that were not ready */
    int64_t last_wall_ns;                   /* INT64_MIN: none */
    bool plays, plays_known;
    bool timing_known;
    bool timing_ok; /* at the buffer of the music if that is known, else at the loop's */
};

/** Pure; points into the view. */
struct st_answer st_answer_of(const struct st_view *view);

/** The first line: one to three sentences. @return buf. */
const char *st_answer_text(const struct st_view *view, char *buf, size_t buf_bytes);

/** "ok", "warn", "bad" or "unknown". */
const char *st_answer_state(const struct st_view *view);

/** "timing OK: a test loop missed 0 of 9373 periods at 128 frames"; where the music's buffer is longer: "timing OK: at most
 * 6.41 ms late, and the buffer lasts 21.3 ms". @return buf. */
const char *st_answer_timing(const struct st_view *view, char *buf, size_t buf_bytes);

/** One command that helps next ("": none does), and what it does or what else helps, "" where the command says it. */
struct st_answer_next {
    char command[128], why[256];
};
struct st_answer_next st_answer_next(const struct st_view *view);

#endif
