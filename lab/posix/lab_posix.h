/* Members of the laboratory's rows that Linux and FreeBSD share. */
#ifndef ST_LAB_POSIX_LAB_POSIX_H
#define ST_LAB_POSIX_LAB_POSIX_H

#include "lab/lab.h"

/* wake_pair.c */
int st_lab_posix_wake_open(struct st_wake *w, const struct st_wake_setting *setting);
int st_lab_posix_wake_round(struct st_wake *w, int64_t slice_ns, bool interrupted,
                            struct st_wake_stamps *ret);
void st_lab_posix_wake_close(struct st_wake *w);

/* time_program.c */
int st_lab_posix_time_program(struct st_lab *lab, char *const argv[], struct st_program_time *ret);
void st_lab_posix_signal_program(struct st_lab *lab, int signal_number);

#endif
