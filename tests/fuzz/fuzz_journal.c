/* The journal of changes: what is accepted names only what sleeptune itself writes, and writes back the
 * same. */
#include <stdlib.h>
#include <string.h>

#include "advisor/change/journal.h"
#include "tests/fake/fake.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct st_journal *journal, struct st_platform *p)
{
    struct st_journal again;
    char message[256];
    for (size_t i = 0; i < journal->entries_n; i++) {
        const struct st_entry *entry = &journal->entries[i];
        if (!st_journal_target_allowed(p->machine.os, entry->type, st_rule_find(entry->rule), entry->target))
            abort();
        if ((entry->old_value == NULL) != (entry->type == ST_ENTRY_FILE))
            abort();
    }
    if (st_journal_write(p, "/j", journal) != 0)
        return; /* larger than it may be */
    if (st_journal_read(&p->machine, "/j", &again, message, sizeof(message)) != 0)
        abort();
    if (again.entries_n != journal->entries_n ||
        again.files_n != (journal->entries_n > 0 ? journal->files_n : 0))
        abort();
    st_journal_finish(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int os = ST_OS_LINUX; os <= ST_OS_FREEBSD; os++) {
        struct st_platform *p = st_fake_new((enum st_os)os, 0);
        struct st_journal journal;
        char message[256] = "";
        if (p == NULL)
            abort();
        const int r =
            st_journal_parse(p->machine.os, (const char *)data, size, &journal, message, sizeof(message));
        if (r == 0) {
            check(&journal, p);
            st_journal_finish(&journal);
        } else if (message[0] == '\0') {
            abort();
        }
        st_fake_free(p);
    }
    return 0;
}
