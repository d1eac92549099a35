/* What the modules of `sleeptune status` export: shared objects, loaded when they are used, because they need
 * libcurl (sleeptune-status), ncurses (sleeptune-watch) or libsoundio (sleeptune-devices). */
#ifndef ST_CLI_MODULE_H
#define ST_CLI_MODULE_H

#include <stdbool.h>

/** The options of `sleeptune status`. */
struct st_status_wish {
    const char *socket; /* --socket; NULL: the usual places */
    bool json, details;
};

#define ST_MODULE_SYMBOL "st_module_run"
typedef int (*st_module_run_fn)(const struct st_status_wish *wish);

/** @return an st_exit, after a message if it is a failure. */
__attribute__((visibility("default"))) int st_module_run(const struct st_status_wish *wish);

#endif
