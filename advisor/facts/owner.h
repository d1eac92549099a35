/* Which user's sound server runs. Another user's server is neither a problem of the judged user,
 * nor does it show which buffer size that user has. */
#pragma once

#include "advisor/facts/facts.h"

/* Keys that st_owner_other reads; a rule that calls it lists them. */
#define ST_OWNER_KEYS ST_KEYS_DAEMON_USER "*", ST_KEY_USER_UID, ST_KEY_USER_NAME

/** Name of the user who runs the server of this key ("linux.daemon.jackd"), if that is not the
 * judged user. NULL: the judged user runs it, or this is unknown, or root is judged, whose report
 * covers the whole machine. */
const char *st_owner_other(const struct st_facts *facts, const char *daemon_key);

/** Does one of these processes ("jackd"; ends with NULL) run for the judged user? If root is judged
 * or the owner is unknown, any user's counts. */
bool st_owner_runs(const struct st_facts *facts, const char *const *processes);

/** " of the user ann" if another user's server runs, even if root is judged; else "". */
const char *st_owner_text(const struct st_facts *facts, const char *daemon_key);
