/* What a program that hears others can still ask of the kernel: each call is tried in a process of
 * its own.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include "core/base.h"
#include "tests/unit/cannot.h"
#include "tests/unit/unit.h"
#include "xruns/helpers/sandbox.h"

#define NOT_SUPPORTED 77

/** @return the exit status of what runs behind the filter: 0, or its number. */
static int behind(int (*run)(void))
{
    int status = 0;
    const pid_t pid = fork();
    if (pid == 0) {
        const int r = st_sandbox_enter();
        _exit(r == -ENOTSUP ? NOT_SUPPORTED : r < 0 ? 99 : run());
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static const struct {
    const char *name;
    long number, arguments[4];
} refused[] = {
#define CALL(name, ...)                                                                            \
    {                                                                                              \
#name, SYS_##name,                                                                         \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#ifdef SYS_open
    CALL(open, (long)"/"),
    CALL(rename, (long)"/none", (long)"/none"),
    CALL(rmdir, (long)"/none"),
    CALL(chown, (long)"/none", 0, 0),
    CALL(fork, 0),
    CALL(inotify_init, 0),
#endif
#ifdef SYS_pidfd_getfd
    CALL(pidfd_open, 1, 0),
    CALL(pidfd_getfd, 0, 0, 0),
    CALL(pidfd_send_signal, 0, 0, 0, 0),
    CALL(open_tree, 0, (long)"/", 0),
    CALL(openat2, 0, (long)"/", 0, 0),
    CALL(io_uring_setup, 1, 0),
    CALL(clone3, 0, 0),
#endif
    CALL(openat, 0, (long)"/", 0),
    CALL(renameat2, 0, (long)"/none", 0, (long)"/none"),
#ifdef SYS_renameat
    CALL(renameat, 0, (long)"/none", 0, (long)"/none"),
#endif
    CALL(mknodat, 0, (long)"/none", 0010600, 0),
    CALL(unlinkat, 0, (long)"/none", 0),
    CALL(linkat, 0, (long)"/none", 0, (long)"/none"),
    CALL(symlinkat, (long)"/none", 0, (long)"/none"),
    CALL(mkdirat, 0, (long)"/none", 0),
    CALL(fchmodat, 0, (long)"/none", 0),
    CALL(fchownat, 0, (long)"/none", 0, 0),
    CALL(truncate, (long)"/none", 0),
    CALL(utimensat, 0, (long)"/none", 0, 0),
    CALL(setxattr, (long)"/none", (long)"user.a", 0, 0),
    CALL(inotify_init1, 0),
    CALL(name_to_handle_at, 0, (long)"/", 0, 0),
    CALL(socket, 1, 1, 0),
    CALL(connect, 0, 0, 0),
    CALL(bind, 0, 0, 0),
    CALL(listen, 0, 1),
    CALL(accept4, 0, 0, 0, 0),
    CALL(execve, (long)"/bin/true", 0, 0),
    CALL(execveat, 0, (long)"/bin/true", 0, 0),
    CALL(clone, SIGCHLD, 0, 0, 0),
    CALL(ptrace, 16, 1, 0, 0),
    CALL(process_vm_readv, 1, 0, 0, 0),
    CALL(kill, 1, 0),
    CALL(tkill, 1, 0),
    CALL(tgkill, 1, 1, 0),
    CALL(rt_sigqueueinfo, 1, 0, 0),
    CALL(prlimit64, 1, RLIMIT_NOFILE, 0, 0),
    CALL(shmget, 0, 4096, 01600),
    CALL(msgget, 0, 01600),
    CALL(add_key, (long)"user", (long)"a", (long)"b", 1),
    CALL(keyctl, 0, 0, 0, 0),
    CALL(bpf, 0, 0, 0),
    CALL(perf_event_open, 0, 0, 0, 0),
    CALL(unshare, 0),
    CALL(mount, 0, 0, 0, 0),
    CALL(fcntl, 0, F_SETOWN, 1),
    CALL(fcntl, 0, F_SETOWN_EX, 0),
    CALL(fcntl, 0, F_SETSIG, SIGKILL),
    CALL(prctl, 4, 1, 0, 0),           /* PR_SET_DUMPABLE */
    CALL(ioctl, 0, 0x5412, (long)"x"), /* TIOCSTI */
    CALL(sched_setscheduler, 0, 0, 0),
#undef CALL
};
static size_t tried;

static int try_one(void)
{
    const long *a = refused[tried].arguments;
    errno = 0;
    return syscall(refused[tried].number, a[0], a[1], a[2], a[3]) == -1 && errno == ENOSYS ? 0 : 1;
}

static int nothing(void)
{
    return 0;
}

static void nothing_of_others_can_be_asked_for(void **state)
{
    if (behind(nothing) == NOT_SUPPORTED)
        ST_CANNOT("no filter of system calls here");
    for (tried = 0; tried < ST_ARRAY_LEN(refused); tried++) {
        if (behind(try_one) != 0)
            fail_msg("%s is not refused", refused[tried].name);
    }
}

static int in_a_thread(void *ctx)
{
    *(int *)ctx = 1;
    return 0;
}

/* As libpipewire does. */
static int use_own(void)
{
    int ran = 0, pipe_end = epoll_create1(EPOLL_CLOEXEC);
    thrd_t thread;
    struct rlimit limit;
    const int memory = memfd_create("a", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (pipe_end < 0 || memory < 0 || ftruncate(memory, 4096) != 0)
        return 1;
    if (fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK) != 0 || fcntl(memory, F_DUPFD_CLOEXEC, 0) < 0 ||
        fcntl(pipe_end, F_SETFL, O_NONBLOCK) != 0)
        return 6;
    if (mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0) == MAP_FAILED)
        return 2;
    if (thrd_create(&thread, in_a_thread, &ran) != thrd_success ||
        thrd_join(thread, NULL) != thrd_success || ran != 1)
        return 3;
    void *large = malloc(64 << 20);
    if (large == NULL || getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 4;
    free(large);
    return write(memory, "a", 1) == 1 ? 0 : 5;
}

static void what_is_its_own_goes_on(void **state)
{
    const int r = behind(use_own);
    if (r == NOT_SUPPORTED)
        ST_CANNOT("no filter of system calls here");
    assert_int_equal(r, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_of_others_can_be_asked_for),
        cmocka_unit_test(what_is_its_own_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
