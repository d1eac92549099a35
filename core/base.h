/* The headers of standard C, attributes and small macros for every file. Every header of sleeptune
 * includes this one, directly or indirectly, so no other file includes a header of standard C. */
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

/* FreeBSD does not define ENODATA. Its ENOATTR can stand for it, since no function that sleeptune
 * calls returns ENOATTR. */
#ifndef ENODATA
#define ENODATA ENOATTR
#endif

#define ST_ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

#define ST_MIN(a, b) ((a) < (b) ? (a) : (b))
#define ST_MAX(a, b) ((a) > (b) ? (a) : (b))

/* Loop over `n` items, or over all items of an array; `item` is a pointer to the current one. */
#define ST_EACH_OF(item, items, n)                                                                 \
    for (__typeof__(*(items)) *item = (items), *item##_end = (n) > 0 ? item + (n) : item;          \
         item < item##_end; item++)
#define ST_EACH(item, array) ST_EACH_OF (item, array, ST_ARRAY_LEN(array))

/* Prints into an array as snprintf() does; does not compile for a pointer, whose size is not that
 * of the text. */
#define ST_IS_POINTER(array) __builtin_types_compatible_p(__typeof__(array), char *)
#define ST_PRINT(array, ...)                                                                       \
    snprintf((array), sizeof(array) + 0 * sizeof(char[1 - 2 * ST_IS_POINTER(array)]), __VA_ARGS__)

/** Prints as ST_PRINT, in a function whose last parameters are a format and its arguments. */
#define ST_PRINT_REST(buf, bytes, format)                                                          \
    do {                                                                                           \
        va_list args;                                                                              \
        va_start(args, format);                                                                    \
        vsnprintf((buf), (bytes), (format), args);                                                 \
        va_end(args);                                                                              \
    } while (0)

/* The last two arguments of a function that prints a text into a buffer and returns it: a buffer
 * that lives until the end of the block, and its size. */
#define ST_ROOM(bytes) (char[bytes]){0}, (bytes)

#define ST_NODISCARD          __attribute__((warn_unused_result))
#define ST_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
/* marks a parameter that the function does not use, but must have because its type is prescribed */
#define ST_UNUSED           __attribute__((unused))
#define ST_CACHE_LINE_BYTES 64

/* A function that the cycle loop may call: no allocation, no lock, no blocking call except the
 * sleep itself. clang >= 20 checks this (-Wfunction-effects, RealtimeSanitizer); for other
 * compilers it has no effect. */
#if defined(ST_RTSAN) && defined(__clang__) && __clang_major__ >= 20
#define ST_NONBLOCKING [[clang::nonblocking]]
#else
#define ST_NONBLOCKING
#endif
