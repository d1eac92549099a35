/* Names that were typed almost right. */
#pragma once

#include "core/base.h"

/** Edit distance of two short names (insert, delete, replace, exchange of two neighbours: 1 each); SIZE_MAX
 * when one is longer than 63 bytes. Source: Wagner and Fischer, 1974; Damerau, 1964. */
size_t st_near_distance(const char *a, const char *b);

/** The name most like the one that was typed. Set `typed`, then offer the names one after the other. */
struct st_near {
    const char *typed;
    const char *name; /* borrowed; NULL: none is near enough */
    size_t edits;     /* of `name`; 0 also if the typed one is a part of it */
};

void st_near_offer(struct st_near *near, const char *name);
