/* Text on a terminal: wrapped, and safe to show. */
#include "advisor/report/print.h"

#include <string.h>

#include "core/text/safe.h"
#include "core/text/text.h"

static int columns(const char *text, size_t bytes)
{
    int n = 0;
    ST_EACH_OF (c, text, bytes)
        n += ((unsigned char)*c & 0xC0) != 0x80;
    return n;
}

/** Where the word that begins here ends; a unit belongs to the number before it. */
static size_t word_end(const char *line, size_t bytes, size_t begin)
{
    static const char *const units[] = {" %", " µs", " ms", " kHz"};
    size_t end = begin;
    while (end < bytes && line[end] != ' ' && line[end] != '\t')
        end++;
    for (size_t i = 0; i < ST_ARRAY_LEN(units) && end > begin; i++) {
        const size_t unit = strlen(units[i]);
        if (line[end - 1] >= '0' && line[end - 1] <= '9' && end + unit <= bytes &&
            strncmp(line + end, units[i], unit) == 0)
            return word_end(line, bytes, end + 1);
    }
    return end;
}

static void spaces(FILE *out, int n)
{
    for (int i = 0; i < n; i++)
        fputc(' ', out);
}

/** @return the column after it. */
static int print_label(const struct st_printer *printer, int label_indent, const char *label, int indent)
{
    const int end = label_indent + st_text_columns(label);
    spaces(printer->out, label_indent);
    st_safe_print(printer->out, label, ST_TEXT_TO_NUL);
    const int column = end < indent ? indent : end + (label[0] != '\0');
    spaces(printer->out, column - end);
    return column;
}

/** One line of the text, from `column`; ends below `indent`. */
static void wrap_line(const struct st_printer *printer, int column, int indent, const char *line,
                      size_t bytes)
{
    bool first = true;
    size_t i = 0;
    while (i < bytes) {
        while (i < bytes && (line[i] == ' ' || line[i] == '\t'))
            i++;
        const size_t end = word_end(line, bytes, i);
        const int word = columns(line + i, end - i);
        if (word == 0)
            break;
        if (!first && printer->width > 0 && column + 1 + word > printer->width) {
            fputc('\n', printer->out);
            spaces(printer->out, indent);
            column = indent;
            first = true;
        }
        if (!first) {
            fputc(' ', printer->out);
            column++;
        }
        st_safe_print(printer->out, line + i, end - i);
        column += word;
        first = false;
        i = end;
    }
    fputc('\n', printer->out);
}

static void print_lines(const struct st_printer *printer, int column, int indent, const char *text, bool wrap)
{
    for (const char *line = text;;) {
        const size_t bytes = strcspn(line, "\n");
        if (wrap) {
            wrap_line(printer, column, indent, line, bytes);
        } else {
            st_safe_print(printer->out, line, bytes);
            fputc('\n', printer->out);
        }
        if (line[bytes] == '\0' || line[bytes + 1] == '\0')
            break;
        line += bytes + 1;
        spaces(printer->out, indent);
        column = indent;
    }
}

void st_print_on(const struct st_printer *printer, int column, const char *text)
{
    wrap_line(printer, column, column, text, strlen(text));
}

void st_print_wrapped(const struct st_printer *printer, int label_indent, const char *label, int indent,
                      const char *text)
{
    print_lines(printer, print_label(printer, label_indent, label, indent), indent, text, true);
}

void st_print_verbatim(const struct st_printer *printer, int label_indent, const char *label, int indent,
                       const char *text)
{
    print_lines(printer, print_label(printer, label_indent, label, indent), indent, text, false);
}
