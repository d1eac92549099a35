/* What Linux and FreeBSD share: members of their st_platform rows, and helpers for these. */
#pragma once

#include <fcntl.h>
#include <pthread.h>

#include "platform/platform.h"

/* To enter a folder that this user may not read; no link. */
#ifdef O_PATH
#define ST_POSIX_OPEN_FOLDER (O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#else
#define ST_POSIX_OPEN_FOLDER (O_SEARCH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#endif

/* --- members of a row --- */

int64_t st_posix_now_ns(struct st_platform *platform) ST_NONBLOCKING;
int st_posix_sleep_until_ns(struct st_platform *platform, int64_t due_ns) ST_NONBLOCKING;
int64_t st_posix_wall_ns(struct st_platform *platform);
int64_t st_posix_thread_cpu_ns(struct st_platform *platform);
int st_posix_rt_rights(struct st_platform *platform, int priority, struct st_rt_rights *ret);
void st_posix_pauses(struct st_platform *platform, struct st_pauses *ret);
int st_posix_run(struct st_platform *machine, struct st_run *runs, size_t runs_n, const struct st_run_as *as,
                 int64_t limit_ns);
int st_posix_open_path(struct st_platform *machine, const char *path, int flags);
int st_posix_read_text(struct st_platform *machine, const char *path, char *buf, size_t buf_bytes,
                       size_t *ret_len);
int st_posix_list(struct st_platform *machine, const char *path, st_name_fn fn, void *ctx);
int st_posix_replace_file(struct st_platform *platform, const char *path, const char *text, size_t bytes,
                          mode_t mode);
int st_posix_clean_file(struct st_platform *platform, const char *path);
int st_posix_remove_file(struct st_platform *platform, const char *path);
int st_posix_make_folder(struct st_platform *platform, const char *path, mode_t mode);
int st_posix_remove_folder(struct st_platform *platform, const char *path);
int st_posix_write_value(struct st_platform *platform, const char *path, const char *text);
int st_posix_can_write(struct st_platform *platform, const char *path, bool in_place);
int st_posix_lock_folder(struct st_platform *platform, const char *path);
int st_posix_folder_holder(struct st_platform *platform, const char *path);
void st_posix_unlock_folder(struct st_platform *platform, int handle);

/* --- helpers --- */

/** Text from here to the end of the file. @param buf_bytes > 0. @return 0, -EFBIG (with as much as fits), or
 * what reading said. */
int st_posix_read_fd(int fd, char *buf, size_t buf_bytes, size_t *ret_len);
/** What a system call gave, which may be a descriptor. @return -errno if it is below 0. */
static inline int st_posix_result(long r)
{
    return r < 0 ? -errno : (int)r;
}
/** The same of an open with O_NOFOLLOW: -ELOOP for a link, of which FreeBSD says EMLINK. */
int st_posix_opened(int fd);
/** All of it. @return 0, -EIO (nothing more is taken, for no reason), or what writing said. */
int st_posix_write_fd(int fd, const void *from, size_t bytes);

/**  Opens a file that a command reads: a regular file of at most 16 GiB, standard input ("-"), or a pipe
 * that a shell passes as /dev/fd/N. It never waits: not for the writer of a FIFO, nor for what the kernel
 * says next (/proc/kmsg). @return NULL with errno, for st_posix_input_error; close it with
 * st_posix_input_close. */
FILE *st_posix_input_open(const char *path);
/** Standard input stays open. */
void st_posix_input_close(FILE *stream);
/** @param error errno of st_posix_input_open, or of reading from it. */
const char *st_posix_input_error(int error);

/** CPU time of a thread by its clock. @return ns, or -1 when there is no such clock. Real-time safe, one
 * system call. */
int64_t st_posix_clock_ns(clockid_t clock);

