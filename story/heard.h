/* Judges a user's reports "I heard it now" (marks): which of the watched causes happened before
 * marks more often than by chance? Pure; threads: any. */
#pragma once

#include "core/base.h"

/* two marks count as one if less than this time, or than the later mark's window, is between
 * them */
#define ST_HEARD_APART_NS INT64_C(10000000000)
#define ST_HEARD_LEAST_N  3 /* fewer marks prove nothing */
/* share of the playing time; a cause whose windows cover more of it cannot be distinguished from
 * chance */
#define ST_HEARD_FREQUENT 0.3

/** A mark: the user heard something at least least_ns and at most window_ns before at_ns. Sorted by
 * at_ns. Times by the wall clock. */
struct st_heard_mark {
    int64_t at_ns, window_ns, least_ns;
    /* a notification about a dropout asked for the mark, so a cause always precedes it: it is no
     * evidence */
    bool prompted;
};

/** A time in which a cause happened. Sorted by from_ns. */
struct st_heard_event {
    int64_t from_ns, to_ns;
    size_t cause; /* index of the cause, below causes_n */
};

/** A time in which something played. Sorted, without overlap. */
struct st_heard_session {
    int64_t from_ns, to_ns;
};

/** How often a cause precedes the marks. */
struct st_heard_cause {
    uint32_t hits_n; /* number of marks that follow an event of the cause within their window */
    double expected; /* marks that the cause would be expected to explain by chance */
    double p_value;  /* probability that the cause explains at least hits_n marks by chance */
    bool frequent;   /* its windows cover more than ST_HEARD_FREQUENT of the playing time */
    bool named;      /* the cause explains significantly more marks than by chance */
    /* The next members are used by heard.c only, for one mark; otherwise 0. */
    int64_t covered_ns, end_ns;
    bool hit;
};

/** Did the event happen within the mark's window, so that it may be what the user heard? */
bool st_heard_fits(const struct st_heard_mark *mark, const struct st_heard_event *event);

/** Judges each cause. Marks outside of all sessions do not count. The chance of a mark is the share
 * of its session that is within the mark's window after an event of the cause. It is computed for
 * each session, since otherwise busy hours alone would name a cause. The test is repeated after
 * each mark: with n marks, a cause is named at the level 5 % / causes_n * 6 / (pi^2 (n - 2)^2), so
 * that all tests of all causes together stay below 5 %. @param causes causes_n of them, filled by
 * the function. @return number of marks that counted. */
uint32_t st_heard_judge(const struct st_heard_mark *marks, size_t marks_n,
                        const struct st_heard_event *events, size_t events_n,
                        const struct st_heard_session *sessions, size_t sessions_n,
                        struct st_heard_cause *causes, size_t causes_n);
