/* The state of the fake platform, which its parts share. They fill the members of its row. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "platform/platform.h"

#define FAKE_TID 1000

/* The functions of the seam that can be made to fail. */
#define ST_FAKE_FUNCTIONS(X)                                                                       \
    X(sleep_until_ns), X(sleep_until_precise_ns), X(suspended_ns), X(set_policy), X(get_policy),   \
        X(demote), X(pin), X(unpin), X(cpus_allowed), X(set_name), X(timer_slack_ns),              \
        X(set_timer_slack_ns), X(hold_latency), X(counters_open), X(counters_self),                \
        X(counters_other), X(lock_memory), X(set_rttime_limit_ns), X(rt_rights), X(program_path),  \
        X(run), X(read_text), X(list), X(read_sysctl), X(replace_file), X(clean_file),             \
        X(remove_file), X(make_folder), X(remove_folder), X(write_value), X(write_sysctl),         \
        X(can_write), X(lock_folder), X(folder_holder)

#define ST_FAKE_FUNCTION(name) F_##name
enum st_fake_function { ST_FAKE_FUNCTIONS(ST_FAKE_FUNCTION), F_COUNT };

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

#define ST_FAKE_METHODS_N 4

/* What a sleeping method does. */
struct st_fake_method {
    int64_t *late_ns;
    size_t late_n, next;
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
    struct st_fake_entry *files; /* sorted by compare_paths */
    struct st_fake_entry *sysctls;
    struct st_fake_entry *answers; /* of programs, by command line */
};

static inline struct st_fake *st_fake_state_of(struct st_platform *p) ST_NONBLOCKING
{
    return (struct st_fake *)p;
}

/** Counts the call. @return the scripted error of this call, or 0. */
static inline int st_fake_state_fault(struct st_fake *fake,
                                      enum st_fake_function function) ST_NONBLOCKING
{
    struct st_fake_fault *f = &fake->faults[function];
    const uint64_t call = atomic_fetch_add(&f->calls_n, 1) + 1;
    const uint64_t at = atomic_load(&f->at);
    return at == 0 || at == call ? atomic_load(&f->error) : 0;
}

/** fake_clock.c: fills the members that are clocks and ways of sleeping. */
void st_fake_state_add_clocks(struct st_platform *row);
/** The i-th way of sleeping; NULL after the last. */
const struct st_sleep_method *st_fake_state_sleep(struct st_platform *p, size_t i);
struct st_fake_method *st_fake_state_method(struct st_platform *p,
                                            const struct st_sleep_method *method);
/** fake_system.c: fills the members that are threads, process and machine. */
void st_fake_state_add_system(struct st_platform *row);
/** fake_files.c: fills the members that read and write files and sysctls, and run programs. */
void st_fake_state_add_files(struct st_platform *row);
/** Puts a text into a list of the fake, or replaces the one of that name. @return 0 or -ENOMEM. */
int st_fake_state_put(struct st_fake *fake, struct st_fake_entry **list, const char *name,
                      const char *text, int error);
/** Frees the files, sysctls and answers. */
void st_fake_state_free_files(struct st_fake *fake);
