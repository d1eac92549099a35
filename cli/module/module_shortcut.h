/* A key of the desktop, by the portal GlobalShortcuts: the module sleeptune-shortcut of `sleeptune heard`. */
#pragma once

#include "core/base.h"

/** What st_module_load("shortcut", ST_MODULE_SHORTCUT_SYMBOL) returns. */
#define ST_MODULE_SHORTCUT_SYMBOL "st_module_shortcut_run"

struct st_module_shortcut {
    void (*bound)(void *ctx, const char *key); /* once; what the desktop calls the key, "": it names none */
    void (*pressed)(void *ctx);                /* each time */
    void *ctx;
    char error[400]; /* why it ended, safe text */
};

/** Asks the desktop for a key, and serves it until the desktop ends that: returns on an error only.
 * @return -ECONNRESET: it ended, and can be asked again; another negative errno: it gives none. */
typedef int (*st_module_shortcut_run_fn)(struct st_module_shortcut *shortcut);

__attribute__((visibility("default"))) int st_module_shortcut_run(struct st_module_shortcut *shortcut);
