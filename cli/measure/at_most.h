/* `measure --at-most N/h`: do the events of missed periods stay below a limit? */
#pragma once

#include "evidence/limit.h"
#include "measure/session.h"
#include "platform/program/output.h"

struct st_at_most {
    struct st_limit limit; /* per_hour 0: none was asked for */
    bool early;            /* the run ends as soon as it is decided */
    bool decided;          /* nothing counts from then on */
    const char *junit;     /* a file; NULL: none */
    struct st_output file; /* the same, open */
    char text[256];        /* the answer; "": none yet */
};

/** "20/h", of an option. @param ctx a struct st_at_most. @return 0, or an st_exit after a message. */
int st_at_most_take(void *ctx, const char *text);

/** Chooses the duration if there is none (-1), and says it unless quiet. @return an st_exit, after a message:
 * a duration that cannot show it, a file that cannot be written, no right to the priority. */
int st_at_most_begin(struct st_at_most *at_most, struct st_session_config *config, bool quiet);

/** Counts. @return true: it may end, as it is decided. */
bool st_at_most_look(struct st_at_most *at_most, const struct st_result *result);

/** Makes the answer. @return its st_exit. */
int st_at_most_judge(struct st_at_most *at_most, const struct st_result *result);

/** Writes the file of --junit, if it is open. @param status how the program ends @return the same, or
 * ST_EXIT_FAILURE after a message: the file cannot be written. */
int st_at_most_end(struct st_at_most *at_most, const struct st_session_config *config, int status);
