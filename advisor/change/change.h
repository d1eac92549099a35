/* Changes to a system that can be taken back: findings -> plan -> journal and writes -> revert.
 *
 * Whatever is written is in the journal first, so that a crash at any moment leaves a journal that revert
 * completes. Lines in files are blocks of exact text, appended and cut out again, so that nobody else's lines
 * are touched. All functions are for one thread; files are reached through the platform only.
 */
#ifndef ST_ADVISOR_CHANGE_CHANGE_H
#define ST_ADVISOR_CHANGE_CHANGE_H

#include <stdio.h>

#include "advisor/change/journal.h"
#include "advisor/rules/rule.h"

/* --- change_kind.c: how each kind is written --- */

/** The file for ever. @return 0, -ENOTSUP (no such kind on this OS), -EINVAL (see st_change_check). */
ST_NODISCARD int st_change_path(enum st_os os, const struct st_change *change, char *buf, size_t buf_bytes);
/** The line(s) in that file, with a newline at the end. @return as st_change_path. */
ST_NODISCARD int st_change_line(enum st_os os, const struct st_change *change, char *buf, size_t buf_bytes);
/** The inverse: what a line of ours in this file sets. @return 0, -ENOENT (not our file), -EINVAL (no such
 * line: a comment, a section). */
ST_NODISCARD int st_change_parse(enum st_os os, const char *path, const char *line, struct st_change *ret);
/** Of which kind are the lines in this file? @return 0 or -ENOENT: not a file that we write. */
ST_NODISCARD int st_change_kind_of(enum st_os os, const char *path, enum st_change_kind *ret);
/** When the file counts, as a sentence for people; NULL: at once. "$USER" in it is who plays. */
const char *st_change_then(enum st_change_kind kind);
/** May the block have a line that says whose it is? */
bool st_change_takes_comments(enum st_change_kind kind);
/** A running value without a file. */
bool st_change_is_running_only(enum st_change_kind kind);
/** Are key and value what this kind takes, one line, without a character that would end the quotes?
 *  @return 0, -EINVAL, -ENOTSUP. */
ST_NODISCARD int st_change_check(enum st_os os, const struct st_change *change);

/* --- change_boot.c: where this machine keeps its kernel's command line, and what puts files into force --- */

/** Turns ST_CHANGE_BOOT into the kind of this machine's boot loader; others stay as they are.
 *  @param why which, and by what sign, or why none can be written: one clause; "" for other kinds.
 *  @return 0 or -ENODATA: none that is known, or its file is not there to be added to. */
ST_NODISCARD int st_change_resolve(struct st_platform *p, struct st_change *change, char *why,
                                   size_t why_bytes);
/** The command (for sh, as root) that makes files of this kind count: update-grub, cap_mkdb ...
 *  @return 0 or -ENOENT: none is needed, or none is known here (then buf says what to do by hand, or is
 *  empty). */
ST_NODISCARD int st_change_command(struct st_platform *p, enum st_change_kind kind, char *buf,
                                   size_t buf_bytes);

/* --- change_plan.c, change_print.c, change_conflict.c: what would be done --- */

/** One write to come. */
struct st_step {
    const struct st_rule *rule;
    enum st_entry_type type;
    enum st_change_kind kind;
    char *target;    /* file, path below /sys, or sysctl */
    char *old_value; /* running values; NULL for files */
    char *new_value; /* the running value, or the block of lines */
};

struct st_plan {
    struct st_step *steps;
    size_t steps_n;
};

/**
 * Adds the steps of a finding: running values that are not yet as wanted, then files. Reads only.
 * @param message what was in the way, for people. @return 0, -ENODATA (the finding has no changes), -EINVAL
 * (a change is not well-formed), -EBADMSG (a running value could not be restored: control characters, too
 * long), -ENOMEM, or what reading said. On failure the plan is as before.
 */
ST_NODISCARD int st_plan_add(struct st_plan *plan, struct st_platform *p, const struct st_finding *finding,
                             char *message, size_t message_bytes);
/** Unified diff of the files, then a line a running value. @return 0, or what reading said. */
ST_NODISCARD int st_plan_print(const struct st_plan *plan, struct st_platform *p, FILE *out);
void st_plan_finish(struct st_plan *plan);

/** Does another line say otherwise, and win over ours? Files that cannot be read say nothing.
 *  @param buf which line of which file, and what it says. */
