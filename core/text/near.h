/* Suggestions for mistyped names. */
#pragma once

#include "core/base.h"

/** Edit distance of two short names (insertion, deletion, replacement, exchange of two neighbours:
 * 1 each); SIZE_MAX if one is longer than 63 bytes. Source: Wagner and Fischer, 1974; Damerau,
 * 1964. */
size_t st_near_distance(const char *a, const char *b);

/** Finds the name most similar to a mistyped one. Set `typed`, then call st_near_offer for each
 * known name.
 */
struct st_near {
    const char *typed;
    const char *name; /* the best name so far, borrowed; NULL: none is similar enough */
    size_t edits;     /* edit distance of `name`; 0 also if `typed` is a part of the name */
};

void st_near_offer(struct st_near *near, const char *name);
