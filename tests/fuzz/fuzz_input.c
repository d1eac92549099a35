/* Texts that people post, the whole way: text, machine, collectors, rules, screen. Whatever they
 * are, the facts are valid UTF-8, no command has a text of others unquoted, and what is refused
 * leaves nothing behind.
 */
/* Runs: 2000 */
#include "advisor/facts/snapshot.h"
#include "advisor/post/posted.h"
#include "advisor/report/report_format.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/one_of.h"

/** Has a command of the fix a text of others that a shell would not take for a word? */
static void check_fix(const struct st_facts *facts, const char *fix, const char *own)
{
    for (size_t i = 0; fix != NULL && i < facts->n; i++) {
        const char *text = facts->rows[i]->text;
        if (text != NULL && strlen(text) > 3 && strpbrk(text, ";|&$`<>\"'\n") != NULL &&
            strstr(fix, text) != NULL && (own == NULL || strstr(own, text) == NULL))
            abort();
    }
}

/** As a terminal shows it: all that a report can say, without control characters. */
static void print_all(const struct st_report *report)
{
    static const struct st_report_view view = {.width = 80, .ok = true, .all = true};
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (out == NULL || st_report_text(report, out, &view) != 0 || fclose(out) != 0)
        abort();
    for (size_t i = 0; i < bytes; i++) {
        if ((unsigned char)text[i] < ' ' && text[i] != '\n')
            abort();
    }
    free(text);
}

static void judge(const struct st_facts *facts)
{
    struct st_report report;
    if (st_report_make(facts, 0, 0, &report) != 0)
        abort();
    st_report_leave_out(&report, true, true);
    json_t *document = st_report_format_json(&report); /* NULL for text that is not valid UTF-8 */
    if (document == NULL)
        abort();
    json_decref(document);
    print_all(&report);
    for (size_t i = 0; i < report.findings_n; i++) {
        const struct st_finding *finding = &report.findings[i];
        check_fix(facts, finding->fix_now, finding->rule->now);
        check_fix(facts, finding->fix_persistent, finding->rule->persistent);
    }
    st_report_finish(&report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    struct st_facts *facts = NULL;
    const int r = st_posted_add(text, size, "fuzz", &facts);
    if ((r == 0) != (facts != NULL))
        abort();
    const bool whole =
        fuzz_one_of(64, data, size); /* judging takes fifty times as long as reading */
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
