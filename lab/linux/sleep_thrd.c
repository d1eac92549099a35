/* C11's sleep. Not in platform/posix: FreeBSD has it in a library of its own. */
#include <errno.h>
#include <threads.h>

#include "lab/linux/sleep_linux.h"
#include "lab/posix/sleep_lab.h"

int st_sleep_thrd(struct st_sleep *s, int64_t requested_ns)
{
    const struct timespec ts = st_sleep_rounded(s, requested_ns);
    const int r = thrd_sleep(&ts, NULL); /* -1: a signal; the rest below says nothing more */
    return r == 0 ? 0 : r == -1 ? -EINTR : -EIO;
}
