/* Whose sound server runs: one of another user is neither a problem of the user who is judged, nor an
 * answer. */
#pragma once

#include "advisor/facts/facts.h"

/* What st_owner_other reads; a rule that calls it lists them. */
#define ST_OWNER_KEYS ST_KEYS_DAEMON_USER "*", ST_KEY_USER_UID, ST_KEY_USER_NAME

/** The user whose server runs under this key ("linux.daemon.jackd"), if that is not the user who is judged.
 * NULL: it is, or no one knows, or root is judged, whose report is about the whole machine. */
const char *st_owner_other(const struct st_facts *facts, const char *daemon_key);

/** Does one of these processes run ("jackd"; ends with NULL), and not as such a user? */
bool st_owner_runs(const struct st_facts *facts, const char *const *processes);

/** " of the user ann" for such a user, also if root is judged, else "". */
const char *st_owner_text(const struct st_facts *facts, const char *daemon_key);
