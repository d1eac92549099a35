/* Members of struct st_platform that Linux and FreeBSD share, and helpers for these members. */
#pragma once

#include <fcntl.h>
#include <pthread.h>

#include "platform/platform.h"

/* Flags of open(2) for a folder that is only entered: works without the right to read it, and
 * refuses a link. */
#ifdef O_PATH
#define ST_POSIX_OPEN_FOLDER (O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#else
#define ST_POSIX_OPEN_FOLDER (O_SEARCH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#endif

/* --- members of a row --- */

int64_t st_posix_now_ns(struct st_platform *platform) ST_NONBLOCKING;
int st_posix_sleep_until_ns(struct st_platform *platform, int64_t due_ns) ST_NONBLOCKING;
int64_t st_posix_wall_ns(struct st_platform *platform);
int st_posix_rt_rights(struct st_platform *platform, int priority, struct st_rt_rights *ret);
void st_posix_pauses(struct st_platform *platform, struct st_pauses *ret);
int st_posix_run(struct st_platform *machine, struct st_run *runs, size_t runs_n,
                 const struct st_run_as *as, int64_t limit_ns);
int st_posix_open_path(struct st_platform *machine, const char *path, int flags);
int st_posix_read_text(struct st_platform *machine, const char *path, char *buf, size_t buf_bytes,
                       size_t *ret_len);
int st_posix_list(struct st_platform *machine, const char *path, st_name_fn fn, void *ctx);
int st_posix_replace_file(struct st_platform *platform, const char *path, const char *text,
                          size_t bytes, mode_t mode);
int st_posix_clean_file(struct st_platform *platform, const char *path);
int st_posix_remove_file(struct st_platform *platform, const char *path);
int st_posix_make_folder(struct st_platform *platform, const char *path, mode_t mode);
int st_posix_remove_folder(struct st_platform *platform, const char *path);
int st_posix_write_value(struct st_platform *platform, const char *path, const char *text);
int st_posix_can_write(struct st_platform *platform, const char *path, bool in_place);
int st_posix_lock_folder(struct st_platform *platform, const char *path);
int st_posix_folder_holder(struct st_platform *platform, const char *path);
void st_posix_unlock_folder(struct st_platform *platform, int handle);

/** Members of struct st_platform with the same value on all systems. */
#define ST_POSIX_MEMBERS                                                                           \
    .now_ns = st_posix_now_ns, .sleep_until_ns = st_posix_sleep_until_ns,                          \
    .wall_ns = st_posix_wall_ns, .rt_rights = st_posix_rt_rights, .run = st_posix_run,             \
    .open_path = st_posix_open_path, .read_text = st_posix_read_text, .list = st_posix_list,       \
    .replace_file = st_posix_replace_file, .clean_file = st_posix_clean_file,                      \
    .remove_file = st_posix_remove_file, .make_folder = st_posix_make_folder,                      \
    .remove_folder = st_posix_remove_folder, .write_value = st_posix_write_value,                  \
    .can_write = st_posix_can_write, .lock_folder = st_posix_lock_folder,                          \
    .folder_holder = st_posix_folder_holder, .unlock_folder = st_posix_unlock_folder

/* --- helpers --- */

/** Reads text from the current position to the end of the file. @param buf_bytes > 0. @return 0,
 * -EFBIG (with as much as fits), or the error of read. */
int st_posix_read_fd(int fd, char *buf, size_t buf_bytes, size_t *ret_len);
/** Converts the result of a system call, which may be a descriptor. @return -errno if the result is
 * below 0, else the result. */
static inline int st_posix_result(long r)
{
    return r < 0 ? -errno : (int)r;
}
/** Converts the result of an open with O_NOFOLLOW: -errno if it failed, and -ELOOP for a link, also
 * on FreeBSD, which sets EMLINK. */
int st_posix_opened(int fd);
/** Writes all bytes. @return 0, -EIO (write(2) takes no more bytes and gives no error), or the
 * error of write. */
int st_posix_write_fd(int fd, const void *from, size_t bytes);

/** Opens a file that a command reads: a regular file of at most 16 GiB, standard input ("-"), or a
 * pipe that a shell passes as /dev/fd/N. Never waits, neither for the writer of a FIFO nor for new
 * kernel messages (/proc/kmsg). @return NULL with errno, for st_posix_input_error; close the stream
 * with st_posix_input_close. */
FILE *st_posix_input_open(const char *path);
/** Closes the stream, except standard input. */
void st_posix_input_close(FILE *stream);
/** @return why an input file could not be opened or read, as a text. @param error errno of
 * st_posix_input_open, or of a read from its stream. */
