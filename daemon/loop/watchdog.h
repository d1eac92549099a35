/* The demoting watchdog: takes real-time priority away from a loop that starves the machine. */
#pragma once

#include "daemon/causes/events.h"
#include "platform/platform.h"

#define ST_WATCHDOG_CHECK_NS      INT64_C(500000000) /* a thread above the loop listens this often */
#define ST_WATCHDOG_SILENT_CHECKS 6                  /* silent checks in a row: starved */
#define ST_WATCHDOG_BUSY_SHARE    0.5                /* the loop may use half of a CPU */
#define ST_WATCHDOG_BUSY_CHECKS   2                  /* looks in a row, one in 5 s */
/* RLIMIT_RTTIME: the kernel's turn, when the watchdog failed: SIGXCPU at half of it, then the end */
#define ST_WATCHDOG_RTTIME_NS INT64_C(30000000000)

/** Judges what is heard. Counts checks, not time: after a SIGSTOP or a pause of the machine the canary is
 * heard again before enough checks are silent, however long it was. Pure. */
struct st_watchdog_judge {
    uint64_t heard;
    unsigned silent_checks;
    unsigned busy_checks;
};

/**
 * Who starves the canary? @param used_ns CPU time of the loop's thread while the canary was silent; < 0: not
 * known.
 * @return true when the loop must have done it: it used more than half of a CPU, or its CPU time is
 * unknown. */
bool st_watchdog_guilty(int64_t used_ns, int64_t silent_ns);

/** @return true when the canary was silent for ST_WATCHDOG_SILENT_CHECKS checks in a row. */
bool st_watchdog_starved(struct st_watchdog_judge *judge, uint64_t canary_cheeps);

/** @param share of one CPU that the loop used since the last look. @return true when it was too much for too
 * long. */
bool st_watchdog_busy(struct st_watchdog_judge *judge, double share);

#define ST_WATCHDOG_TEXT_BYTES 160

struct st_watchdog_view {
    bool running;    /* the checker has begun: above_loop is known */
    bool above_loop; /* the checker has real-time priority */
    bool demoted;
    char reason[ST_WATCHDOG_TEXT_BYTES]; /* why the loop was demoted, or could not be */
};

enum st_watchdog_reason { ST_WATCHDOG_STARVED = 1, ST_WATCHDOG_BUSY, ST_WATCHDOG_TOO_LONG };

/** Who is watched. Threads: any. */
struct st_watchdog_loop {
    /** Kernel id of the loop's thread, 0 while it does not run. */
    pid_t (*tid)(void *ctx);
    /** The canary, an ordinary thread: what it counts up, at least once in ST_WATCHDOG_CHECK_NS while it has
     * a CPU. */
    uint64_t (*cheeps)(void *ctx);
    void *ctx;
};

struct st_watchdog;

/** @param loop_priority the checker asks for one more. @return 0, -ENOMEM, -EAGAIN, -EMFILE. Threads: one. */
ST_NODISCARD int st_watchdog_start(struct st_platform *platform, int loop_priority,
                                   const struct st_watchdog_loop *loop, struct st_events *events,
                                   struct st_watchdog **ret);

/** Within 3 s of the end of the loop's canary. NULL is fine. */
void st_watchdog_stop(struct st_watchdog *watchdog);

/** Reports what CPU time the loop used so far, at now_ns (CLOCK_MONOTONIC); call every 5 s. Threads: one. */
void st_watchdog_report_cpu(struct st_watchdog *watchdog, double cpu_ns, int64_t now_ns);

/** Takes real-time priority from the loop and logs why. Threads: any. */
void st_watchdog_demote(struct st_watchdog *watchdog, enum st_watchdog_reason reason);

/** Threads: any. */
void st_watchdog_look(struct st_watchdog *watchdog, struct st_watchdog_view *ret);
