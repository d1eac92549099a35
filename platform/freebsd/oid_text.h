/* The text of a sysctl's value, from the bytes and the format that FreeBSD's kernel hands out.
 * Pure, tested on every host. */
#ifndef ST_PLATFORM_FREEBSD_OID_TEXT_H
#define ST_PLATFORM_FREEBSD_OID_TEXT_H

#include "core/base.h"

/** kern.clockrate, struct clockinfo of <sys/time.h>. */
struct st_oid_clockinfo {
    int32_t hz, tick, spare, stathz, profhz;
};

/** vm.loadavg, struct loadavg of <sys/resource.h> on 64-bit machines. */
struct st_oid_loadavg {
    uint32_t load[3];
    int64_t scale;
};

/** kern.boottime, struct timeval of 64-bit machines. */
struct st_oid_timeval {
    int64_t s;
    int64_t us;
};

/**
 * Writes the value as sysctl -n prints it, without the newline at its end: numbers and arrays of numbers in
 * decimal, strings as they are, "IK" as degrees, and the three structs above.
 * @param kind    as sysctl.oidfmt says it: the type in the low 4 bits (CTLTYPE_*).
 * @param format  as sysctl.oidfmt says it: "I", "LU", "IK", "CU", "S,timeval" ...
 * @return 0, -EFBIG (buf holds the beginning), -EISDIR (a node), -ENOTSUP (a structure we do not know),
 * -EBADMSG (the length does not fit the type). Threads: any. Source: sysctl(8), sysctl(9), <sys/sysctl.h>.
 */
ST_NODISCARD int st_oid_text(unsigned kind, const char *format, const void *data, size_t bytes, char *buf,
                             size_t buf_bytes, size_t *ret_len);

#endif
