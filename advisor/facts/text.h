/* Foreign text: make it valid, read a number. */
#pragma once

#include "core/text/text.h"

/** Makes a valid UTF-8 copy: invalid bytes and NUL become U+FFFD. @return NULL: out of memory. */
char *st_text_utf8(const char *text, size_t bytes);

/** Copies the next line without its newline; a longer line is cut, NUL bytes become '?'. @return
 * false at the end. */
bool st_text_line(const char **at, const char *end, char *line, size_t line_bytes);

/** Reads a whole decimal number and nothing else. @return 0, -EINVAL, -ERANGE. */
ST_NODISCARD int st_text_int(const char *text, int64_t *ret);

/** Does the text consist of ASCII letters, digits and `others` only, and is it not empty? */
bool st_text_is_of(const char *text, const char *others);

/** Length of the longest beginning of a UTF-8 text that has at most max_bytes and ends with a whole
 * character; for "%.*s". */
int st_text_cut(const char *text, size_t max_bytes);

/** Reads a boolean of systemd: "yes", "True", "1" ... @return false: not a boolean; systemd ignores
 * the line (parse_boolean() in its src/basic/parse-util.c). */
bool st_text_unit_boolean(const char *text, bool *ret);

/** Reads a limit of systemd: "95", "20:95", "infinity" (INT64_MAX). @return false: not a limit, or
 * empty; systemd ignores the line (config_parse_rlimit() in its src/shared/conf-parser.c). */
bool st_text_unit_limit(const char *text, int64_t *ret_soft);
