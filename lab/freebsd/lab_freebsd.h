/* Members of the laboratory's FreeBSD row that are not POSIX. */
#ifndef ST_LAB_FREEBSD_LAB_FREEBSD_H
#define ST_LAB_FREEBSD_LAB_FREEBSD_H

#include "lab/lab.h"

/* sleep_methods_freebsd.c, calls_freebsd.c, wake_methods_freebsd.c */
const struct st_sleep_method *st_freebsd_lab_sleep_method(struct st_lab *lab, size_t i);
const struct st_call_method *st_freebsd_call_method(struct st_lab *lab, size_t i);
const struct st_wake_method *st_freebsd_wake_method(struct st_lab *lab, size_t i);

#endif
