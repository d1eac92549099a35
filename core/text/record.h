/* Describes a struct once for all its forms: the line of a helper program, the row in SQLite, the
 * JSON. The description is a table with a row for each member. Pure; threads: any. */
#pragma once

#include "core/base.h"

enum st_form {
    ST_FORM_NUMBER, /* a bool, an int or enum, or an int64_t */
    ST_FORM_WORD,   /* a number that is written as a word */
    /* char[]: may be text of another program, which is made safe when it is read from a line */
    ST_FORM_NAME,
};

/* Bits of st_field.in: the forms of the struct that contain a member. */
#define ST_FIELD_LINE 1U /* a line of a helper program, which can set only these members */
#define ST_FIELD_FILE 2U /* a row in SQLite */
#define ST_FIELD_JSON 4U
#define ST_FIELD_ALL  (ST_FIELD_LINE | ST_FIELD_FILE | ST_FIELD_JSON)

struct st_field {
    const char *name; /* key in the line, column in SQLite, and key in the JSON */
    enum st_form form;
    unsigned in;      /* the forms that have this member: bits ST_FIELD_* */
    size_t at, bytes; /* offset and size of the member in the struct */
    /* none: the value that means unknown; it is not written. min, max: the allowed range; a value
     * outside is refused in a line, counts as unknown in a file, and is limited when it is
     * written */
    int64_t none, min, max;
    const char *(*word)(int value); /* the word for each value of 0 .. max, for ST_FORM_WORD */
};

#define ST_FIELD_AT(type, member) offsetof(type, member), sizeof(((type *)NULL)->member)

struct st_record {
    const struct st_field *fields;
    size_t n;
};

/** The value of a number or word, limited to its range. */
int64_t st_record_number(const struct st_field *field, const void *from);
bool st_record_is_known(const struct st_field *field, const void *from);

/** The text of a member that is a name; for other members the word for their value. */
const char *st_record_text(const struct st_field *field, const void *from);

/** Sets a number. @return false: out of range; nothing was written. */
bool st_record_set_number(const struct st_field *field, int64_t value, void *ret);
/** Sets a member from text; a name that is too long is cut. @return false: out of range, or no such
 * word; nothing was written. */
bool st_record_set_text(const struct st_field *field, const char *text, void *ret);

/** Appends " busy_ns=28000000 client=Heavy%20Reverb": the known members of ST_FIELD_LINE. In a
 * name, "%" and two hexadecimal digits stand for a byte: a blank, "%", or a byte that is not
 * printable ASCII. */
void st_record_line(const struct st_record *record, const void *from, char *buf, size_t buf_bytes);

/** Parses a line of st_record_line. @param ret members that are not in the line stay unchanged.
 * @return 0, -EBADMSG: malformed, or a key that is not allowed in a line. */
ST_NODISCARD int st_record_parse(const struct st_record *record, const char *text, void *ret);
