/* Makes pages of memory resident before they are used. */
#pragma once

#include "core/base.h"

/** Rewrites one byte of each page of @p memory with its own value, so that the kernel provides the
 * page now. A program that runs for months then shows all its memory as resident from its first
 * minute on. No other thread may write to the memory meanwhile. */
static inline void st_pages_touch(void *memory, size_t bytes)
{
    enum { SMALLEST_PAGE_BYTES = 4096 };
    volatile unsigned char *at = memory;
    for (size_t i = 0; i < bytes; i += SMALLEST_PAGE_BYTES)
        at[i] = at[i];
    if (bytes > 0)
        at[bytes - 1] = at[bytes - 1];
}
