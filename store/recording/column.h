/* Lossless compression of a column of numbers: offsets from a base in few bits, and exceptions in full. */
#pragma once

#include "store/recording/bytes.h"

/** An upper bound for the bytes of a column of n values. */
#define ST_COLUMN_MAX_BYTES(n) (32 + (size_t)(n)*24)

/**
 * Writes n values: base (signed varint), bits of an offset (one byte, 0 .. 32), number of exceptions
 * (varint), n offsets packed from the lowest bit up, the exceptions (gap to the one before, value - base). 14
 * bits hold a spread of 16 us.
 * @param scratch n values, overwritten. */
void st_column_put(struct st_bytes_out *out, const int64_t *values, size_t n, int64_t *scratch);

/** Reads n values. @return 0 or -EBADMSG (then `values` holds anything). */
ST_NODISCARD int st_column_get(struct st_bytes_in *in, int64_t *values, size_t n);
