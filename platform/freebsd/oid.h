/* Values of FreeBSD's sysctls: converts the kernel's bytes and format to text, and text to bytes.
 * Pure, tested on every host. */
#pragma once

#include "core/base.h"

#define ST_OID_KIND_TYPE 0xfu /* bits of a kind that hold the type */

/* CTLTYPE_* of <sys/sysctl.h>: part of the kernel's binary interface. */
enum st_oid_type {
    ST_OID_NODE = 1,
    ST_OID_INT,
    ST_OID_STRING,
    ST_OID_S64,
    ST_OID_OPAQUE,
    ST_OID_UINT,
    ST_OID_LONG,
    ST_OID_ULONG,
    ST_OID_U64,
    ST_OID_U8,
    ST_OID_U16,
    ST_OID_S8,
    ST_OID_S16,
    ST_OID_S32,
    ST_OID_U32,
};

/** Writes the value as sysctl -n prints it, without the final newline: numbers and arrays of
 * numbers in decimal, strings unchanged, "IK" as degrees. Bytes without a format, which sysctl -n
 * omits, are written in hexadecimal. @param kind from sysctl.oidfmt: the type is in the low 4 bits
 * (CTLTYPE_*). @param format from sysctl.oidfmt: "I", "LU", "IK", "CU" ... @return 0, -EFBIG (buf
 * holds the beginning), -EISDIR (a node), -ENOTSUP (a structure), -EBADMSG (the length does not fit
 * the type). Threads: any. Source: sysctl(8), sysctl(9), <sys/sysctl.h>. */
ST_NODISCARD int st_oid_text(unsigned kind, const char *format, const void *data, size_t bytes,
                             char *buf, size_t buf_bytes, size_t *ret_len);

/**
 * Converts one whole decimal number, or a string without its final NUL, to the kernel's bytes.
 * Arrays, structures and temperatures are refused.
 * @param kind,format as in st_oid_text. @return 0, -EINVAL (not a number), -ERANGE (does not fit
 * the type), -E2BIG (the string does not fit buf), -EISDIR (a node), -ENOTSUP (another type).
 * Threads: any. */
ST_NODISCARD int st_oid_bytes(unsigned kind, const char *format, const char *text, char *buf,
                              size_t buf_bytes, size_t *ret_bytes);
