/* What `sleeptune share` prints becomes facts again, wherever it was pasted: quoted, wrapped or cut. */
#pragma once

#include "advisor/facts/facts.h"

/* How the text begins, and the word before "ID STATUS, KEY=NUMBER, ...". The mark behind an id and a number
 * says that it is whole. */
#define ST_SHARE_BEGINS  "sleeptune share 1,"
#define ST_SHARE_FINDING "finding"

/* The word before "PROGRAM REASON NUMBER; ...", which ends with a '.'. */
#define ST_SHARE_PROGRAMS "watched;"

/** Puts ST_KEYS_SHARED, and the numbers of findings. What is not in the text is not known, unless the text
 * says at its end that all of it is there.
 * @param facts as for st_posted_add. @return 0; -ENODATA: no finding of a share is in the text; -EXDEV;
 * -ENOMEM. */
ST_NODISCARD int st_share_text_add(const char *text, size_t bytes, const char *source,
                                   struct st_facts **facts);

/** Does `pattern`, of a rule's `facts`, name one fact alone, of the system? Then its key has no name of a
 * user or device in it. */
bool st_share_text_may(const char *key, const char *pattern);
