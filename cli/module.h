/* What the module of `sleeptune status` exports: a shared object, loaded when it is used, because it needs
 * libcurl. */
#ifndef ST_CLI_MODULE_H
#define ST_CLI_MODULE_H

#include <jansson.h>
#include <stdbool.h>

/** The options of `sleeptune status`. */
struct st_status_wish {
    const char *socket; /* --socket; NULL: the usual places */
    bool json, details, html, watch;
};

/** Asks the daemon that `status` would show, in at most 500 ms and without a message. @return its
 * sleeptune-status/1, a new reference; NULL: none answers. */
__attribute__((visibility("default"))) json_t *st_module_ask(void);
#define ST_MODULE_ASK_SYMBOL "st_module_ask"
typedef json_t *(*st_module_ask_fn)(void);

#define ST_MODULE_SYMBOL "st_module_run"
typedef int (*st_module_run_fn)(const struct st_status_wish *wish);

/** @return an st_exit, after a message if it is a failure. */
__attribute__((visibility("default"))) int st_module_run(const struct st_status_wish *wish);

/** --watch on a terminal; the same. */
int st_module_watch(const struct st_status_wish *wish);

#endif
