/* "I heard it now": which of the causes that are watched happens before the marks of a listener more often
 * than chance would have it. Pure; threads: any. */
#pragma once

#include "core/base.h"

#define ST_HEARD_APART_NS INT64_C(10000000000) /* marks less than this, or their window, apart are one */
#define ST_HEARD_LEAST_N  3                    /* fewer marks tell nothing */
#define ST_HEARD_FREQUENT 0.3                  /* of the playing time; more is too frequent to tell */

/** A mark: what was heard happened window_ns to least_ns before it. Ascending. Times by the wall clock. */
struct st_heard_mark {
    int64_t at_ns, window_ns, least_ns;
    bool prompted; /* a message asked for it: it hits by construction, and tells nothing of chance */
};

/** Something happened from one time to another. In the order of from_ns. */
struct st_heard_event {
    int64_t from_ns, to_ns;
    size_t cause; /* below causes_n */
};

/** Something played from one time to another. Ascending, apart from each other. */
struct st_heard_session {
    int64_t from_ns, to_ns;
};

/** How a cause and the marks go together. */
struct st_heard_cause {
    uint32_t hits_n; /* marks that it explains */
    double expected; /* marks that it explains by chance */
    double p_value;  /* that chance explains as many or more */
    bool frequent;   /* its windows are more than ST_HEARD_FREQUENT of the playing time */
    bool named;      /* beyond chance */
    /* of heard.c alone: of the session of a mark */
    int64_t covered_ns, end_ns;
    bool hit;
};

/** Is the event what was heard, as far as its time goes? */
bool st_heard_fits(const struct st_heard_mark *mark, const struct st_heard_event *event);

/**
 * Marks outside of all sessions do not count. The chance of a mark is the share of its session that lies
 * behind an event of the cause, by the mark's window: sessions apart, or busy hours alone would name a cause.
 * It is looked at after each mark: with n marks a cause is named at 5 % / causes_n * 6 / (pi^2 (n - 2)^2),
 * which are 5 % for all looks and causes together. @param causes causes_n of them, which are filled. @return
 * how many marks counted. */
uint32_t st_heard_judge(const struct st_heard_mark *marks, size_t marks_n,
                        const struct st_heard_event *events, size_t events_n,
                        const struct st_heard_session *sessions, size_t sessions_n,
                        struct st_heard_cause *causes, size_t causes_n);
