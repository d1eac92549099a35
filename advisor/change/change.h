/* What can be changed so that it can be taken back: where each kind of change is written, and what is there
 * now.
 *
 * A change is a whole file of ours, one a rule, in a folder that a program reads; so no line of others is
 * touched. FreeBSD's sysctl.conf alone has no such folder: there it is a marked block. All functions are for
 * one thread; files are reached through the platform only; texts that they give live for a turn. */
#pragma once

#include "advisor/change/journal.h"
#include "advisor/rules/rule.h"

/* --- change.c: where and how each kind is written --- */

/** How a change is written on one OS: rule, kind, file, part, names and target of *ret, unless it is a
 * running value only. ret_line: the line(s) in that file, with a newline at the end.
 * @return false: there is no such kind on this OS, or key or value is not what this kind takes: more than one
 * line, too long, or with a character that would end the quotes. */
ST_NODISCARD bool st_change_form(enum st_os os, const char *rule, const struct st_change *change,
                                 struct st_entry *ret, const char **ret_line);
/** Sets target and block of an entry by its rule, kind and part. @return false: as above. */
ST_NODISCARD bool st_change_path(enum st_os os, struct st_entry *entry);
/** The name of a kind in the journal; "value": it has no file. */
const char *st_change_name(enum st_change_kind kind);
/** Does it change a running value, besides the file or alone? */
bool st_change_is_running(enum st_change_kind kind);
/** The text of a file, or a block: whose it is, what stands once in it, and these lines. @return for free();
 * NULL: out of memory. */
char *st_change_text(const struct st_entry *entry, const char *lines);
/** Is that a file in the home folder of the user who plays? It is written with that user's rights only. */
bool st_change_is_users(enum st_change_kind kind);
/** When the file takes effect, a clause for people; NULL: at once. */
const char *st_change_then(enum st_change_kind kind);
/** The command (for sh, as root) that makes files of this kind take effect: update-grub ...; NULL: none. */
const char *st_change_command(enum st_change_kind kind);

/** Which other files that the same program reads name one of these settings: "/etc/x:3, /etc/y:8 and 2 more";
 * "": none. Which of them wins is not judged. */
const char *st_change_others(struct st_platform *machine, const struct st_entry *entry);

/* --- change_boot.c: the kernel's command line --- */

/** Where an option of the kernel's command line is put by hand (ST_KEY_BOOT_OPTIONS). ret_path: the file that
 * shows it. @return "": in GRUB's drop-ins, which apply writes; NULL: not known. */
const char *st_change_boot_by_hand(struct st_platform *machine, const char **ret_path);

/* --- change.c: what is there now --- */

#define ST_CHANGE_FILE_BYTES 65536 /* a longer file is not one that people write settings into */

/** A running value: of "a [b] c" the chosen b; without blanks at the ends. target: a path, or a sysctl.
 * @return 0, -ENOENT, -ENOTSUP (not to be had here), -EBADMSG (it has tabs or lines, or is too long), ... */
ST_NODISCARD int st_change_value_read(struct st_platform *machine, const char *target, const char **ret);
/** Is the running value `value`? */
bool st_change_value_is(struct st_platform *machine, const char *target, const char *value);
/** A text file without NUL bytes, at most ST_CHANGE_FILE_BYTES. *ret is for free(). */
ST_NODISCARD int st_change_file_read(struct st_platform *machine, const char *path, char **ret);
/** Is the folder there? @return 0, -ENOENT, or what reading said. */
ST_NODISCARD int st_change_folder_look(struct st_platform *machine, const char *path);
/** FNV-1a, 64 bits, as 16 digits: tells whether a text is the same, not who wrote it. */
const char *st_change_hash(const char *text, size_t bytes);
/** What is ours of a file's text, as entry->hash has it: all of it, or a block. ret_bytes: its length.
 * @return NULL: not there as it was written. */
const char *st_change_find(const struct st_entry *entry, const char *text, size_t *ret_bytes);

enum st_entry_state {
    ST_ENTRY_IN_PLACE,
    ST_ENTRY_DIFFERS,
    ST_ENTRY_GONE, /* the file, its block or the sysctl is not there */
    ST_ENTRY_UNREAD,
};
struct st_look {
    enum st_entry_state state;
    int error;       /* why it is unread or gone; 0: of a file that is there its block is gone */
    const char *now; /* the running value, for a turn; NULL: a file, or as error says */
};
/** Is it as we wrote it? */
struct st_look st_change_look(struct st_platform *machine, const struct st_entry *entry);
