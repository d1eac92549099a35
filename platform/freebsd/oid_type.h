/* The types of FreeBSD's sysctls. Pure. */
#ifndef ST_PLATFORM_FREEBSD_OID_TYPE_H
#define ST_PLATFORM_FREEBSD_OID_TYPE_H

#include <stdbool.h>

#define ST_OID_KIND_TYPE 0xfu /* of a kind */

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

/** One number of a type. */
struct st_oid_number {
    unsigned char bytes; /* 0: not a number */
    bool is_signed;
};

static inline struct st_oid_number st_oid_number_of(unsigned kind)
{
    static const struct st_oid_number numbers[ST_OID_KIND_TYPE + 1] = {
        [ST_OID_INT] = {4, true},
        [ST_OID_S64] = {8, true},
        [ST_OID_UINT] = {4, false},
        [ST_OID_LONG] = {sizeof(long), true},
        [ST_OID_ULONG] = {sizeof(long), false},
        [ST_OID_U64] = {8, false},
        [ST_OID_U8] = {1, false},
        [ST_OID_U16] = {2, false},
        [ST_OID_S8] = {1, true},
        [ST_OID_S16] = {2, true},
        [ST_OID_S32] = {4, true},
        [ST_OID_U32] = {4, false},
    };
    return numbers[kind & ST_OID_KIND_TYPE];
}

#endif
