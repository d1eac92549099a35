/* Text for terminals. */
#include "core/text/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

char *st_text_print(char *buf, size_t bytes, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(buf, bytes, format, args);
    va_end(args);
    return buf;
}

void st_text_append(char *buf, size_t buf_bytes, const char *format, ...)
{
    const size_t at = strlen(buf);
    va_list args;
    va_start(args, format);
    vsnprintf(buf + at, buf_bytes - at, format, args);
    va_end(args);
}

int st_text_columns(const char *text)
{
    int n = 0;
    for (; *text != '\0'; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

char *st_text_clip(char *text, int columns)
{
    int n = 0;
    for (char *c = text; *c != '\0'; c++) {
        if (((unsigned char)*c & 0xc0) != 0x80 && n++ == columns) {
            *c = '\0';
            break;
        }
    }
    return text;
}

void st_text_pad(FILE *out, const char *text, int columns)
{
    fputs(text, out);
    int n = st_text_columns(text);
    do
        fputc(' ', out);
    while (++n < columns);
}

static int columns_of(const char *text, size_t bytes)
{
    int n = 0;
    ST_EACH_OF (c, text, bytes)
        n += ((unsigned char)*c & 0xc0) != 0x80;
    return n;
}

/* Bytes of the first `columns` columns of text that has more. */
static size_t bytes_of(const char *text, int columns)
{
    size_t i = 0;
    for (int n = 0; ((unsigned char)text[i] & 0xc0) == 0x80 || n++ < columns;)
        i++;
    return i;
}

/* Words of text from column `at` on. */
static void wrap_from(FILE *out, const char *text, int at, int indent, int width, bool broken)
{
    int column = at;
    bool first = true;
    while (*text != '\0') {
        size_t bytes = strcspn(text, " ");
        int word = columns_of(text, bytes);
        if (!first && column + 1 + word > width) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
            first = true;
        }
        if (!first) {
            fputc(' ', out);
            column++;
        }
        while (broken && word > width - column && width > indent) {
            const size_t part = bytes_of(text, width - column);
            fwrite(text, 1, part, out);
            fprintf(out, "\n%*s", indent, "");
            text += part;
            bytes -= part;
            word -= width - column;
            column = indent;
        }
        fwrite(text, 1, bytes, out);
        column += word;
        first = false;
        text += bytes;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

void st_text_wrap(FILE *out, const char *text, int indent, int width)
{
    wrap_from(out, text, 0, indent, width, false);
}

void st_text_wrap_broken(FILE *out, const char *text, int indent, int width)
{
    wrap_from(out, text, 0, indent, width, true);
}

void st_text_field(FILE *out, const char *label, const char *text, int label_columns, int width)
{
    const int columns = st_text_columns(label);
    st_text_pad(out, label, label_columns);
    wrap_from(out, text, columns < label_columns ? label_columns : columns + 1, label_columns, width, false);
}

char *st_text_take(FILE *out, char **text)
{
    const bool failed = ferror(out) != 0;
    if (fclose(out) == 0 && !failed)
        return *text;
    free(*text);
    return NULL;
}
