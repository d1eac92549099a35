#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "platform/linux/linux.h"
#include "platform/posix/posix.h"
#include "platform/proc_text.h"

int st_linux_lock_memory(struct st_platform *p, enum st_lock *ret)
{
    (void)p;
    enum st_lock lock = ST_LOCK_ON_FAULT;
    int r = mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT);
    if (r != 0 && errno == EINVAL) { /* before Linux 4.4 */
        lock = ST_LOCK_ALL;
        r = mlockall(MCL_CURRENT | MCL_FUTURE);
    }
    if (r != 0)
        return -errno;
    if (ret != NULL)
        *ret = lock;
    return 0;
}

int st_linux_resident_bytes(struct st_platform *p, int64_t *ret)
{
    char text[256];
    size_t len;
    uint64_t pages;
    const int r = st_posix_read_text(p, "/proc/self/statm", text, sizeof(text), &len);
    if (r < 0)
        return r;
    const char *s = text;
    if (st_proc_u64(&s, &pages) != 0 || st_proc_u64(&s, &pages) != 0) /* size, resident */
        return -EBADMSG;
    int64_t bytes;
    if (__builtin_mul_overflow(pages, sysconf(_SC_PAGESIZE), &bytes))
        return -EBADMSG;
    *ret = bytes;
    return 0;
}
