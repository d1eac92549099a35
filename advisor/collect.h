/* Where facts come from. Each source is one file. */
#ifndef ST_ADVISOR_COLLECT_H
#define ST_ADVISOR_COLLECT_H

#include "advisor/facts.h"

/** kern.osreldate from which on FreeBSD's loader reads /boot/loader.conf.local last (14.1, commit
 * a25531db0fc2); before, ahead of /boot/loader.conf.d. */
#define ST_FREEBSD_LOADER_LOCAL_LAST 1401000

/** Everything the rules want to know, from a live machine or a captured tree (p's `os` decides). live: true
 * adds what only the running system can tell (limits of this process, a try of SCHED_FIFO in a child, own
 * timer slack). */
ST_NODISCARD int st_collect(struct st_platform *p, bool live, struct st_facts **ret);

/** Does a collector of live machines put facts of this key, or (with one '*') of such keys? */
bool st_collect_provides(enum st_os os, const char *pattern);

/** A folder: a captured tree, or a FreeBSD capture when it has sysctl-a.txt. @return 0, -ENOENT, -ENOTDIR,
 * -ENODATA (neither of both), -EFBIG (sysctl-a.txt is longer than 16 MiB), -E2BIG and -EBADMSG as
 * st_collect_sysctl_text. */
ST_NODISCARD int st_collect_dir(const char *dir, struct st_facts **ret);

/** The text of `sysctl -a` (FreeBSD): "name: value" or "name=value" lines, values may go on over lines.
 * Tolerates CRLF, a missing last newline and NUL bytes. One fact a name, "freebsd.<name>"; of two, the later
 * one. A value longer than 64 KiB is unreadable (EFBIG), one with a NUL byte malformed.
 *  @return 0, -ENOMEM, -E2BIG (more than 262144 names), -EBADMSG (no line of it is a sysctl). */
ST_NODISCARD int st_collect_sysctl_text(struct st_facts *facts, const char *text, size_t bytes,
                                        const char *source);

/** Is it all of FreeBSD's `sysctl -a`? Then what is not in it does not exist; in a part of it, or one that
 * was cut off, it is not known. Every FreeBSD has kern.osreldate and, at the end of the list, security.jail.
 */
bool st_sysctl_is_whole(const struct st_facts *facts);

/** Snapshot document (sleeptune-snapshot/1). */
json_t *st_snapshot_json(const struct st_facts *facts); /* NULL: out of memory */
/** @return 0, -EBADMSG (not a snapshot; why in message), -EPROTONOSUPPORT (newer version). */
ST_NODISCARD int st_snapshot_parse(const char *text, size_t bytes, struct st_facts **ret, char *message,
                                   size_t message_bytes);

#endif
