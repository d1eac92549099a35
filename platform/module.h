/* Optional modules: shared objects that are loaded when used. */
#pragma once

#include "core/base.h"

/** Loads module `name` from $SLEEPTUNE_MODULE_DIR, the folder of the program (a build) or the installed one,
 * and looks `symbol` up. @param ret a pointer to a pointer, to an object or a function. @return NULL, or why
 * it cannot be loaded. */
ST_NODISCARD const char *st_module_load(const char *name, const char *symbol, void *ret);
