#include "platform/freebsd/oid.h"

#include "core/text/number.h"
#include "core/text/text_buffer.h"

/** How a sysctl stores a number: its size, and whether it is signed. */
struct number {
    unsigned char bytes; /* 0: not a number */
    bool is_signed;
};

static struct number number_of(unsigned kind)
{
    static const struct number numbers[ST_OID_KIND_TYPE + 1] = {
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

/* Offset of a shorter number within a number of 8 bytes. */
#define SKIP(bytes) (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 8 - (bytes) : 0)

static uint64_t read_number(const unsigned char *data, const struct number *number)
{
    uint64_t value = 0;
    memcpy((char *)&value + SKIP(number->bytes), data, number->bytes);
    const int shift = 64 - 8 * number->bytes;
    if (number->is_signed)
        value = (uint64_t)((int64_t)(value << shift) >> shift);
    return value;
}

/* Prints a temperature in degrees Celsius. Formats of the value: "IK": tenths of a kelvin; "IK3":
 * thousandths. */
static void put_temperature(struct st_text_buffer *out, int64_t value, char digits_char)
{
    int digits = 1;
    if (digits_char >= '0' && digits_char <= '9')
        digits = digits_char - '0';
    st_text_buffer_printf(out, "%.*fC", digits, (double)value / pow(10, digits) - 273.15);
}

static int put_numbers(struct st_text_buffer *out, unsigned type, const char *format,
                       const unsigned char *data, size_t bytes)
{
    const struct number number = number_of(type);
    const int each = number.bytes;
    if (bytes < (size_t)each)
        return -EBADMSG;
    for (size_t at = 0; bytes - at >= (size_t)each && !out->failed; at += (size_t)each) {
        if (at > 0)
            st_text_buffer_printf(out, " ");
        const uint64_t value = read_number(data + at, &number);
        if (!number.is_signed)
            st_text_buffer_printf(out, "%ju", value);
        else if (format[0] != '\0' && format[1] == 'K' && (int64_t)value >= 0)
            put_temperature(out, (int64_t)value, format[2]);
        else
            st_text_buffer_printf(out, "%jd", (int64_t)value);
    }
    return 0;
}

/* Prints a value without a format, such as kern.boot_id, as hexadecimal digits. */
static void put_bytes(struct st_text_buffer *out, const unsigned char *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        st_text_buffer_printf(out, "%02x", data[i]);
}

int st_oid_text(unsigned kind, const char *format, const void *data, size_t bytes, char *buf,
                size_t buf_bytes, size_t *ret_len)
{
    if (buf_bytes == 0)
        return -EINVAL;
    const unsigned type = kind & ST_OID_KIND_TYPE;
    struct st_text_buffer out = st_text_buffer_on(buf, buf_bytes);
    int r = 0;
    if (type == ST_OID_NODE)
        r = -EISDIR;
    else if (type == ST_OID_STRING)
        st_text_buffer_add(&out, data, strnlen(data, bytes));
    else if (number_of(type).bytes != 0)
        r = put_numbers(&out, type, format, data, bytes);
    else if (type == ST_OID_OPAQUE && format[0] == '\0')
        put_bytes(&out, data, bytes);
    else
        r = -ENOTSUP;
    if (r < 0)
        return r;
    *ret_len = out.bytes;
    return out.failed ? -EFBIG : 0;
}

/* Parses a number as its value modulo 2^64. @return 0; -EINVAL; -ERANGE: the number does not fit
 * into the type. */
static int parse(const char *text, const struct number *type, uint64_t *ret)
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
    const char *at = text + negative;
    uint64_t value;
    const int r = st_number_take(&at, &value);
    if (r == -EINVAL || at[strspn(at, "0123456789")] != '\0')
        return -EINVAL;
    if (r < 0 || negative || value > UINT64_MAX >> (64 - 8 * type->bytes))
        return -ERANGE;
    *ret = value;
    return 0;
}

int st_oid_bytes(unsigned kind, const char *format, const char *text, char *buf, size_t buf_bytes,
                 size_t *ret_bytes)
{
    const unsigned type = kind & ST_OID_KIND_TYPE;
    const struct number number = number_of(kind);
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
    uint64_t value;
    const int r = parse(text, &number, &value);
    if (r < 0)
        return r;
    memcpy(buf, (char *)&value + SKIP(number.bytes), number.bytes);
    *ret_bytes = number.bytes;
    return 0;
}
