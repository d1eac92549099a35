#include "xruns/helpers/sandbox.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#if defined(__x86_64__) && !defined(__ILP32__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCH AUDIT_ARCH_RISCV64
#endif

#ifdef ARCH
/* The system calls that libpipewire 0.3 to 1.6 and the C library need once connected, for threads
 * and memory of this process. Other calls fail with ENOSYS, as if the kernel did not have them, so
 * that the C library uses older ones. */
static const long allowed[] = {
#ifdef SYS_poll
    SYS_poll,
    SYS_epoll_wait,
#endif
#ifdef SYS_epoll_pwait2
    SYS_epoll_pwait2,
#endif
#ifdef SYS_rseq
    SYS_rseq,
#endif
    SYS_brk,
    SYS_clock_getres,
    SYS_clock_gettime,
    SYS_clock_nanosleep,
    SYS_close,
    SYS_dup,
    SYS_epoll_create1,
    SYS_epoll_ctl,
    SYS_epoll_pwait,
    SYS_eventfd2,
    SYS_exit,
    SYS_exit_group,
    SYS_fstat,
    SYS_ftruncate,
    SYS_futex,
    SYS_getegid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getpid,
    SYS_getrandom,
    SYS_getsockopt,
    SYS_gettid,
    SYS_gettimeofday,
    SYS_getuid,
    SYS_lseek,
    SYS_madvise,
    SYS_memfd_create,
    SYS_mlock,
    SYS_mmap,
    SYS_mprotect,
    SYS_mremap,
    SYS_munlock,
    SYS_munmap,
    SYS_nanosleep,
    SYS_ppoll,
    SYS_pread64,
    SYS_read,
    SYS_readv,
    SYS_recvmsg,
    SYS_restart_syscall,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_sched_getaffinity,
    SYS_sched_yield,
    SYS_sendmsg,
    SYS_set_robust_list,
    SYS_setsockopt,
    SYS_shutdown,
    SYS_sigaltstack,
    SYS_timerfd_create,
    SYS_timerfd_gettime,
    SYS_timerfd_settime,
    SYS_uname,
    SYS_write,
    SYS_writev,
};

/* Further calls, which are allowed only if these bits of an argument have this value. */
static const struct {
    long number;
    uint32_t argument, bits, value;
} forms[] = {
    {SYS_clone, 0, CLONE_THREAD, CLONE_THREAD},
    {SYS_fcntl, 1, ~7U, 0}, /* commands 0 to 7: flags and locks; with F_SETOWN and F_SETSIG, a
                               signal could end other processes */
    {SYS_fcntl, 1, UINT32_MAX, F_DUPFD_CLOEXEC},
    {SYS_fcntl, 1, UINT32_MAX, F_ADD_SEALS},
    {SYS_ioctl, 1, 0xFF00, 0x9200},                    /* ioctls of usbmon */
    {SYS_newfstatat, 3, AT_EMPTY_PATH, AT_EMPTY_PATH}, /* fstat of glibc 2.33 */
    {SYS_prctl, 0, UINT32_MAX, PR_SET_NAME},
    {SYS_prlimit64, 0, UINT32_MAX, 0}, /* only limits of this process */
};

#define REFUSED BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS)
#define ALLOWED BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static int refuse(void)
{
    struct sock_filter filter[4 + 2 * ST_ARRAY_LEN(allowed) + 6 * ST_ARRAY_LEN(forms) + 1] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0),
        REFUSED,
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    };
    size_t n = 4;
    ST_EACH (number, allowed) {
        filter[n++] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)*number, 0, 1);
        filter[n++] = (struct sock_filter)ALLOWED;
    }
    ST_EACH (form, forms) {
        const struct sock_filter lines[] = {
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)form->number, 0, 4),
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                     (uint32_t)offsetof(struct seccomp_data, args) + form->argument * 8),
            BPF_STMT(BPF_ALU | BPF_AND | BPF_K, form->bits),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, form->value, 0, 1),
            ALLOWED,
        };
        memcpy(&filter[n], lines, sizeof(lines));
        n += ST_ARRAY_LEN(lines);
    }
    filter[n++] = (struct sock_filter)REFUSED;
    const struct sock_fprog program = {.len = (unsigned short)n, .filter = filter};
    const long r =
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    if (r > 0)
        return -EBUSY; /* a thread has a filter of its own */
    if (r == 0)
        return 0;
    return errno == ENOSYS || errno == EINVAL ? -ENOTSUP : -errno;
}
#else
static int refuse(void)
{
    return -ENOTSUP;
}
#endif

int st_sandbox_enter(void)
{
    const struct rlimit none = {0, 0};
    if (setrlimit(RLIMIT_CORE, &none) != 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 ||
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -errno;
    return refuse();
}
