/* The journal of changes as JSON: schema sleeptune-changes/1. */
#include "advisor/change/journal.h"

#include "advisor/change/change.h"
#include "core/text/json.h"
#include "core/text/text.h"

#define SCHEMA         "sleeptune-changes/"
#define SCHEMA_VERSION "1"
#define FILE_NAME      "/journal.json"

#define JOURNAL_BYTES (1u << 20)
#define ENTRIES_MAX   4096
#define FOLDERS_MAX   8
#define PERIOD_MAX    (1 << 22) /* frames, Hz: as for apply's options */

static const char *const type_names[] = {
    [ST_ENTRY_FILE] = "file",
    [ST_ENTRY_SYSFS] = "sysfs",
    [ST_ENTRY_SYSCTL] = "sysctl",
};
static const char *const phase_names[] = {
    [ST_PHASE_WRITING] = "writing",
    [ST_PHASE_DONE] = "done",
    [ST_PHASE_UNDOING] = "undoing",
};

uint64_t st_journal_hash(const char *text, size_t bytes)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    ST_EACH_OF (c, text, bytes)
        hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    return hash;
}

static void read_boot(struct st_machine *machine, char *buf, size_t buf_bytes)
{
    size_t len;
    if (machine->read_sysctl(machine, st_os_rows[machine->os].boot_id, buf, buf_bytes, &len) != 0)
        buf[0] = '\0';
}

/* --- in memory --- */

static void entry_finish(struct st_entry *entry)
{
    free(entry->rule);
    free(entry->target);
    free(entry->old_value);
    free(entry->new_value);
}

void st_journal_finish(struct st_journal *journal)
{
    ST_EACH_OF (entry, journal->entries, journal->entries_n)
        entry_finish(entry);
    ST_EACH_OF (file, journal->files, journal->files_n)
        free(file->path);
    free(journal->entries);
    free(journal->files);
    *journal = (struct st_journal){0};
}

bool st_journal_is_interrupted(const struct st_journal *journal)
{
    ST_EACH_OF (entry, journal->entries, journal->entries_n) {
        if (entry->interrupted)
            return true;
    }
    return false;
}

int st_journal_add(struct st_journal *journal, const struct st_entry *entry)
{
    struct st_entry *grown =
        reallocarray(journal->entries, journal->entries_n + 1, sizeof(*journal->entries));
    if (grown == NULL)
        return -ENOMEM;
    journal->entries = grown;
    struct st_entry copy = *entry;
    copy.rule = strdup(entry->rule);
    copy.target = strdup(entry->target);
    copy.old_value = entry->old_value != NULL ? strdup(entry->old_value) : NULL;
    copy.new_value = strdup(entry->new_value);
    if (copy.rule == NULL || copy.target == NULL || copy.new_value == NULL ||
        (entry->old_value != NULL && copy.old_value == NULL)) {
        entry_finish(&copy);
        return -ENOMEM;
    }
    journal->entries[journal->entries_n++] = copy;
    return 0;
}

void st_journal_remove(struct st_journal *journal, size_t i)
{
    entry_finish(&journal->entries[i]);
    journal->entries_n--;
    memmove(&journal->entries[i], &journal->entries[i + 1],
            (journal->entries_n - i) * sizeof(*journal->entries));
}

struct st_journal_file *st_journal_file(struct st_journal *journal, const char *path)
{
    ST_EACH_OF (file, journal->files, journal->files_n) {
        if (st_text_is(file->path, path))
            return file;
    }
    return NULL;
}

int st_journal_file_add(struct st_journal *journal, const struct st_journal_file *file)
{
    struct st_journal_file *grown =
        reallocarray(journal->files, journal->files_n + 1, sizeof(*journal->files));
    if (grown == NULL)
        return -ENOMEM;
    journal->files = grown;
    grown[journal->files_n] = *file;
    grown[journal->files_n].path = strdup(file->path);
    if (grown[journal->files_n].path == NULL)
        return -ENOMEM;
    journal->files_n++;
    return 0;
}

void st_journal_file_remove(struct st_journal *journal, const char *path)
{
    struct st_journal_file *file = st_journal_file(journal, path);
    if (file == NULL)
        return;
    free(file->path);
    *file = journal->files[--journal->files_n];
}

