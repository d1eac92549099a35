/* Preloaded: which variables of the environment are asked for, by the program and its libraries,
 * and which value they get. Each is a line of the file ASKED_NAMES: NAME=value. Only what is asked
 * after main has forgotten that variable itself counts: before that, the program reads what it may
 * keep. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int to = -1;

__attribute__((constructor)) static void start(void)
{
    for (char **var = environ; *var != NULL; var++) {
        if (strncmp(*var, "ASKED_NAMES=", 12) == 0)
            to = open(*var + 12, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    }
}

static int is_forgotten(void)
{
    for (char **var = environ; var != NULL && *var != NULL; var++) {
        if (strncmp(*var, "ASKED_NAMES=", 12) == 0)
            return 0;
    }
    return 1;
}

static char *answer(const char *function, const char *name)
{
    char *(*next)(const char *);
    void *address = dlsym(RTLD_NEXT, function);
    memcpy(&next, &address, sizeof(next)); /* ISO C has no cast from object to function pointer */
    char *value = next(name);
    if (to >= 0 && is_forgotten())
        dprintf(to, "%s=%s\n", name, value != NULL ? value : "");
    return value;
}

char *getenv(const char *name)
{
    return answer("getenv", name);
}

char *secure_getenv(const char *name)
{
    return answer("secure_getenv", name);
}
