/* Patterns of lines, without regular expressions: no line takes longer than its length. */
#pragma once

#include "core/base.h"

#define ST_PATTERN_PARTS      8
#define ST_PATTERN_PART_BYTES 256
struct st_pattern_parts {
    size_t n;
    char text[ST_PATTERN_PARTS][ST_PATTERN_PART_BYTES];
};
/** Does the line begin as the pattern says? '*': anything; a blank: blanks; %s: a word; %d: a number; %v: a
 * word that begins with a digit; %l: all up to what follows in the pattern. Linear in the line. */
bool st_pattern_match(const char *line, const char *pattern, struct st_pattern_parts *ret);

/** Finds the next line that does, without the blanks before it, and moves *text behind it. Of a line the
 * first 511 bytes are looked at. @return false: there is none. */
bool st_pattern_next(const char **text, const char *pattern, struct st_pattern_parts *ret);
