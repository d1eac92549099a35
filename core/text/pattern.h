/* Matches lines against patterns, without regular expressions, in a time that is linear in the
 * length of the line. */
#pragma once

#include "core/base.h"

#define ST_PATTERN_PARTS      8
#define ST_PATTERN_PART_BYTES 256
struct st_pattern_parts {
    size_t n;
    char text[ST_PATTERN_PARTS][ST_PATTERN_PART_BYTES];
};
/** Does the line begin as the pattern says? In a pattern, '*' stands for anything; a blank for
 * blanks; %s for a word; %d for a number; %v for a word that begins with a digit; %l for everything
 * up to the pattern's next literal text; '$' for the end of the line. @param ret the text of each %
 * item. */
bool st_pattern_match(const char *line, const char *pattern, struct st_pattern_parts *ret);

/** Finds the next line that matches, ignoring blanks before it, and moves *text past the line. Only
 * the first 511 bytes of a line are examined. @return false: no such line. */
bool st_pattern_next(const char **text, const char *pattern, struct st_pattern_parts *ret);
