/* What the parts of the fake share. */
#ifndef ST_PLATFORM_FAKE_PRIVATE_H
#define ST_PLATFORM_FAKE_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "platform/fake/fake.h"

#define FAKE_TID 1000

/* One row a function of the seam that can be made to fail. */
enum st_fake_function {
    F_SLEEP_UNTIL_NS,
    F_SLEEP_UNTIL_PRECISE_NS,
    F_SUSPENDED_NS,
    F_SET_POLICY,
    F_GET_POLICY,
    F_DEMOTE,
    F_PIN,
    F_UNPIN,
    F_CPUS_ALLOWED,
    F_SET_NAME,
    F_TIMER_SLACK_NS,
    F_SET_TIMER_SLACK_NS,
    F_LEAVE_RSEQ,
    F_HOLD_LATENCY,
    F_COUNTERS_OPEN,
    F_COUNTERS_SELF,
    F_COUNTERS_OTHER,
    F_LOCK_MEMORY,
    F_SET_RTTIME_LIMIT_NS,
    F_RT_RIGHTS,
    F_RESIDENT_BYTES,
    F_PROGRAM_PATH,
    F_RUN,
    F_SMI_COUNT,
    F_VIRTUALISED,
    F_READ_TEXT,
    F_LIST,
    F_READ_SYSCTL,
    F_REPLACE_FILE,
    F_CLEAN_FILE,
    F_REMOVE_FILE,
    F_MAKE_FOLDER,
    F_REMOVE_FOLDER,
    F_WRITE_VALUE,
    F_WRITE_SYSCTL,
    F_CAN_WRITE,
    F_LOCK_FOLDER,
    F_COUNT
};

struct st_fake_fault {
    _Atomic uint64_t calls_n;
    _Atomic uint64_t at; /* 0: every call */
    _Atomic int error;   /* 0: none */
};

/* A file or a sysctl. */
struct st_fake_entry {
    struct st_fake_entry *next;
    char *name;
    char *text;
    int error;
};

#define ST_FAKE_METHODS_N 7

/* What a sleeping method does. */
struct st_fake_method {
    int64_t *late_ns;
    size_t late_n, next;
    int64_t cpu_ns;
    int open_error;
};

struct st_fake {
    struct st_platform row; /* first: a row's functions get a pointer to it */
    _Atomic int64_t now_ns;
    _Atomic int64_t clock_cost_ns;
    _Atomic uint64_t clock_reads_n;
    _Atomic uint64_t sleeps_n;
    int64_t *late_ns;
    size_t late_n;
    int64_t late_after_ns;
    struct st_fake_fault faults[F_COUNT];
    struct st_fake_method methods[ST_FAKE_METHODS_N];

    pthread_mutex_t lock; /* for what follows; never taken by clock and sleep */
    struct st_thread_counters counters;
    int64_t suspended_ns;
    struct st_pauses pauses;
    enum st_policy policy;
    int priority;
    int cpu; /* -1: not pinned */
    int64_t timer_slack_ns;
    int64_t idle_exit_ns; /* a sleep of a method ends so much later while nobody holds the latency */
    int latency_holds_n;
    const struct st_xrun_source *xrun_sources; /* the test's */
    size_t xrun_sources_n;
    struct st_fake_entry *files; /* sorted by compare_paths */
    struct st_fake_entry *sysctls;
    struct st_fake_entry *answers; /* of programs, by command line */
};

static inline struct st_fake *st_fake_of(struct st_platform *p) ST_NONBLOCKING
{
    return (struct st_fake *)p;
}

/** Counts the call. @return the scripted error of this call, or 0. */
int st_fake_fault(struct st_fake *fake, enum st_fake_function function) ST_NONBLOCKING;

/* members of the row: fake_clock.c, fake_system.c, fake_tree.c */
int64_t st_fake_now_ns(struct st_platform *p) ST_NONBLOCKING;
int st_fake_sleep_until_ns(struct st_platform *p, int64_t due_ns) ST_NONBLOCKING;
int st_fake_sleep_until_precise_ns(struct st_platform *p, int64_t due_ns) ST_NONBLOCKING;
const struct st_sleep_method *st_fake_sleep_method(struct st_platform *p, size_t i);
void st_fake_sleep_finish(struct st_fake *fake);
const struct st_xrun_source *st_fake_xrun_source(struct st_platform *p, size_t i);
int64_t st_fake_wall_ns(struct st_platform *p);
void st_fake_pauses(struct st_platform *p, struct st_pauses *ret);
int st_fake_suspended_ns(struct st_platform *p, int64_t *ret_ns);
int st_fake_read_text(struct st_platform *p, const char *path, char *buf, size_t buf_bytes, size_t *ret_len);
int st_fake_list(struct st_platform *p, const char *path, st_name_fn fn, void *ctx);
int st_fake_read_sysctl(struct st_platform *p, const char *name, char *buf, size_t buf_bytes,
                        size_t *ret_len);
int st_fake_run(struct st_platform *p, struct st_run *runs, size_t runs_n, const struct st_run_as *as,
                int64_t limit_ns);
/** What was put there under a name. NULL: nothing. */
const struct st_fake_entry *st_fake_find(const struct st_fake_entry *list, const char *name);
/** The entry's text as read_text hands it out. */
int st_fake_copy_text(const struct st_fake_entry *entry, char *buf, size_t buf_bytes, size_t *ret_len);
/** Fills the members that are threads, process and machine. */
void st_fake_system_row(struct st_platform *row);
/** Fills the members that write: fake_write.c. */
void st_fake_write_row(struct st_platform *row);
/** Removes a file. @return 0 or -ENOENT. */
int st_fake_forget_file(struct st_fake *fake, const char *path);
/** Frees the files and sysctls. */
void st_fake_tree_finish(struct st_fake *fake);

#endif
