/* Text for terminals. */
#include "cli/text.h"

#include <stdbool.h>
#include <string.h>

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
    for (size_t i = 0; i < bytes; i++)
        n += ((unsigned char)text[i] & 0xc0) != 0x80;
    return n;
}

/* Words of text from column `at` on. */
static void wrap_from(FILE *out, const char *text, int at, int indent, int width)
{
    int column = at;
    bool first = true;
    while (*text != '\0') {
        const size_t bytes = strcspn(text, " ");
        const int word = columns_of(text, bytes);
        if (!first && column + 1 + word > width) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
            first = true;
        }
        if (!first) {
            fputc(' ', out);
            column++;
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
    wrap_from(out, text, 0, indent, width);
}

void st_text_field(FILE *out, const char *label, const char *text, int label_columns, int width)
{
    const int columns = st_text_columns(label);
    st_text_pad(out, label, label_columns);
    wrap_from(out, text, columns < label_columns ? label_columns : columns + 1, label_columns, width);
}
