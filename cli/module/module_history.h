/* The history, from the running daemon or from its file: the module sleeptune-history, which is loaded by the command
 * `history` alone, so that `sleeptune` itself links neither SQLite nor libcurl. */
#ifndef ST_CLI_MODULE_MODULE_HISTORY_H
#define ST_CLI_MODULE_MODULE_HISTORY_H

#include <jansson.h>

#include "core/base.h"

enum st_history_document { ST_HISTORY_OF_STEPS, ST_HISTORY_OF_EVENTS, ST_HISTORY_OF_CAUSES };

/** Which document, and from where. Times are CLOCK_REALTIME; INT64_MIN: not given. */
struct st_history_wish {
    enum st_history_document document;
    const char *socket; /* --socket; NULL */
    const char *db;     /* --db; NULL: the daemon if one listens, else a file in a state folder */
    int64_t since_ns, until_ns, step_ns;
    int64_t limit, after;
    const char *kind; /* NULL: all */
    char *error;      /* a failure goes here instead of to stderr; NULL: it does not */
    size_t error_bytes;
    char *whose; /* where the answer came from, a line for the screen; NULL: it is not wanted */
    size_t whose_bytes;
};

/** What st_module_load("history", ST_MODULE_HISTORY_ASK_SYMBOL) returns. */
#define ST_MODULE_HISTORY_ASK_SYMBOL "st_module_history_ask"
/** @return an st_exit, after a message; *ret on ST_EXIT_DONE only. */
typedef int (*st_module_history_ask_fn)(const char *command, const struct st_history_wish *wish,
                                        json_t **ret);

__attribute__((visibility("default"))) int
st_module_history_ask(const char *command, const struct st_history_wish *wish, json_t **ret);

#endif
