/* Text for people: names in it may be foreign, so it is made safe (core/text/safe.h); if the locale
 * is not UTF-8, "µs" becomes "us". JSON and Markdown stay UTF-8. */
#pragma once

#include "core/base.h"

/** Is the locale UTF-8? The first of LC_ALL, LC_CTYPE and LANG that is set decides. */
bool st_locale_utf8(void);

/** Replaces each non-ASCII character, in place, by a similar ASCII character or '?'. Does nothing
 * in a UTF-8 locale. @return text. */
char *st_locale_text(char *text);

struct st_locale_stream {
    FILE *to;
    FILE *memory; /* NULL: out of memory, and the text is lost */
    char *text;
    size_t bytes;
};

/** Begins to collect text for `to`, without colours. @return the stream that takes the text. */
FILE *st_locale_begin(struct st_locale_stream *stream, FILE *to);

/** Writes the collected text as safe lines. @return 0 or -ENOMEM; the caller checks `to` for write
 * errors. */
ST_NODISCARD int st_locale_end(struct st_locale_stream *stream);
