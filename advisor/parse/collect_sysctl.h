/* FreeBSD: the text of `sysctl -a`. */
#ifndef ST_ADVISOR_PARSE_COLLECT_SYSCTL_H
#define ST_ADVISOR_PARSE_COLLECT_SYSCTL_H

#include "advisor/facts/facts.h"

/** The text of `sysctl -a` (FreeBSD): "name: value" or "name=value" lines, values may go on over lines.
 * Tolerates CRLF, a missing last newline and NUL bytes. One fact a name, "freebsd.<name>"; of two, the later
 * one. A value longer than 64 KiB is unreadable (EFBIG), one with a NUL byte malformed.
 *  @return 0, -ENOMEM, -E2BIG (more than 262144 names), -EBADMSG (no line of it is a sysctl). */
ST_NODISCARD int st_collect_sysctl_text(struct st_facts *facts, const char *text, size_t bytes,
                                        const char *source);

/** Is it all of FreeBSD's `sysctl -a`? Then what is not in it does not exist; in a part of it, or one that
 * was cut off, it is not known. Every FreeBSD has kern.osreldate and, at the end of the list, security.jail.
 */
bool st_collect_sysctl_is_whole(const struct st_facts *facts);

#endif
