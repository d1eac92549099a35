/* "I heard it now": which of the watched causes happens before a listener's marks more often than by
 * chance? Pure; threads: any. */
#pragma once

#include "core/base.h"

#define ST_HEARD_APART_NS                                                                                    \
    INT64_C(10000000000)      /* two marks with less than this, or their window, between them count as one */
#define ST_HEARD_LEAST_N  3   /* fewer marks prove nothing */
#define ST_HEARD_FREQUENT 0.3 /* share of the playing time; a more frequent cause cannot be tested */

/** A mark: the sound was heard between window_ns and least_ns before it. Ascending. Times by the wall
 * clock. */
struct st_heard_mark {
    int64_t at_ns, window_ns, least_ns;
    bool prompted; /* a message asked for the mark, so a cause always precedes it: no evidence */
};

/** A time in which a cause happened. Sorted by from_ns. */
struct st_heard_event {
    int64_t from_ns, to_ns;
    size_t cause; /* below causes_n */
};

/** A time in which something played. Ascending, without overlap. */
struct st_heard_session {
    int64_t from_ns, to_ns;
};

/** How often a cause precedes the marks. */
struct st_heard_cause {
    uint32_t hits_n; /* marks that the cause explains */
    double expected; /* number of marks that the cause would explain by chance */
    double p_value;  /* probability of at least hits_n by chance */
    bool frequent;   /* its windows cover more than ST_HEARD_FREQUENT of the playing time */
    bool named;      /* more frequent than by chance */
    /* only for heard.c: about the session of a mark */
    int64_t covered_ns, end_ns;
    bool hit;
};

/** Can the event be what was heard, by its time? */
bool st_heard_fits(const struct st_heard_mark *mark, const struct st_heard_event *event);

/** Judges causes. Marks outside of all sessions do not count. The chance of a mark is the share of its
 * session within the mark's window after an event of the cause; computed for each session, since
 * otherwise busy hours alone would name a cause. The test is repeated after each mark: with n marks, a
 * cause is named at 5 % / causes_n * 6 / (pi^2 (n - 2)^2), which keeps 5 % for all tests and causes
 * together. @param causes causes_n of them, filled by the function. @return number of marks that counted. */
uint32_t st_heard_judge(const struct st_heard_mark *marks, size_t marks_n,
                        const struct st_heard_event *events, size_t events_n,
                        const struct st_heard_session *sessions, size_t sessions_n,
                        struct st_heard_cause *causes, size_t causes_n);
