/* Programs that are run for what they print: all at once, with one limit, bounded output, nothing left
 * behind.
 *
 * A program may run code of the user it runs as: PipeWire's clients start what the user's configuration
 * names. Root asks a user's servers so, so that a program gets nothing of root's that helps it: no terminal
 * (a session of its own), no descriptor, no environment, no real-time limit. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/ns.h"
#include "platform/child_env.h"
#include "platform/posix/posix.h"

#define RUNS_MAX     16
#define DEATH_NS     (50 * ST_NS_PER_MS) /* a killed process is given this long to be gone */
#define REST_NS      ST_NS_PER_S         /* and so is what it hid, which may start more of it meanwhile */
#define NAP_NS       ST_NS_PER_MS
#define EXEC_FAILED  127   /* as the shell says it */
#define LOCKED_BYTES 65536 /* enough for a client's buffers; it works without locking them, too */

struct child {
    pid_t pid; /* 0: none, or reaped */
    int fd;    /* its standard output; -1: closed */
};

/* --- starting --- */

static bool is_above(const struct rlimit *now, rlim_t most)
{
    return now->rlim_max == RLIM_INFINITY || now->rlim_max > most;
}

/** No core files, no real-time priority, little locked memory, whatever this process has itself. Hard limits:
 * the program cannot raise them again. */
/* musl's functions for it only fail, so Linux itself is asked. */
static void become_normal(void)
{
    const struct sched_param normal = {.sched_priority = 0};
#ifdef __linux__
    if (syscall(SYS_sched_getscheduler, 0) != SCHED_OTHER)
        (void)syscall(SYS_sched_setscheduler, 0, SCHED_OTHER, &normal);
#else
    if (sched_getscheduler(0) != SCHED_OTHER)
        (void)sched_setscheduler(0, SCHED_OTHER, &normal);
#endif
}

static void become_harmless(void)
{
    const struct rlimit none = {0, 0}, little = {LOCKED_BYTES, LOCKED_BYTES};
    struct rlimit now;
    (void)setrlimit(RLIMIT_CORE, &none);
    if (getrlimit(RLIMIT_MEMLOCK, &now) == 0 && is_above(&now, LOCKED_BYTES))
        (void)setrlimit(RLIMIT_MEMLOCK, &little);
#ifdef RLIMIT_RTPRIO
    (void)setrlimit(RLIMIT_RTPRIO, &none);
#endif
    become_normal();
}

/** Between fork and execve: system calls only. */
static _Noreturn void become(const char *path, const struct st_run *run, const struct st_run_as *as, int out)
{
    const int nothing = open("/dev/null", O_RDWR);
    sigset_t none;
    sigemptyset(&none);
    (void)signal(SIGPIPE, SIG_DFL);
    if (nothing < 0 || setsid() < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
        dup2(nothing, STDERR_FILENO) < 0 || chdir("/") != 0 || sigprocmask(SIG_SETMASK, &none, NULL) != 0)
        _exit(EXEC_FAILED);
    become_harmless();
    if (as->switch_user &&
        (setgroups(1, &as->gid) != 0 || setgid(as->gid) != 0 || setuid(as->uid) != 0 || setuid(0) == 0))
        _exit(EXEC_FAILED);
    st_posix_child_alone();
    (void)execve(path, (char *const *)(uintptr_t)run->argv, (char *const *)(uintptr_t)as->env);
    _exit(EXEC_FAILED);
}

