/* Numbers from text: decimal, whatever the locale says. */
#pragma once

#include "core/base.h"

/** Reads the digits at *text and moves *text behind them.
 * @return 0, -EINVAL (no digit there), -ERANGE (2^64 or more); then neither is written. */
ST_NODISCARD int st_number_take(const char **text, uint64_t *ret);

/** The whole text: digits, with '-' before them if it is negative.
 * @return 0, -EINVAL (anything else stands there), -ERANGE (outside of [min, max]); then *ret is not
 * written. */
ST_NODISCARD int st_number_i64(const char *text, int64_t min, int64_t max, int64_t *ret);

/** The whole text: a rate as people write it, with or without a unit: "48000", "48000 Hz", "44.1k", "96kHz".
 * @return 0, -EINVAL (no rate, or no whole number of Hz), -ERANGE (outside of [min, max]); then *ret is not
 * written. */
ST_NODISCARD int st_number_rate_hz(const char *text, int64_t min, int64_t max, int64_t *ret);

/** The whole text: a decimal number with or without an exponent; no blank, no "inf", nothing hexadecimal.
 * @return 0, -EINVAL, -ERANGE (beyond double); then *ret is not written. */
ST_NODISCARD int st_number_double(const char *text, double *ret);