const char *st_posix_input_error(int error);

/** Reads a clock: CLOCK_REALTIME, a thread's CPU time ... @return ns; -1: no such clock. Real-time
 * safe, at most one system call. */
int64_t st_posix_clock_ns(clockid_t clock);

/** Initialises a condition whose timed waits use CLOCK_MONOTONIC. @return 0 or a negative errno
 * value. */
int st_posix_condition_init(pthread_cond_t *cond);
/** Makes this thread, and threads that it starts, preempt no other thread at wake-up (SCHED_BATCH;
 * check_preempt_wakeup_fair in kernel/sched/fair.c), so that programs that play without real-time
 * priority come first. Keeps a policy that the user chose (chrt). Does nothing on FreeBSD. */
void st_posix_give_way(void);

/** Starts a thread with a stack of stack_bytes, or of the default size if the system refuses that.
 * @return 0, -EAGAIN ... */
int st_posix_thread_start(pthread_t *thread, size_t stack_bytes, void *(*run)(void *), void *ctx);

/** Opens `path` (leading slashes are dropped) inside the folder dir_fd, one component at a time.
 * Links are resolved inside the folder, as after chroot. @param flags added to O_RDONLY |
 * O_NONBLOCK | O_NOCTTY | O_CLOEXEC; O_NOFOLLOW refuses a link as the last component only. @return
 * fd; -ELOOP: too many links, or the tree changed meanwhile; -EXDEV: a link to something outside
 * the folder; or the error of open. */
ST_NODISCARD int st_posix_open_beneath(int dir_fd, const char *path, int flags);

/* --- programs that this process starts (start_posix.c): one thread starts and ends all of them
 * --- */

/** Starts a program in its own session and process group, in the folder /, with nothing of this
 * process: no terminal, no descriptor, only as->env as environment, no real-time limit, no rights
 * by a set-uid program. Its standard error is discarded. @param in standard input of the program;
 * -1: /dev/null, and the program is killed when the calling thread ends. in and out are above 2;
 * the caller closes both.
 * @return 0, or a negative errno value; with as->switch_user an error in the child shows as exit
 * status 126. */
ST_NODISCARD int st_posix_start(const char *path, const char *const *argv,
                                const struct st_run_as *as, int in, int out, pid_t *ret);
/** Reaps the program if it has ended. @return true: ended, with the wait status in *ret_status (0:
 * not known). */
bool st_posix_start_ended(pid_t pid, int *ret_status);
/** Kills what ended programs left behind (st_posix_reap_rest) until nothing is left, for at most 1
 * s. */
void st_posix_start_clean(void);
/** Did st_posix_start start this process, and is it not reaped yet? */
bool st_posix_start_is_ours(pid_t pid);

/** A program that this process writes to and reads from, by pipes. */
struct st_posix_piped {
    pid_t pid;   /* 0: no program, or it has ended */
    int in, out; /* our ends of the program's standard input and output; -1: closed */
};

#define ST_POSIX_PIPED_NONE ((struct st_posix_piped){.in = -1, .out = -1})

/** Starts a program with the environment of this process, or that of the user that it becomes
 * (st_child_env_open); reading from it never waits. @param piped must hold no program. @param as
 * `env` is not used. @return 0 or a negative errno value. */
ST_NODISCARD int st_posix_piped_start(struct st_posix_piped *piped, const char *path,
                                      const char *const *argv, struct st_run_as as);
/** Waits for the end of the program, at most 10 ms for each nap. @return true: ended, with the wait
 * status in *ret_status. */
bool st_posix_piped_ended(struct st_posix_piped *piped, unsigned naps, int *ret_status);
/** Closes the pipes, so that the program ends by itself; after 0.5 s kills it and what it left
 * behind.
 * @param terminate send SIGTERM at once. */
void st_posix_piped_close(struct st_posix_piped *piped, bool terminate);

/* --- what each OS implements for st_posix_start --- */

/** Called in the child, with system calls only: closes descriptors above standard error, leaves the
 * session keyring (if other_user), and gives up rights by set-uid programs. @param dies the child
 * is killed when its parent's thread ends. */
void st_posix_child_alone(bool dies, bool other_user);

/** Makes all processes whose parent ends from now on children of this process, so that
 * st_posix_reap_rest finds them. */
void st_posix_reap_begin(void);
/** Kills and reaps what started programs left behind, even if hidden by setsid, setpgid or a second
 * fork: each child of this process that is in another session, has the limits of those programs,
 * and was not itself started by st_posix_start. @return true: something was left. */
bool st_posix_reap_rest(void);
