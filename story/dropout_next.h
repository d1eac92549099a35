/* What helps against dropouts. */
#pragma once

#include "story/dropout_table.h"

/** Texts live as long as those of st_text. */
struct st_dropout_next {
    const char *command; /* "": none */
    const char *why;     /* what the command does, or what else helps; "": nothing to add */
    bool settings;       /* the step is about settings that improve the timing of the whole computer */
};

#define ST_DROPOUT_NEXT_RAISED                                                                               \
    "the buffer is larger now than when these dropouts happened: see whether they come again"

/** The next step against the dropouts of a client (NULL: of the device at a forced size). All empty if the
 * reason is not known, unless the source cannot know reasons. @param source name as in st_xrun_source.
 * @param right_set_up the right to real-time priority takes effect at the next login. */
struct st_dropout_next st_dropout_next(const struct st_dropout_table *table,
                                       const struct st_dropout_client *client, const char *source,
                                       bool right_set_up);
