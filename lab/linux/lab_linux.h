/* Members of the laboratory's Linux row that are not POSIX. */
#ifndef ST_LAB_LINUX_LAB_LINUX_H
#define ST_LAB_LINUX_LAB_LINUX_H

#include "lab/lab.h"

/* sleep_methods_linux.c, calls_linux.c, wake_methods_linux.c */
const struct st_sleep_method *st_linux_lab_sleep_method(struct st_lab *lab, size_t i);
const struct st_call_method *st_linux_call_method(struct st_lab *lab, size_t i);
const struct st_wake_method *st_linux_wake_method(struct st_lab *lab, size_t i);

#endif
