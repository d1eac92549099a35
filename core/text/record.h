/* One description of a record for all its forms: the line between programs, the row in SQLite, the JSON.
 * A record is a struct, described by a table with a row for each member. Pure; threads: any. */
#pragma once

#include "core/base.h"

enum st_form {
    ST_FORM_NUMBER, /* a bool, an int (an enum too), or an int64_t */
    ST_FORM_WORD,   /* a number, written as a word */
    ST_FORM_NAME,   /* char[]: foreign bytes, made safe when read from a line */
};

/* Forms that contain a member. */
#define ST_FIELD_LINE 1U /* the line of a helper program, which may set only such members */
#define ST_FIELD_FILE 2U /* the row in SQLite */
#define ST_FIELD_JSON 4U
#define ST_FIELD_ALL  (ST_FIELD_LINE | ST_FIELD_FILE | ST_FIELD_JSON)

struct st_field {
    const char *name; /* key of the line, column, and member of the JSON */
    enum st_form form;
    unsigned in;      /* ST_FIELD_* */
    size_t at, bytes; /* offset and size of the member in the struct */
    int64_t none, min,
        max; /* none: the value for "unknown", which is omitted. A value outside of min .. max is refused when
                read from a line, unknown when read from a file, and limited when written */
    const char *(*word)(int value); /* word for each value of 0 .. max */
};

#define ST_FIELD_AT(type, member) offsetof(type, member), sizeof(((type *)NULL)->member)

struct st_record {
    const struct st_field *fields;
    size_t n;
};

/** A number or word, limited to its range. */
int64_t st_record_number(const struct st_field *field, const void *from);
bool st_record_is_known(const struct st_field *field, const void *from);

/** A name, or the word for a value. */
const char *st_record_text(const struct st_field *field, const void *from);

/** @return false: out of range, or no such word; nothing is written. */
bool st_record_set_number(const struct st_field *field, int64_t value, void *ret);
/** As st_record_set_number, from text; a name is cut. */
bool st_record_set_text(const struct st_field *field, const char *text, void *ret);

/** Appends " busy_ns=28000000 client=Heavy%20Reverb": the known members of ST_FIELD_LINE. In a name, "%"
 * and two hexadecimal digits stand for a byte: a blank, "%", or a byte that is not printable ASCII. */
void st_record_line(const struct st_record *record, const void *from, char *buf, size_t buf_bytes);

/** Parses a line of st_record_line. @param ret members that are not in the line stay unchanged. @return 0,
 * -EBADMSG: malformed, or a key that is not allowed in a line. */
ST_NODISCARD int st_record_parse(const struct st_record *record, const char *text, void *ret);
