/* Histogram logs: whatever the lines hold, the reader ends, and a histogram it gives has books that balance.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "store/recording/hlog.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int check(void *ctx, const char *tag, int64_t length_ns, const struct st_hist *hist)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < hist->counts_len; i++)
        n += hist->late[i];
    if (n != hist->total_n || length_ns < 0 || strchr(tag, ',') != NULL)
        abort();
    *(size_t *)ctx += strlen(tag); /* reads all of it */
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t tags_bytes = 0;
    if (size == 0)
        return 0;
    uint8_t *copy = malloc(size);
    FILE *stream = copy != NULL ? fmemopen(memcpy(copy, data, size), size, "rb") : NULL;
    if (stream != NULL)
        (void)st_hlog_read(stream, check, &tags_bytes);
    free(copy);
    return 0;
}
