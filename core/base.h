/* The headers of standard C, attributes and small macros that every file may use. Every header of ours
 * includes this one, itself or by another one, so no file names a header of standard C again. */
#pragma once

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* FreeBSD has no ENODATA; its ENOATTR is never returned by a call that we make. */
#ifndef ENODATA
#define ENODATA ENOATTR
#endif

#define ST_ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

#define ST_MIN(a, b) ((a) < (b) ? (a) : (b))
#define ST_MAX(a, b) ((a) > (b) ? (a) : (b))

/* For each of `n` items, or of an array: a pointer to it. */
#define ST_EACH_OF(item, items, n)                                                                           \
    for (__typeof__(*(items)) *item = (items), *item##_end = (n) > 0 ? item + (n) : item; item < item##_end; \
         item++)
#define ST_EACH(item, array) ST_EACH_OF (item, array, ST_ARRAY_LEN(array))

/* snprintf() into an array; for a pointer it does not compile. */
#define ST_IS_POINTER(array) __builtin_types_compatible_p(__typeof__(array), char *)
#define ST_PRINT(array, ...)                                                                                 \
    snprintf((array), sizeof(array) + 0 * sizeof(char[1 - 2 * ST_IS_POINTER(array)]), __VA_ARGS__)

/** The same for a function whose own last parameters are a format and what follows it. */
#define ST_PRINT_REST(buf, bytes, format)                                                                    \
    do {                                                                                                     \
        va_list args;                                                                                        \
        va_start(args, format);                                                                              \
        vsnprintf((buf), (bytes), (format), args);                                                           \
        va_end(args);                                                                                        \
    } while (0)

/* Room for a text, up to the end of the block: the last two arguments of a function that prints one and
 * returns it. */
#define ST_ROOM(bytes) (char[bytes]){0}, (bytes)

#define ST_NODISCARD          __attribute__((warn_unused_result))
#define ST_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#define ST_UNUSED             __attribute__((unused)) /* a parameter that the caller's type asks for */
#define ST_CACHE_LINE_BYTES   64

/* A function the cycle loop may call: no allocation, no lock, no blocking call but the sleep itself. clang >=
 * 20 checks it (-Wfunction-effects, RealtimeSanitizer); elsewhere it is a comment. */
#if defined(ST_RTSAN) && defined(__clang__) && __clang_major__ >= 20
#define ST_NONBLOCKING [[clang::nonblocking]]
#else
#define ST_NONBLOCKING
#endif
