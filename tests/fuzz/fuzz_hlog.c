/* Histogram logs: whatever the lines hold, the reader ends, and a histogram it gives has books that balance.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "store/recording/hlog.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_lines(struct st_hlog_reader *reader, struct st_hist *hist)
{
    struct st_hlog_entry entry;
    int r;
    while ((r = st_hlog_next(reader, &entry, hist)) != 0) {
        if (r != 1)
            continue; /* the reader goes on with the line behind it */
        uint64_t n = 0;
        for (uint32_t i = 0; i < hist->counts_len; i++)
            n += hist->late[i];
        if (n != hist->total_n || strlen(entry.tag) > ST_HLOG_TAG_MAX_BYTES || entry.length_ns < 0)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct st_hlog_reader *reader;
    struct st_hist hist;
    if (size == 0 || st_hist_init(&hist, 3) != 0)
        return 0;
    uint8_t *copy = malloc(size);
    FILE *stream = copy != NULL ? fmemopen(memcpy(copy, data, size), size, "rb") : NULL;
    if (stream != NULL && st_hlog_open_stream(stream, &reader) == 0) {
        read_lines(reader, &hist);
        const char *text = st_hlog_conditions(reader);
        const size_t n = strlen(text);
        if (n > 0 && text[n - 1] != '\n')
            abort();
        st_hlog_close_reader(reader);
    }
    free(copy);
    st_hist_finish(&hist);
    return 0;
}
