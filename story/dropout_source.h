/* Which of several sources of xruns a musician asks about. */
#pragma once

#include "story/dropout_table.h"

struct st_dropout_source {
    const char *name; /* as in struct st_xrun_source */
    const struct st_dropout_table *table;
    bool asked;        /* its dropouts are of the time that is asked about */
    bool plays;        /* something plays, or did in that time */
    bool watched;      /* now */
    const void *owner; /* the caller's own, which it is in */
};

/** Sorts: first the one that lost most sound in the time asked about, in time if all lengths are known, else
 * in dropouts: that is what one heard. If all lost the same: where something plays, since "no dropout" is
 * news there only; then who lost most before; then a sound server rather than its device, since it names
 * programs; then as they were. */
void st_dropout_source_sort(struct st_dropout_source *sources, size_t n);
