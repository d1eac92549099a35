/* Starts and ends a program that has a pipe as its input and one as its output. */
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "core/ns.h"
#include "platform/child_env.h"
#include "platform/posix/posix.h"

#define NAP_NS (10 * ST_NS_PER_MS)
/* naps in which a program can end by itself, since a client that is killed disturbs its server */
#define END_NAPS  45
#define KILL_NAPS 5

int st_posix_piped_start(struct st_posix_piped *piped, const char *path, const char *const *argv,
                         struct st_run_as as)
{
    struct st_child_env env;
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) != 0)
        return -errno;
    if (pipe2(out, O_CLOEXEC) != 0) {
        const int error = errno;
        close(in[0]);
        close(in[1]);
        return -error;
    }
    int r = st_child_env_open(&env, as.switch_user ? as.uid : geteuid(), NULL);
    as.env = (const char *const *)env.vars;
    if (r == 0)
        r = st_posix_start(path, argv, &as, in[0], out[1], &piped->pid);
    st_child_env_close(&env);
    close(in[0]);
    close(out[1]);
    if (r < 0) {
        close(in[1]);
        close(out[0]);
        return r;
    }
    piped->in = in[1];
    piped->out = out[0];
    (void)fcntl(piped->out, F_SETFL, O_NONBLOCK);
    return 0;
}

bool st_posix_piped_ended(struct st_posix_piped *piped, unsigned naps, int *ret_status)
{
    const struct timespec nap = st_ns_to_timespec(NAP_NS);
    for (unsigned i = 0; piped->pid != 0; i++) {
        if (st_posix_start_ended(piped->pid, ret_status))
            piped->pid = 0;
        else if (i == naps)
            return false;
        else
            (void)nanosleep(&nap, NULL);
    }
    return true;
}

/* Sends a signal to the program's group, and lets a stopped program go on, so that it can end by
 * itself. Fails on FreeBSD if the program has ended and is not reaped yet. */
static void end_group(const struct st_posix_piped *piped, int number)
{
    (void)kill(-piped->pid, number);
    (void)kill(-piped->pid, SIGCONT);
}

void st_posix_piped_close(struct st_posix_piped *piped, bool terminate)
{
    int status;
    if (piped->in >= 0)
        close(piped->in);
    if (piped->out >= 0)
        close(piped->out);
    piped->in = piped->out = -1;
    if (terminate && piped->pid != 0)
        end_group(piped, SIGTERM);
    if (!st_posix_piped_ended(piped, END_NAPS, &status)) {
        end_group(piped, SIGKILL);
        /* a process that the kernel cannot end stays */
        (void)st_posix_piped_ended(piped, KILL_NAPS, &status);
    }
    st_posix_start_clean();
}
