/* For what takes long beside the parser under test: done for some inputs, the same ones each
 * time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** True for one input of n, chosen by its bytes (FNV-1a). */
static inline bool fuzz_one_of(uint32_t n, const uint8_t *data, size_t size)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ data[i]) * 16777619u;
    return hash % n == 0;
}
