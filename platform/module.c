/* Where the optional modules are, and loading them. */
#include "platform/module.h"

#include <dlfcn.h>
#include <unistd.h>

#include "platform/child_env.h"
#include "platform/platform.h"
#include "st_config.h"

/* Folder of the running program, "" when unknown. */
static void program_folder(char *buf, size_t buf_bytes)
{
    struct st_machine *machine = &st_platform_native()->machine;
    if (machine->program_path(machine, buf, buf_bytes) != 0)
        buf[0] = '\0';
    char *slash = strrchr(buf, '/');
    if (slash != NULL)
        *slash = '\0';
}

static int st_module_path(const char *name, char *buf, size_t buf_bytes)
{
    char beside[4096],
        named[PATH_MAX]; /* of a build; before the installed ones, which may be of another version */
    program_folder(beside, sizeof(beside));
    const char *dirs[] = {st_child_env_folder("SLEEPTUNE_MODULE_DIR", named),
                          beside[0] != '\0' ? beside : NULL, ST_MODULE_DIR};
    ST_EACH (dir, dirs) {
        if (*dir == NULL)
            continue;
        const int n = snprintf(buf, buf_bytes, "%s/sleeptune-%s.so", *dir, name);
        if (n > 0 && (size_t)n < buf_bytes && access(buf, R_OK) == 0)
            return 0;
    }
    return -ENOENT;
}

int st_module_load(const char *name, const char *symbol, void *ret, char *error, size_t error_bytes)
{
    char path[4200];
    if (st_module_path(name, path, sizeof(path)) != 0) {
        snprintf(error, error_bytes, "the module sleeptune-%s.so is not installed", name);
        return -ENOENT;
    }
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *address = handle != NULL ? dlsym(handle, symbol) : NULL;
    if (address == NULL) {
        snprintf(error, error_bytes, "%s", dlerror());
        return -ENOENT;
    }
    memcpy(ret, &address, sizeof(address)); /* ISO C has no cast from object to function pointer */
    return 0;
}
