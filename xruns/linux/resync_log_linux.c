#include <fcntl.h>
#include <unistd.h>

#include "core/text/text.h"
#include "platform/child_env.h"
#include "platform/platform.h"
#include "platform/posix/posix.h"
#include "xruns/helpers/resync_log.h"

int st_resync_log_open(struct st_resync_log *log)
{
    const char *const argv[] = {"journalctl",
                                "--follow",
                                "--lines=0",
                                "--quiet",
                                "--output=cat",
                                "--priority=warning",
                                "_SYSTEMD_USER_UNIT=pipewire.service",
                                st_text("_UID=%u", (unsigned)geteuid()), /* some see others' servers */
                                NULL};
    static const char *const kept[] = {"PATH", NULL};
    struct st_child_env env;
    char path[PATH_MAX];
    int ends[2];
    *log = (struct st_resync_log){.fd = -1};
    int r = st_child_env_open(&env, geteuid(), kept);
    if (r == 0)
        r = st_child_env_find((const char *const *)env.vars, argv[0], path, sizeof(path));
    if (r == 0 && pipe2(ends, O_CLOEXEC) != 0)
        r = -errno;
    if (r == 0) {
        const struct st_run_as as = {.env = (const char *const *)env.vars};
        r = st_posix_start(path, argv, &as, -1, ends[1], &log->pid);
        close(ends[1]);
        if (r == 0)
            (void)fcntl(log->fd = ends[0], F_SETFL, O_NONBLOCK);
        else
            close(ends[0]);
    }
    st_child_env_close(&env);
    return r;
}
