/* Numbers from text: decimal, independent of the locale. */
#pragma once

#include "core/base.h"

/** Reads the digits at *text and moves *text past them. @return 0; or, with nothing written,
 * -EINVAL (no digit), -ERANGE (2^64 or more). */
ST_NODISCARD int st_number_take(const char **text, uint64_t *ret);

/** Reads a whole text: digits, with '-' before a negative number. @return 0; or, with *ret
 * unchanged, -EINVAL (anything else in the text), -ERANGE (outside of [min, max]). */
ST_NODISCARD int st_number_i64(const char *text, int64_t min, int64_t max, int64_t *ret);

/** Reads a whole text: a rate with or without a unit: "48000", "48000 Hz", "44.1k", "96kHz".
 * @return 0; or, with *ret unchanged, -EINVAL (no rate, or not an integer number of Hz), -ERANGE
 * (outside of [min, max]). */
ST_NODISCARD int st_number_rate_hz(const char *text, int64_t min, int64_t max, int64_t *ret);

/** Reads a whole text: a decimal number with or without an exponent; no blank, no "inf", no
 * hexadecimal digits. @return 0; or, with *ret unchanged, -EINVAL, -ERANGE (beyond double). */
ST_NODISCARD int st_number_double(const char *text, double *ret);
