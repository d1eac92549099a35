/* One description of a record for all its forms: the line between programs, the row of SQLite, the JSON. A
 * record is a struct; a table has a row for each member. Pure; threads: any. */
#pragma once

#include "core/base.h"

enum st_form {
    ST_FORM_NUMBER, /* a bool, an int (an enum too), or an int64_t */
    ST_FORM_WORD,   /* the same, written as a word */
    ST_FORM_NAME,   /* char[]: bytes of others, made safe when they are read from a line */
};

/* Where a member is written, and from where it is read. */
#define ST_FIELD_LINE 1U /* the line of a helper program: which may set no other member */
#define ST_FIELD_FILE 2U /* the row in SQLite */
#define ST_FIELD_JSON 4U
#define ST_FIELD_ALL  (ST_FIELD_LINE | ST_FIELD_FILE | ST_FIELD_JSON)

struct st_field {
    const char *name; /* everywhere the same: key of the line, column, member of the JSON */
    enum st_form form;
    unsigned in;            /* ST_FIELD_* */
    size_t at, bytes;       /* of the member */
    int64_t none, min, max; /* none: unknown, left out. What is read outside of min .. max is refused (a
                               line) or unknown (a file); what is written is moved into it */
    const char *(*word)(int value); /* of each value of 0 .. max */
};

#define ST_FIELD_AT(type, member) offsetof(type, member), sizeof(((type *)NULL)->member)

struct st_record {
    const struct st_field *fields;
    size_t n;
};

/** A number or word, moved into the range. */
int64_t st_record_number(const struct st_field *field, const void *from);
bool st_record_is_known(const struct st_field *field, const void *from);

/** The name, or the word of the value. */
const char *st_record_text(const struct st_field *field, const void *from);

/** @return false, and nothing is written: it is out of range, or no such word. */
bool st_record_set_number(const struct st_field *field, int64_t value, void *ret);
/** The same from text; a name is cut. */
bool st_record_set_text(const struct st_field *field, const char *text, void *ret);

/** Appends " busy_ns=28000000 client=Heavy%20Reverb": the members of ST_FIELD_LINE that are known. In a name,
 * "%" and two hexadecimal digits stand for a byte: a blank, "%", or no printable ASCII. */
void st_record_line(const struct st_record *record, const void *from, char *buf, size_t buf_bytes);

/** Reads that to the end of the text. @param ret  as it is where nothing is written. @return 0, -EBADMSG:
 * malformed, or a key that a line does not have. */
ST_NODISCARD int st_record_parse(const struct st_record *record, const char *text, void *ret);
