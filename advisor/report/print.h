/* Prints text on a terminal: wrapped, and without control characters. Internal to advisor/. */
#pragma once

#include "core/base.h"

struct st_report;

struct st_printer {
    FILE *out;
    int width; /* columns; 0: do not wrap */
    bool colour;
    bool all;                       /* print the details as well */
    const struct st_report *report; /* the report that is printed */
};

/** Prints `text` after `label`, wrapped at blanks; further lines begin at column `indent`. A newline in
 * the text starts a new line. The label begins at column `label_indent` and is padded to `indent`. */
void st_print_wrapped(const struct st_printer *printer, int label_indent, const char *label, int indent,
                      const char *text);

/** As st_print_wrapped, on a line that has already begun: prints from `column`, where further lines begin
 * as well. */
void st_print_on(const struct st_printer *printer, int column, const char *text);

/** As st_print_wrapped, but without wrapping, whatever the length of a line: for commands. */
void st_print_verbatim(const struct st_printer *printer, int label_indent, const char *label, int indent,
                       const char *text);
