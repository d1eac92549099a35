/* A file of cycles as another one left it: rows of it, and a name. What is written must be a trace. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "story/trace_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct st_cycle_ring *ring = calloc(1, sizeof(*ring));
    char *text = NULL;
    size_t bytes, cycles_n, missed_n;
    if (ring == NULL || size < 16 + sizeof(ring->names[0])) {
        free(ring);
        return 0;
    }
    memcpy(ring->magic, "sleeptune-cycle", sizeof(ring->magic));
    memcpy(&ring->wall_ns, data, 8);
    memcpy(&ring->written, data + 8, 8);
    memcpy(ring->names[0], data + 16, sizeof(ring->names[0]));
    data += 16 + sizeof(ring->names[0]);
    size -= 16 + sizeof(ring->names[0]);
    memcpy(ring->rows, data, size < sizeof(ring->rows) ? size : sizeof(ring->rows));
    FILE *out = open_memstream(&text, &bytes);
    if (out != NULL && st_cycle_ring_check(ring, sizeof(*ring)) &&
        st_trace_file_write(out, ring, NULL, INT64_C(1800000000000000000), "note", &cycles_n, &missed_n) ==
            0 &&
        missed_n > cycles_n)
        abort();
    if (out != NULL)
        fclose(out);
    free(text);
    free(ring);
    return 0;
}
