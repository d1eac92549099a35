/* The journal of changes as lines with ten fields between tabs. Their meaning: struct st_entry.
 *     rule phase frames rate_hz made kind part hash names boot       of a file
 *     rule phase frames rate_hz made value target old new boot       of a running value
 */
#include "advisor/change/journal.h"

#include <unistd.h>

#include "advisor/change/change.h"
#include "core/text/safe.h"
#include "core/text/text_buffer.h"

#define HEAD "sleeptune-changes/3"

#define ENTRIES_MAX 4096
#define FIELDS      10

static const char *const phase_names[] = {[ST_PHASE_OPEN] = "open", [ST_PHASE_DONE] = "done"};

/* --- the journal in memory --- */

void st_journal_finish(struct st_journal *journal)
{
    while (journal->entries_n > 0)
        st_journal_remove(journal, journal->entries_n - 1);
    free(journal->entries);
    *journal = (struct st_journal){0};
}

bool st_journal_is_interrupted(const struct st_journal *journal)
{
    bool any = false;
    ST_EACH_OF (entry, journal->entries, journal->entries_n)
        any |= entry->phase == ST_PHASE_OPEN;
    return any;
}

const struct st_entry *st_journal_find(const struct st_journal *journal, const char *rule)
{
    ST_EACH_OF (entry, journal->entries, journal->entries_n) {
        if (st_text_is(entry->rule, rule))
            return entry;
    }
    return NULL;
}

int st_journal_add(struct st_journal *journal, const struct st_entry *entry)
{
    const size_t n = journal->entries_n;
    struct st_entry *grown =
        n < ENTRIES_MAX ? reallocarray(journal->entries, n + 1, sizeof(*journal->entries)) : NULL;
    if (grown == NULL)
        return -ENOMEM;
    journal->entries = grown;
    grown[n] = *entry;
    grown[n].text = NULL;
    journal->entries_n = n + 1;
    return 0;
}

void st_journal_remove(struct st_journal *journal, size_t i)
{
    free(journal->entries[i].text);
    journal->entries_n--;
    memmove(&journal->entries[i], &journal->entries[i + 1],
            (journal->entries_n - i) * sizeof(*journal->entries));
}

/* --- reading the journal --- */

/* Members of an entry that the last four fields of a line are copied to: row 0 for a running value,
 * row 1 for a file. */
#define ROOM(member)                                                                               \
    {                                                                                              \
        offsetof(struct st_entry, member), sizeof(((struct st_entry *)0)->member)                  \
    }
static const struct {
    size_t at, bytes;
} rooms[2][4] = {{ROOM(target), ROOM(old_value), ROOM(new_value), ROOM(boot)},
                 {ROOM(part), ROOM(hash), ROOM(names), ROOM(boot)}};

/* Parses one line, which is modified. @return false: the line is invalid. */
static bool take_line(enum st_os os, char *line, struct st_entry *entry)
{
    char *fields[FIELDS], **text = fields + FIELDS - ST_ARRAY_LEN(rooms[0]);
    *entry = (struct st_entry){.frames = 0};
    ST_EACH (field, fields) {
        *field = strsep(&line, "\t");
        if (*field == NULL || !st_safe_is(*field))
            return false;
    }
    uint32_t *const numbers[] = {&entry->frames, &entry->rate_hz, &entry->made};
    for (size_t i = 0; i < ST_ARRAY_LEN(numbers); i++)
        *numbers[i] = (uint32_t)strtoul(fields[2 + i], NULL, 10);
    while (entry->phase <= ST_PHASE_DONE && !st_text_is(phase_names[entry->phase], fields[1]))
        entry->phase++;
    while (entry->kind < ST_CHANGE_KINDS &&
           !st_text_is(st_change_rows[entry->kind].name, fields[5]))
        entry->kind++;
    entry->file = !st_text_is(fields[5], "value");
    bool fit = line == NULL &&
               st_text_copy(entry->rule, sizeof(entry->rule), fields[0], strlen(fields[0]));
    ST_EACH (room, rooms[entry->file]) {
        fit = fit && st_text_copy((char *)entry + room->at, room->bytes, *text, strlen(*text));
        text++;
    }
    return fit && entry->phase <= ST_PHASE_DONE && entry->kind < ST_CHANGE_KINDS &&
           entry->made <= ST_ENTRY_MADE_MAX &&
           (entry->file
                ? !(st_change_rows[entry->kind].users && geteuid() == 0) &&
                      st_change_path(os, entry)
                : entry->new_value[0] != '\0' &&
                      st_journal_value_allowed(os, st_rule_find(entry->rule), entry->target));
}

