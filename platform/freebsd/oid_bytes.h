/* The bytes that FreeBSD's kernel takes for a sysctl, from text. The way back of oid_text.h.
 * Pure, tested on every host. */
#ifndef ST_PLATFORM_FREEBSD_OID_BYTES_H
#define ST_PLATFORM_FREEBSD_OID_BYTES_H

#include "core/base.h"

/**
 * One whole decimal number, or a string without its end. Arrays, structures and temperatures are refused.
 * @param kind,format as in st_oid_text. @return 0, -EINVAL (not a number), -ERANGE (does not fit the type),
 * -E2BIG (the string does not fit buf), -EISDIR (a node), -ENOTSUP (another type). Threads: any.
 */
ST_NODISCARD int st_oid_bytes(unsigned kind, const char *format, const char *text, char *buf,
                              size_t buf_bytes, size_t *ret_bytes);

#endif
