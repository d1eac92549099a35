/* The journal of changes: one JSON document, replaced as a whole, on the disk before the writes that it
 * lists. */
#pragma once

#include "advisor/rules/rule.h"
#include "platform/platform.h"

enum st_entry_type { ST_ENTRY_FILE, ST_ENTRY_SYSFS, ST_ENTRY_SYSCTL };

enum st_entry_phase {
    ST_PHASE_WRITING, /* may or may not be written: its run has not ended */
    ST_PHASE_DONE,
    ST_PHASE_UNDOING, /* about to be taken back */
};

/** One write. */
struct st_entry {
    char *rule;
    enum st_entry_type type;
    enum st_entry_phase phase;
    bool interrupted; /* its run did not end: the write may be incomplete. Not on the disk: derived from the
                         phase */
    bool forgotten;   /* a running value of another boot. Not on the disk: see st_journal_read */
    char *target;
    char *old_value; /* of running values; NULL for files */
    char *new_value; /* of files: the block, with the newline before it where the file had none at its end */
    uint64_t old_hash;        /* of files: all of it before the write */
    uint32_t frames, rate_hz; /* the period that apply judged for; 0: none, the size in use counts */
};

/** A file that entries write to. */
struct st_journal_file {
    char *path;
    bool existed;
    bool newline_added;    /* its last line had none */
    uint64_t hash;         /* of all of it, before the first entry */
    unsigned folders_made; /* number of folders above it that apply made */
};

#define ST_JOURNAL_BOOT_BYTES 40

struct st_journal {
    char boot[ST_JOURNAL_BOOT_BYTES]; /* the boot id of the running system when it was written; "": unknown */
    struct st_entry *entries;         /* in the order of writing */
    size_t entries_n;
    struct st_journal_file *files;
    size_t files_n;
};

/* Others may read the journal, which verify needs, but not open its folder: who can open it can lock it. */
#define ST_JOURNAL_FOLDER_MODE 0711

/** Reads <folder>/journal.json; none is an empty journal. Running values that another boot had are marked as
 * forgotten, unless a file of the same rule is in place, which set them in this boot. @param message why
 * not, for people. @return 0, -EPROTONOSUPPORT, -EBADMSG, -ENOMEM, or what reading said. Free with
 * st_journal_finish. */
ST_NODISCARD int st_journal_read(struct st_machine *machine, const char *folder, struct st_journal *ret,
                                 char *message, size_t message_bytes);
/** The same from text. Names only files, paths and sysctls that sleeptune itself would change. */
ST_NODISCARD int st_journal_parse(enum st_os os, const char *text, size_t bytes, struct st_journal *ret,
                                  char *message, size_t message_bytes);
/** Writes it with the id of this boot; an empty one is removed. */
ST_NODISCARD int st_journal_write(struct st_platform *p, const char *folder,
                                  const struct st_journal *journal);
/** Has a run not ended that this boot must undo? */
bool st_journal_is_interrupted(const struct st_journal *journal);
void st_journal_finish(struct st_journal *journal);

/** Appends a copy. @return 0 or -ENOMEM. */
ST_NODISCARD int st_journal_add(struct st_journal *journal, const struct st_entry *entry);
void st_journal_remove(struct st_journal *journal, size_t i);
/** The record of a path, NULL when there is none. */
struct st_journal_file *st_journal_file(struct st_journal *journal, const char *path);
ST_NODISCARD int st_journal_file_add(struct st_journal *journal, const struct st_journal_file *file);
void st_journal_file_remove(struct st_journal *journal, const char *path);

/** FNV-1a, 64 bits: tells whether a text is the same, not who wrote it. */
uint64_t st_journal_hash(const char *text, size_t bytes);

/** Would sleeptune write there? A file must be one that it writes; a running value must be one that this rule
 * names in its `targets`, so that a journal of someone else's making cannot name another. rule: NULL is one
 * that this build does not have; not used for files. */
bool st_journal_target_allowed(enum st_os os, enum st_entry_type type, const struct st_rule *rule,
                               const char *target);
