#include "platform/freebsd/oid_bytes.h"

#include <stdlib.h>
#include <string.h>

#include "core/number.h"
#include "platform/freebsd/oid_type.h"

/* The value modulo 2^64; what is beyond the type is -ERANGE. */
static int parse(const char *text, const struct st_oid_number *type, uint64_t *ret)
{
    if (type->is_signed) {
        const int64_t max = (int64_t)(UINT64_MAX >> (65 - 8 * type->bytes));
        int64_t value;
        const int r = st_number_i64(text, -max - 1, max, &value);
        if (r == 0)
            *ret = (uint64_t)value;
        return r;
    }
    const bool negative = *text == '-';
    const char *at = negative ? text + 1 : text;
    uint64_t value;
    const int r = st_number_take(&at, &value);
    if (r == -EINVAL || at[strspn(at, "0123456789")] != '\0')
        return -EINVAL;
    if (r < 0 || negative || value > UINT64_MAX >> (64 - 8 * type->bytes))
        return -ERANGE;
    *ret = value;
    return 0;
}

static int number_bytes(const char *text, const struct st_oid_number *type, char *buf)
{
    uint64_t value = 0;
    const int r = parse(text, type, &value);
    if (r < 0)
        return r;
    switch (type->bytes) {
    case 1:
        memcpy(buf, &(uint8_t){(uint8_t)value}, 1);
        break;
    case 2:
        memcpy(buf, &(uint16_t){(uint16_t)value}, 2);
        break;
    case 4:
        memcpy(buf, &(uint32_t){(uint32_t)value}, 4);
        break;
    default:
        memcpy(buf, &value, 8);
        break;
    }
    return 0;
}

int st_oid_bytes(unsigned kind, const char *format, const char *text, char *buf, size_t buf_bytes,
                 size_t *ret_bytes)
{
    const unsigned type = kind & ST_OID_KIND_TYPE;
    const struct st_oid_number number = st_oid_number_of(kind);
    if (type == ST_OID_NODE)
        return -EISDIR;
    if (type == ST_OID_STRING) {
        const size_t len = strlen(text);
        if (len > buf_bytes)
            return -E2BIG;
        memcpy(buf, text, len);
        *ret_bytes = len;
        return 0;
    }
    if (number.bytes == 0 || format[0] == 'S' || strncmp(format, "IK", 2) == 0)
        return -ENOTSUP;
    if (number.bytes > buf_bytes)
        return -E2BIG;
    const int r = number_bytes(text, &number, buf);
    if (r == 0)
        *ret_bytes = number.bytes;
    return r;
}
