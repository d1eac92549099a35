/* Restartable sequences: the kernel attends to a thread's registration each time the thread comes back from
 * another one, that is on each wake-up (kernel/rseq.c, __rseq_handle_notify_resume). glibc registers every
 * thread from 2.35 on, and uses it for sched_getcpu() alone. */
#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/linux/linux.h"

#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>

#define REGISTERED_LEAST_BYTES 32u

int st_linux_leave_rseq(struct st_platform *p)
{
    (void)p;
    if (__rseq_size == 0)
        return 0; /* not registered: an old kernel, or glibc.pthread.rseq=0 */
    char *const area = (char *)__builtin_thread_pointer() + __rseq_offset;
    /* The length has to be that of the registration: 32 bytes in glibc up to 2.40, later __rseq_size, but 32
     * at least. __rseq_size is 32 up to 2.39, and what the kernel makes use of from 2.40 on. The kernel makes
     * cpu_id "not registered", which sched_getcpu() looks at. */
    const unsigned bytes = __rseq_size > REGISTERED_LEAST_BYTES ? __rseq_size : REGISTERED_LEAST_BYTES;
    if (syscall(SYS_rseq, area, bytes, RSEQ_FLAG_UNREGISTER, RSEQ_SIG) == 0)
        return 0;
    return errno == ENOSYS ? 0 : -errno;
}
#else
int st_linux_leave_rseq(struct st_platform *p)
{
    (void)p;
    return -ENOTSUP; /* a libc that does not say where it is, or does not register */
}
#endif
