/* Where report, check, apply and snapshot get their facts. */
#pragma once

#include "advisor/collect/collect.h"

#define ST_FACTS_INPUT_TEXTS_MAX 8

/** For --help of the commands that have it. */
#define ST_NO_SERVERS_HELP                                                                                   \
    "  --no-servers       do not ask running servers (PipeWire, JACK ...);\n"                                \
    "                     judge their configuration files\n"

struct st_facts_input {
    const char *snapshot;                        /* file, "-": standard input; NULL: none */
    const char *root;                            /* folder; NULL: none */
    const char *texts[ST_FACTS_INPUT_TEXTS_MAX]; /* files with one posted text each, "-": standard input */
    size_t texts_n;
    const char *user; /* whose rights to judge; NULL: whose they are */
    bool no_servers;  /* running servers of this machine are not asked */
};

/** The user who plays: of --user, else the one who ran sudo, else the one who logged in; NULL: not known. */
const char *st_facts_input_player(const struct st_facts_input *input);

/** Root may do what the one who plays may not: under sudo, this machine is judged with the rights of the
 * player. Says so on stderr. */
void st_facts_input_of_player(struct st_facts_input *input);

/** Facts of the snapshot, the folder, the texts or (none given) this machine; a message on stderr when it
 * fails.
 *  @return an st_exit. Free the facts with st_facts_free. */
ST_NODISCARD int st_facts_input_load(const struct st_facts_input *input, struct st_facts **ret);
