/* Text for terminals: printing, joining, comparing, wrapping. */
#pragma once

#include "core/base.h"

/** Prints a text of at most ST_TEXT_MAX_BYTES - 1 bytes; a longer one is cut. The text lives until
 * its thread calls st_text_forget: a loop calls it after each iteration, a command never. If a
 * thread has more than ST_TEXT_TURN_BYTES of texts, new texts overwrite the oldest ones. Threads:
 * any, each with its own texts; never the cycle loop, since this allocates. */
#define ST_TEXT_MAX_BYTES  8192
#define ST_TEXT_TURN_BYTES (16 * 1024 * 1024)
ST_NODISCARD char *st_text(const char *format, ...) ST_PRINTF(1, 2);

/** Room for a text of at most ST_TEXT_MAX_BYTES; it lives as long as a text of st_text(). */
ST_NODISCARD char *st_text_room(size_t bytes);

/** Frees all texts of this thread. */
void st_text_forget(void);

static inline bool st_text_is(const char *text, const char *other)
{
    return strcmp(text, other) == 0;
}

static inline bool st_text_begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/** `text`, or `other` if `text` is NULL or "". */
static inline const char *st_text_or(const char *text, const char *other)
{
    return text != NULL && text[0] != '\0' ? text : other;
}

/** `before` and `text` joined; "" if `text` is NULL or "". */
const char *st_text_with(const char *before, const char *text);

/** Both texts, with `between` in the middle; if one is NULL or "", the other one alone. */
const char *st_text_joined(const char *one, const char *between, const char *other);

/** A text for XML, HTML and Pango's markup: made safe and escaped (core/text/safe.h); "" for NULL.
 */
const char *st_text_xml(const char *text);

/** Plural ending of a word for the number `n`: "1 stream", "2 streams". */
#define ST_PLURAL(n) ((n) == 1 ? "" : "s")

/** Does `text` end with `with`, after at least one other character? */
static inline bool st_text_ends(const char *text, const char *with)
{
    const size_t len = strlen(text), with_len = strlen(with);
    return len > with_len && st_text_is(text + len - with_len, with);
}

/** The text behind the last '/'; all of it if there is none. */
static inline const char *st_text_base(const char *text)
{
    const char *slash = strrchr(text, '/');
    return slash != NULL ? slash + 1 : text;
}

/** Start of the next line; after the last line, the end of the text. */
static inline const char *st_text_next_line(const char *line)
{
    line += strcspn(line, "\n");
    return line + (*line == '\n');
}

/** Is the text equal to one of the words, does it begin with one, does it contain one? The list of
 * words ends with NULL. */
bool st_text_is_among(const char *text, const char *const *words);
bool st_text_begins_among(const char *text, const char *const *words);
bool st_text_has_among(const char *text, const char *const *words);

/** Copies the first `len` bytes of a text and a '\0'. @return false: there is no room, and nothing
 * was written. */
bool st_text_copy(char *ret, size_t ret_bytes, const char *text, size_t len);

/** Removes ASCII white space at both ends, in place. */
void st_text_trim(char *text);

/** Replaces each character `from` by `to`. @return text. */
char *st_text_swap(char *text, char from, char to);

/** Loops over the parts between `separators`; modifies the text, as strtok_r(). */
#define ST_TEXT_EACH(part, text, separators)                                                       \
    for (char *part##_rest = NULL, *part = strtok_r((text), (separators), &part##_rest);           \
         part != NULL; part = strtok_r(NULL, (separators), &part##_rest))

/** Appends to the text in an array of buf_bytes; text that does not fit is cut. */
void st_text_append(char *buf, size_t buf_bytes, const char *format, ...) ST_PRINTF(3, 4);
/** As st_text_append, for an array; does not compile for a pointer. */
#define ST_APPEND(array, ...)                                                                      \
    st_text_append((array), sizeof(array) + 0 * sizeof(char[1 - 2 * ST_IS_POINTER(array)]),        \
                   __VA_ARGS__)

/** As st_text_append, with `separator` before it unless the array is empty. */
void st_text_join(char *buf, size_t buf_bytes, const char *separator, const char *format, ...)
    ST_PRINTF(4, 5);

/** Width of a UTF-8 text in terminal columns; wide characters have two. */
int st_text_columns(const char *text);

/** Cuts text after `columns` columns, since a progress line that wraps cannot be overwritten.
 * @return text.
 */
char *st_text_clip(char *text, int columns);

/** Prints text, then spaces up to column `columns`, at least one. */
void st_text_pad(FILE *out, const char *text, int columns);

/** Where lines begin and end when text is wrapped. */
struct st_text_flow {
    int column; /* column at which the text begins in the current line */
    int indent; /* column at which further lines begin */
    int width;  /* columns of a line; 0: no wrapping */
};

/** Prints the words of one line of text, wrapped between words, and a newline. A number stays
 * together with its unit. Control characters are made safe (core/text/safe.h). */
void st_text_flow(FILE *out, const char *text, size_t bytes, const struct st_text_flow *flow);

/** As st_text_flow, from the beginning of a line. */
void st_text_wrap(FILE *out, const char *text, int indent, int width);

/** Prints a text as a paragraph of its own, wrapped. */
void st_text_say(FILE *out, int width, const char *format, ...) ST_PRINTF(3, 4);

/** Closes a stream of open_memstream(). @return its text, which the caller frees; NULL: out of
 * memory. */
char *st_text_take(FILE *out, char **text);

/** Prints a label in the first `label_columns` columns, then the text beside it, wrapped. */
void st_text_field(FILE *out, const char *label, const char *text, int label_columns, int width);

/** A screen of rows: each has a label in the first columns, and beside it a text of fewer than
 * ST_TEXT_ROW_BYTES bytes. */
#define ST_TEXT_ROW_BYTES 2048
struct st_text_sheet {
    FILE *out;
    int label_columns, width;
};
void st_text_row(const struct st_text_sheet *sheet, const char *label, const char *format, ...)
    ST_PRINTF(3, 4);
