/* Linux: a program that is about to be run. */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/posix/run_child.h"

#define FDS_MAX 1024 /* before Linux 5.9, which cannot close all at once */

void st_run_child_alone(void)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
#ifdef SYS_close_range
    if (syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, 0) == 0)
        return;
#endif
    for (int fd = STDERR_FILENO + 1; fd < FDS_MAX; fd++)
        (void)close(fd);
}
