#include "platform/freebsd/oid_text.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "core/text_buffer.h"
#include "platform/freebsd/oid_type.h"

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
    const struct st_oid_number number = st_oid_number_of(type);
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

static void put_timeval(struct st_text_buffer *out, const struct st_oid_timeval *tv)
{
    st_text_buffer_printf(out, "{ sec = %" PRId64 ", usec = %" PRId64 " }", tv->s, tv->us);
    const time_t s = (time_t)tv->s;
    char text[64] = "";
    struct tm tm;
    if (localtime_r(&s, &tm) != NULL && strftime(text, sizeof(text), "%a %b %e %H:%M:%S %Y", &tm) > 0)
        st_text_buffer_printf(out, " %s", text);
}

static int put_struct(struct st_text_buffer *out, const char *format, const void *data, size_t bytes)
{
    struct st_oid_clockinfo clock;
    struct st_oid_loadavg load;
    struct st_oid_timeval tv;
    if (strcmp(format, "S,clockinfo") == 0) {
        if (bytes != sizeof(clock))
            return -EBADMSG;
        memcpy(&clock, data, sizeof(clock));
        st_text_buffer_printf(out, "{ hz = %d, tick = %d, profhz = %d, stathz = %d }", clock.hz, clock.tick,
                              clock.profhz, clock.stathz);
        return 0;
    }
    if (strcmp(format, "S,loadavg") == 0) {
        if (bytes != sizeof(load))
            return -EBADMSG;
        memcpy(&load, data, sizeof(load));
        if (load.scale <= 0)
            return -EBADMSG;
        const double scale = (double)load.scale;
        st_text_buffer_printf(out, "{ %.2f %.2f %.2f }", load.load[0] / scale, load.load[1] / scale,
                              load.load[2] / scale);
        return 0;
    }
    if (strcmp(format, "S,timeval") == 0) {
        if (bytes != sizeof(tv))
            return -EBADMSG;
        memcpy(&tv, data, sizeof(tv));
        put_timeval(out, &tv);
        return 0;
    }
    return -ENOTSUP;
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
    else if (type == ST_OID_OPAQUE)
        r = put_struct(&out, format, data, bytes);
    else if (st_oid_number_of(type).bytes != 0)
        r = put_numbers(&out, type, format, data, bytes);
    else
        r = -ENOTSUP;
    if (r < 0)
        return r;
    *ret_len = out.bytes;
    return out.failed ? -EFBIG : 0;
}
