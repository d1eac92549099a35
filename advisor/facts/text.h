/* Foreign text: made valid, trimmed, read as a number. */
#pragma once

#include "core/base.h"

/** A copy that is valid UTF-8: what is not (also NUL bytes) becomes U+FFFD. @return NULL: out of memory. */
char *st_text_utf8(const char *text, size_t bytes);

/** Copies the next line without its end; a longer one is cut, NUL bytes become '?'. @return false at the
 * end. */
bool st_text_line(const char **at, const char *end, char *line, size_t line_bytes);

/** Cuts white space (ASCII) at both ends off, in place. */
void st_text_trim(char *text);

/** A whole decimal number and nothing else. @return 0, -EINVAL, -ERANGE. */
ST_NODISCARD int st_text_int(const char *text, int64_t *ret);

/** Is it of letters (ASCII), digits and `others` only, and not empty? */
bool st_text_is_of(const char *text, const char *others);

/** Bytes of a valid UTF-8 text, at most max_bytes, that end with a whole character; for "%.*s". */
int st_text_cut(const char *text, size_t max_bytes);

/** A boolean of systemd: "yes", "True", "1" ... @return false: it is none, and systemd ignores the line
 * (parse_boolean() of its src/basic/parse-util.c). */
bool st_text_unit_boolean(const char *text, bool *ret);

/** A limit of systemd: "95", "20:95", "infinity" (INT64_MAX). @return false: it is none, and systemd
 * ignores the line, also an empty one (config_parse_rlimit() of its src/shared/conf-parser.c). */
bool st_text_unit_limit(const char *text, int64_t *ret_soft);
