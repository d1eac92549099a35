/* Text for terminals. */
#pragma once

#include "core/base.h"

/** A printed text of at most ST_TEXT_MAX_BYTES - 1 bytes, cut if it is longer. It lives until its thread
 * forgets its texts: at the end of a turn of a loop; in a command, until that ends. A thread that has
 * ST_TEXT_TURN_BYTES of them gets the oldest ones' room. Threads: any, each has its own; never the loop that
 * measures, since it allocates. */
#define ST_TEXT_MAX_BYTES  8192
#define ST_TEXT_TURN_BYTES (16 * 1024 * 1024)
ST_NODISCARD char *st_text(const char *format, ...) ST_PRINTF(1, 2);

/** Room of at most ST_TEXT_MAX_BYTES that lives as long. */
ST_NODISCARD char *st_text_room(size_t bytes);

/** Ends the life of all texts of this thread, and gives their memory back. */
void st_text_forget(void);

static inline bool st_text_is(const char *text, const char *other)
{
    return strcmp(text, other) == 0;
}

static inline bool st_text_begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/** The text; the other one if it is NULL or "". */
static inline const char *st_text_or(const char *text, const char *other)
{
    return text != NULL && text[0] != '\0' ? text : other;
}

/** Both; "" if the second is NULL or "". */
const char *st_text_with(const char *before, const char *text);

/** Both, and what is between them; the only one that is neither NULL nor "". */
const char *st_text_joined(const char *one, const char *between, const char *other);

/** What ends a word behind the number `n`: "1 stream", "2 streams". */
#define ST_PLURAL(n) ((n) == 1 ? "" : "s")

/** Does it end so, behind something else? */
static inline bool st_text_ends(const char *text, const char *with)
{
    const size_t len = strlen(text), with_len = strlen(with);
    return len > with_len && st_text_is(text + len - with_len, with);
}

/** The line behind this one; the end of the text behind the last. */
static inline const char *st_text_next_line(const char *line)
{
    line += strcspn(line, "\n");
    return line + (*line == '\n');
}

/** Is this one of the words? Does it begin with one of them? Has it one of them in it? They end with NULL. */
bool st_text_is_among(const char *text, const char *const *words);
bool st_text_begins_among(const char *text, const char *const *words);
bool st_text_has_among(const char *text, const char *const *words);

/** The first `len` bytes of a text. @return false: they do not fit, and nothing is written. */
bool st_text_copy(char *ret, size_t ret_bytes, const char *text, size_t len);

/** Puts `to` in the place of each `from`. @return text. */
char *st_text_swap(char *text, char from, char to);

/** For each part between `separators`, as strtok_r(): it cuts the text up. */
#define ST_TEXT_EACH(part, text, separators)                                                                 \
    for (char *part##_rest = NULL, *part = strtok_r((text), (separators), &part##_rest); part != NULL;       \
         part = strtok_r(NULL, (separators), &part##_rest))

/** Appends to the text of an array of buf_bytes; what does not fit is cut. */
void st_text_append(char *buf, size_t buf_bytes, const char *format, ...) ST_PRINTF(3, 4);
/** The same for the array itself; for a pointer it does not compile. */
#define ST_APPEND(array, ...)                                                                                \
    st_text_append((array), sizeof(array) + 0 * sizeof(char[1 - 2 * ST_IS_POINTER(array)]), __VA_ARGS__)

/** The same behind `separator`, unless it is the first text there. */
void st_text_join(char *buf, size_t buf_bytes, const char *separator, const char *format, ...)
    ST_PRINTF(4, 5);

/** Columns of UTF-8 text: two of a wide character. */
int st_text_columns(const char *text);

/** Cuts text after `columns`: a progress line that wraps cannot be overwritten. @return text. */
char *st_text_clip(char *text, int columns);

/** Text, then spaces up to `columns`, at least one. */
void st_text_pad(FILE *out, const char *text, int columns);

/** How text is wrapped. */
struct st_text_flow {
    int column; /* where the line stands that has been begun */
    int indent; /* of further lines */
    int width;  /* columns; 0: nothing is wrapped */
};

/** Prints the words of one line of text, wrapped between them, and a newline. A number and its unit stay
 * together. Control characters are made safe (core/text/safe.h). */
void st_text_flow(FILE *out, const char *text, size_t bytes, const struct st_text_flow *flow);

/** The same from the beginning of a line on. */
void st_text_wrap(FILE *out, const char *text, int indent, int width);

/** Prints a text and wraps it as a paragraph of its own. */
void st_text_say(FILE *out, int width, const char *format, ...) ST_PRINTF(3, 4);

/** Ends a stream of open_memstream(). @return its text, which the caller frees; NULL: out of memory. */
char *st_text_take(FILE *out, char **text);

/** A label in the first `label_columns`, then text wrapped beside it. */
void st_text_field(FILE *out, const char *label, const char *text, int label_columns, int width);

/** Labels in the first columns, and beside each a text of fewer than ST_TEXT_ROW_BYTES bytes. */
#define ST_TEXT_ROW_BYTES 2048
struct st_text_sheet {
    FILE *out;
    int label_columns, width;
};
void st_text_row(const struct st_text_sheet *sheet, const char *label, const char *format, ...)
    ST_PRINTF(3, 4);
