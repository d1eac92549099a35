/* What can be changed so that it can be taken back: where each kind of change is written, and what is there
 * now.
 *
 * A change is a whole file of ours, one a rule, in a folder that a program reads; so no line of others is
 * touched. FreeBSD's sysctl.conf alone has no such folder: there it is a marked block. All functions are for
 * one thread; files are reached through the platform only. */
#pragma once

#include "advisor/change/journal.h"
#include "advisor/rules/rule.h"

/* --- change.c: where and how each kind is written --- */

#define ST_CHANGE_PATH_BYTES 320

/** How one change is written on one OS. */
struct st_change_form {
    bool running_only;                /* a running value without a file: the rest is empty */
    char path[ST_CHANGE_PATH_BYTES];  /* the file for ever */
    char part[ST_CHANGE_KEY_BYTES];   /* what the path is made of besides the rule: a unit, a user ...; "" */
    char name[ST_CHANGE_VALUE_BYTES]; /* of the setting, as other files name it, too; of a card's reserve the
                                         card behind it */
    char line[512];                   /* the line(s) in that file, with a newline at the end */
};

/** @return 0, -ENOTSUP (no such kind on this OS), -EINVAL: key or value is not what this kind takes, more
 * than one line, too long, or has a character that would end the quotes. */
ST_NODISCARD int st_change_form(enum st_os os, const char *rule, const struct st_change *change,
                                struct st_change_form *ret);
/** The file of a rule and a part (see above). @return 0, -ENOTSUP, -EINVAL. */
ST_NODISCARD int st_change_path(enum st_os os, enum st_change_kind kind, const char *rule, const char *part,
                                char *buf, size_t buf_bytes);
/** The name of a kind in the journal; "value": it has no file. */
const char *st_change_name(enum st_change_kind kind);
/** The text of a file, or a block: whose it is, what stands once in it, and these lines. @return for free();
 * NULL: out of memory. */
char *st_change_text(enum st_os os, enum st_change_kind kind, const char *rule, const char *lines);
/** Is it a block in a file of others? */
bool st_change_is_block(enum st_os os, enum st_change_kind kind);
/** Is that a file in the home folder of the user who plays? It is written with that user's rights only. */
bool st_change_is_users(enum st_change_kind kind);
/** When the file takes effect, a clause for people; NULL: at once. */
const char *st_change_then(enum st_change_kind kind);
/** The command (for sh, as root) that makes files of this kind take effect: update-grub ...; NULL: none. */
const char *st_change_command(enum st_change_kind kind);

/** Which other files that the same program reads name one of these settings: "/etc/x:3, /etc/y:8 and 2 more".
 * Which of them wins is not judged. @return how many lines; 0: buf is empty. */
size_t st_change_others(struct st_machine *machine, const struct st_entry *entry, char *buf,
                        size_t buf_bytes);

/* --- change_boot.c: the kernel's command line --- */

/** Does GRUB read drop-ins here? Else options of the kernel are set by hand. */
bool st_change_has_boot_files(struct st_machine *machine);
/** Where an option of the kernel's command line is put by hand, if GRUB reads no drop-ins
 * (ST_KEY_BOOT_OPTIONS). ret_path: the file that shows it. @return 0 or -ENOENT: GRUB's drop-ins, or not
 * known. */
ST_NODISCARD int st_change_boot_by_hand(struct st_machine *machine, char *buf, size_t buf_bytes,
                                        const char **ret_path);

/* --- change.c: what is there now --- */

#define ST_CHANGE_FILE_BYTES 65536 /* a longer file is not one that people write settings into */
#define ST_CHANGE_TEXT_BYTES 4096

/** A running value: of "a [b] c" the chosen b; without blanks at the ends. target: a path, or a sysctl.
 * @return 0, -ENOENT, -ENOTSUP (not to be had here), -EBADMSG (it has tabs or lines), ... */
ST_NODISCARD int st_change_value_read(struct st_machine *machine, const char *target, char *buf,
                                      size_t buf_bytes);
/** A text file without NUL bytes, at most ST_CHANGE_FILE_BYTES. *ret is for free(). */
ST_NODISCARD int st_change_file_read(struct st_machine *machine, const char *path, char **ret);
/** Is the folder there? @return 0, -ENOENT, or what reading said. */
ST_NODISCARD int st_change_folder_look(struct st_machine *machine, const char *path);
/** FNV-1a, 64 bits: tells whether a text is the same, not who wrote it. */
uint64_t st_change_hash(const char *text, size_t bytes);
/** What is ours of a file's text, as entry->hash has it: all of it, or a block. ret_bytes: its length.
 * @return NULL: not there as it was written. */
const char *st_change_find(enum st_os os, const struct st_entry *entry, const char *text, size_t *ret_bytes);
/** Is the running value `value`? */
bool st_change_value_is(struct st_machine *machine, const char *target, const char *value);

enum st_entry_state {
    ST_ENTRY_IN_PLACE,
    ST_ENTRY_DIFFERS,
    ST_ENTRY_GONE, /* the file, its block or the sysctl is not there */
    ST_ENTRY_UNREAD,
};
/** Is it as we wrote it? @param ret_detail what is there, or why it cannot be read, for people; "": nothing
 * to say. For a turn. */
enum st_entry_state st_change_state(struct st_machine *machine, const struct st_entry *entry,
                                    const char **ret_detail);
