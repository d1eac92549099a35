/* The history, from the running daemon or from its file: the module sleeptune-history, loaded by
 * the commands that read a history, so that `sleeptune` does not link SQLite. */
#pragma once

#include <jansson.h>

#include "store/history/history_predict.h"
#include "story/history_document.h"
#include "story/trace_file.h"

/** Which document of the history to read, and from where. */
struct st_history_wish {
    struct st_history_asked asked;
    const char *socket; /* --socket; NULL: not given */
    const char *db;     /* --db; NULL: the daemon if it listens, else a file in a state folder */
    const char **whose; /* receives a line for the screen that names the daemon or file of the
                           answer; a text of st_text */
};

/** Name of a function in the module "history", for st_module_load. */
#define ST_MODULE_HISTORY_ASK_SYMBOL "st_module_history_ask"
/** @return an st_exit, after a message; *ret is set on ST_EXIT_DONE only. */
typedef int (*st_module_history_ask_fn)(const char *command, const struct st_history_wish *wish,
                                        json_t **ret);

__attribute__((visibility("default"))) int
st_module_history_ask(const char *command, const struct st_history_wish *wish, json_t **ret);

/** Name of a function in the module "history", for st_module_load. */
#define ST_MODULE_HISTORY_TRACE_SYMBOL "st_module_history_trace"
/** Reads the copy of audio cycles that sleeptuned kept for a dropout or a mark. @param wall_ns time
 * of that dropout or mark; INT64_MAX: the newest copy. @return an st_exit, after a message; *ret is
 * set on ST_EXIT_DONE only; free with st_trace_copy_finish. */
typedef int (*st_module_history_trace_fn)(const char *command, const struct st_history_wish *wish,
                                          int64_t wall_ns, struct st_trace_copy *ret);
__attribute__((visibility("default"))) int
st_module_history_trace(const char *command, const struct st_history_wish *wish, int64_t wall_ns,
                        struct st_trace_copy *ret);

/** Name of a function in the module "history", for st_module_load. */
#define ST_MODULE_HISTORY_PREDICT_SYMBOL "st_module_history_predict"

/** Late wake-ups of a history, and their source. */
struct st_module_history_predict {
    struct st_predict_run run; /* the caller frees it by st_predict_finish, also after a failure */
    struct st_history_predict read;
    char path[512];
    char error[600]; /* why it failed, a sentence with the path */
};

typedef int (*st_module_history_predict_fn)(const char *db, struct st_module_history_predict *ret);

/** Reads the file. @param db NULL: the file of the running daemon, else that of the state folder.
 * @return 0; -ENODATA: no usable minute in the file; -ENOENT: no file; or as st_history_predict,
 * with ret->error. */
__attribute__((visibility("default"))) int
st_module_history_predict(const char *db, struct st_module_history_predict *ret);
