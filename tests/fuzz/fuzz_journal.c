/* The journal of changes: what is accepted names only what sleeptune itself writes, and writes back
 * the same. */
#include <stdlib.h>
#include <string.h>

#include "advisor/change/change.h"
#include "tests/fake/fake.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct st_journal *journal, struct st_platform *p)
{
    struct st_journal again;
    struct st_entry path;
    ST_EACH_OF (entry, journal->entries, journal->entries_n) {
        path = *entry;
        if (entry->file
                ? !st_change_path(p->os, &path) || strcmp(path.target, entry->target) != 0
                : !st_journal_value_allowed(p->os, st_rule_find(entry->rule), entry->target))
            abort();
    }
    if (st_journal_write(p, "/j", journal) != 0)
        return; /* larger than it may be */
    if (st_journal_read(p, "/j", &again) != NULL)
        abort();
    if (again.entries_n != journal->entries_n)
        abort();
    st_journal_finish(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int os = ST_OS_LINUX; os <= ST_OS_FREEBSD; os++) {
        struct st_platform *p = st_fake_new((enum st_os)os, 0);
        struct st_journal journal;
        char *text = calloc(1, size + 1);
        if (p == NULL || text == NULL)
            abort();
        memcpy(text, data, size);
        const char *why = st_journal_parse(p->os, text, &journal);
        if (why == NULL) {
            check(&journal, p);
            st_journal_finish(&journal);
        } else if (why[0] == '\0') {
            abort();
        }
        free(text);
        st_fake_free(p);
    }
    return 0;
}
