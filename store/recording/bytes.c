#include "store/recording/bytes.h"

#include <pthread.h>

#define POLYNOMIAL 0x82f63b78 /* 0x1edc6f41, reflected */

static uint32_t table[256]; /* of a byte */
static pthread_once_t made = PTHREAD_ONCE_INIT;

static void make(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ ((crc & 1) != 0 ? POLYNOMIAL : 0);
        table[byte] = crc;
    }
}

uint32_t st_bytes_crc32c(uint32_t crc, const void *bytes, size_t n)
{
    pthread_once(&made, make);
    crc = ~crc;
    ST_EACH_OF (byte, (const uint8_t *)bytes, n)
        crc = crc >> 8 ^ table[(crc ^ *byte) & 0xff];
    return ~crc;
}
