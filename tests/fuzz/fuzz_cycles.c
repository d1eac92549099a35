/* A file of cycles and one of the kernel's events, as another one left them: a name, rows, events.
 * What is written must be a trace. */
/* Runs: 2000 */
#include "story/trace_file.h"
#include "tests/fuzz/fuzz.h"

#define EVENTS_MAX 512

/* @return what is left. */
static size_t take(void *to, size_t bytes, const uint8_t **data, size_t size)
{
    const size_t n = size < bytes ? size : bytes;
    memcpy(to, *data, n);
    *data += n;
    return size - n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct st_trace_event events[EVENTS_MAX];
    struct st_cycle_ring *ring = calloc(1, sizeof(*ring));
    char *text = NULL;
    size_t bytes;
    uint8_t rows_n = 0;
    if (ring == NULL)
        return 0;
    memset(events, 0, sizeof(events));
    memcpy(ring->magic, "sleeptune-cycle", sizeof(ring->magic));
    size = take(&ring->wall_ns, 8, &data, size);
    size = take(&ring->written, 8, &data, size);
    size = take(ring->names[0], sizeof(ring->names[0]), &data, size);
    size = take(&rows_n, 1, &data, size);
    size = take(ring->rows, rows_n * sizeof(ring->rows[0]), &data, size);
    struct st_trace_file file = {.copy = {.wall_ns = INT64_C(1800000000000000000),
                                          .before_ns = INT64_C(1800000000000000000),
                                          .ring = ring,
                                          .events = events,
                                          .events_n = size / sizeof(events[0])}};
    file.copy.events_n = file.copy.events_n < EVENTS_MAX ? file.copy.events_n : EVENTS_MAX;
    (void)take(events, file.copy.events_n * sizeof(events[0]), &data, size);
    FILE *out = open_memstream(&text, &bytes);
    const bool written = out != NULL && st_cycle_ring_check(ring, sizeof(*ring)) &&
                         st_cpu_events_check(events, file.copy.events_n) &&
                         st_trace_file_write(out, &file) == 0;
    if (out != NULL)
        fclose(out);
    json_t *document = written ? json_loadb(text, bytes, 0, NULL) : NULL;
    if (written && document == NULL)
        abort();
    json_decref(document);
    free(text);
    free(ring);
    return 0;
}
