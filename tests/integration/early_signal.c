/* To be preloaded: the process gets the signal of number $EARLY_SIGNAL while it reads its
 * options. */
#include <dlfcn.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static const char *number; /* before main, which forgets as root what is not listed */

static __attribute__((constructor)) void begin(void)
{
    number = getenv("EARLY_SIGNAL");
}

int getopt_long(int argc, char *const argv[], const char *options, const struct option *longs,
                int *ret_index)
{
    static int (*next)(int argc, char *const argv[], const char *options,
                       const struct option *longs, int *ret_index);
    if (next == NULL) {
        *(void **)&next = dlsym(RTLD_NEXT, "getopt_long");
        kill(getpid(), number != NULL ? atoi(number) : SIGTERM);
    }
    return next(argc, argv, options, longs, ret_index);
}
