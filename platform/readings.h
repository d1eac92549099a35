/* Counters of the machine that may explain why a thread woke up late: firmware, hypervisor, heat,
 * power, idle states. They are read through open_path and read_text of struct st_platform only, so
 * that the code is the same for this machine, a captured tree and a test's fake machine. */
#pragma once

#include "platform/platform.h"

/** Counters of struct st_readings. Each counts since boot, or since the first reading. */
enum st_reading {
    ST_READING_SMI,       /* system management interrupts */
    ST_READING_STEAL_NS,  /* time for which the host ran something else on the CPU; in steps of 10
                           * ms */
    ST_READING_BUS_LOCKS, /* bus and split locks in the kernel's log */
    ST_READING_HEAT_N,    /* how often the core became too hot */
    ST_READING_HEAT_NS,   /* how long the core was too hot; counted when it has cooled down */
    ST_READING_PACKAGE_HEAT_N,  /* how often the whole processor became too hot */
    ST_READING_PACKAGE_HEAT_NS, /* how long the whole processor was too hot */
    ST_READING_POWER_N,         /* how often the core reached its power limit */
    ST_READING_PACKAGE_POWER_N, /* how often the processor reached its power limit */
    ST_READING_FULL_POWER_NS,   /* the processor's energy as time at its long-term power limit */
    ST_READINGS
};

#define ST_IDLE_STATES_MAX 10 /* CPUIDLE_STATE_MAX */

/** The values that were read last. INT64_MIN: not known on this machine. */
struct st_readings {
    int64_t at_ns; /* CLOCK_MONOTONIC; 0: nothing was read yet */
    int cpu;
    int64_t counts[ST_READINGS];
    int64_t clock_khz, clock_highest_khz; /* clock of the CPU now; highest clock as built */
    int64_t clock_limit_khz;              /* highest clock that firmware and settings allow */
    int64_t idle_entries_n[ST_IDLE_STATES_MAX];
    int64_t idle_exit_ns[ST_IDLE_STATES_MAX]; /* exit latency of each idle state, as the driver
                                                 reports it */
    bool sched_ext;                           /* a sched_ext scheduler is loaded */
    char culprit[32];                         /* program of the last bus lock: "game.exe/4711" */
    int log_fd; /* descriptor of the kernel's log; 0: not opened yet; below 0: none */
};

/** Reads all values for one CPU (-1: CPU 0 stands for all). *r holds the previous values, all zero
 * at first. guest: the machine runs below a hypervisor, which may steal time. amd_smi_n:
 * st_pauses.smi_n. Takes some 100 us. Threads: any normal thread. */
void st_readings_read(struct st_platform *p, int cpu, bool guest, int64_t amd_smi_n,
                      struct st_readings *r);
void st_readings_close(struct st_readings *r);

/** The hottest sensor, in thousandths of a degree Celsius; on FreeBSD the sensor of one CPU.
 * INT64_MIN: not known. Reading sensors can take some ms. Threads: any normal thread. */
int64_t st_readings_temperature_mc(struct st_platform *machine, int cpu);
