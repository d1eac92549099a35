/* Reads the output of `sleeptune share` back into facts, wherever it was pasted: quoted, wrapped or
 * cut. */
#pragma once

#include "advisor/facts/facts.h"

/* ST_SHARE_BEGINS: the beginning of the text. ST_SHARE_FINDING: the word before "ID STATUS,
 * KEY=NUMBER, ...". An id or number is complete if a punctuation mark follows. */
#define ST_SHARE_BEGINS  "sleeptune share 1,"
#define ST_SHARE_FINDING "finding"

/* The word before the list of programs with dropouts: "PROGRAM REASON NUMBER, REASON NUMBER; ...",
 * which ends with a '.'. */
#define ST_SHARE_PROGRAMS   "watched;"
#define ST_SHARE_LINE_BYTES 400 /* of that list, and of any other line, before it is wrapped */

/** Puts the facts ST_KEYS_SHARED, and the numbers of findings. Facts not in the text are unknown,
 * unless the text is complete. @param facts *facts NULL: creates facts for the text's system.
 * @return 0; -ENODATA: the text is no output of `share`, or has no finding; -EXDEV: it is from
 * another system than *facts; -ENOMEM. */
ST_NODISCARD int st_share_text_add(const char *text, size_t bytes, const char *source,
                                   struct st_facts **facts);

/** May `share` print this fact? It may if `pattern`, from a rule's `facts`, is its whole key, which
 * then contains no name of a user or device. */
bool st_share_text_may(const char *key, const char *pattern);
