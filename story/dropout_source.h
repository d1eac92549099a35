/* Sorts sources of xruns: the one that a musician is most likely to ask about comes first. */
#pragma once

#include "story/dropout_table.h"

struct st_dropout_source {
    const char *name; /* name of the source, as in struct st_xrun_source */
    const struct st_dropout_table *table;
    bool asked;        /* the dropouts in `table` are from the time that the user asked about */
    bool plays;        /* something plays, or played in that time */
    bool watched;      /* the source is watched at this moment */
    const void *owner; /* the caller's object that contains the source */
};

/** Sorts sources. First the largest loss of sound in the time that is asked about: by duration if
 * all lengths are known, otherwise by number of dropouts. Among equal losses: first sources where
 * something plays, since only there "no dropout" says something; then the larger earlier loss; then
 * a sound server before its device, since a server names programs; then the given order. */
void st_dropout_source_sort(struct st_dropout_source *sources, size_t n);
