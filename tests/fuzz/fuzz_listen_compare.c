/* What `verify --before` reads: a run that anyone may have written is compared with one that was heard, in
 * either order. What was compared has figures, and no text of the file reaches the screen as it is. */
/* Runs: 500 */
#include <stdlib.h>

#include "cli/change/listen_compare.h"
#include "tests/fuzz/one_of.h"

#define SANE                                                                                                 \
    "{\"schema\": \"sleeptune-listen/1\", \"back\": \"monitor\", \"plays\": \"nul\", \"records\": \"nul\","  \
    "\"rate_hz\": 48000, \"channels\": 2, \"valid\": true, \"heard_s\": 59.9, \"losses_n\": 1, "             \
    "\"losses\": [{\"at_frame\": 4800}]}"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const json_t *before, const json_t *now)
{
    struct st_listen_compare result;
    st_listen_compare_documents(before, now, &result);
    if (result.compared != (result.why[0] == '\0') ||
        (result.compared && !(result.before.heard_s > 0 && result.now.heard_s > 0)))
        abort();
    for (const char *at = result.why; *at != '\0'; at++) {
        if ((unsigned char)*at < 0x20 || *at == 0x7f)
            abort();
    }
    json_t *document = st_listen_compare_json(&result);
    if (document == NULL)
        abort();
    json_decref(document);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_t *document = st_listen_compare_parse((const char *)data, size);
    if (document == NULL)
        return 0;
    const double heard_s = json_number_value(json_object_get(document, "heard_s"));
    json_t *sane = st_listen_compare_parse(SANE, sizeof(SANE) - 1);
    if (heard_s < 600 || fuzz_one_of(64, data, size)) { /* a day takes a second */
        check(document, sane);
        check(sane, document);
    }
    json_decref(sane);
    json_decref(document);
    return 0;
}
