#include "measure/stress.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/text/text.h"
#include "platform/posix/posix.h"

#define CHILDREN_MAX 64
#define MIB          ((size_t)1024 * 1024)
#define MEMORY_BYTES (64 * MIB) /* larger than the caches of most CPUs */
#define FILE_BYTES   (64 * MIB)
#define SYNC_BYTES   (4 * MIB)

struct st_stress {
    pid_t child[CHILDREN_MAX];
    size_t children_n;
};

/* --- the loads; each runs in a child until it is killed --- */

static void compute(void)
{
    for (volatile unsigned long n = 0;; n = n + 1) { /* gcc 16 warns that n++ has no use here */
    }
}

static void copy_memory(void)
{
    char *from = malloc(MEMORY_BYTES / 2), *to = malloc(MEMORY_BYTES / 2);
    if (from == NULL || to == NULL)
        _exit(1);
    memset(from, 1, MEMORY_BYTES / 2);
    for (;;) {
        memcpy(to, from, MEMORY_BYTES / 2);
        from[0] = (char)(to[1] + 1); /* uses the copy, so that the compiler cannot remove it */
    }
}

/* Writes to the file on its standard input. */
static void write_file(void)
{
    char *block = calloc(1, MIB);
    if (block == NULL)
        _exit(1);
    for (;;) {
        for (size_t at = 0; at < FILE_BYTES; at += MIB) {
            if (pwrite(STDIN_FILENO, block, MIB, (off_t)at) < 0)
                _exit(1);
            if (at % SYNC_BYTES == 0)
                (void)fsync(STDIN_FILENO);
        }
    }
}

static void start_programs(void)
{
    static char name[] = "true";
    static char *const argv[] = {name, NULL}, *const no_environment[] = {NULL};
    const char *path = access("/usr/bin/true", X_OK) == 0 ? "/usr/bin/true" : "/bin/true";
    pid_t pid;
    for (;;) {
        const int r = posix_spawn(&pid, path, NULL, NULL, argv, no_environment);
        if (r == ENOENT)
            _exit(1);
        if (r == 0)
            (void)waitpid(pid, NULL, 0);
        else
            (void)usleep(
                1000); /* a limit of the machine forbids further processes: try again later */
    }
}

/* --- the file for the disk load --- */

/** Makes a file and removes its name, so that it disappears with the last process that has it open.
 * @return its descriptor or -errno. */
static int nameless_file(void)
{
    const char *folder = getenv("TMPDIR");
    char *path = st_text("%s/sleeptune-XXXXXX", st_text_or(folder, "/var/tmp"));
    const int fd = mkstemp(path);
    if (fd < 0)
        return -errno;
    (void)unlink(path);
    return fd;
}

/* --- phases --- */

static const struct phase {
    const char *name, *says;
    void (*run)(void); /* function that a child runs, one child for each CPU */
    bool once;         /* one child, not one for each CPU */
} phases[ST_STRESS_PHASES] = {
    [ST_STRESS_IDLE] = {"idle", "no additional load", NULL, true},
    [ST_STRESS_CPU] = {"cpu", "a program that computes on each CPU", compute, false},
    [ST_STRESS_MEMORY] = {"memory", "a program that copies memory on each CPU", copy_memory, false},
    [ST_STRESS_DISK] = {"disk", "a program that writes to the disk", write_file, true},
    [ST_STRESS_PROGRAMS] = {"programs", "a program that starts others, one after the other",
                            start_programs, true},
};

const char *st_stress_name(enum st_stress_phase phase)
{
    return phases[phase].name;
}

const char *st_stress_says(enum st_stress_phase phase)
{
    return phases[phase].says;
}

int st_stress_find(const char *name, enum st_stress_phase *ret)
{
    for (enum st_stress_phase i = 0; i < ST_STRESS_PHASES; i++) {
        if (!st_text_is(phases[i].name, name))
            continue;
        *ret = i;
        return 0;
    }
    return -ENOENT;
}

/** Starts a child. @param fd becomes its standard input; -1: none. */
static int start_child(struct st_stress *stress, void (*run)(void), int fd)
{
    const pid_t parent = getpid(), pid = fork();
    if (pid < 0)
        return -errno;
    if (pid == 0) {
        /* Puts the child into a process group of its own: Ctrl-C then reaches only the parent, and
         * st_stress_stop can kill the child with the child's own children. */
        (void)setpgid(0, 0);
        if (fd >= 0)
            (void)dup2(fd, STDIN_FILENO);
        /* The child has normal priority even if chrt gave this process another one. */
        (void)st_platform_native()->set_policy(st_platform_native(), ST_POLICY_OTHER, 0);
        st_posix_child_alone(true, false);
        /* end now if the parent ended before the child had asked to be killed with it */
        if (getppid() != parent)
            _exit(0);
        run();
        _exit(0);
    }
    (void)setpgid(pid, pid); /* done in both processes, since either may run first */
    stress->child[stress->children_n++] = pid;
    return 0;
}

int st_stress_start(enum st_stress_phase phase, struct st_stress **ret)
{
    const struct phase *row = &phases[phase];
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    int r = 0, fd = -1;
    if (row->once)
        n = 1;
    struct st_stress *stress = calloc(1, sizeof(*stress));
    if (stress == NULL)
        return -ENOMEM;
    if (phase == ST_STRESS_DISK) {
        fd = nameless_file();
        r = ST_MIN(fd, 0);
    }
    for (long i = 0;
         row->run != NULL && i < ST_MAX(n, 1) && r == 0 && stress->children_n < CHILDREN_MAX; i++)
        r = start_child(stress, row->run, fd);
    if (fd >= 0)
        close(fd);
    if (r != 0) {
        (void)st_stress_stop(stress);
        return r;
    }
    *ret = stress;
    return 0;
}

int st_stress_stop(struct st_stress *stress)
{
    int r = 0;
    if (stress == NULL)
        return 0;
    /* Checks for children that have ended before it kills any, because a kill may make other
     * children end. */
    for (size_t i = 0; i < stress->children_n; i++) {
        if (waitpid(stress->child[i], NULL, WNOHANG) == stress->child[i]) {
            stress->child[i] = 0;
            r = -ECHILD;
        }
    }
    ST_EACH_OF (child, stress->child, stress->children_n) {
        if (*child != 0)
            (void)kill(-*child, SIGKILL);
        while (*child != 0 && waitpid(*child, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    free(stress);
    return r;
}
