/* The text of `sysctl -a`: whatever it is, facts come in order, as valid UTF-8, and can be judged. */
#include <stdlib.h>
#include <string.h>

#include "advisor/parse/sysctl_text.h"
#include "advisor/report/report_format.h"
#include "tests/fuzz/one_of.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct st_facts *facts = st_facts_new(ST_OS_FREEBSD);
    struct st_report report;
    if (facts == NULL)
        abort();
    const int r = st_sysctl_text_freebsd(facts, (const char *)data, size, "fuzz");
    if ((r == 0) != (facts->n > 0))
        abort();
    for (size_t i = 0; i < facts->n; i++) {
        const struct st_fact *fact = facts->rows[i];
        if (strncmp(fact->key, "freebsd.", 8) != 0 || st_facts_find(facts, fact->key) != fact)
            abort();
        if (i > 0 && strcmp(facts->rows[i - 1]->key, fact->key) >= 0)
            abort();
    }
    if (!fuzz_one_of(64, data,
                     size)) { /* judging takes fifty times as long as reading; fuzz_rules is for it */
        st_facts_free(facts);
        return 0;
    }
    if (st_report_make(facts, 64, 48000, &report) != 0)
        abort();
    json_t *document = st_report_format_json(&report); /* NULL for text that is not valid UTF-8 */
    if (document == NULL)
        abort();
    json_decref(document);
    st_report_finish(&report);
    st_facts_free(facts);
    return 0;
}
