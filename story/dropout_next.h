/* Chooses the next step against dropouts: a command, or what else helps. */
#pragma once

#include "story/dropout_table.h"

/** The next step. Its texts live as long as those of st_text. */
struct st_dropout_next {
    const char *command; /* "": none */
    const char *why;     /* what the command does, or what else helps; "": nothing to add */
    /* the step is about settings that improve the timing of the whole computer, not only of this
     * client */
    bool settings;
};

#define ST_DROPOUT_NEXT_RAISED                                                                     \
    "the buffer is larger now than when these dropouts happened: see whether dropouts come again"

/** Chooses the next step against the dropouts of a client; client NULL: against those of the
 * device, whose buffer size someone forced. All empty if the reason is not known, unless the source
 * cannot know reasons.
 * @param source name as in st_xrun_source. @param right_set_up the user has the right to real-time
 * priority from the next login on. */
struct st_dropout_next st_dropout_next(const struct st_dropout_table *table,
                                       const struct st_dropout_client *client, const char *source,
                                       bool right_set_up);
