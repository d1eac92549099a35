/* Text that people capture on FreeBSD, or that lies in its files: each parser puts facts. Pure, so that they
 * can be fuzzed. All take any bytes; what is not understood is left out. */
#pragma once

#include "advisor/facts/facts.h"

/**
 * Lines `name="value"` as in loader.conf, sysctl.conf, rc.conf and the output of kenv: facts
 * "<prefix><name>", of two the later one; a quoted value may go on over lines. Only names that begin with one
 * of `wanted` (NULL-terminated) are taken, as these files have private things, too. A value with a shell's
 * '$' or '`' is malformed.
 * @return facts->error. */
int st_freebsd_text_assignments(struct st_facts *facts, const char *prefix, const char *const *wanted,
                                const char *text, const char *source);

/**
 * /dev/sndstat of FreeBSD 12 to 15, at any verbosity: freebsd.sndstat.pcmN.parent and, from
 * verbosity 2 on, .play.block_us (of the first hardware channel).
 * @return 0, -ENOMEM, -EBADMSG (not the text of /dev/sndstat). */
ST_NODISCARD int st_freebsd_text_sndstat(struct st_facts *facts, const char *text, const char *source);
