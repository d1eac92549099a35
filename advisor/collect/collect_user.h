/* What another user would get on this machine. */
#ifndef ST_ADVISOR_COLLECT_COLLECT_USER_H
#define ST_ADVISOR_COLLECT_COLLECT_USER_H

#include "advisor/facts/facts.h"

/**
 * Replaces the facts about the user and his rights by those of `name`, from /etc/passwd, /etc/group and, on
 * Linux, /etc/pam.d, /etc/security/limits.conf and limits.d: what a login would give. Nothing is tried.
 * "user.limits_from" says so. Services started by systemd have limits of their own.
 * @return 0, -ENOENT (no such user in /etc/passwd), -ENODATA (no /etc/passwd), -EBADMSG (his line is
 * malformed), -ENOMEM, or what reading /etc/passwd or /etc/group said.
 */
ST_NODISCARD int st_collect_user(struct st_platform *p, const char *name, struct st_facts *facts);

#endif
