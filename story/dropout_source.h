/* Which of several sources of xruns a musician asks about. */
#pragma once

#include "story/dropout_table.h"

struct st_dropout_source {
    const char *name; /* as in struct st_xrun_source */
    const struct st_dropout_table *table;
    bool asked;        /* `table` covers the time that is asked about */
    bool plays;        /* something plays, or played in that time */
    bool watched;      /* the source is watched now */
    const void *owner; /* the caller's object that contains the source */
};

/** Sorts sources. First the largest loss of sound in the time asked about, by duration if all lengths are
 * known, else by number of dropouts, since that was heard. Among equal losses: sources where something
 * plays, since "no dropout" is news only there; then the larger earlier loss; then a sound server before
 * its device, since a server names programs; then the given order. */
void st_dropout_source_sort(struct st_dropout_source *sources, size_t n);
