/* Text on a terminal: wrapped, and safe to show. Internal to advisor/. */
#pragma once

#include "core/base.h"

struct st_printer {
    FILE *out;
    int width; /* columns; 0: do not wrap */
    bool colour;
    bool all; /* the details, too */
};

/**
 * Prints `text` after `label`, wrapped at blanks; further lines begin at column `indent`. A newline in the
 * text begins a further line. The label begins at column `label_indent` and is padded to `indent`. */
void st_print_wrapped(const struct st_printer *printer, int label_indent, const char *label, int indent,
                      const char *text);

/** The same, on a line that has been begun: from `column`, where further lines begin, too. */
void st_print_on(const struct st_printer *printer, int column, const char *text);

/** As st_print_wrapped, but a line of the text stays a line, whatever its length: commands. */
void st_print_verbatim(const struct st_printer *printer, int label_indent, const char *label, int indent,
                       const char *text);