bool st_change_conflict(struct st_platform *p, const struct st_change *change, char *buf, size_t buf_bytes);

/** Why this system keeps its settings elsewhere (NixOS, ostree), or NULL. */
const char *st_change_refusal(struct st_platform *p);

/* --- change_apply.c, change_revert.c: doing it --- */

enum st_change_event {
    ST_EVENT_WRITTEN,   /* apply wrote it */
    ST_EVENT_FAILED,    /* apply or revert could not; error says why */
    ST_EVENT_RESTORED,  /* revert took it back */
    ST_EVENT_AS_BEFORE, /* revert found it as it was before */
    ST_EVENT_CHANGED,   /* somebody changed it since: left alone. now: what is there */
};

/** @param now only with ST_EVENT_CHANGED, else NULL. error: 0 or a negative errno. */
typedef void (*st_change_say_fn)(void *ctx, enum st_change_event event, const struct st_entry *entry,
                                 const char *now, int error);

struct st_changes {
    struct st_platform *p;
    const char *folder; /* of the journal; borrowed */
    struct st_journal journal;
    int lock;
    st_change_say_fn say;
    void *ctx;
};

/** Makes the folder, locks it, reads the journal. @param message why not, for people.
 *  @return 0, -EWOULDBLOCK (another sleeptune is at it), -EPROTONOSUPPORT (journal of a newer version),
 *  -EBADMSG, or what the system said. Close with st_changes_close. */
ST_NODISCARD int st_changes_open(struct st_changes *changes, struct st_platform *p, const char *folder,
                                 st_change_say_fn say, void *ctx, char *message, size_t message_bytes);
void st_changes_close(struct st_changes *changes);

/** Carries the plan out, all or nothing: what was written is taken back when a later step fails.
 *  @param ret_left how many writes could not be taken back; they stay in the journal. Always written.
 *  @return 0; -EALREADY (the journal has the rule: a second one, planned before the first was done);
 *  -EEXIST (a running value is another rule's); -ESTALE (one is not what it was when planned); or the error
 * that was said as ST_EVENT_FAILED. */
ST_NODISCARD int st_changes_apply(struct st_changes *changes, const struct st_plan *plan, size_t *ret_left);

struct st_revert_counts {
    size_t restored_n; /* and those found as before */
    size_t changed_n;
    size_t failed_n;
};

/** Takes the writes of these rules back (ids_n = 0: all of them), the latest first.
 *  @return 0; -EIO when something failed and stays in the journal; or what writing the journal said. */
ST_NODISCARD int st_changes_revert(struct st_changes *changes, const char *const *ids, size_t ids_n,
                                   struct st_revert_counts *ret);
/** Takes back what a killed apply or revert left half-way. @return as st_changes_revert. */
ST_NODISCARD int st_changes_recover(struct st_changes *changes, struct st_revert_counts *ret);

/* --- change_value.c: what is there now --- */

#define ST_CHANGE_FILE_BYTES 65536 /* a longer file is not one that people write settings into */
#define ST_CHANGE_TEXT_BYTES 4096

/** A running value: of "a [b] c" the chosen b; blanks as single spaces, none at the ends.
 *  @return 0, -ENOENT, -ENOTSUP (not to be had here), -EBADMSG, ... */
ST_NODISCARD int st_change_value_read(struct st_platform *p, enum st_entry_type type, const char *target,
                                      char *buf, size_t buf_bytes);
ST_NODISCARD int st_change_value_write(struct st_platform *p, enum st_entry_type type, const char *target,
                                       const char *value);
/** A text file without NUL bytes, at most ST_CHANGE_FILE_BYTES. *ret is for free(). */
ST_NODISCARD int st_change_file_read(struct st_platform *p, const char *path, char **ret);
/** Where the block is in the text, at the beginning of a line, the last one of several (ours was added at the
 * end); NULL: not there as it was written. */
const char *st_change_block_find(const char *text, const char *block);

enum st_entry_state {
    ST_ENTRY_IN_PLACE,
    ST_ENTRY_DIFFERS, /* buf has what is there, of a value */
    ST_ENTRY_GONE,    /* the file or sysctl is not there */
    ST_ENTRY_UNREAD,  /* error */
};
/** Is it as we wrote it? */
enum st_entry_state st_change_state(struct st_platform *p, const struct st_entry *entry, char *buf,
                                    size_t buf_bytes, int *ret_error);

#endif
