#include "store/recording/base64.h"

#include <errno.h>
#include <stdbool.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void st_base64_encode(const uint8_t *bytes, size_t n, char *text)
{
    for (size_t i = 0; i < n; i += 3) {
        const size_t left = n - i;
        const uint32_t group = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                               (left > 2 ? (uint32_t)bytes[i + 2] : 0);
        *text++ = letters[group >> 18];
        *text++ = letters[group >> 12 & 63];
        *text++ = left > 1 ? letters[group >> 6 & 63] : '=';
        *text++ = left > 2 ? letters[group & 63] : '=';
    }
    *text = '\0';
}

static int value_of(char letter)
{
    if (letter >= 'A' && letter <= 'Z')
        return letter - 'A';
    if (letter >= 'a' && letter <= 'z')
        return letter - 'a' + 26;
    if (letter >= '0' && letter <= '9')
        return letter - '0' + 52;
    if (letter == '+')
        return 62;
    return letter == '/' ? 63 : -1;
}

int64_t st_base64_decode(const char *text, size_t n, uint8_t *ret)
{
    if (n % 4 != 0)
        return -EBADMSG;
    uint8_t *at = ret;
    for (size_t i = 0; i < n; i += 4) {
        const bool last = i + 4 == n;
        const size_t padding = !last || text[i + 3] != '=' ? 0 : text[i + 2] == '=' ? 2 : 1;
        uint32_t group = 0;
        for (size_t k = 0; k < 4; k++) {
            const int value = k >= 4 - padding ? 0 : value_of(text[i + k]);
            if (value < 0)
                return -EBADMSG;
            group = group << 6 | (uint32_t)value;
        }
        *at++ = (uint8_t)(group >> 16);
        if (padding < 2)
            *at++ = (uint8_t)(group >> 8);
        if (padding < 1)
            *at++ = (uint8_t)group;
    }
    return at - ret;
}
