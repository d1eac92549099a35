/* Finds the next cause of dropouts for a notification; each cause is shown once. Pure. */
#pragma once

#include "daemon/status/view.h"

#define ST_NOTIFY_CAUSES_MAX 64 /* further causes appear in `status` only */
/* Fewest dropouts of one cause: a single dropout may come from a program that starts. */
#define ST_NOTIFY_DROPOUTS  3
#define ST_NOTIFY_RECENT_NS INT64_C(60000000000)

/** A cause of dropouts: the reason, and the program to blame, which is the one that took the CPU or
 * else the one that lost sound. */
struct st_notify_cause {
    char name[ST_XRUN_NAME_BYTES];
    enum st_dropout_reason reason;
};

/** The causes for which a notification was shown already, so that none is shown twice. All 0 at
 * first. */
struct st_notify_shown {
    struct st_notify_cause causes[ST_NOTIFY_CAUSES_MAX];
    size_t n;
};

/** Text of a notification; names in it may contain any bytes. */
struct st_notify_text {
    struct st_notify_cause cause;
    char brief[ST_XRUN_NAME_BYTES + 32];
    char sentence[ST_VIEW_TEXT_BYTES];
};

/** Finds the cause with the longest loss of sound (with the most dropouts if lengths are unknown)
 * among those that were not shown yet and have at least ST_NOTIFY_DROPOUTS dropouts, the last one
 * within ST_NOTIFY_RECENT_NS. Leaves out sleeptune's own streams. @return false: there is no such
 * cause. */
bool st_notify_cause_find(const struct st_notify_shown *shown, const struct st_view *view,
                          struct st_notify_text *ret);

/** Adds the cause to those for which a notification was shown. */
void st_notify_cause_add(struct st_notify_shown *shown, const struct st_notify_cause *cause);