static int start(struct child *child, const struct st_run *run, const struct st_run_as *as)
{
    char path[PATH_MAX];
    int ends[2];
    int r = st_child_env_find(as->env, run->argv[0], path, sizeof(path));
    if (r != 0)
        return r;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -errno;
    const pid_t pid = fork();
    if (pid == 0)
        become(path, run, as, ends[1]);
    r = pid < 0 ? -errno : 0;
    close(ends[1]);
    if (r != 0) {
        close(ends[0]);
        return r;
    }
    (void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
    *child = (struct child){.pid = pid, .fd = ends[0]};
    return 0;
}

/* --- ending --- */

static void close_output(struct child *child)
{
    if (child->fd >= 0)
        close(child->fd);
    child->fd = -1;
}

/** @return whether it is gone. */
static bool reap(struct child *child, struct st_run *run)
{
    int status = 0;
    const pid_t pid = waitpid(child->pid, &status, WNOHANG);
    if (pid == 0 || (pid < 0 && errno == EINTR))
        return false;
    child->pid = 0;
    if (run->result != -EINPROGRESS)
        return true;
    /* a process that ignores SIGCHLD does not learn how its children ended */
    run->exit_status = pid < 0 ? 0 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    run->result = run->exit_status == 0 ? 0 : -EIO;
    return true;
}

static void finish(struct child *child, struct st_run *run, int result)
{
    run->result = result;
    close_output(child);
    if (child->pid == 0)
        return;
    (void)kill(child->pid, SIGKILL); /* it may not lead its session yet */
    (void)kill(-child->pid, SIGKILL);
}

/* --- in between --- */

static void read_output(struct child *child, struct st_run *run)
{
    char more;
    const size_t room = run->buf_bytes - 1 - run->len;
    const ssize_t got = room > 0 ? read(child->fd, run->buf + run->len, room) : read(child->fd, &more, 1);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (got > 0 && room == 0) {
        finish(child, run, -EFBIG);
        return;
    }
    if (got <= 0) {
        close_output(child);
        return;
    }
    run->len += (size_t)got;
    run->buf[run->len] = '\0';
}

/** Reads what there is and reaps who ended; waits for it at most wait_ns. */
static void turn(struct child *children, struct st_run *runs, size_t n, int64_t wait_ns)
{
    struct pollfd polled[RUNS_MAX];
    bool ending = false;
    for (size_t i = 0; i < n; i++) {
        polled[i] = (struct pollfd){.fd = children[i].fd, .events = POLLIN};
        ending = ending || (children[i].pid != 0 && children[i].fd < 0);
    }
    if (ending && wait_ns > NAP_NS) /* its output ended, itself not yet */
        wait_ns = NAP_NS;
    const int64_t wait_ms = (wait_ns + ST_NS_PER_MS - 1) / ST_NS_PER_MS;
    const int ready = poll(polled, (nfds_t)n, wait_ms > INT_MAX ? INT_MAX : (int)wait_ms);
    for (size_t i = 0; i < n; i++) {
        if (ready > 0 && polled[i].fd >= 0 && polled[i].revents != 0)
            read_output(&children[i], &runs[i]);
        if (children[i].pid != 0 && children[i].fd < 0)
            (void)reap(&children[i], &runs[i]);
    }
}

static size_t alive(const struct child *children, size_t n)
{
    size_t alive_n = 0;
    for (size_t i = 0; i < n; i++)
        alive_n += children[i].pid != 0;
    return alive_n;
}

int st_posix_run(struct st_platform *p, struct st_run *runs, size_t runs_n, const struct st_run_as *as,
                 int64_t limit_ns)
{
    struct child children[RUNS_MAX];
    const int64_t end_ns = st_ns_add(p->now_ns(p), limit_ns);
    if (runs_n > RUNS_MAX)
        return -EINVAL;
    st_posix_reap_begin();
    for (size_t i = 0; i < runs_n; i++) {
        children[i] = (struct child){.fd = -1};
        runs[i].len = 0;
        runs[i].buf[0] = '\0';
        const int r = start(&children[i], &runs[i], as);
        runs[i].result = r != 0 ? r : -EINPROGRESS;
    }
    for (int64_t now_ns = p->now_ns(p); alive(children, runs_n) > 0 && now_ns < end_ns; now_ns = p->now_ns(p))
        turn(children, runs, runs_n, end_ns - now_ns);
    for (size_t i = 0; i < runs_n; i++) {
        if (children[i].pid != 0 && runs[i].result == -EINPROGRESS)
            finish(&children[i], &runs[i], -ETIMEDOUT);
    }
    const int64_t dead_ns = st_ns_add(p->now_ns(p), DEATH_NS);
    while (alive(children, runs_n) > 0 && p->now_ns(p) < dead_ns)
        turn(children, runs, runs_n, NAP_NS);
    const int64_t rest_ns = st_ns_add(p->now_ns(p), REST_NS);
    while (st_posix_reap_rest() && p->now_ns(p) < rest_ns)
        (void)poll(NULL, 0, 1);
    st_posix_reap_end();
    return 0;
}
