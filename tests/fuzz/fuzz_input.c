/* Texts that people post: whatever they are, the facts are valid UTF-8 and can be judged, and what is refused
 * leaves nothing behind. */
#include <stdlib.h>
#include <string.h>

#include "advisor/facts/snapshot.h"
#include "advisor/post/posted.h"
#include "advisor/report/report_format.h"
#include "tests/fuzz/one_of.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void judge(const struct st_facts *facts)
{
    struct st_report report;
    if (st_report_make(facts, 64, 48000, &report) != 0)
        abort();
    json_t *document = st_report_format_json(&report); /* NULL for text that is not valid UTF-8 */
    if (document == NULL)
        abort();
    json_decref(document);
    st_report_finish(&report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    struct st_facts *facts = NULL;
    const int r = st_posted_add(text, size, "fuzz", &facts);
    if ((r == 0) != (facts != NULL))
        abort();
    const bool whole = fuzz_one_of(64, data, size); /* judging takes fifty times as long as reading */
    if (facts != NULL && whole)
        judge(facts);
    if (facts != NULL && whole) {
        json_t *snapshot = st_snapshot_json(facts);
        if (snapshot == NULL)
            abort();
        json_decref(snapshot);
    }
    st_facts_free(facts);
    return 0;
}