/* --- reading --- */

struct reader {
    enum st_os os;
    struct st_journal *journal;
    char *message;
    size_t message_bytes;
};

static int bad(const struct reader *reader, const char *what)
{
    snprintf(reader->message, reader->message_bytes, "the journal is damaged: %s", what);
    return -EBADMSG;
}

static int index_of(const char *const *names, size_t n, const char *name)
{
    for (size_t i = 0; name != NULL && i < n; i++) {
        if (st_text_is(names[i], name))
            return (int)i;
    }
    return -1;
}

static bool hash_of(const json_t *object, const char *key, uint64_t *ret)
{
    const char *text = st_json_text(object, key);
    if (text == NULL || strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16)
        return false;
    *ret = strtoull(text, NULL, 16);
    return true;
}

/* One that is not there is 0. */
static bool size_of(const json_t *object, const char *key, uint32_t *ret)
{
    const json_t *value = json_object_get(object, key);
    const json_int_t number = json_integer_value(value);
    if (value != NULL && (!json_is_integer(value) || number < 1 || number > PERIOD_MAX))
        return false;
    *ret = (uint32_t)number;
    return true;
}

static bool is_plain(const char *text, bool lines)
{
    for (; *text != '\0'; text++) {
        if (((unsigned char)*text < ' ' && !(lines && *text == '\n')) || *text == 0x7f)
            return false;
    }
    return true;
}

static int read_file(const struct reader *reader, const json_t *object)
{
    const char *path = st_json_text(object, "path");
    const json_t *existed = json_object_get(object, "existed");
    const json_t *newline = json_object_get(object, "newline_added");
    const json_t *folders = json_object_get(object, "folders_made");
    struct st_journal_file file = {0};
    if (path == NULL || !json_is_boolean(existed) || !json_is_boolean(newline) ||
        !hash_of(object, "hash", &file.hash) || !json_is_integer(folders) ||
        json_integer_value(folders) < 0 || json_integer_value(folders) > FOLDERS_MAX)
        return bad(reader, "the entry of a file lacks \"path\", \"existed\", \"newline_added\", \"hash\" or "
                           "\"folders_made\"");
    if (!st_journal_target_allowed(reader->os, ST_ENTRY_FILE, NULL, path))
        return bad(reader, "the list of files names a file that sleeptune never changes");
    if (st_journal_file(reader->journal, path) != NULL)
        return bad(reader, "a file is listed twice");
    file.path = (char *)(uintptr_t)path; /* copied below */
    file.existed = json_is_true(existed);
    file.newline_added = json_is_true(newline);
    file.folders_made = (unsigned)json_integer_value(folders);
    return st_journal_file_add(reader->journal, &file);
}

