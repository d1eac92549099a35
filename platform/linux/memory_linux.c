#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "platform/linux/linux.h"
#include "platform/posix/posix.h"
#include "platform/proc_text.h"

/* With MCL_FUTURE every mapping beyond RLIMIT_MEMLOCK fails: malloc() would, some time after. Does the limit
 * hold for us? Asked by a mapping, because the right to ignore it (CAP_IPC_LOCK) counts only in the first
 * user namespace. */
static bool later_mappings_would_fail(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return false;
    const size_t bytes = (size_t)limit.rlim_cur + (size_t)sysconf(_SC_PAGESIZE);
    void *beyond = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (beyond == MAP_FAILED)
        return errno == EAGAIN;
    munmap(beyond, bytes);
    return false;
}

int st_linux_lock_memory(struct st_platform *p, enum st_lock *ret)
{
    (void)p;
    enum st_lock lock = ST_LOCK_ON_FAULT;
    int on_fault = MCL_ONFAULT;
    int r = mlockall(MCL_CURRENT | MCL_FUTURE | on_fault);
    if (r != 0 && errno == EINVAL) { /* before Linux 4.4 */
        lock = ST_LOCK_ALL;
        on_fault = 0;
        r = mlockall(MCL_CURRENT | MCL_FUTURE);
    }
    if (r == 0 && later_mappings_would_fail())
        r = mlockall(MCL_CURRENT | on_fault);
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
