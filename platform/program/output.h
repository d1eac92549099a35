/* Output files (-o FILE): written as a temporary file and renamed when complete. */
#pragma once

#include <jansson.h>

#include "platform/destination.h"
#include "platform/program/locale.h"

struct st_output {
    FILE *stream;
    struct st_destination file;   /* dir_fd -1: standard output */
    char temporary[NAME_MAX + 9]; /* temporary file in the same folder; "": the file is written
                                     directly (a device, a FIFO) */
};

/** Opens the output. A replaced file keeps its mode and, as far as the caller may set them, owner
 * and group. @param path NULL or "-": standard output. @return 0 or -errno; st_destination_error
 * has the text, since root does not follow every link (platform/destination.h). */
ST_NODISCARD int st_output_open(struct st_output *output, const char *path);

/** Closes the output. @param keep true: the file replaces the old one; false: what was written is
 * discarded, and the old file stays. @return 0 or -errno. */
ST_NODISCARD int st_output_close(struct st_output *output, bool keep);

/** Opens a file, writes a whole text, closes. @return 0 or the first error, -errno. */
ST_NODISCARD int st_output_write(const char *path, const char *text, size_t bytes);

/** Writes a document (NULL: out of memory) to standard output and releases it. @return an st_exit,
 * after a message. */
int st_output_json(json_t *document);

/** Prints the text that was collected since st_locale_begin. @return `status`, or a failure after a
 * message: out of memory. */
int st_output_text(struct st_locale_stream *stream, int status);