static int read_entry(const struct reader *reader, const json_t *object)
{
    const char *rule = st_json_text(object, "rule");
    const char *target = st_json_text(object, "target");
    const char *old_value = st_json_text(object, "old");
    const char *new_value = st_json_text(object, "new");
    const int type = index_of(type_names, ST_ARRAY_LEN(type_names), st_json_text(object, "type"));
    const int phase = index_of(phase_names, ST_ARRAY_LEN(phase_names), st_json_text(object, "phase"));
    struct st_entry entry = {0};
    if (rule == NULL || target == NULL || new_value == NULL || type < 0 || phase < 0)
        return bad(reader, "an entry has no rule, type, phase, target or new value");
    const bool file = type == ST_ENTRY_FILE;
    if (strspn(rule, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(rule) || rule[0] == '\0')
        return bad(reader, "an entry has an invalid rule id");
    if (!st_journal_target_allowed(reader->os, (enum st_entry_type)type, st_rule_find(rule), target))
        return bad(reader, "an entry names a setting that its rule never changes");
    if (file ? !hash_of(object, "old_hash", &entry.old_hash)
             : old_value == NULL || !is_plain(old_value, false))
        return bad(reader, "an entry has no old value, or its old value has control characters");
    if (!is_plain(new_value, file) || (file && new_value[strspn(new_value, "\n")] == '\0'))
        return bad(reader, "an entry's new value is empty or has control characters");
    if (file && st_journal_file(reader->journal, target) == NULL)
        return bad(reader, "an entry changes a file that the journal's list of files does not have");
    if (!size_of(object, "frames", &entry.frames) || !size_of(object, "rate_hz", &entry.rate_hz))
        return bad(reader, "an entry's \"frames\" or \"rate_hz\" is out of range");
    entry.phase = (enum st_entry_phase)phase;
    entry.interrupted = entry.phase != ST_PHASE_DONE;
    entry.type = (enum st_entry_type)type;
    entry.rule = (char *)(uintptr_t)rule; /* copied below */
    entry.target = (char *)(uintptr_t)target;
    entry.old_value = file ? NULL : (char *)(uintptr_t)old_value;
    entry.new_value = (char *)(uintptr_t)new_value;
    return st_journal_add(reader->journal, &entry);
}

static int read_array(const struct reader *reader, const json_t *document, const char *key,
                      int (*read_one)(const struct reader *reader, const json_t *object))
{
    const json_t *array = json_object_get(document, key);
    if (!json_is_array(array) || json_array_size(array) > ENTRIES_MAX)
        return bad(reader, "the list of files or entries is missing or too long");
    int r = 0;
    for (size_t i = 0; r == 0 && i < json_array_size(array); i++)
        r = read_one(reader, json_array_get(array, i));
    return r;
}

static int read_document(const struct reader *reader, const json_t *document)
{
    const char *schema = st_json_text(document, "schema");
    if (schema == NULL || !st_text_begins(schema, SCHEMA))
        return bad(reader, "its schema is not " SCHEMA SCHEMA_VERSION);
    const char *version = schema + strlen(SCHEMA), *boot = st_json_text(document, "boot");
    if (!st_text_is(version, SCHEMA_VERSION)) {
        if (strlen(version) > 9 || strspn(version, "0123456789") != strlen(version) || version[0] == '\0')
            return bad(reader, "the version of its schema is not a number");
        snprintf(
            reader->message, reader->message_bytes,
            "a newer sleeptune wrote the journal (version %s). This sleeptune reads version " SCHEMA_VERSION
            " and changed nothing. Use the newer sleeptune.",
            version);
        return -EPROTONOSUPPORT;
    }
    if (boot == NULL || strlen(boot) >= sizeof(reader->journal->boot) ||
        strspn(boot, "0123456789abcdef-") != strlen(boot))
        return bad(reader, "it has no boot id");
    strcpy(reader->journal->boot, boot);
    const int r = read_array(reader, document, "files", read_file);
    return r != 0 ? r : read_array(reader, document, "entries", read_entry);
}

int st_journal_parse(enum st_os os, const char *text, size_t bytes, struct st_journal *ret, char *message,
                     size_t message_bytes)
{
    struct st_journal journal = {0};
    const struct reader reader = {os, &journal, message, message_bytes};
    json_error_t error;
    json_t *document = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &error);
    if (document == NULL)
        return bad(&reader, "it is not JSON");
    int r = read_document(&reader, document);
    json_decref(document);
    if (r == -ENOMEM)
        snprintf(message, message_bytes, "out of memory");
    if (r == 0)
        *ret = journal;
    else
        st_journal_finish(&journal);
    return r;
}

static int path_of(const char *folder, char *path, size_t path_bytes)
{
    const int n = snprintf(path, path_bytes, "%s" FILE_NAME, folder);
    return n < 0 || (size_t)n >= path_bytes ? -ENAMETOOLONG : 0;
}

static bool is_set_at_boot(struct st_machine *machine, const struct st_journal *journal, const char *rule)
{
    char text[ST_CHANGE_VALUE_BYTES];
    int error;
    ST_EACH_OF (entry, journal->entries, journal->entries_n) {
        if (entry->type == ST_ENTRY_FILE && st_text_is(entry->rule, rule) &&
            st_change_state(machine, entry, text, sizeof(text), &error) == ST_ENTRY_IN_PLACE)
            return true;
    }
    return false;
}

static void forget_other_boots(struct st_machine *machine, struct st_journal *journal)
{
    char boot[ST_JOURNAL_BOOT_BYTES];
    read_boot(machine, boot, sizeof(boot));
    if (boot[0] == '\0' || journal->boot[0] == '\0' || st_text_is(boot, journal->boot))
        return;
    ST_EACH_OF (entry, journal->entries, journal->entries_n) {
        entry->forgotten = entry->type != ST_ENTRY_FILE && !is_set_at_boot(machine, journal, entry->rule);
        entry->interrupted = entry->interrupted && !entry->forgotten;
    }
}

