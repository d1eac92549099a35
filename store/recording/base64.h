/* Base64 (RFC 4648, with padding). */
#ifndef ST_STORE_RECORDING_BASE64_H
#define ST_STORE_RECORDING_BASE64_H

#include "core/base.h"

/** Bytes of the text of n bytes, with the final NUL. */
#define ST_BASE64_TEXT_BYTES(n) (((size_t)(n) + 2) / 3 * 4 + 1)

/** @param text ST_BASE64_TEXT_BYTES(n). */
void st_base64_encode(const uint8_t *bytes, size_t n, char *text);

/** @param text n characters; n a multiple of 4. @param ret room for n / 4 * 3 bytes. @return bytes or
 * -EBADMSG. */
ST_NODISCARD int64_t st_base64_decode(const char *text, size_t n, uint8_t *ret);

#endif
