/* Linux: a program that is about to be run, and what it leaves. */
#include <dirent.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/posix/run_child.h"
#include "platform/proc_text.h"

#define FDS_MAX      1024 /* before Linux 5.9, which cannot close all at once */
#define STATUS_BYTES 1024 /* of /proc/PID/status: the parent is in its beginning */

void st_run_child_alone(void)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* after setuid, which clears it */
    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    (void)syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
#ifdef SYS_close_range
    if (syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, 0) == 0)
        return;
#endif
    for (int fd = STDERR_FILENO + 1; fd < FDS_MAX; fd++)
        (void)close(fd);
}

void st_run_reap_begin(void)
{
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

void st_run_reap_end(void)
{
    (void)prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
}

/** @return 0: not known, or it has gone. */
static pid_t parent_of(const char *name)
{
    char path[64], text[STATUS_BYTES];
    uint64_t parent;
    snprintf(path, sizeof(path), "/proc/%.20s/status", name);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t len = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
    if (fd >= 0)
        close(fd);
    if (len <= 0)
        return 0;
    text[len] = '\0';
    return st_proc_status_u64(text, "PPid", &parent) == 0 ? (pid_t)parent : 0;
}

/* A program was started in a session of its own and cannot enter ours again; children that this process had
 * from elsewhere (a shell's, which it replaced) are in ours. */
bool st_run_reap_rest(void)
{
    const pid_t own = getpid(), session = getsid(0);
    siginfo_t info;
    bool found = false;
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
        return false; /* no child at all, as almost always */
    DIR *proc = opendir("/proc");
    if (proc == NULL)
        return false;
    for (const struct dirent *entry = readdir(proc); entry != NULL; entry = readdir(proc)) {
        const pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (pid <= 0 || parent_of(entry->d_name) != own || getsid(pid) == session)
            continue;
        (void)kill(pid, SIGKILL); /* its own children come to us next */
        (void)waitpid(pid, NULL, WNOHANG);
        found = true;
    }
    closedir(proc);
    return found;
}
