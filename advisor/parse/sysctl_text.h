/* The text of `sysctl -a`. Pure, so that it can be fuzzed. */
#pragma once

#include "advisor/facts/facts.h"

/** The text of `sysctl -a` (FreeBSD): "name: value" or "name=value" lines, values may go on over lines.
 * Tolerates CRLF, a missing last newline and NUL bytes. One fact a name, "freebsd.<name>"; of two, the later
 * one. A value longer than 64 KiB is unreadable (EFBIG), one with a NUL byte malformed.
 *  @return 0, -ENOMEM, -E2BIG (more than 262144 names), -EBADMSG (no line of it is a sysctl). */
ST_NODISCARD int st_sysctl_text_freebsd(struct st_facts *facts, const char *text, size_t bytes,
                                        const char *source);
