/* Memory that is there before it is used. */
#ifndef ST_CORE_PAGES_H
#define ST_CORE_PAGES_H

#include <stddef.h>

/** Writes one byte of each page of @p memory back as it is, so that the kernel gives the page now: what a
 * program that runs for months will use once, it shows as resident from its first minute on. Not while
 * another thread writes to it. */
static inline void st_pages_touch(void *memory, size_t bytes)
{
    enum { SMALLEST_PAGE_BYTES = 4096 };
    volatile unsigned char *at = memory;
    for (size_t i = 0; i < bytes; i += SMALLEST_PAGE_BYTES)
        at[i] = at[i];
    if (bytes > 0)
        at[bytes - 1] = at[bytes - 1];
}

#endif
