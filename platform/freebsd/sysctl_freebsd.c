#include <sys/types.h>

#include <sys/sysctl.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "platform/freebsd/freebsd.h"
#include "platform/freebsd/oid.h"

#define VALUE_BYTES_MAX (1u << 20)

/* {0, 4, OID}: kind and format of OID. Source: sysctl(9), "sysctl.oidfmt". */
#define OID_SYSCTL     0
#define OID_SYSCTL_FMT 4

struct format {
    unsigned kind;
    char text[256];
};

static int read_format(const int *oid, size_t oid_n, struct format *ret)
{
    int query[CTL_MAXNAME + 2] = {OID_SYSCTL, OID_SYSCTL_FMT};
    memcpy(query + 2, oid, oid_n * sizeof(*oid));
    size_t bytes = sizeof(*ret);
    memset(ret, 0, sizeof(*ret));
    if (sysctl(query, (unsigned)(oid_n + 2), ret, &bytes, NULL, 0) != 0)
        return -errno;
    if (bytes <= sizeof(ret->kind))
        return -EBADMSG;
    ret->text[sizeof(ret->text) - 1] = '\0';
    return 0;
}

/* The value's bytes, on the heap. Its size may grow between asking and reading. */
static int read_value(const int *oid, size_t oid_n, void **ret, size_t *ret_bytes)
{
    for (int tries = 0; tries < 8; tries++) {
        size_t bytes = 0;
        if (sysctl(oid, (unsigned)oid_n, NULL, &bytes, NULL, 0) != 0)
            return -errno;
        if (bytes > VALUE_BYTES_MAX)
            return -EFBIG;
        bytes = bytes * 2 + 64;
        void *data = malloc(bytes);
        if (data == NULL)
            return -ENOMEM;
        if (sysctl(oid, (unsigned)oid_n, data, &bytes, NULL, 0) == 0) {
            *ret = data;
            *ret_bytes = bytes;
            return 0;
        }
        const int error = errno;
        free(data);
        if (error != ENOMEM)
            return -error;
    }
    return -ENOMEM;
}

int st_freebsd_read_sysctl(ST_UNUSED struct st_platform *p, const char *name, char *buf, size_t buf_bytes,
                           size_t *ret_len)
{
    int oid[CTL_MAXNAME];
    size_t oid_n = CTL_MAXNAME;
    struct format format;
    if (sysctlnametomib(name, oid, &oid_n) != 0)
        return -errno;
    int r = read_format(oid, oid_n, &format);
    if (r < 0)
        return r;
    if ((format.kind & CTLTYPE) == CTLTYPE_NODE)
        return -EISDIR;
    void *data;
    size_t bytes;
    r = read_value(oid, oid_n, &data, &bytes);
    if (r < 0)
        return r;
    r = st_oid_text(format.kind, format.text, data, bytes, buf, buf_bytes, ret_len);
    free(data);
    return r;
}

int st_freebsd_write_sysctl(ST_UNUSED struct st_platform *p, const char *name, const char *text)
{
    int oid[CTL_MAXNAME];
    size_t oid_n = CTL_MAXNAME;
    struct format format;
    if (sysctlnametomib(name, oid, &oid_n) != 0)
        return -errno;
    int r = read_format(oid, oid_n, &format);
    if (r < 0)
        return r;
    char data[1024];
    size_t bytes;
    r = st_oid_bytes(format.kind, format.text, text, data, sizeof(data), &bytes);
    if (r < 0)
        return r;
    return sysctl(oid, (unsigned)oid_n, NULL, NULL, data, bytes) == 0 ? 0 : -errno;
}
