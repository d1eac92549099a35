/* Prints text on a terminal: wrapped, and without control characters. Internal to advisor/. */
#pragma once

#include "core/base.h"

struct st_report;
struct st_wish;

struct st_printer {
    FILE *out;
    int width; /* columns; 0: do not wrap */
    bool colour;
    bool all;                       /* print the details as well */
    const struct st_report *report; /* the report that is printed; NULL: one rule */
    const struct st_wish *wish;     /* the period that the settings are checked for */
};

/** Prints the lines of `text` after `label`, in a column that begins at `indent`. The label begins
 * at column `label_indent` and is padded to `indent`. @param wrap wrap lines at blanks; false:
 * leave lines as they are, whatever their length, for commands. */
void st_print_lines(const struct st_printer *printer, int label_indent, const char *label,
                    int indent, const char *text, bool wrap);

/** Prints text, wrapped, on a line that has already begun: from `column` on, where further lines
 * begin as well. */
void st_print_on(const struct st_printer *printer, int column, const char *text);