int st_journal_read(struct st_machine *machine, const char *folder, struct st_journal *ret, char *message,
                    size_t message_bytes)
{
    char path[512];
    size_t len;
    int r = path_of(folder, path, sizeof(path));
    char *text = r == 0 ? malloc(JOURNAL_BYTES) : NULL;
    if (text == NULL) {
        snprintf(message, message_bytes, "%s", strerror(r == 0 ? ENOMEM : -r));
        return r == 0 ? -ENOMEM : r;
    }
    r = machine->read_text(machine, path, text, JOURNAL_BYTES, &len);
    if (r == 0) {
        r = st_journal_parse(machine->os, text, len, ret, message, message_bytes);
        if (r == 0)
            forget_other_boots(machine, ret);
    } else if (r == -ENOENT) {
        *ret = (struct st_journal){0};
        r = 0;
    } else {
        snprintf(message, message_bytes, "cannot read %s: %s", path, strerror(-r));
    }
    free(text);
    return r;
}

/* --- writing --- */

static int append(json_t *array, json_t *object)
{
    return object == NULL || json_array_append_new(array, object) != 0 ? -ENOMEM : 0;
}

static json_t *file_json(const struct st_journal_file *file)
{
    const char *hash = ST_TEXT(17, "%016" PRIx64, file->hash);
    return json_pack("{s:s, s:b, s:b, s:s, s:I}", "path", file->path, "existed", file->existed,
                     "newline_added", file->newline_added, "hash", hash, "folders_made",
                     (json_int_t)file->folders_made);
}

static json_t *entry_json(const struct st_entry *entry)
{
    const char *old_hash = ST_TEXT(17, "%016" PRIx64, entry->old_hash);
    const bool file = entry->type == ST_ENTRY_FILE, size = entry->frames > 0 && entry->rate_hz > 0;
    return json_pack("{s:s, s:s, s:s, s:s, s:s*, s:s, s:s*, s:o*, s:o*}", "rule", entry->rule, "type",
                     type_names[entry->type], "phase", phase_names[entry->phase], "target", entry->target,
                     "old", entry->old_value, "new", entry->new_value, "old_hash", file ? old_hash : NULL,
                     "frames", size ? json_integer(entry->frames) : NULL, "rate_hz",
                     size ? json_integer(entry->rate_hz) : NULL);
}

static char *journal_text(struct st_machine *machine, const struct st_journal *journal)
{
    char boot[ST_JOURNAL_BOOT_BYTES];
    read_boot(machine, boot, sizeof(boot));
    json_t *files = json_array(), *entries = json_array();
    int r = files != NULL && entries != NULL ? 0 : -ENOMEM;
    for (size_t i = 0; r == 0 && i < journal->files_n; i++)
        r = append(files, file_json(&journal->files[i]));
    for (size_t i = 0; r == 0 && i < journal->entries_n; i++)
        r = append(entries, entry_json(&journal->entries[i]));
    char *text = NULL;
    if (r == 0)
        text = st_json_into_text(json_pack("{s:s, s:s, s:O, s:O}", "schema", SCHEMA SCHEMA_VERSION, "boot",
                                           boot, "files", files, "entries", entries),
                                 JSON_INDENT(1));
    json_decref(files);
    json_decref(entries);
    return text;
}

int st_journal_write(struct st_platform *p, const char *folder, const struct st_journal *journal)
{
    char path[512];
    int r = path_of(folder, path, sizeof(path));
    if (r < 0)
        return r;
    if (journal->entries_n == 0) {
        r = p->writer.remove_file(&p->writer, path);
        return r == -ENOENT ? 0 : r;
    }
    char *text = journal_text(&p->machine, journal);
    if (text == NULL)
        return -ENOMEM;
    const size_t len = strlen(text);
    r = len < JOURNAL_BYTES ? p->writer.replace_file(&p->writer, path, text, len, 0644) : -EFBIG;
    free(text);
    return r;
}
