/* The journal of changes, with one line for each write. The file is replaced as a whole, and is on
 * the disk before sleeptune makes the writes that it lists. */
#pragma once

#include "advisor/rules/rule.h"

enum st_entry_phase {
    ST_PHASE_OPEN, /* a run is writing or undoing the value, or was killed meanwhile: the value may
                      be written or not */
    ST_PHASE_DONE,
    ST_PHASE_FORGOTTEN, /* the value was written in an earlier boot, so it is gone. Not on the disk:
                           see st_journal_read */
};

#define ST_ENTRY_BOOT_BYTES 40
#define ST_ENTRY_MADE_MAX   8

/** One write: a file of ours, or a running value. */
struct st_entry {
    char rule[64];
    enum st_entry_phase phase;
    bool file;
    bool block; /* a block in another program's file, whose path is `target`. Not on the disk */
    char target[320]; /* a path, or the name of a sysctl. The path of a file is computed from rule,
                         kind and part, never read from the journal */
    uint32_t frames,
        rate_hz; /* the period for which apply judged; 0: apply judged for the size in use. For
                    our settings of PipeWire: the size that the user asked for */
    char names[ST_CHANGE_VALUE_BYTES]; /* of files: the settings in the file, separated by blanks */
    enum st_change_kind kind;          /* kind of change; only for files */
    char part[ST_CHANGE_KEY_BYTES]; /* of files: the part of the key that is in the path besides the
                                       rule */
    char hash[17];                  /* of files: hash of our text in the file */
    uint32_t made; /* of files: number of folders above the file that apply made; of a block: apply
                      made the file */
    char old_value[ST_CHANGE_VALUE_BYTES]; /* of running values: the value before the write */
    char new_value[ST_CHANGE_VALUE_BYTES];
    char boot[ST_ENTRY_BOOT_BYTES]; /* of running values: id of the boot; "": unknown */
    char *text; /* of files in a plan: the text that will be written; else NULL */
};

/** The writes that apply has made; or a plan, the writes that it will make. */
struct st_journal {
    struct st_entry *entries; /* in the order of writing */
    size_t entries_n;
};

/* Other users may read the journal, as `verify` does, but not open its folder: whoever can open the
 * folder can lock it. */
#define ST_JOURNAL_FOLDER_MODE 0711
#define ST_JOURNAL_FILE        "journal"

/** Reads the journal in the folder; a missing one is empty. Marks running values of an earlier boot
 * as forgotten, unless a file of the same rule, which set the value in this boot as well, is in
 * place.
 * @return NULL; or why not, for people, with an empty journal. Free with st_journal_finish. */
ST_NODISCARD const char *st_journal_read(struct st_platform *machine, const char *folder,
                                         struct st_journal *ret);
/** Parses the text of a journal, which is modified, and otherwise does as st_journal_read. Accepts
 * only files and running values that sleeptune itself would change. */
ST_NODISCARD const char *st_journal_parse(enum st_os os, char *text, struct st_journal *ret);
/** Writes the journal; removes the file if the journal is empty. */
ST_NODISCARD int st_journal_write(struct st_platform *platform, const char *folder,
                                  const struct st_journal *journal);
/** Id of the running system's boot; "": unknown. Valid until st_text_forget(). */
const char *st_journal_boot(struct st_platform *machine);
/** Does the journal have unfinished writes that this boot must undo? */
bool st_journal_is_interrupted(const struct st_journal *journal);
/** The first write of a rule; NULL: none. */
const struct st_entry *st_journal_find(const struct st_journal *journal, const char *rule);
void st_journal_finish(struct st_journal *journal);

/** Appends a copy, without its text. @return 0 or -ENOMEM: out of memory, or too many entries. */
ST_NODISCARD int st_journal_add(struct st_journal *journal, const struct st_entry *entry);
void st_journal_remove(struct st_journal *journal, size_t i);

/** Would sleeptune write that running value? Only values in the rule's `targets` are accepted, so
 * that a forged journal cannot name others. @param rule NULL: a rule that this build does not
 * have. */
bool st_journal_value_allowed(enum st_os os, const struct st_rule *rule, const char *target);
