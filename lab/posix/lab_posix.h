/* Members of struct st_lab that Linux and FreeBSD share. */
#pragma once

#include "lab/syscall/call.h"
#include "lab/wake/wake.h"

/** The tables of one system, which linux/lab_linux.c or freebsd/lab_freebsd.c defines. */
struct st_lab_own {
    const struct st_sleep_method *sleeps; /* all ways of sleeping */
    const struct st_call_method *calls; /* calls of this system, listed before those that Linux and
                                           FreeBSD share */
    const struct st_wake_method *wakes; /* ways of waking of this system, listed after those that
                                           Linux and FreeBSD share */
    size_t sleeps_n, calls_n, wakes_n;
};
extern const struct st_lab_own st_lab_own;
#define ST_LAB_OWN                                                                                 \
    {                                                                                              \
        sleeps, calls, wakes, ST_ARRAY_LEN(sleeps), ST_ARRAY_LEN(calls), ST_ARRAY_LEN(wakes)       \
    }
int st_lab_own_clock_correction_ppm(struct st_lab *lab, double *ret_ppm);

/* defined in wake_posix.c */
extern const struct st_wake_method st_lab_posix_wakes[];
extern const size_t st_lab_posix_wakes_n;
int st_lab_posix_wake_open(struct st_wake *w, const struct st_wake_setting *setting);
int st_lab_posix_wake_round(struct st_wake *w, int64_t slice_ns, bool interrupted,
                            struct st_wake_stamps *ret);
void st_lab_posix_wake_close(struct st_wake *w);

/* defined in calls_posix.c */
extern const struct st_call_method st_lab_posix_calls[];
extern const size_t st_lab_posix_calls_n;

/* defined in time_program.c */
int st_lab_posix_time_program(struct st_lab *lab, char *const argv[], struct st_program_time *ret);
void st_lab_posix_signal_program(struct st_lab *lab, int signal_number);