/** A condition whose timed waits end by CLOCK_MONOTONIC. @return 0 or a negative errno value. */
int st_posix_condition_init(pthread_cond_t *cond);
/** This thread and those it starts take the CPU from no one when they wake up (SCHED_BATCH;
 * check_preempt_wakeup_fair in kernel/sched/fair.c): programs that play without the right to real-time
 * priority come first. A policy that a user chose (chrt) stays. Nothing on FreeBSD. */
void st_posix_give_way(void);

/** A thread with a small stack, or with the usual one where the system refuses that size. @return 0, -EAGAIN
 * ... */
int st_posix_thread_start(pthread_t *thread, size_t stack_bytes, void *(*run)(void *), void *ctx);

/**  Opens `path` (leading slashes are dropped) inside the folder dir_fd, one component at a time. A link
 * never leads out: it is resolved inside, as after chroot. @param flags added to O_RDONLY | O_NONBLOCK |
 * O_NOCTTY | O_CLOEXEC; O_NOFOLLOW refuses a link in the last place only. @return fd; -ELOOP for too many
 * links, or if the tree changes meanwhile; -EXDEV for a link to what is not in the folder; or what open
 * said. */
ST_NODISCARD int st_posix_open_beneath(int dir_fd, const char *path, int flags);

/* --- programs that this process starts (start_posix.c): one thread starts and ends all of them --- */

/**
 * Starts a program in a session and process group of its own, in the folder /, with nothing of this process:
 * no terminal, no descriptor, no environment but as->env, no real-time limit, no right that a set-uid program
 * has. Its standard error is discarded.
 * @param in its standard input; -1: /dev/null, and it is killed when this thread ends. in and out are above
 * 2, and the caller's to close.
 * @return 0, or a negative errno value; as->switch_user: what failed in the child is its exit status 127. */
ST_NODISCARD int st_posix_start(const char *path, const char *const *argv, const struct st_run_as *as, int in,
                                int out, pid_t *ret);
/** Reaps it if it has ended. @return whether it has; then its wait status in *ret_status (0: not known). */
bool st_posix_start_ended(pid_t pid, int *ret_status);
/** Kills what the programs that have ended left (st_posix_reap_rest), until nothing is left, for 1 s at
 * most. */
void st_posix_start_clean(void);
/** Was it started here, and is it not reaped yet? */
bool st_posix_start_is_ours(pid_t pid);

/** A program that this process writes to and reads from. */
struct st_posix_piped {
    pid_t pid;   /* 0: none, or it has ended */
    int in, out; /* our ends of its standard input and output; -1: closed */
};

#define ST_POSIX_PIPED_NONE ((struct st_posix_piped){.in = -1, .out = -1})

/** Starts it; reading from it never waits. @param piped none. @return as st_posix_start, or of
 * pipe2. */
ST_NODISCARD int st_posix_piped_start(struct st_posix_piped *piped, const char *path, const char *const *argv,
                                      const struct st_run_as *as);
/** Waits for its end, at most 10 ms for each nap. @return whether it has ended; then its wait status in
 * *ret_status. */
bool st_posix_piped_ended(struct st_posix_piped *piped, unsigned naps, int *ret_status);
/** Closes the pipes, by which it ends in peace; kills it after half a second, and what it left. @param
 * terminate it gets SIGTERM at once. */
void st_posix_piped_close(struct st_posix_piped *piped, bool terminate);

/* --- ... and what each OS does for it --- */

/** In a child, system calls only: it gets no descriptor beyond standard error, no key of this session (as
 * another user) and gains no rights by a set-uid program. @param dies it is killed when its parent's thread
 * ends. */
void st_posix_child_alone(bool dies, bool other_user);

/** From here on, a process whose parent ends becomes a child of this process, so that st_posix_reap_rest
 * finds it. */
void st_posix_reap_begin(void);
/** Kills and reaps what the programs left, however they hid it (setsid, setpgid, a second fork): every child
 * of this process that is in another session, has the limits of those programs, and was not itself started by
 * st_posix_start. @return whether something was left. */
bool st_posix_reap_rest(void);
