/* What the benches share on the command line: lists of words, the document. */
#ifndef ST_CLI_WORDS_H
#define ST_CLI_WORDS_H

#include <jansson.h>
#include <stdbool.h>

#include "lib/base.h"

/** Calls put for each word of a list with commas between.
 * @return 0, the first of put's results that is not 0, or ST_EXIT_USAGE for an empty word. */
ST_NODISCARD int st_each_word(const char *command, const char *option, const char *text,
                              int (*put)(void *ctx, const char *word), void *ctx);

/** One time of a list, with its unit: in "5,10ms" nobody knows what the 5 is. INT64_MAX
 * beyond 292 years, for the caller's range to refuse. @return 0 or ST_EXIT_USAGE. */
ST_NODISCARD int st_word_time(const char *command, const char *option, const char *word, int64_t *ret_ns);

/** Writes a document to standard output; takes it. NULL: there was no memory for it. @return an st_exit. */
int st_print_json(const char *command, json_t *document);

#endif
