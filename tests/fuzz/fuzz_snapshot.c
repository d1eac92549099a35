/* Snapshots: what is accepted is written back the same, judged and printed in each format. */
/* Runs: 2000 */
#include "advisor/facts/snapshot.h"
#include "advisor/report/report_format.h"
#include "tests/fuzz/fuzz.h"

static void print_all(const struct st_report *report)
{
    static const struct st_report_view view = {.width = 40, .all = true};
    st_report_format *const formats[] = {st_report_text, st_report_json, st_report_prometheus};
    ST_EACH (format, formats) {
        char *text = NULL;
        size_t bytes = 0;
        FILE *out = open_memstream(&text, &bytes);
        if (out == NULL || (*format)(report, out, &view) != 0)
            abort();
        fclose(out);
        if (memchr(text, '\033', bytes) != NULL || memchr(text, '\0', bytes) != NULL)
            abort();
        free(text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct st_facts *facts, *again;
    struct st_report report;
    if (st_snapshot_parse((const char *)data, size, &facts) != NULL)
        return 0;
    if (st_report_make(facts, 128, 48000, &report) != 0)
        abort();
    print_all(&report);
    st_report_finish(&report);
    json_t *document = st_snapshot_json(facts);
    char *text = document != NULL ? json_dumps(document, 0) : NULL;
    if (text == NULL || st_snapshot_parse(text, strlen(text), &again) != NULL)
        abort();
    json_t *twice = st_snapshot_json(again);
    if (twice == NULL || !json_equal(document, twice))
        abort();
    json_decref(twice);
    json_decref(document);
    free(text);
    st_facts_free(again);
    st_facts_free(facts);
    return 0;
}
