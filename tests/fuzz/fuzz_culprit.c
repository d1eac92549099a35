/* What another sleeptuned answers about the kernel's trace: any bytes, ended by '\0'. What is taken
 * is a short safe name and times. */
#include "core/text/safe.h"
#include "daemon/causes/culprit_request.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct st_trace_culprit culprit;
    char safe[ST_TRACE_CULPRIT_BYTES], *text = text_of(data, size);
    if (st_culprit_request_parse(text, &culprit) == 0) {
        (void)st_safe_copy(safe, sizeof(safe), culprit.name, ST_TEXT_TO_NUL);
        if (culprit.ns < 0 || culprit.turns_ns < 0 || culprit.name[0] == '\0' ||
            strcmp(safe, culprit.name) != 0)
            abort();
    }
    free(text);
    return 0;
}
