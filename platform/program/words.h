/* What the benches share on the command line: lists of words, policies, the document. */
#ifndef ST_PLATFORM_PROGRAM_WORDS_H
#define ST_PLATFORM_PROGRAM_WORDS_H

#include <jansson.h>
#include <stdbool.h>

#include "core/base.h"

/** Calls put for each word of a list with commas between.
 * @return 0, the first of put's results that is not 0, or ST_EXIT_USAGE for an empty word. */
ST_NODISCARD int st_each_word(const char *command, const char *option, const char *text,
                              int (*put)(void *ctx, const char *word), void *ctx);

/** Adds an item to an array that has n of them, unless it is there; `option` has more than fit.
 * @return 0 or ST_EXIT_USAGE. */
ST_NODISCARD int st_add_once(const char *command, const char *option, void *items, size_t item_bytes,
                             size_t most, size_t *n, const void *item);
#define ST_ADD_ONCE(command, option, array, n, item)                                                         \
    st_add_once(command, option, array, sizeof((array)[0]), ST_ARRAY_LEN(array), n, item)

/** One time of a list, with its unit: in "5,10ms" nobody knows what the 5 is. INT64_MAX
 * beyond 292 years, for the caller's range to refuse. @return 0 or ST_EXIT_USAGE. */
ST_NODISCARD int st_word_time(const char *command, const char *option, const char *word, int64_t *ret_ns);

/** The policy of a name: other, fifo, rr. For a row of st_options_read, too. @param ctx enum st_policy.
 * @return 0 or ST_EXIT_USAGE. */
ST_NODISCARD int st_take_policy(const char *command, void *ctx, const char *text);

/** Writes a document to standard output; takes it. NULL: there was no memory for it. @return an st_exit. */
int st_print_json(const char *command, json_t *document);

#endif
