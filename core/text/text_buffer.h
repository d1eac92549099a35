/* Text that is put together piece by piece: it grows as needed, or stops at the end of the caller's array. */
#pragma once

#include "core/base.h"

/** Zeroed to begin. Once a piece does not fit, the buffer has failed and takes nothing more. */
struct st_text_buffer {
    char *text;   /* ends with a 0; NULL: nothing was added yet */
    size_t bytes; /* of text, without its 0 */
    size_t room;  /* bytes allocated, or of the array */
    bool fixed;   /* text is the caller's array */
    bool failed;  /* out of memory, or cut at the end of the array */
};

/** A buffer on an array of the caller's, emptied. room >= 1 */
struct st_text_buffer st_text_buffer_on(char *array, size_t room);

void st_text_buffer_add(struct st_text_buffer *buffer, const char *text, size_t bytes);
void st_text_buffer_printf(struct st_text_buffer *buffer, const char *format, ...) ST_PRINTF(2, 3);

/** The text of a growing buffer, "" if nothing was added; the caller frees it, and the buffer is empty again.
 * @return NULL: out of memory, now or at an earlier piece. */
char *st_text_buffer_take(struct st_text_buffer *buffer);
