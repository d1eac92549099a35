/* Runs programs for their output: all at once, with one limit, bounded output, nothing left
 * behind. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/ns.h"
#include "platform/child_env.h"
#include "platform/posix/posix.h"

#define RUNS_MAX 16
#define DEATH_NS (50 * ST_NS_PER_MS) /* longest wait for the end of a killed process */
#define NAP_NS   ST_NS_PER_MS

struct child {
    pid_t pid; /* 0: none, or reaped */
    int fd;    /* its standard output; -1: closed */
};

/* --- starting --- */

/** Starts a program. @return -EINPROGRESS: it runs; or the error of starting it. */
static int start(struct child *child, const struct st_run *run, const struct st_run_as *as)
{
    char path[PATH_MAX];
    int ends[2];
    int r = st_child_env_find(as->env, run->argv[0], path, sizeof(path));
    if (r != 0)
        return r;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -errno;
    pid_t pid;
    r = st_posix_start(path, run->argv, as, -1, ends[1], &pid);
    close(ends[1]);
    if (r != 0) {
        close(ends[0]);
        return r;
    }
    (void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
    *child = (struct child){.pid = pid, .fd = ends[0]};
    return -EINPROGRESS;
}

/* --- ending --- */

static void close_output(struct child *child)
{
    if (child->fd >= 0)
        close(child->fd);
    child->fd = -1;
}

/** Notes the result of a program that has ended. @return whether it has ended. */
static bool reap(struct child *child, struct st_run *run)
{
    int status;
    if (!st_posix_start_ended(child->pid, &status))
        return false;
    child->pid = 0;
    if (run->result != -EINPROGRESS)
        return true;
    run->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    run->result = run->exit_status == 0 ? 0 : -EIO;
    return true;
}

static void finish(struct child *child, struct st_run *run, int result)
{
    run->result = result;
    close_output(child);
    if (child->pid == 0)
        return;
    /* kill the child by its own id, too, not only its process group: shortly after the fork, the
     * child may not lead a group yet */
    (void)kill(child->pid, SIGKILL);
    (void)kill(-child->pid, SIGKILL);
}

/* --- while the programs run --- */

static void read_output(struct child *child, struct st_run *run)
{
    /* reads into the last byte as well: if that is filled, the output is too long */
    const ssize_t got = read(child->fd, run->buf + run->len, run->buf_bytes - run->len);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (got <= 0)
        close_output(child);
    run->len += (size_t)ST_MAX(got, 0);
    if (run->len == run->buf_bytes) {
        run->len--;
        finish(child, run, -EFBIG);
    }
    run->buf[run->len] = '\0';
}

/** Reads output and reaps programs that have ended; waits for either at most wait_ns. */
static void turn(struct child *children, struct st_run *runs, size_t n, int64_t wait_ns)
{
    struct pollfd polled[RUNS_MAX];
    bool ending = false;
    for (size_t i = 0; i < n; i++) {
        polled[i] = (struct pollfd){.fd = children[i].fd, .events = POLLIN};
        ending = ending || (children[i].pid != 0 && children[i].fd < 0);
    }
    if (ending && wait_ns > NAP_NS) /* a program has closed its output, and ends soon */
        wait_ns = NAP_NS;
    const int64_t wait_ms = (wait_ns + ST_NS_PER_MS - 1) / ST_NS_PER_MS;
    const int ready = poll(polled, (nfds_t)n, (int)ST_MIN(wait_ms, INT_MAX));
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
    ST_EACH_OF (child, children, n)
        alive_n += child->pid != 0;
    return alive_n;
}

int st_posix_run(struct st_platform *machine, struct st_run *runs, size_t runs_n,
                 const struct st_run_as *as, int64_t limit_ns)
{
    struct child children[RUNS_MAX];
    const int64_t end_ns = st_ns_add(st_platform_now_ns(machine), limit_ns);
    if (runs_n > RUNS_MAX)
        return -EINVAL;
    for (size_t i = 0; i < runs_n; i++) {
        children[i] = (struct child){.fd = -1};
        runs[i].len = 0;
        runs[i].buf[0] = '\0';
        runs[i].result = start(&children[i], &runs[i], as);
    }
    for (int64_t now_ns = st_platform_now_ns(machine);
         alive(children, runs_n) > 0 && now_ns < end_ns; now_ns = st_platform_now_ns(machine))
        turn(children, runs, runs_n, end_ns - now_ns);
    for (size_t i = 0; i < runs_n; i++) {
        if (children[i].pid != 0 && runs[i].result == -EINPROGRESS)
            finish(&children[i], &runs[i], -ETIMEDOUT);
    }
    const int64_t dead_ns = st_ns_add(st_platform_now_ns(machine), DEATH_NS);
    while (alive(children, runs_n) > 0 && st_platform_now_ns(machine) < dead_ns)
        turn(children, runs, runs_n, NAP_NS);
    st_posix_start_clean();
    return 0;
}
