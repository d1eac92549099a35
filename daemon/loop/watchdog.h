/* Takes real-time priority from the timing test if the loop starves the machine. The signs: an
 * ordinary thread (the canary) no longer runs, or the loop uses too much CPU time. */
#pragma once

#include "daemon/causes/events.h"

/* interval between two checks of the canary by the checker, a thread with a priority above the
 * loop's */
#define ST_WATCHDOG_CHECK_NS INT64_C(500000000)
/* ordinary threads starve if this number of consecutive checks saw no sign of the canary */
#define ST_WATCHDOG_SILENT_CHECKS 6
#define ST_WATCHDOG_BUSY_SHARE    0.5 /* share of a CPU that the loop may use */
/* the loop loses real-time priority after this number of consecutive reports (every 5 s) of too
 * much CPU time
 */
#define ST_WATCHDOG_BUSY_CHECKS 2
/* RLIMIT_RTTIME, enforced by the kernel in case the watchdog fails: SIGXCPU after half of this CPU
 * time without a sleep, SIGKILL after all of it. */
#define ST_WATCHDOG_RTTIME_NS INT64_C(30000000000)

/** Judges the canary by its counter. Counts checks instead of time: after a SIGSTOP or a pause of
 * the machine, of any length, the canary runs again before enough checks have passed. Pure. */
struct st_watchdog_judge {
    uint64_t heard;
    unsigned silent_checks;
    unsigned busy_checks;
};

/** Did the loop starve the canary? @param used_ns CPU time of the loop's thread while the canary
 * was silent; < 0: not known. @return true: the loop used more than half of a CPU, or its CPU time
 * is unknown. */
bool st_watchdog_guilty(int64_t used_ns, int64_t silent_ns);

/** Call at each check. @param canary_cheeps the canary's counter. @return true: it did not change
 * in ST_WATCHDOG_SILENT_CHECKS checks in a row, so ordinary threads get no CPU. */
bool st_watchdog_starved(struct st_watchdog_judge *judge, uint64_t canary_cheeps);

/** Call every 5 s. @param share share of one CPU that the loop used since the last call. @return
 * true: the loop used too much, ST_WATCHDOG_BUSY_CHECKS times in a row. */
bool st_watchdog_busy(struct st_watchdog_judge *judge, double share);

#define ST_WATCHDOG_TEXT_BYTES 160

struct st_watchdog_view {
    bool running;    /* the checker's thread has started, so above_loop is known */
    bool above_loop; /* the checker got a real-time priority above the loop's */
    bool demoted;
    char reason[ST_WATCHDOG_TEXT_BYTES]; /* why the loop was demoted, or could not be */
};

enum st_watchdog_reason { ST_WATCHDOG_STARVED = 1, ST_WATCHDOG_BUSY, ST_WATCHDOG_TOO_LONG };

/** The functions by which the watchdog observes the loop and the canary. Threads: any. */
struct st_watchdog_loop {
    /** Kernel id of the loop's thread; 0 while the thread does not run. */
    pid_t (*tid)(void *ctx);
    /** Counter of the canary, an ordinary thread. It increases at least once in
     * ST_WATCHDOG_CHECK_NS while the canary gets a CPU. */
    uint64_t (*cheeps)(void *ctx);
    void *ctx;
};

struct st_watchdog;

/** Starts the checker. @param loop_priority the checker asks for a priority that is one higher.
 * @return 0, -ENOMEM, -EAGAIN, -EMFILE. Threads: one. */
ST_NODISCARD int st_watchdog_start(struct st_platform *platform, int loop_priority,
                                   const struct st_watchdog_loop *loop, struct st_events *events,
                                   struct st_watchdog **ret);

/** Call within 3 s after the canary has ended; otherwise its silence demotes the loop. NULL is
 * allowed. */
void st_watchdog_stop(struct st_watchdog *watchdog);

/** Reports the loop's total CPU time at now_ns (CLOCK_MONOTONIC); call every 5 s. Threads: one. */
void st_watchdog_report_cpu(struct st_watchdog *watchdog, double cpu_ns, int64_t now_ns);

/** Takes real-time priority from the loop and logs why. Threads: any. */
void st_watchdog_demote(struct st_watchdog *watchdog, enum st_watchdog_reason reason);

/** Copies the current state of the watchdog. Threads: any. */
void st_watchdog_look(struct st_watchdog *watchdog, struct st_watchdog_view *ret);
