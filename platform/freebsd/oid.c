#include "platform/freebsd/oid.h"

#include "core/text/number.h"
#include "core/text/text_buffer.h"

/** One number of a type. */
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

static int64_t read_signed(const unsigned char *data, int bytes)
{
    int8_t s8;
    int16_t s16;
    int32_t s32;
    int64_t s64;
    switch (bytes) {
    case 1:
        memcpy(&s8, data, sizeof(s8));
        return s8;
    case 2:
        memcpy(&s16, data, sizeof(s16));
        return s16;
    case 4:
        memcpy(&s32, data, sizeof(s32));
        return s32;
    default:
        memcpy(&s64, data, sizeof(s64));
        return s64;
    }
}

static uint64_t read_unsigned(const unsigned char *data, int bytes)
{
    const uint64_t value = (uint64_t)read_signed(data, bytes);
    return bytes >= 8 ? value : value & ((UINT64_C(1) << (8 * bytes)) - 1);
}

/* "IK": tenths of a kelvin; "IK3": thousandths. */
static void put_temperature(struct st_text_buffer *out, int64_t value, char digits_char)
{
    const int digits = digits_char >= '0' && digits_char <= '9' ? digits_char - '0' : 1;
    double scale = 1.0;
    for (int i = 0; i < digits; i++)
        scale *= 10.0;
    st_text_buffer_printf(out, "%.*fC", digits, (double)value / scale - 273.15);
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
        const int64_t value = read_signed(data + at, each);
        if (!number.is_signed)
            st_text_buffer_printf(out, "%" PRIu64, read_unsigned(data + at, each));
        else if (format[0] != '\0' && format[1] == 'K' && value >= 0)
            put_temperature(out, value, format[2]);
        else
            st_text_buffer_printf(out, "%" PRId64, value);
    }
    return 0;
}

/* kern.boot_id has no format. */
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

/* The value modulo 2^64; what is beyond the type is -ERANGE. */
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

static int number_bytes(const char *text, const struct number *type, char *buf)
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
    const int r = number_bytes(text, &number, buf);
    if (r == 0)
        *ret_bytes = number.bytes;
    return r;
}
