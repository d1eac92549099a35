/* For libraries that are preloaded before the cycle loop: it sleeps by libc's syscall(), which they
 * replace. */
#pragma once

#include <dlfcn.h>
#include <string.h>

/** libc's. */
static inline long next_syscall(long number, const long values[6])
{
    static long (*next)(long, ...);
    if (next == NULL) {
        void *address = dlsym(RTLD_NEXT, "syscall");
        memcpy(&next, &address,
               sizeof(next)); /* ISO C has no cast from object to function pointer */
    }
    return next(number, values[0], values[1], values[2], values[3], values[4], values[5]);
}
