/* FreeBSD: a program that is about to be run. */
#include <signal.h>
#include <sys/procctl.h>
#include <unistd.h>

#include "platform/posix/run_child.h"

void st_run_child_alone(void)
{
    int signal_number = SIGKILL;
    (void)procctl(P_PID, 0, PROC_PDEATHSIG_CTL, &signal_number);
    closefrom(STDERR_FILENO + 1);
}
