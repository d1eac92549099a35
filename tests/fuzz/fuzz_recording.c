/* Recordings: whatever the file holds, the events ascend, and the reader stops. */
#include "store/recording/recording.h"
#include "tests/fuzz/fuzz.h"

static void read_all(struct st_recording_reader *reader)
{
    struct st_recording_event event;
    struct st_recording_totals sum = {0};
    uint64_t next_index = 0;
    while (st_recording_next(reader, &event) == 1) {
        if (event.n == 0 || event.period_index < next_index ||
            event.n > INT64_MAX - event.period_index)
            abort();
        next_index = event.period_index + event.n;
        sum.cycles += event.kind == ST_RECORDING_CYCLE;
        sum.skipped_periods += event.kind == ST_RECORDING_SKIPPED ? event.n : 0;
        sum.lost_cycles += event.kind == ST_RECORDING_LOST ? event.n : 0;
    }
    const struct st_recording_totals totals = st_recording_info(reader)->totals;
    if (memcmp(&sum, &totals, sizeof(sum)) != 0 ||
        st_recording_info(reader)->end == ST_RECORDING_OPEN ||
        strlen(st_recording_info(reader)->conditions) > ST_RECORDING_TEXT_MAX_BYTES)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct st_recording_reader *reader;
    FILE *stream = size > 0 ? fmemopen((void *)(uintptr_t)data, size, "rb") : NULL;
    if (stream == NULL || st_recording_open_stream(stream, &reader) != 0)
        return 0;
    read_all(reader);
    st_recording_close_reader(reader);
    return 0;
}
