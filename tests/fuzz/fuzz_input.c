/* Texts that people post: whatever they are, the facts are valid UTF-8 and can be judged, and what is refused
 * leaves nothing behind. */
#include <stdlib.h>
#include <string.h>

#include "advisor/facts/snapshot.h"
#include "advisor/parse/sysctl_text.h"
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
    static const struct {
        enum st_os os;
        int (*parse)(struct st_facts *facts, const char *text, size_t bytes, const char *source);
    } parsers[] = {
        {ST_OS_LINUX, st_sysctl_text_linux},
    };
    const char *text = (const char *)data;
    struct st_facts *facts = NULL;
    const int r = st_posted_add(text, size, "fuzz", &facts);
    if ((r == 0) != (facts != NULL))
        abort();
    const bool whole = fuzz_one_of(64, data, size); /* judging takes fifty times as long as reading */
    if (facts != NULL && whole)
        judge(facts);
    st_facts_free(facts);
    /* also what would not be recognised */
    for (size_t i = 0; i < ST_ARRAY_LEN(parsers); i++) {
        facts = st_facts_new(parsers[i].os);
        if (facts == NULL)
            abort();
        if ((parsers[i].parse(facts, text, size, "fuzz") == 0) != (facts->n > 0))
            abort();
        json_t *snapshot = whole ? st_snapshot_json(facts) : NULL;
        if (whole && snapshot == NULL)
            abort();
        json_decref(snapshot);
        st_facts_free(facts);
    }
    return 0;
}