const char *st_journal_parse(enum st_os os, char *text, struct st_journal *ret)
{
    struct st_entry entry;
    char *line;
    unsigned n = 0; /* number of the line, for the message about a damaged journal */
    *ret = (struct st_journal){0};
    while ((line = strsep(&text, "\n")) != NULL && (text != NULL || line[0] != '\0' || n == 0)) {
        n++;
        if (text != NULL &&
            (n == 1 ? st_text_is(line, HEAD)
                    : take_line(os, line, &entry) && st_journal_add(ret, &entry) == 0))
            continue;
        st_journal_finish(ret);
        return st_text("the list of changes (journal) is damaged, or another version wrote it: "
                       "line %u is not one that this version writes",
                       n);
    }
    return NULL;
}

static bool is_set_at_boot(struct st_platform *machine, const struct st_journal *journal,
                           const char *rule)
{
    ST_EACH_OF (entry, journal->entries, journal->entries_n) {
        if (entry->file && st_text_is(entry->rule, rule) &&
            st_change_look(machine, entry).state == ST_ENTRY_IN_PLACE)
            return true;
    }
    return false;
}

const char *st_journal_read(struct st_platform *machine, const char *folder, struct st_journal *ret)
{
    const char *path = st_text("%s/" ST_JOURNAL_FILE, folder), *boot = st_journal_boot(machine),
               *why = NULL;
    char *text = NULL;
    const int r = st_change_file_read(machine, path, &text);
    *ret = (struct st_journal){0};
    if (r == 0)
        why = st_journal_parse(machine->os, text, ret);
    else if (r != -ENOENT)
        why = st_text("cannot read %s: %s", path,
                      r == -EBADMSG ? "the file is damaged" : strerror(-r));
    free(text);
    ST_EACH_OF (entry, ret->entries, ret->entries_n) {
        if (!entry->file && boot[0] != '\0' && entry->boot[0] != '\0' &&
            !st_text_is(boot, entry->boot) && !is_set_at_boot(machine, ret, entry->rule))
            entry->phase = ST_PHASE_FORGOTTEN;
    }
    return why;
}

const char *st_journal_boot(struct st_platform *machine)
{
    char *text = st_text_room(ST_ENTRY_BOOT_BYTES);
    size_t len;
    if (machine->read_sysctl(machine, st_os_rows[machine->os].boot_id, text, ST_ENTRY_BOOT_BYTES,
                             &len) != 0)
        text[0] = '\0';
    st_text_trim(text);
    return text;
}

/* --- writing the journal --- */

int st_journal_write(struct st_platform *platform, const char *folder,
                     const struct st_journal *journal)
{
    const char *path = st_text("%s/" ST_JOURNAL_FILE, folder);
    struct st_text_buffer all = {0};
    if (journal->entries_n == 0) {
        const int r = platform->remove_file(platform, path);
        return r == -ENOENT ? 0 : r;
    }
    st_text_buffer_printf(&all, HEAD "\n");
    ST_EACH_OF (entry, journal->entries, journal->entries_n) {
        st_text_buffer_printf(&all, "%s\t%s\t%u\t%u\t%u\t%s", entry->rule,
                              phase_names[entry->phase], entry->frames, entry->rate_hz, entry->made,
                              entry->file ? st_change_rows[entry->kind].name : "value");
        ST_EACH (room, rooms[entry->file])
            st_text_buffer_printf(&all, "\t%s", (const char *)entry + room->at);
        st_text_buffer_printf(&all, "\n");
    }
    char *text = st_text_buffer_take(&all);
    int r = -ENOMEM;
    if (text != NULL)
        r = strlen(text) <= ST_CHANGE_FILE_BYTES
                ? platform->replace_file(platform, path, text, strlen(text), 0644)
                : -EFBIG;
    free(text);
    return r;
}
