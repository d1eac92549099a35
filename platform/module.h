/* Optional modules: shared objects that are loaded when used. */
#ifndef ST_PLATFORM_MODULE_H
#define ST_PLATFORM_MODULE_H

#include "core/base.h"

/** Loads module `name` from $SLEEPTUNE_MODULE_DIR, the folder of the program (a build) or the installed one, and looks
 * `symbol` up. @return the symbol, or NULL with a message in `error`. */
void *st_module_load(const char *name, const char *symbol, char *error, size_t error_bytes);

#endif
