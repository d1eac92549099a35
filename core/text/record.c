#include "core/text/record.h"

#include "core/text/number.h"
#include "core/text/safe.h"
#include "core/text/text.h"

#define VALUE_BYTES 256 /* enough for a name of 63 bytes, even if each is escaped ("%20") */

static int64_t number_of(const struct st_field *field, const void *from)
{
    const char *at = (const char *)from + field->at;
    int small;
    int64_t number;
    if (field->bytes == sizeof(bool))
        return *(const bool *)at;
    if (field->bytes == sizeof(small)) {
        memcpy(&small, at, sizeof(small));
        return small;
    }
    memcpy(&number, at, sizeof(number));
    return number;
}

int64_t st_record_number(const struct st_field *field, const void *from)
{
    return ST_MAX(field->min, ST_MIN(number_of(field, from), field->max));
}

bool st_record_is_known(const struct st_field *field, const void *from)
{
    if (field->form == ST_FORM_NAME)
        return *((const char *)from + field->at) != '\0';
    const int64_t number = number_of(field, from);
    return number != field->none && number != INT64_MIN;
}

const char *st_record_text(const struct st_field *field, const void *from)
{
    if (field->form == ST_FORM_NAME)
        return (const char *)from + field->at;
    return field->word((int)st_record_number(field, from));
}

bool st_record_set_number(const struct st_field *field, int64_t value, void *ret)
{
    char *at = (char *)ret + field->at;
    const int small = (int)value;
    if (value < field->min || value > field->max)
        return false;
    if (field->bytes == sizeof(bool))
        *(bool *)at = value != 0;
    else
        memcpy(at, field->bytes == sizeof(small) ? (const void *)&small : &value, field->bytes);
    return true;
}

bool st_record_set_text(const struct st_field *field, const char *text, void *ret)
{
    int64_t value = 0;
    if (field->form == ST_FORM_NAME) {
        /* also clears the bytes behind the end of the name */
        memset((char *)ret + field->at, 0, field->bytes);
        st_safe_copy((char *)ret + field->at, field->bytes, text, ST_TEXT_TO_NUL);
        return true;
    }
    if (field->form == ST_FORM_NUMBER)
        return st_number_i64(text, field->min, field->max, &value) == 0 &&
               st_record_set_number(field, value, ret);
    while (value <= field->max && !st_text_is(field->word((int)value), text))
        value++;
    return st_record_set_number(field, value, ret);
}

void st_record_line(const struct st_record *record, const void *from, char *buf, size_t buf_bytes)
{
    ST_EACH_OF (field, record->fields, record->n) {
        if ((field->in & ST_FIELD_LINE) == 0 || !st_record_is_known(field, from))
            continue;
        st_text_append(buf, buf_bytes, " %s=", field->name);
        if (field->form == ST_FORM_NUMBER) {
            st_text_append(buf, buf_bytes, "%jd", st_record_number(field, from));
            continue;
        }
        for (const char *c = st_record_text(field, from); *c != '\0'; c++)
            st_text_append(buf, buf_bytes, *c > ' ' && *c <= '~' && *c != '%' ? "%c" : "%%%02X",
                           (unsigned char)*c);
    }
}

static int hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads a value up to a blank, and decodes its escapes; a value that is too long is cut. @return
 * the text behind it; NULL: an incomplete escape. */
static const char *read_value(const char *text, char ret[VALUE_BYTES])
{
    size_t n = 0;
    for (; *text != '\0' && *text != ' '; text++) {
        char c = *text;
        if (c == '%') {
            const int high = hex(text[1]), low = high >= 0 ? hex(text[2]) : -1;
            if (low < 0)
                return NULL;
            c = (char)(high * 16 + low);
            text += 2;
        }
        if (n + 1 < VALUE_BYTES)
            ret[n++] = c != '\0' ? c : '?';
    }
    ret[n] = '\0';
    return text;
}

int st_record_parse(const struct st_record *record, const char *text, void *ret)
{
    char value[VALUE_BYTES];
    while (*text == ' ') {
        const char *key = text + 1;
        const size_t len = strcspn(key, "=");
        size_t i = 0;
        while (i < record->n && ((record->fields[i].in & ST_FIELD_LINE) == 0 ||
                                 strlen(record->fields[i].name) != len ||
                                 strncmp(key, record->fields[i].name, len) != 0))
            i++;
        text = i < record->n && key[len] == '=' ? read_value(key + len + 1, value) : NULL;
        if (text == NULL || !st_record_set_text(&record->fields[i], value, ret))
            return -EBADMSG;
    }
    return *text == '\0' ? 0 : -EBADMSG;
}
