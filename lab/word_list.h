/* Lists of words with commas between, on the command line. */
#pragma once

#include "lab/lab.h"

/** Calls put for each word of a list with commas between.
 * @return 0, the first of put's results that is not 0, or ST_EXIT_USAGE for an empty word. */
ST_NODISCARD int st_word_list_each(const char *option, const char *text,
                                   int (*put)(void *ctx, const char *word), void *ctx);

/** Adds an item to an array that has n of them, unless it is there; `option` has more than fit.
 * @return 0 or ST_EXIT_USAGE. */
ST_NODISCARD int st_word_list_add(const char *option, void *items, size_t item_bytes, size_t most, size_t *n,
                                  const void *item);
#define ST_WORD_LIST_ADD(option, array, n, item)                                                             \
    st_word_list_add(option, array, sizeof((array)[0]), ST_ARRAY_LEN(array), n, item)

/** Pointers to the rows of a table that a list names, each once; to all of them where text is NULL.
 * @param rows the array of pointers. @return 0 or ST_EXIT_USAGE. */
ST_NODISCARD int st_word_list_rows(const char *option, const char *text, st_lab_table *table, void *rows,
                                   size_t most, size_t *n);
#define ST_WORD_LIST_ROWS(option, text, table, array, n)                                                     \
    st_word_list_rows(option, text, table, array, ST_ARRAY_LEN(array), n)

/** One time of a list, with its unit: in "5,10ms" the unit of the 5 is unknown. INT64_MAX
 * beyond 292 years, for the caller's range to refuse. @return 0 or ST_EXIT_USAGE. */
ST_NODISCARD int st_word_list_time(const char *option, const char *word, int64_t *ret_ns);

#define ST_WORD_LIST_DURATIONS_MAX 24

/** The durations of a run, each once. */
struct st_durations {
    int64_t ns[ST_WORD_LIST_DURATIONS_MAX]; /* 10 us to 10 s */
    size_t n;
};

/** Adds each of a list as "5ms,64f" (frames at 48 kHz). @return 0 or ST_EXIT_USAGE, after a message. */
ST_NODISCARD int st_word_list_durations(const char *text, struct st_durations *durations);
