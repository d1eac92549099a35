/* What the commands that measure share: options, the line of progress, and how a result is printed and
 * drawn. */
#pragma once

#include "lab/table.h"
#include "platform/program/locale.h"
#include "platform/program/options.h"

struct st_bench_command {
    const char *label; /* in a picture, of a result that has none; NULL: the command */
    bool quiet;
    const char *plot;     /* NULL: nothing is drawn */
    const char *saved_as; /* the document is written there, too; NULL */
    struct st_table_format out;
    int64_t seed;     /* of the random order; the time where none was given */
    int64_t shown_ns; /* when progress was shown last; 0: never */
    struct st_locale_stream stream;
};

/** Rows for st_options_read; c: a struct st_bench_command. */
#define ST_BENCH_COMMAND_OPTIONS(c)                                                                          \
    {"plot", .text = &(c)->plot}, {"export-json", .text = &(c)->saved_as},                                   \
        {"quiet", 'q', .flag = &(c)->quiet}, ST_TABLE_OPTIONS(&(c)->out)

struct st_bench_command st_bench_command(void);

/** Can its files be written? Before a measurement that takes minutes. @return 0, or an st_exit after a
 * message.
 */
ST_NODISCARD int st_bench_command_check(const struct st_bench_command *c);

/** Shows the line on a terminal, at most once a second. @return false: the user wants an early end. */
bool st_bench_command_go_on(struct st_bench_command *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/** Clears that line. */
void st_bench_command_done(const struct st_bench_command *c);
/** Prints what comes, before it begins, unless quiet. */
void st_bench_command_say(const struct st_bench_command *c, const char *line);

/** Begins a result as text on standard output. @return where to write it; NULL: a document is asked for. */
FILE *st_bench_command_begin(struct st_bench_command *c, int *ret_width);
/** Ends it; prints the document if that is asked for, and draws it. @param document freed. @param measured_n
 * values in it; none is a failure. @return an st_exit. */
ST_NODISCARD int st_bench_command_end(struct st_bench_command *c, json_t *document, size_t measured_n);
