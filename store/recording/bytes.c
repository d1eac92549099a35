#include "store/recording/bytes.h"

#include <pthread.h>

#define POLYNOMIAL 0x82f63b78 /* 0x1edc6f41, reflected */

/* table[k][byte]: of a byte and k zero bytes behind it, so that 8 bytes are one step. Source: Kounavis &
 * Berry, "A Systematic Approach to Building High Performance Software-based CRC Generators", 2005. */
static uint32_t table[8][256];
static pthread_once_t made = PTHREAD_ONCE_INIT;

static void make(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ ((crc & 1) != 0 ? POLYNOMIAL : 0);
        table[0][byte] = crc;
    }
    for (uint32_t byte = 0; byte < 256; byte++) {
        for (int k = 1; k < 8; k++)
            table[k][byte] = table[k - 1][byte] >> 8 ^ table[0][table[k - 1][byte] & 0xff];
    }
}

uint32_t st_bytes_crc32c(uint32_t crc, const void *bytes, size_t n)
{
    const uint8_t *at = bytes;
    pthread_once(&made, make);
    crc = ~crc;
    for (; n >= 8; n -= 8, at += 8) {
        crc ^= (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
        crc = table[7][crc & 0xff] ^ table[6][crc >> 8 & 0xff] ^ table[5][crc >> 16 & 0xff] ^
              table[4][crc >> 24] ^ table[3][at[4]] ^ table[2][at[5]] ^ table[1][at[6]] ^ table[0][at[7]];
    }
    for (; n > 0; n--)
        crc = crc >> 8 ^ table[0][(crc ^ *at++) & 0xff];
    return ~crc;
}
