#include "platform/freebsd/oid_bytes.h"

#include <stdlib.h>
#include <string.h>

#include "platform/freebsd/oid_type.h"

/* The value modulo 2^64; what is beyond the type is -ERANGE. */
static int parse(const char *text, const struct st_oid_number *type, uint64_t *ret)
{
    const char *digits = text + (text[0] == '-');
    char *end;
    if (digits[0] == '\0' || strspn(digits, "0123456789") != strlen(digits))
        return -EINVAL;
    errno = 0;
    if (type->is_signed) {
        const long long value = strtoll(text, &end, 10);
        const long long max = (long long)(UINT64_MAX >> (65 - 8 * type->bytes));
        if (errno == ERANGE || value > max || value < -max - 1)
            return -ERANGE;
        *ret = (uint64_t)value;
        return 0;
    }
    const unsigned long long value = strtoull(digits, &end, 10);
    if (digits != text || errno == ERANGE || value > UINT64_MAX >> (64 - 8 * type->bytes))
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
