/* A line of the kernel's trace of ALSA's xruns: any bytes, ended by '\0'. */
#include <stdlib.h>
#include <string.h>

#include "platform/xrun/alsa.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int ok)
{
    if (!ok)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (text == NULL)
        return 0;
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    struct st_alsa_trace trace;
    if (st_alsa_trace_parse(text, &trace) == 0) {
        check(trace.xruns_n > 0 && trace.xruns_n <= INT32_MAX);
        check(trace.lost || (trace.xruns_n == 1 && trace.exact));
        check(trace.of.card <= 256 && trace.of.device <= 256 && trace.of.number <= 256);
    }
    free(text);
    return 0;
}
