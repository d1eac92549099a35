/* Recordings: whatever the file holds, the events ascend, two passes agree, and the reader stops. */
/* Runs: 10000 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "store/recording/bytes.h"
#include "store/recording/recording.h"

/* docs/recording-format.md */
#define MAGIC_BYTES      8
#define BLOCK_HEAD_BYTES 12
#define INDEX_MAX        (UINT64_MAX / 2)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Different for a cycle elsewhere. */
static uint64_t value_of(uint64_t period_index, int64_t lateness_ns, int64_t callback_ns)
{
    return (period_index + 1) * ((uint64_t)lateness_ns + 3 * (uint64_t)callback_ns);
}

static uint64_t read_all(struct st_recording_reader *reader, uint64_t *ret_sum)
{
    struct st_recording_event event;
    struct st_recording_totals sum = {0};
    uint64_t next_index = 0;
    int r;
    *ret_sum = 0;
    while ((r = st_recording_next(reader, &event)) == 1) {
        if (event.kind == ST_RECORDING_CYCLE)
            *ret_sum += value_of(event.period_index, event.lateness_ns, event.callback_ns);
        if (event.n == 0 || event.period_index < next_index || event.n > INDEX_MAX - event.period_index)
            abort();
        next_index = event.period_index + event.n;
        sum.cycles += event.kind == ST_RECORDING_CYCLE;
        sum.skipped_periods += event.kind == ST_RECORDING_SKIPPED ? event.n : 0;
        sum.lost_cycles += event.kind == ST_RECORDING_LOST ? event.n : 0;
    }
    const struct st_recording_totals totals = st_recording_info(reader)->totals;
    if (memcmp(&sum, &totals, sizeof(sum)) != 0 || st_recording_info(reader)->end == ST_RECORDING_OPEN)
        abort();
    if (strlen(st_recording_info(reader)->conditions) > ST_RECORDING_TEXT_MAX_BYTES)
        abort();
    return sum.cycles;
}

/* The same in runs. */
static uint64_t read_runs(struct st_recording_reader *reader, uint64_t *ret_sum)
{
    struct st_recording_event event;
    const int64_t *lateness_ns, *callback_ns;
    uint64_t cycles = 0, next_index = 0;
    *ret_sum = 0;
    while (st_recording_next_run(reader, &event, &lateness_ns, &callback_ns) == 1) {
        if (event.n == 0 || event.period_index < next_index || event.n > INDEX_MAX - event.period_index)
            abort();
        next_index = event.period_index + event.n;
        for (uint64_t i = 0; event.kind == ST_RECORDING_CYCLE && i < event.n; i++, cycles++)
            *ret_sum += value_of(event.period_index + i, lateness_ns[i], callback_ns[i]);
    }
    if (st_recording_info(reader)->totals.cycles != cycles ||
        st_recording_info(reader)->end == ST_RECORDING_OPEN)
        abort();
    return cycles;
}

static struct st_recording_reader *open_bytes(uint8_t *data, size_t size)
{
    struct st_recording_reader *reader;
    FILE *stream = fmemopen(data, size, "rb");
    return stream != NULL && st_recording_open_stream(stream, &reader) == 0 ? reader : NULL;
}

/* Event by event and run by run it has the same cycles. */
static void read_file(uint8_t *data, size_t size)
{
    struct st_recording_reader *events = open_bytes(data, size), *runs = open_bytes(data, size);
    if ((events == NULL) != (runs == NULL))
        abort();
    if (events == NULL)
        return;
    uint64_t events_sum, runs_sum;
    if (read_all(events, &events_sum) != read_runs(runs, &runs_sum) || events_sum != runs_sum)
        abort();
    st_recording_close_reader(events);
    st_recording_close_reader(runs);
}

/* Gives every block the CRC that it should have: no fuzzer guesses one. */
static void repair(uint8_t *data, size_t size)
{
    size_t at = MAGIC_BYTES + 4;
    while (at < size && size - at >= BLOCK_HEAD_BYTES) {
        struct st_bytes_in in = {.at = data + at + 4, .end = data + size};
        const size_t payload_bytes = (size_t)st_bytes_get_uint(&in, 4);
        const size_t start = at + BLOCK_HEAD_BYTES;
        if (payload_bytes > size - start)
            return;
        struct st_bytes_out out = {.at = data + at + 8, .end = data + size};
        st_bytes_put_uint(&out,
                          st_bytes_crc32c(st_bytes_crc32c(0, data + at, 8), data + start, payload_bytes), 4);
        at = start + payload_bytes;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* keep one run short */
    if (size == 0 || size > 16384)
        return 0;
    uint8_t *copy = malloc(size);
    if (copy == NULL)
        return 0;
    memcpy(copy, data, size);
    read_file(copy, size);
    repair(copy, size);
    read_file(copy, size);
    free(copy);
    return 0;
}
