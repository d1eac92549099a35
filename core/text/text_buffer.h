/* Text that is built piece by piece, in a buffer that grows, or in the caller's array. */
#pragma once

#include "core/base.h"

/** All zero at first. If a piece does not fit, the buffer has failed, and takes no further
 * pieces. */
struct st_text_buffer {
    char *text;   /* ends with '\0'; NULL: nothing was added yet */
    size_t bytes; /* length of text without its final '\0' */
    size_t room;  /* bytes allocated, or the size of the array */
    bool fixed;   /* text is the caller's array */
    bool failed;  /* out of memory, or text was cut at the end of the array */
};

/** An empty buffer on the caller's array. @param room >= 1 */
struct st_text_buffer st_text_buffer_on(char *array, size_t room);

void st_text_buffer_add(struct st_text_buffer *buffer, const char *text, size_t bytes);
void st_text_buffer_printf(struct st_text_buffer *buffer, const char *format, ...) ST_PRINTF(2, 3);

/** Takes the text out of a growing buffer, which is empty afterwards; the caller frees the text. ""
 * if nothing was added. @return NULL: out of memory, now or at an earlier piece. */
char *st_text_buffer_take(struct st_text_buffer *buffer);
