/* What sleeptune can change and undo: where each kind of change is written, and what is there now.
 *
 * A change is a whole file of ours, one for each rule, in a folder that a program reads; so no line
 * of others is touched. FreeBSD's sysctl.conf alone has no such folder: there it is a marked block.
 * All functions are for one thread; they reach files through the platform only; texts that they
 * return are valid until st_text_forget(). */
#pragma once

#include "advisor/change/journal.h"

/* --- change.c: where and how each kind is written --- */

/** Which texts are valid as a key or a value. */
struct st_change_fit {
    const char *of;     /* letters, digits and these characters; NULL: any text of one line */
    const char *begins; /* required beginning; NULL: none */
};

/** Where the file of a change is, and its line. %r stands for the rule; %k for the key, or its part
 * after the colon; %p for the part: the key, or what precedes its blank or colon; %v for the
 * value. */
struct st_change_place {
    const char *path,
        *line;        /* path and line of the file; NULL: this kind is not available on this OS */
    const char *read; /* files and folders that the same program reads, separated by blanks */
};

/** How each kind of change is written; index: enum st_change_kind. */
extern const struct st_change_row {
    const char *name; /* name in the journal; "value": the kind has no file */
    struct st_change_place form[ST_OS_N];
    const char *then; /* a clause for people that says when the file takes effect; NULL: at once */
    struct st_change_fit key, value;
    const char *head;    /* text at the top of the file, after sleeptune's mark; NULL: none */
    const char *comment; /* what begins a comment in the file; NULL: "#" */
    const char *part; /* character that ends the first part of the key, %p; "": %p is the whole key;
                         NULL: there is no %p */
    const char *command; /* shell command, run as root, that makes the file take effect; NULL: none
                            needed */
    bool running;        /* the kind changes the running value, besides the file if it has one */
    bool by_name; /* the program reads files in the order of their names, whatever their folder */
    bool users;   /* the file is in the home folder of the user who plays, and is written with that
                     user's   rights */
    /* How to find the name of the setting. A line of another file that contains this name sets the
     * same thing. The name is the first word of the key or, with named_by_value, of the value; if
     * the character `named_behind` is in the text, the name follows that character. */
    bool named_by_value;
    char named_behind;
    const char *named; /* a second name to search for, with a blank at its end; NULL: none */
} st_change_rows[ST_CHANGE_KINDS];

/** Finds out how a change is written on one OS: sets rule, kind, file, part, names and target of
 * *ret, unless the change is a running value only. @param ret_line the line(s) of the file, each
 * with a newline. @return false: this OS has no such kind, or key or value is not valid for it
 * (more than one line, too long, or with a character that would end the quotes). */
ST_NODISCARD bool st_change_form(enum st_os os, const char *rule, const struct st_change *change,
                                 struct st_entry *ret, const char **ret_line);
/** Sets target and block of an entry by its rule, kind and part. @return false: not valid, see
 * st_change_form. */
ST_NODISCARD bool st_change_path(enum st_os os, struct st_entry *entry);
/** Completes a step whose text has only the lines of its changes: adds the marks of the file or
 * block and the `head`, and sets the hash. @return false: out of memory. */
ST_NODISCARD bool st_change_finish(struct st_entry *step);

/** Which other files that the same program reads contain one of these settings: "/etc/x:3,
 * /etc/y:8"; "": none. Does not judge which file wins. */
const char *st_change_others(struct st_platform *machine, const struct st_entry *entry);

/* --- change_boot.c: the kernel's command line --- */

/** Where the user puts an option of the kernel's command line by hand (ST_KEY_BOOT_OPTIONS). @param
 * ret_path the file that shows it. @return "": in GRUB's drop-ins, which apply writes; NULL: not
 * known. */
const char *st_change_boot_by_hand(struct st_platform *machine, const char **ret_path);

/* --- change.c: what is there now --- */

/* bytes; a longer file is neither one with settings nor a journal */
#define ST_CHANGE_FILE_BYTES (1 << 20)

/** Reads a running value, without blanks at its ends; of a list such as "a [b] c", only the chosen
 * word b. @param target a path, or a sysctl. @return 0, -ENOENT, -ENOTSUP (not available on this
 * system), -EBADMSG (has tabs or newlines, or is too long), ... */
ST_NODISCARD int st_change_value_read(struct st_platform *machine, const char *target,
                                      const char **ret);
/** Is the running value `value`? */
bool st_change_value_is(struct st_platform *machine, const char *target, const char *value);
/** Reads a text file without NUL bytes, at most ST_CHANGE_FILE_BYTES. Free *ret with free(). */
ST_NODISCARD int st_change_file_read(struct st_platform *machine, const char *path, char **ret);
/** Does the folder exist? @return 0, -ENOENT, or the error of reading. */
ST_NODISCARD int st_change_folder_look(struct st_platform *machine, const char *path);
/** FNV-1a, 64 bits, as 16 digits: shows whether a text is the same, not who wrote it. */
const char *st_change_hash(const char *text, size_t bytes);
/** Finds what sleeptune wrote in a file's text, the whole file or a block, by entry->hash. @param
 * ret_bytes its length; of one that someone changed, any number above 0; 0: it is not there.
 * @return NULL: the text is not there as it was written. */
const char *st_change_find(const struct st_entry *entry, const char *text, size_t *ret_bytes);

enum st_entry_state {
    ST_ENTRY_IN_PLACE,
    ST_ENTRY_DIFFERS,
    ST_ENTRY_GONE, /* the file or sysctl does not exist, or the file lacks sleeptune's lines */
    ST_ENTRY_UNREAD,
};
struct st_look {
    enum st_entry_state state;
    int error; /* why the file or sysctl could not be read; 0: it was read (ST_ENTRY_GONE then says
                  that the file has no lines of sleeptune's) */
    const char
        *now; /* the running value, valid until st_text_forget(); NULL: a file, or an error */
};
/** Is the file or running value of the entry still as sleeptune wrote it? */
struct st_look st_change_look(struct st_platform *machine, const struct st_entry *entry);
