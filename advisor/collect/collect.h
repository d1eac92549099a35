/* Everything the rules want to know about a machine. */
#pragma once

#include "advisor/facts/facts.h"
#include "platform/platform.h"

/** Everything the rules want to know, from a live machine or a captured tree (p's `os` decides). live: true
 * adds what only the running system can tell (limits of this process, a try of SCHED_FIFO in a child, own
 * timer slack). */
ST_NODISCARD int st_collect(struct st_platform *p, bool live, struct st_facts **ret);

/** A folder: a captured tree, or a FreeBSD capture when it has sysctl-a.txt. @return 0, -ENOENT, -ENOTDIR,
 * -ENODATA (neither of both), -EFBIG (sysctl-a.txt is longer than 4 MiB), -EBADMSG (it has none of the
 * sysctls that are read). */
ST_NODISCARD int st_collect_dir(const char *dir, struct st_facts **ret);

/** What the limit rtprio (ST_UNLIMITED: none), if `facts` have it, allows: of a shell ("ulimit") or of a
 * captured tree (ST_LIMITS_FROM_FILES). */
void st_collect_rights(struct st_facts *facts, const char *from, const char *source);

/* --- collect_user.c: the rights of another user --- */

/**
 * Replaces the facts about the user and his rights by those of `name` at login, for which root runs its own
 * program as that user, through su: at most 10 s, at most 1 MiB of output. What it prints is
 * untrusted: numbers in their range, about rights alone. Of the user who runs this nothing is replaced.
 * @return 0, -ENOENT (no such user), -ENOMEM, or why the rights are not known, and then the facts are
 * unreadable: -EPERM (not root, or others than root may change this program), -ETIMEDOUT, -EFBIG, -EIO,
 * -EBADMSG (it printed something else). */
ST_NODISCARD int st_collect_login(struct st_platform *machine, const char *name, struct st_facts *facts);

/**
 * The same for a saved tree, from its /etc/passwd, /etc/group and, on Linux, from the lines of limits.conf
 * and limits.d that `facts` have. Nothing else that gives rights is known: "user.limits_from" says so.
 * @return 0, -ENOENT (no such user), -ENODATA (no such file), -EBADMSG (the user's line is malformed),
 * -ENOMEM, or what reading these two said. */
ST_NODISCARD int st_collect_user(struct st_platform *machine, const char *name, struct st_facts *facts);

/* --- ask.c: what only a running server has: PipeWire, PulseAudio, JACK; rtkit's journal --- */

/** In all, for all servers together. rtkit's journal took more than 0.3 s in an emulated guest. */
#define ST_ASK_LIMIT_NS INT64_C(1000000000)

struct st_ask {
    bool skip;        /* ask no server; the facts say so */
    const char *user; /* whose servers; NULL: of who runs this */
};

/**
 * Asks the servers that `facts` (of this machine, by st_collect) tell to run, all at once, through the client
 * programs that come with them. An answer replaces what configuration files said. A server that does not
 * answer in time leaves these facts unreadable (ETIMEDOUT; EFBIG: it did not stop). One fact a server,
 * "linux.ask.<name>", says how it went: "answered", "not asked" (skip), absent where its client is not
 * installed, or unreadable. Servers of another user are asked as that user, which needs root; sockets in a
 * folder that others own are not used.
 * @return 0 or -ENOMEM. */
ST_NODISCARD int st_ask_servers(struct st_platform *machine, const struct st_ask *ask,
                                struct st_facts *facts);
