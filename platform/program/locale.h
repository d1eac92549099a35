/* Text for people: names in it may be foreign, so it is made safe (core/text/safe.h); if the locale is not
 * UTF-8, "µs" becomes "us". JSON and Markdown stay UTF-8. */
#pragma once

#include "core/base.h"

/** By LC_ALL, LC_CTYPE and LANG, the first of them that is set. */
bool st_locale_utf8(void);

/** In place: a character beyond ASCII becomes what looks like it, or '?'. Nothing in a UTF-8 locale. @return
 * text. */
char *st_locale_text(char *text);

/** One character beyond ASCII, at text. @return its bytes; ret: what looks like it in ASCII, or "?". */
size_t st_locale_character(const char *text, const char **ret);

struct st_locale_stream {
    FILE *to;
    FILE *memory; /* NULL: out of memory, and the text is lost */
    char *text;
    size_t bytes;
};

/** Begins text for `to`, without colours. @return where to write it. */
FILE *st_locale_begin(struct st_locale_stream *stream, FILE *to);

/** Writes what was begun, as safe lines. @return 0 or -ENOMEM; what becomes of `to` is the caller's to
 * check. */
ST_NODISCARD int st_locale_end(struct st_locale_stream *stream);
