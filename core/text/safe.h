/* Foreign text (names of clients, devices, files, programs) made safe to show.
 *
 * Safe text is valid UTF-8 (RFC 3629) without the characters that a terminal, a log viewer or a
 * browser acts on: C0, DEL and C1 control characters, bidirectional marks, overrides and isolates
 * (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069), line and paragraph separators
 * (U+2028, U+2029), and U+FFFE and U+FFFF, which XML does not allow. A tab becomes a space; each
 * other such character, and each byte that is not UTF-8, becomes '?'. Safe text stays as it is.
 * Threads: any. */
#pragma once

#include "core/base.h"

#define ST_TEXT_TO_NUL SIZE_MAX /* for a parameter `bytes`: the text ends at its '\0' */

/** Reads one character. @param bytes available bytes, or ST_TEXT_TO_NUL. @return its length in
 * bytes, 1 to 4 (also for U+0000); 0: not valid UTF-8. */
size_t st_safe_utf8_read(const char *text, size_t bytes, uint32_t *ret_point);

/** May the character be shown? false also for '\n' and '\t'. */
bool st_safe_point(uint32_t point);

/** Is the text safe, and one line? */
bool st_safe_is(const char *text);

/** Copies text as one safe line; text that does not fit is cut after a whole character. @param buf
 * may be text itself. @param buf_bytes at least 1; the copy is never longer than the text. @param
 * bytes length of text, or ST_TEXT_TO_NUL; a '\0' ends it in both cases. @return length of the
 * copy. */
size_t st_safe_copy(char *buf, size_t buf_bytes, const char *text, size_t bytes);

/** Makes a text safe in place, as st_safe_copy. @return text. */
char *st_safe_text(char *text);

/** Prints text as one safe line, without a newline at its end. @param bytes as for st_safe_copy. */
void st_safe_print(FILE *out, const char *text, size_t bytes);

/** As st_safe_print, but keeps each '\n': for text of several lines. */
void st_safe_print_lines(FILE *out, const char *text, size_t bytes);

/** Prints text for XML, HTML and Pango's markup, as content or within an attribute: made safe and
 * escaped.
 * @param text NULL: prints nothing. */
void st_safe_print_xml(FILE *out, const char *text);

/** Quotes a word for sh and csh, if needed. A word that begins with '-' is still an option, since
 * quotes do not change that. @param buf_bytes 4 * length + 3 are always enough. @return buf; NULL:
 * the word does not fit, or is not safe text, so that the command on the screen would differ from
 * the one that runs. */
const char *st_safe_shell_word(const char *word, char *buf, size_t buf_bytes);
