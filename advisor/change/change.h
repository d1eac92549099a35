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

/** What a text may be. */
struct st_change_fit {
    const char *of;     /* letters, digits and these; NULL: any of one line */
    const char *begins; /* NULL: with any */
};

/** In these texts %r is the rule; %p the part: the key, or of it what stands before the blank or colon; %k
 * the key, or what stands behind the colon; %v the value. */
struct st_change_place {
    const char *path, *line; /* NULL: no such kind on this OS */
    const char *read;        /* files and folders that the same program reads, with blanks between */
};

/** By kind. */
extern const struct st_change_row {
    const char *name; /* in the journal; "value": it has no file */
    struct st_change_place form[ST_OS_N];
    const char *then; /* when the file takes effect, a clause for people; NULL: at once */
    struct st_change_fit key, value;
    const char *head;    /* stands once in the file */
    const char *comment; /* NULL: "#" */
    const char *part; /* character that ends the key's first part; "": all of it is one; NULL: it has none */
    const char *command; /* for sh, as root: makes the file take effect; NULL: none is needed */
    bool running;        /* it is a running value, too, or only */
    bool by_name;        /* of two names the later one is read later, whatever its folder */
    bool users; /* a file in the home folder of the user who plays, written with that user's rights only */
    /* what others would call it: a word of the key, or of the value; behind this character, if it is there */
    bool named_by_value;
    char named_behind;
    const char *named; /* before that word */
} st_change_rows[ST_CHANGE_KINDS];

/** How a change is written on one OS: rule, kind, file, part, names and target of *ret, unless it is a
 * running value only. ret_line: the line(s) in that file, with a newline at the end.
 * @return false: there is no such kind on this OS, or key or value is not what this kind takes: more than one
 * line, too long, or with a character that would end the quotes. */
ST_NODISCARD bool st_change_form(enum st_os os, const char *rule, const struct st_change *change,
                                 struct st_entry *ret, const char **ret_line);
/** Sets target and block of an entry by its rule, kind and part. @return false: as above. */
ST_NODISCARD bool st_change_path(enum st_os os, struct st_entry *entry);
/** A step of a plan whose text has the lines alone: puts around them whose file, or block, it is, and what
 * stands once in it; sets the hash. @return false: out of memory. */
ST_NODISCARD bool st_change_finish(struct st_entry *step);

/** Which other files that the same program reads name one of these settings: "/etc/x:3, /etc/y:8 and 2 more";
 * "": none. Which of them wins is not judged. */
const char *st_change_others(struct st_platform *machine, const struct st_entry *entry);

/* --- change_boot.c: the kernel's command line --- */

/** Where an option of the kernel's command line is put by hand (ST_KEY_BOOT_OPTIONS). ret_path: the file that
 * shows it. @return "": in GRUB's drop-ins, which apply writes; NULL: not known. */
const char *st_change_boot_by_hand(struct st_platform *machine, const char **ret_path);

/* --- change.c: what is there now --- */

#define ST_CHANGE_FILE_BYTES (1 << 20) /* a longer file is none of settings, nor a journal */

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
