/* Turns a text that a user saved or posted into facts. The text may have the output of several
 * commands, quoted ("> "), after prompts, or between prose. */
#pragma once

#include "advisor/facts/facts.h"

/** Kind of text in ST_KEY_SYSTEM_INPUT: the text has the whole `sysctl -a` of FreeBSD, so a sysctl
 * missing from the text does not exist. */
#define ST_POSTED_ALL "all sysctls"

#define ST_POSTED_MAX_BYTES (16 * 1024 * 1024)

/** Reads the text and adds its facts. @param facts *facts NULL: creates facts for the text's
 * system.
 * @param source recorded as the source of the facts. @return 0; -ENOMEM; -EBADMSG (nothing was
 * understood); -ENODATA (the text shows no setting and no incident); -EXDEV (the text is from
 * another system than the existing facts). */
ST_NODISCARD int st_posted_add(const char *text, size_t bytes, const char *source,
                               struct st_facts **facts);
