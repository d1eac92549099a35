/* -o FILE: written beside the file and moved over it when it is complete. */
#ifndef ST_CLI_OUTPUT_H
#define ST_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/base.h"

struct st_output {
    FILE *stream;
    const char *path; /* borrowed; NULL: standard output */
    char *target;     /* the file that path leads to; NULL: written directly */
    char *temporary;  /* NULL: written directly (a device, a FIFO) */
};

/** path: NULL or "-" is standard output. @return 0 or -errno. */
ST_NODISCARD int st_output_open(struct st_output *output, const char *path);

/** Could st_output_open write there now? Leaves nothing behind, and does not open a device or a FIFO.
 * @return 0 or -errno. */
ST_NODISCARD int st_output_check(const char *path);

/** Do both lead to one place, however they are spelled? A hard link is another place: it is replaced. */
bool st_output_same(const char *a, const char *b);

/** keep: false throws away what was written and leaves the file as it was. @return 0 or -errno. */
ST_NODISCARD int st_output_close(struct st_output *output, bool keep);

/** Writes all of a text. Needs no st_output_open. @return 0 or -errno of what went wrong first. */
ST_NODISCARD int st_output_write(const char *path, const char *text, size_t bytes);

#endif
