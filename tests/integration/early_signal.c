/* To be preloaded: the process gets the signal of number $EARLY_SIGNAL while it reads its options. */
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

int getopt(int argc, char *const argv[], const char *options)
{
    static int (*next)(int argc, char *const argv[], const char *options);
    if (next == NULL) {
        const char *number = getenv("EARLY_SIGNAL");
        *(void **)&next = dlsym(RTLD_NEXT, "getopt");
        kill(getpid(), number != NULL ? atoi(number) : SIGTERM);
    }
    return next(argc, argv, options);
}
