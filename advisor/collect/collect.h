/* Collects everything that the rules need to know about a machine. */
#pragma once

#include "advisor/facts/facts.h"

/** Collects all facts from a live machine or a captured tree (p->os decides). @param live adds what
 * only the running system can show (limits of this process, a trial of SCHED_FIFO in a child, its
 * timer slack). */
ST_NODISCARD int st_collect(struct st_platform *p, bool live, struct st_facts **ret);

/** Collects from a folder: a captured tree, or a FreeBSD capture with a file sysctl-a.txt. @return
 * 0, -ENOENT, -ENOTDIR, -ENODATA (neither kind), -EFBIG (sysctl-a.txt is longer than 4 MiB),
 * -EBADMSG (sysctl-a.txt has no sysctl that is read). */
ST_NODISCARD int st_collect_dir(const char *dir, struct st_facts **ret);

/** Puts the facts about real-time priority that follow from the limit rtprio in `facts`
 * (ST_UNLIMITED: any priority); without that limit puts nothing. @param from "ulimit": the limit of
 * a shell; ST_LIMITS_FROM_FILES: of a captured tree. */
void st_collect_rights(struct st_facts *facts, const char *from, const char *source);

/* --- collect_user.c: the rights of another user --- */

/** Replaces the facts about the user and his rights by those of `name` at login. Root runs its own
 * program as that user, through su: at most 10 s and 1 MiB of output, which is untrusted and
 * limited to numbers about rights. Facts stay if `name` is the user who runs this process. @return
 * 0, -ENOENT (no such user), -ENOMEM; or why the rights are unknown, with unreadable facts: -EPERM
 * (not root, or others than root may change this program), -ETIMEDOUT, -EFBIG, -EIO, -EBADMSG
 * (unexpected output). */
ST_NODISCARD int st_collect_login(struct st_platform *machine, const char *name,
                                  struct st_facts *facts);

/** As st_collect_login, for a saved tree: from its /etc/passwd, /etc/group and, on Linux, the lines
 * of limits.conf and limits.d in `facts`. Other sources of rights are unknown: "user.limits_from"
 * says so.
 * @return 0, -ENOENT (no such user), -ENODATA (no such file), -EBADMSG (the user's line is
 * malformed), -ENOMEM, or the error of reading these two files. */
ST_NODISCARD int st_collect_user(struct st_platform *machine, const char *name,
                                 struct st_facts *facts);

/* --- ask.c: what only a running server has: PipeWire, PulseAudio, JACK; rtkit's journal --- */

/** Time limit for all servers together. rtkit's journal took more than 0.3 s in an emulated
 * guest. */
#define ST_ASK_LIMIT_NS INT64_C(1000000000)

struct st_ask {
    bool skip;        /* query no server, and put "not asked" for each */
    const char *user; /* the user whose servers are queried; NULL: the user who runs this process */
};

/** Queries the servers that run according to `facts` (of this machine, by st_collect), all at once,
 * with their own client programs. An answer replaces what configuration files said. The facts of a
 * server that does not answer in time become unreadable (ETIMEDOUT; EFBIG: endless output). One
 * fact for each server, "linux.ask.<name>", gives the outcome: "answered", "not asked" (skip),
 * absent if its client is not installed, or unreadable. Servers of another user are queried as that
 * user, which needs root; sockets in a folder of other users are not used. @return 0 or -ENOMEM. */
ST_NODISCARD int st_ask_servers(struct st_platform *machine, const struct st_ask *ask,
                                struct st_facts *facts);
