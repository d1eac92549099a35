#include <sys/types.h>

#include <sys/sysctl.h>

#include "platform/freebsd/freebsd.h"
#include "platform/freebsd/oid.h"
#include "platform/posix/posix.h"

#define VALUE_BYTES_MAX (1u << 20)

/* Sysctls about a sysctl: {0, 4, OID} has the kind and format of OID. Source: sysctl(9),
 * "sysctl.oidfmt". */
#define OID_SYSCTL     0
#define OID_SYSCTL_FMT 4

struct oid {
    int name[CTL_MAXNAME];
    size_t n;
    struct {
        unsigned kind;
        char text[256];
    } format;
};

static int read_format(struct oid *oid)
{
    int query[CTL_MAXNAME + 2] = {OID_SYSCTL, OID_SYSCTL_FMT};
    memcpy(query + 2, oid->name, oid->n * sizeof(*oid->name));
    size_t bytes = sizeof(oid->format);
    memset(&oid->format, 0, sizeof(oid->format));
    if (sysctl(query, (unsigned)(oid->n + 2), &oid->format, &bytes, NULL, 0) != 0)
        return -errno;
    if (bytes <= sizeof(oid->format.kind))
        return -EBADMSG;
    oid->format.text[sizeof(oid->format.text) - 1] = '\0';
    return 0;
}

/* Finds the OID of a name, and its format. @return 0 or -errno: ENOENT, there is no such name. */
static int find(const char *name, struct oid *ret)
{
    ret->n = CTL_MAXNAME;
    if (sysctlnametomib(name, ret->name, &ret->n) != 0)
        return -errno;
    return read_format(ret);
}

/* Reads the bytes of a value into memory of malloc(). Tries again, since the value may grow between
 * the two system calls. */
static int read_value(const struct oid *oid, void **ret, size_t *ret_bytes)
{
    for (int tries = 0; tries < 8; tries++) {
        size_t bytes = 0;
        if (sysctl(oid->name, (unsigned)oid->n, NULL, &bytes, NULL, 0) != 0)
            return -errno;
        if (bytes > VALUE_BYTES_MAX)
            return -EFBIG;
        bytes = bytes * 2 + 64;
        void *data = malloc(bytes);
        if (data == NULL)
            return -ENOMEM;
        if (sysctl(oid->name, (unsigned)oid->n, data, &bytes, NULL, 0) == 0) {
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

int st_freebsd_read_sysctl(ST_UNUSED struct st_platform *machine, const char *name, char *buf,
                           size_t buf_bytes, size_t *ret_len)
{
    struct oid oid;
    int r = find(name, &oid);
    if (r < 0)
        return r;
    if ((oid.format.kind & CTLTYPE) == CTLTYPE_NODE)
        return -EISDIR;
    void *data;
    size_t bytes;
    r = read_value(&oid, &data, &bytes);
    if (r < 0)
        return r;
    r = st_oid_text(oid.format.kind, oid.format.text, data, bytes, buf, buf_bytes, ret_len);
    free(data);
    return r;
}

int st_freebsd_write_sysctl(ST_UNUSED struct st_platform *platform, const char *name,
                            const char *text)
{
    struct oid oid;
    int r = find(name, &oid);
    if (r < 0)
        return r;
    char data[1024];
    size_t bytes;
    r = st_oid_bytes(oid.format.kind, oid.format.text, text, data, sizeof(data), &bytes);
    if (r < 0)
        return r;
    return st_posix_result(sysctl(oid.name, (unsigned)oid.n, NULL, NULL, data, bytes));
}
