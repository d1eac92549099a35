/* Loads the optional modules. */
#include "platform/module.h"

#include <dlfcn.h>

#include "core/text/text.h"
#include "platform/trusted.h"
#include "st_config.h"

const char *st_module_load(const char *name, const char *symbol, void *ret)
{
    char path[PATH_MAX];
    const int r = st_trusted_find(st_platform_native(), "SLEEPTUNE_MODULE_DIR", "", ST_MODULE_DIR,
                                  st_text("sleeptune-%s.so", name), path);
    if (r != 0)
        return st_text("%s%s", r == -ENOENT ? "the module " : "", path);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *address = handle != NULL ? dlsym(handle, symbol) : NULL;
    if (address == NULL)
        return st_text("%s", dlerror());
    memcpy(ret, &address, sizeof(address)); /* ISO C has no cast from object to function pointer */
    return NULL;
}
