/* Durations as people type them: whatever is accepted is a duration, prints, and nothing else is
 * written. */
#include "core/ns.h"
#include "tests/fuzz/fuzz.h"

#define LONGEST 20

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = text_of(data, size);
    int64_t ns = -77;
    const int r = st_ns_parse(text, &ns);
    if (r == 0 ? ns < 0 : ns != -77)
        abort();
    if (r == 0 && strlen(st_ns_text(ns)) >= LONGEST)
        abort();
    free(text);
    return 0;
}
