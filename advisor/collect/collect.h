/* Everything the rules want to know about a machine. */
#ifndef ST_ADVISOR_COLLECT_COLLECT_H
#define ST_ADVISOR_COLLECT_COLLECT_H

#include "advisor/facts/facts.h"

/** Everything the rules want to know, from a live machine or a captured tree (p's `os` decides). live: true
 * adds what only the running system can tell (limits of this process, a try of SCHED_FIFO in a child, own
 * timer slack). */
ST_NODISCARD int st_collect(struct st_platform *p, bool live, struct st_facts **ret);

/** A folder: a captured tree, or a FreeBSD capture when it has sysctl-a.txt. @return 0, -ENOENT, -ENOTDIR,
 * -ENODATA (neither of both), -EFBIG (sysctl-a.txt is longer than 16 MiB), -E2BIG and -EBADMSG as
 * st_sysctl_text_freebsd. */
ST_NODISCARD int st_collect_dir(const char *dir, struct st_facts **ret);

#endif
