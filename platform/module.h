/* Optional modules: shared objects that are loaded when used. */
#ifndef ST_PLATFORM_MODULE_H
#define ST_PLATFORM_MODULE_H

#include "core/base.h"

/** Path of an optional module that is loaded when used: $SLEEPTUNE_MODULE_DIR, the folder of the
 * program (a build), the installed one.
 *  @return 0 or -ENOENT. */
ST_NODISCARD int st_module_path(const char *name, char *buf, size_t buf_bytes);
/** dlopens module `name` and looks `symbol` up. @return the symbol, or NULL with a message in `error`. */
void *st_module_load(const char *name, const char *symbol, char *error, size_t error_bytes);

#endif
