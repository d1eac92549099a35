#include "measure/stress.h"

#include <sys/types.h>

#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/platform.h"
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

/* --- what a child does until it is killed --- */

static void compute(ST_UNUSED int unused_fd)
{
    for (volatile unsigned long n = 0;; n = n + 1) { /* gcc 16 takes n++ for no use */
    }
}

static void copy_memory(ST_UNUSED int unused_fd)
{
    char *from = malloc(MEMORY_BYTES / 2), *to = malloc(MEMORY_BYTES / 2);
    if (from == NULL || to == NULL)
        _exit(1);
    memset(from, 1, MEMORY_BYTES / 2);
    for (;;) {
        memcpy(to, from, MEMORY_BYTES / 2);
        from[0] = (char)(to[1] + 1); /* so that the copy is needed */
    }
}

static void write_file(int fd)
{
    char *block = calloc(1, MIB);
    if (block == NULL)
        _exit(1);
    for (;;) {
        for (size_t at = 0; at < FILE_BYTES; at += MIB) {
            if (pwrite(fd, block, MIB, (off_t)at) < 0)
                _exit(1);
            if (at % SYNC_BYTES == 0)
                (void)fsync(fd);
        }
    }
}

static void start_programs(ST_UNUSED int unused_fd)
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
            (void)usleep(1000); /* no process to be had: the machine is at a limit */
    }
}

static void send_data(int fd)
{
    static char block[65536];
    for (;;) {
        if (write(fd, block, sizeof(block)) <= 0)
            _exit(1);
    }
}

static void receive_data(int fd)
{
    static char block[65536];
    for (;;) {
        if (read(fd, block, sizeof(block)) <= 0)
            _exit(1);
    }
}

/* --- what it needs --- */

/** A file without a name. @return fd or -errno. */
static int nameless_file(void)
{
    char path[512];
    const char *folder = getenv("TMPDIR");
    const int n = ST_PRINT(path, "%s/sleeptune-XXXXXX", folder != NULL ? folder : "/var/tmp");
    if (n < 0 || (size_t)n >= sizeof(path))
        return -ENAMETOOLONG;
    const int fd = mkstemp(path);
    if (fd < 0)
        return -errno;
    (void)unlink(path);
    return fd;
}

/** Two ends of a TCP connection on the loopback interface. @return 0 or -errno. */
static int connect_loopback(int ret_fds[2])
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof(address);
    struct sockaddr *any = (struct sockaddr *)&address;
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    int to = -1, from = -1, r = 0;
    if (listener < 0 || bind(listener, any, bytes) != 0 || listen(listener, 1) != 0 ||
        getsockname(listener, any, &bytes) != 0 || (to = socket(AF_INET, SOCK_STREAM, 0)) < 0 ||
        connect(to, any, bytes) != 0 || (from = accept(listener, NULL, NULL)) < 0)
        r = -errno;
    if (listener >= 0)
        close(listener);
    if (r != 0 && to >= 0)
        close(to);
    ret_fds[0] = to;
    ret_fds[1] = from;
    return r;
}

/* --- phases --- */

static const struct phase {
    const char *name, *says;
    void (*run[2])(int fd); /* what the children do; one of each for each CPU */
    bool once;              /* or only one of each */
} phases[ST_STRESS_PHASES] = {
    [ST_STRESS_IDLE] = {"idle", "no additional load", {NULL}, true},
    [ST_STRESS_CPU] = {"cpu", "a program that computes on each CPU", {compute}, false},
    [ST_STRESS_MEMORY] = {"memory", "a program that copies memory on each CPU", {copy_memory}, false},
    [ST_STRESS_DISK] = {"disk", "a program that writes to the disk", {write_file}, true},
    [ST_STRESS_PROGRAMS] = {"programs",
                            "a program that starts others, one after the other",
                            {start_programs},
                            true},
    [ST_STRESS_NETWORK] = {"network",
                           "two programs that talk over the loopback network",
                           {send_data, receive_data},
                           true},
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
        if (strcmp(phases[i].name, name) != 0)
            continue;
        *ret = i;
        return 0;
    }
    return -ENOENT;
}

/** @param fd kept open in the child as standard input; -1: none. */
static int start_child(struct st_stress *stress, void (*run)(int fd), int fd)
{
    const pid_t parent = getpid(), pid = fork();
    if (pid < 0)
        return -errno;
    if (pid == 0) {
        (void)setpgid(0, 0); /* Ctrl-C is this program's; and its own children are found */
        if (fd >= 0)
            (void)dup2(fd, STDIN_FILENO);
        (void)st_platform_native()->set_policy(st_platform_native(), ST_POLICY_OTHER,
                                               0); /* never as chrt had us */
        st_posix_child_alone(true, false);
        if (getppid() != parent) /* it ended before this process had asked to be killed then */
            _exit(0);
        run(STDIN_FILENO);
        _exit(0);
    }
    (void)setpgid(pid, pid); /* whoever comes first */
    stress->child[stress->children_n++] = pid;
    return 0;
}

int st_stress_start(enum st_stress_phase phase, struct st_stress **ret)
{
    const struct phase *row = &phases[phase];
    const long cpus_n = sysconf(_SC_NPROCESSORS_ONLN);
    const long n = row->once || cpus_n < 1 ? 1 : cpus_n;
    int fds[2] = {-1, -1}, r = 0;
    struct st_stress *stress = calloc(1, sizeof(*stress));
    if (stress == NULL)
        return -ENOMEM;
    if (phase == ST_STRESS_DISK) {
        fds[0] = nameless_file();
        r = fds[0] < 0 ? fds[0] : 0;
    } else if (phase == ST_STRESS_NETWORK) {
        r = connect_loopback(fds);
    }
    for (long i = 0; i < n; i++) {
        for (size_t k = 0; k < ST_ARRAY_LEN(row->run) && row->run[k] != NULL; k++) {
            if (r == 0 && stress->children_n < CHILDREN_MAX)
                r = start_child(stress, row->run[k], fds[k]);
        }
    }
    ST_EACH (fd, fds) {
        if (*fd >= 0)
            close(*fd);
    }
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
    for (size_t i = 0; i < stress->children_n;
         i++) { /* all, before one is killed: the others may end by that */
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
