/* Which cause of dropouts is worth a notification: each one once. Pure. */
#pragma once

#include "daemon/status/view.h"

#define ST_NOTIFY_CAUSES_MAX 64 /* further causes are shown by `status` only */
#define ST_NOTIFY_DROPOUTS   3  /* of one cause: a single one may be a program that starts */
#define ST_NOTIFY_RECENT_NS  INT64_C(60000000000)

/** Who is to blame, and for what: the program that took the CPU, else the one that lost sound. */
struct st_notify_cause {
    char name[ST_XRUN_NAME_BYTES];
    enum st_dropout_reason reason;
};

/** All 0 at first. */
struct st_notify_shown {
    struct st_notify_cause causes[ST_NOTIFY_CAUSES_MAX];
    size_t n;
};

/** What a notification says; its bytes may be those of others. */
struct st_notify_text {
    struct st_notify_cause cause;
    char brief[ST_XRUN_NAME_BYTES + 32];
    char sentence[ST_VIEW_TEXT_BYTES];
};

/** The cause that was not shown and lost most sound (by number if lengths are unknown): a program with at
 * least ST_NOTIFY_DROPOUTS, the last one within ST_NOTIFY_RECENT_NS. sleeptune's own streams are never one.
 * @return false: there is none. */
bool st_notify_cause_find(const struct st_notify_shown *shown, const struct st_view *view,
                          struct st_notify_text *ret);

/** From now on it is shown. */
void st_notify_cause_add(struct st_notify_shown *shown, const struct st_notify_cause *cause);
