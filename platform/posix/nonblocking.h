/* The two libc calls of the cycle loop, declared as what they are: clock_gettime never blocks, and the sleep
 * is the one wait the loop has. Without this -Wfunction-effects refuses them; libc does not carry the
 * attribute. */
#ifndef ST_PLATFORM_POSIX_NONBLOCKING_H
#define ST_PLATFORM_POSIX_NONBLOCKING_H

#include <time.h>

#include "core/base.h"

#ifdef ST_RTSAN
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wredundant-decls"
int clock_gettime(clockid_t clock, struct timespec *ts) ST_NONBLOCKING;
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *request,
                    struct timespec *remain) ST_NONBLOCKING;
#pragma GCC diagnostic pop
#endif

#endif
