/* Comma-separated lists of words on the command line. */
#pragma once

#include "lab/lab.h"

/** Calls `put` for each word of a comma-separated list.
 * @return 0, the first result of `put` that is not 0, or ST_EXIT_USAGE for an empty word or one of
 * 64 bytes or more. */
ST_NODISCARD int st_word_list_each(const char *option, const char *text,
                                   int (*put)(void *ctx, const char *word), void *ctx);

/** Adds an item to an array of *n items, unless the array already has it. If the array is full
 * (`most` items), prints an error message that names `option`.
 * @return 0 or ST_EXIT_USAGE. */
ST_NODISCARD int st_word_list_add(const char *option, void *items, size_t item_bytes, size_t most,
                                  size_t *n, const void *item);
#define ST_WORD_LIST_ADD(option, array, n, item)                                                   \
    st_word_list_add(option, array, sizeof((array)[0]), ST_ARRAY_LEN(array), n, item)

/** Finds the methods of a table (lab.h) that the comma-separated list `text` names, each once; if
 * text is NULL, all methods.
 * @param rows receives *n pointers to the methods, at most `most`. @return 0 or ST_EXIT_USAGE. */
ST_NODISCARD int st_word_list_rows(const char *option, const char *text, st_lab_table *table,
                                   void *rows, size_t most, size_t *n);
#define ST_WORD_LIST_ROWS(option, text, table, array, n)                                           \
    st_word_list_rows(option, text, table, array, ST_ARRAY_LEN(array), n)

/** Parses one time of a list. The word needs a unit, because in "5,10ms" the unit of the 5 would be
 * unclear. *ret_ns is INT64_MAX beyond 292 years, which the range check of the caller refuses.
 * @return 0 or ST_EXIT_USAGE. */
ST_NODISCARD int st_word_list_time(const char *option, const char *word, int64_t *ret_ns);

#define ST_WORD_LIST_DURATIONS_MAX 24

/** The durations that a run measures, each once. */
struct st_durations {
    int64_t ns[ST_WORD_LIST_DURATIONS_MAX]; /* 10 us to 10 s */
    size_t n;
};

/** Adds the durations of a list such as "5ms,64f" (f: frames at 48 kHz). @return 0 or
 * ST_EXIT_USAGE, after a message. */
ST_NODISCARD int st_word_list_durations(const char *text, struct st_durations *durations);
