/* Prints text on a terminal: wrapped, and without control characters. */
#include "advisor/report/print.h"

#include "core/text/safe.h"
#include "core/text/text.h"

void st_print_on(const struct st_printer *printer, int column, const char *text)
{
    st_text_flow(
        printer->out, text, strlen(text),
        &(struct st_text_flow){.column = column, .indent = column, .width = printer->width});
}

void st_print_lines(const struct st_printer *printer, int label_indent, const char *label,
                    int indent, const char *text, bool wrap)
{
    const int end = label_indent + st_text_columns(label);
    int column = end < indent ? indent : end + (label[0] != '\0');
    fprintf(printer->out, "%*s", label_indent, "");
    st_safe_print(printer->out, label, ST_TEXT_TO_NUL);
    fprintf(printer->out, "%*s", column - end, "");
    for (const char *next = NULL; next == NULL || *next != '\0'; text = next) {
        const size_t bytes = strcspn(text, "\n");
        if (next != NULL)
            fprintf(printer->out, "%*s", column = indent, "");
        if (wrap) {
            st_text_flow(printer->out, text, bytes,
                         &(struct st_text_flow){
                             .column = column, .indent = indent, .width = printer->width});
        } else {
            st_safe_print(printer->out, text, bytes);
            fputc('\n', printer->out);
        }
        next = st_text_next_line(text);
    }
}
