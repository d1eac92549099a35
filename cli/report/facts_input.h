/* The source of facts for report, check, apply and snapshot. */
#pragma once

#include "advisor/collect/collect.h"

#define ST_FACTS_INPUT_TEXTS_MAX 8

/** Part of --help of the commands with this option. */
#define ST_NO_SERVERS_HELP                                                                         \
    "  --no-servers       do not ask running servers (PipeWire, JACK ...);\n"                      \
    "                     judge their configuration files\n"

struct st_facts_input {
    const char *snapshot; /* file, "-": standard input; NULL: none */
    const char *root;     /* folder; NULL: none */
    /* files with one posted text each, "-": standard input */
    const char *texts[ST_FACTS_INPUT_TEXTS_MAX];
    size_t texts_n;
    const char *user; /* whose rights to judge; NULL: of the facts' user */
    bool no_servers;  /* do not query running servers of this machine */
};

/** The user who plays: from --user, else the one who ran sudo, else the one who logged in; NULL:
 * not known. */
const char *st_facts_input_player(const struct st_facts_input *input);

/** If root judges this machine, sets input->user to the player, since root may do what the player
 * may not. Prints that on stderr. */
void st_facts_input_of_player(struct st_facts_input *input);

/** Facts of the snapshot, the folder, the texts or (if none is given) this machine; on failure a
 * message on stderr. @return an st_exit. Free the facts with st_facts_free. */
ST_NODISCARD int st_facts_input_load(const struct st_facts_input *input, struct st_facts **ret);
