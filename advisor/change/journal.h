/* The journal of changes: a line for each write, replaced as a whole, on the disk before the writes that it
 * lists. */
#pragma once

#include "advisor/rules/rule.h"
#include "platform/platform.h"

enum st_entry_phase {
    ST_PHASE_OPEN, /* may or may not be written: the run that writes it or takes it back has not ended */
    ST_PHASE_DONE,
    ST_PHASE_FORGOTTEN, /* a running value of another boot. Not on the disk: see st_journal_read */
};

#define ST_ENTRY_BOOT_BYTES 40
#define ST_ENTRY_MADE_MAX   8

/** One write: a file of ours, or a running value. */
struct st_entry {
    char rule[64];
    enum st_entry_phase phase;
    bool file;
    bool block;                        /* in a file of others, which is target. Not on the disk */
    char target[320];                  /* path, or name of a sysctl; of files made again, never read */
    uint32_t frames, rate_hz;          /* the period that apply judged for; 0: none, the size in use counts.
                                          Of own settings of PipeWire: the size that was asked for */
    char names[ST_CHANGE_VALUE_BYTES]; /* of files: the settings in it, with blanks between */
    enum st_change_kind kind;          /* of files, and of a plan's values */
    char part[ST_CHANGE_KEY_BYTES];    /* of files: what the path is made of besides the rule */
    char hash[17];                     /* of files: what is ours of it */
    uint32_t made;                     /* of files: how many folders above it apply made; a block: the file */
    char old_value[ST_CHANGE_VALUE_BYTES]; /* of running values */
    char new_value[ST_CHANGE_VALUE_BYTES];
    char boot[ST_ENTRY_BOOT_BYTES]; /* of running values: the running system's id; "": unknown */
    char *text;                     /* of a plan's files: what is written; else NULL */
};

/** What apply wrote; or a plan, what it will write. */
struct st_journal {
    struct st_entry *entries; /* in the order of writing */
    size_t entries_n;
};

/* Others may read the journal, which verify needs, but not open its folder: who can open it can lock it. */
#define ST_JOURNAL_FOLDER_MODE 0711
#define ST_JOURNAL_FILE        "journal"

/** Reads the journal in the folder; none is an empty journal. Running values that another boot had are marked
 * as forgotten, unless a file of the same rule is in place, which set them in this boot.
 * @return NULL; or why not, for people: then it is empty. Free with st_journal_finish. */
ST_NODISCARD const char *st_journal_read(struct st_platform *machine, const char *folder,
                                         struct st_journal *ret);
/** The same from text, which is changed. Names only files and running values that sleeptune itself would
 * change. */
ST_NODISCARD const char *st_journal_parse(enum st_os os, char *text, struct st_journal *ret);
/** Writes it; an empty one is removed. */
ST_NODISCARD int st_journal_write(struct st_platform *platform, const char *folder,
                                  const struct st_journal *journal);
/** The id of the running system's boot; "": unknown. For a turn. */
const char *st_journal_boot(struct st_platform *machine);
/** Has any that this boot must undo? */
bool st_journal_is_interrupted(const struct st_journal *journal);
/** The first write of a rule; NULL: none. */
const struct st_entry *st_journal_find(const struct st_journal *journal, const char *rule);
void st_journal_finish(struct st_journal *journal);

/** Appends a copy, without text. @return 0 or -ENOMEM: there is no memory, or too many. */
ST_NODISCARD int st_journal_add(struct st_journal *journal, const struct st_entry *entry);
void st_journal_remove(struct st_journal *journal, size_t i);

/** Would sleeptune write that running value? It must be one that this rule names in its `targets`, so that a
 * journal of someone else's making cannot name another. rule: NULL is one that this build does not have. */
bool st_journal_value_allowed(enum st_os os, const struct st_rule *rule, const char *target);
