/* FreeBSD: a program that is about to be run, and what it leaves. */
#include <signal.h>
#include <sys/procctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/posix/run_child.h"

#define PIDS_MAX 64

void st_run_child_alone(void)
{
    int signal_number = SIGKILL;
    (void)procctl(P_PID, 0, PROC_PDEATHSIG_CTL, &signal_number);
#ifdef PROC_NO_NEW_PRIVS_CTL /* FreeBSD 14 */
    int on = PROC_NO_NEW_PRIVS_ENABLE;
    (void)procctl(P_PID, 0, PROC_NO_NEW_PRIVS_CTL, &on);
#endif
    closefrom(STDERR_FILENO + 1);
}

void st_run_reap_begin(void)
{
    (void)procctl(P_PID, 0, PROC_REAP_ACQUIRE, NULL);
}

void st_run_reap_end(void)
{
    (void)procctl(P_PID, 0, PROC_REAP_RELEASE, NULL);
}

/* Descendants that were there before the programs are in our own session. */
bool st_run_reap_rest(void)
{
    struct procctl_reaper_pidinfo pids[PIDS_MAX] = {{0}};
    struct procctl_reaper_pids list = {.rp_count = PIDS_MAX, .rp_pids = pids};
    const pid_t session = getsid(0);
    bool found = false;
    if (procctl(P_PID, 0, PROC_REAP_GETPIDS, &list) != 0)
        return false;
    for (size_t i = 0; i < PIDS_MAX && (pids[i].pi_flags & REAPER_PIDINFO_VALID) != 0; i++) {
        if (getsid(pids[i].pi_pid) == session)
            continue;
        (void)kill(pids[i].pi_pid, SIGKILL);
        (void)waitpid(pids[i].pi_pid, NULL, WNOHANG);
        found = true;
    }
    return found;
}
