/* Parsers of text captured on FreeBSD or read from its files; each puts facts. Pure, so that they
 * can be fuzzed. Any bytes are allowed; text that is not understood is skipped. */
#pragma once

#include "advisor/facts/facts.h"

/** Parses lines `name="value"` as in loader.conf, sysctl.conf, rc.conf and the output of kenv, and
 * puts facts
 * "<prefix><name>". Of two values for a name the later one counts; a quoted value may span lines.
 * Only names that begin with one of `wanted` (NULL-terminated) are taken, since these files also
 * have private values. A value with a shell's '$' or '`' is malformed. @return facts->error. */
int st_freebsd_text_assignments(struct st_facts *facts, const char *prefix,
                                const char *const *wanted, const char *text, const char *source);

/** Parses /dev/sndstat of FreeBSD 12 to 15, at any verbosity: puts freebsd.sndstat.pcmN.parent and,
 * from verbosity 2 on, .play.block_us (of the first hardware channel). @return 0, -ENOMEM, -EBADMSG
 * (not the text of /dev/sndstat). */
ST_NODISCARD int st_freebsd_text_sndstat(struct st_facts *facts, const char *text,
                                         const char *source);
