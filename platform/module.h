/* Optional modules: shared objects that are loaded when used. */
#pragma once

#include "core/base.h"

/** Loads module `name` from $SLEEPTUNE_MODULE_DIR, the program's folder (in a build) or the
 * installed folder, and looks up `symbol`. @param ret address of a pointer to an object or a
 * function. @return NULL, or why the module cannot be loaded. */
ST_NODISCARD const char *st_module_load(const char *name, const char *symbol, void *ret);
