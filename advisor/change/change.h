/* What can be changed so that it can be taken back: how each kind of change is written, and what is there
 * now.
 *
 * Lines in files are blocks of exact text, appended and cut out again, so that no other lines are touched.
 * All functions are for one thread; files are reached through the platform only. */
#pragma once

#include "advisor/change/journal.h"
#include "advisor/rules/rule.h"

/* --- change.c: how each kind is written --- */

/** How one change is written on one OS. */
struct st_change_form {
    bool running_only;    /* a running value without a file: path and line are empty */
    bool takes_comments;  /* the block may have a line that says whose it is */
    size_t section_bytes; /* of the line: a unit's section, which stands once in a file; 0: none */
    char path[512];       /* the file for ever */
    char line[512];       /* the line(s) in that file, with a newline at the end */
};

/** @return 0, -ENOTSUP (no such kind on this OS), -EINVAL: key or value is not what this kind takes, more
 * than one line, too long, or has a character that would end the quotes. */
ST_NODISCARD int st_change_form(enum st_os os, const struct st_change *change, struct st_change_form *ret);
/** The inverse: what a line of ours in this file sets. @return 0, -ENOENT (not our file), -EINVAL (no such
 * line: a comment, a section). */
ST_NODISCARD int st_change_parse(enum st_os os, const char *path, const char *line, struct st_change *ret);
/** Of which kind are the lines in this file? @return 0 or -ENOENT: not a file that we write. */
ST_NODISCARD int st_change_kind_of(enum st_os os, const char *path, enum st_change_kind *ret);
/** Is that a file in the home folder of the user who plays? It is written with that user's rights only. */
bool st_change_is_users(enum st_change_kind kind);
/** When the file takes effect, a clause for people; NULL: at once. */
const char *st_change_then(enum st_change_kind kind);

/* --- change_boot.c: where this machine keeps its kernel's command line, and the commands that make files
 * take effect --- */

/** Turns ST_CHANGE_BOOT into the kind of this machine's boot loader; others stay as they are.
 *  @param why which, and by what sign, or why none can be written: one clause; "" for other kinds.
 *  @return 0 or -ENODATA: none that is known, or its file is not there to be added to. */
ST_NODISCARD int st_change_resolve(struct st_machine *machine, struct st_change *change, char *why,
                                   size_t why_bytes);
/** Where an option of the kernel's command line goes, if that is not GRUB's drop-ins (ST_KEY_BOOT_OPTIONS).
 * ret_path: the file that shows it.
 * @return 0 or -ENOENT: GRUB's drop-ins, or not known. */
ST_NODISCARD int st_change_boot_by_hand(struct st_machine *machine, char *buf, size_t buf_bytes,
                                        const char **ret_path);
/** The command (for sh, as root) that makes files of this kind take effect: update-grub, cap_mkdb ...
 *  @return 0 or -ENOENT: none is needed, or none is known here (then buf says what to do by hand, or is
 *  empty). */
ST_NODISCARD int st_change_command(struct st_machine *machine, enum st_change_kind kind, char *buf,
                                   size_t buf_bytes);

/* --- change_conflict.c --- */

/** Does another line say otherwise, and win over ours? Files that cannot be read say nothing.
 *  @param buf which line of which file, and what it says. */
bool st_change_conflict(struct st_machine *machine, const struct st_change *change, char *buf,
                        size_t buf_bytes);

/* --- change.c: what is there now --- */

#define ST_CHANGE_FILE_BYTES 65536 /* a longer file is not one that people write settings into */
#define ST_CHANGE_TEXT_BYTES 4096

/** A running value: of "a [b] c" the chosen b; blanks as single spaces, none at the ends.
 *  @return 0, -ENOENT, -ENOTSUP (not to be had here), -EBADMSG, ... */
ST_NODISCARD int st_change_value_read(struct st_machine *machine, enum st_entry_type type, const char *target,
                                      char *buf, size_t buf_bytes);
/** A text file without NUL bytes, at most ST_CHANGE_FILE_BYTES. *ret is for free(). */
ST_NODISCARD int st_change_file_read(struct st_machine *machine, const char *path, char **ret);
/** Is the folder there? @return 0, -ENOENT, or what reading said. */
ST_NODISCARD int st_change_folder_look(struct st_machine *machine, const char *path);
/** Where the block is in the text, at the beginning of a line, the last one of several (ours was added at the
 * end); NULL: not there as it was written. */
const char *st_change_block_find(const char *text, const char *block);

/** Is the running value `value`? target: a path, or a sysctl. */
bool st_change_value_is(struct st_machine *machine, const char *target, const char *value);

enum st_entry_state {
    ST_ENTRY_IN_PLACE,
    ST_ENTRY_DIFFERS, /* buf has what is there, of a value */
    ST_ENTRY_GONE,    /* the file or sysctl is not there */
    ST_ENTRY_UNREAD,  /* error */
};
/** Is it as we wrote it? */
enum st_entry_state st_change_state(struct st_machine *machine, const struct st_entry *entry, char *buf,
                                    size_t buf_bytes, int *ret_error);
