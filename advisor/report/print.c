/* Text on a terminal: wrapped, and safe to show. */
#include "advisor/report/print.h"

#include "core/text/safe.h"
#include "core/text/text.h"

/** @return the column after it. */
static int print_label(const struct st_printer *printer, int label_indent, const char *label, int indent)
{
    const int end = label_indent + st_text_columns(label);
    const int column = end < indent ? indent : end + (label[0] != '\0');
    fprintf(printer->out, "%*s", label_indent, "");
    st_safe_print(printer->out, label, ST_TEXT_TO_NUL);
    fprintf(printer->out, "%*s", column - end, "");
    return column;
}

static void print_lines(const struct st_printer *printer, int column, int indent, const char *text, bool wrap)
{
    for (const char *line = text;;) {
        const size_t bytes = strcspn(line, "\n");
        if (wrap) {
            st_text_flow(printer->out, line, bytes,
                         &(struct st_text_flow){.column = column, .indent = indent, .width = printer->width});
        } else {
            st_safe_print(printer->out, line, bytes);
            fputc('\n', printer->out);
        }
        if (line[bytes] == '\0' || line[bytes + 1] == '\0')
            break;
        line += bytes + 1;
        fprintf(printer->out, "%*s", indent, "");
        column = indent;
    }
}

void st_print_on(const struct st_printer *printer, int column, const char *text)
{
    print_lines(printer, column, column, text, true);
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
