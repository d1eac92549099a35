/* Which cause of dropouts is worth a notification; each cause once. Pure. */
#pragma once

#include "daemon/status/view.h"

#define ST_NOTIFY_CAUSES_MAX 64 /* further causes appear in `status` only */
#define ST_NOTIFY_DROPOUTS                                                                                   \
    3 /* fewest dropouts of one cause: a single dropout may come from a program that starts */
#define ST_NOTIFY_RECENT_NS INT64_C(60000000000)

/** The program to blame: the one that took the CPU, else the one that lost sound. */
struct st_notify_cause {
    char name[ST_XRUN_NAME_BYTES];
    enum st_dropout_reason reason;
};

/** All 0 at first. */
struct st_notify_shown {
    struct st_notify_cause causes[ST_NOTIFY_CAUSES_MAX];
    size_t n;
};

/** Text of a notification; may contain foreign bytes. */
struct st_notify_text {
    struct st_notify_cause cause;
    char brief[ST_XRUN_NAME_BYTES + 32];
    char sentence[ST_VIEW_TEXT_BYTES];
};

/** Finds the cause with the longest loss of sound (the most dropouts if lengths are unknown) that was not
 * shown yet: a program with at least ST_NOTIFY_DROPOUTS, the last one within ST_NOTIFY_RECENT_NS. Never
 * sleeptune's own streams. @return false: none. */
bool st_notify_cause_find(const struct st_notify_shown *shown, const struct st_view *view,
                          struct st_notify_text *ret);

/** Marks the cause as shown. */
void st_notify_cause_add(struct st_notify_shown *shown, const struct st_notify_cause *cause);
