/* What the modules of `sleeptune status` export: shared objects, loaded when they are used, because they need
 * libcurl (sleeptune-status) and ncurses (sleeptune-watch). */
#ifndef ST_CLI_MODULE_H
#define ST_CLI_MODULE_H

#include <jansson.h>
#include <stdbool.h>

/** The options of `sleeptune status`. */
struct st_status_wish {
    const char *socket; /* --socket; NULL: the usual places */
    bool json, details, html;
};

/** Asks the daemon that `status` would show, in at most 500 ms and without a message. @return its
 * sleeptune-status/1, a new reference; NULL: none answers. In sleeptune-status only. */
__attribute__((visibility("default"))) json_t *st_module_ask(void);
#define ST_MODULE_ASK_SYMBOL "st_module_ask"
typedef json_t *(*st_module_ask_fn)(void);

#define ST_MODULE_SYMBOL "st_module_run"
typedef int (*st_module_run_fn)(const struct st_status_wish *wish);

/** @return an st_exit, after a message if it is a failure. */
__attribute__((visibility("default"))) int st_module_run(const struct st_status_wish *wish);

#endif
