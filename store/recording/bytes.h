/* Bounded little-endian writing and reading of bytes, with LEB128 varints. Shared by the files of store/. */
#pragma once

#include "core/base.h"

/** Position for the next byte. `full` is set when something does not fit; then nothing more is written. */
struct st_bytes_out {
    uint8_t *at;
    uint8_t *end;
    bool full;
};

/** Position of the next byte. `bad` is set when the bytes end or a varint is too long; then reads return
 * 0. */
struct st_bytes_in {
    const uint8_t *at;
    const uint8_t *end;
    bool bad;
};

static inline void st_bytes_put(struct st_bytes_out *out, const void *bytes, size_t n)
{
    if (out->full || n > (size_t)(out->end - out->at)) {
        out->full = true;
        return;
    }
    if (n > 0)
        memcpy(out->at, bytes, n);
    out->at += n;
}

/** The low `bytes` bytes of value, at most 8. */
static inline void st_bytes_put_uint(struct st_bytes_out *out, uint64_t value, size_t bytes)
{
    uint8_t text[8];
    for (size_t i = 0; i < bytes; i++)
        text[i] = (uint8_t)(value >> (8 * i));
    st_bytes_put(out, text, bytes);
}

static inline void st_bytes_put_varint(struct st_bytes_out *out, uint64_t value)
{
    uint8_t text[10];
    size_t n = 0;
    for (; value > 0x7f; value >>= 7)
        text[n++] = (uint8_t)(value | 0x80);
    text[n++] = (uint8_t)value;
    st_bytes_put(out, text, n);
}

/** A signed number, ZigZag: small magnitudes are short. */
static inline void st_bytes_put_signed(struct st_bytes_out *out, int64_t value)
{
    st_bytes_put_varint(out, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

/** @return n bytes; NULL, and `bad` is set, if fewer are left. */
static inline const uint8_t *st_bytes_get(struct st_bytes_in *in, size_t n)
{
    if (in->bad || n > (size_t)(in->end - in->at)) {
        in->bad = true;
        return NULL;
    }
    const uint8_t *bytes = in->at;
    in->at += n;
    return bytes;
}

static inline uint64_t st_bytes_get_uint(struct st_bytes_in *in, size_t bytes)
{
    const uint8_t *text = st_bytes_get(in, bytes);
    uint64_t value = 0;
    for (size_t i = 0; text != NULL && i < bytes; i++)
        value |= (uint64_t)text[i] << (8 * i);
    return value;
}

static inline uint64_t st_bytes_get_varint(struct st_bytes_in *in)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const uint64_t byte = st_bytes_get_uint(in, 1);
        if (in->bad || (shift == 63 && byte > 1))
            break;
        value |= (byte & 0x7f) << shift;
        if ((byte & 0x80) == 0)
            return value;
    }
    in->bad = true;
    return 0;
}

static inline int64_t st_bytes_get_signed(struct st_bytes_in *in)
{
    const uint64_t bits = st_bytes_get_varint(in);
    return (int64_t)(bits >> 1) ^ -(int64_t)(bits & 1);
}

/** CRC-32C (Castagnoli, RFC 3720 B.4), which a torn block does not match. @param crc 0, or the result for the
 * bytes before. Threads: any. */
uint32_t st_bytes_crc32c(uint32_t crc, const void *bytes, size_t n);
