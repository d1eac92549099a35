/* What the measuring commands share: their options, the line of progress, and how a result is
 * printed and drawn. */
#pragma once

#include "lab/table.h"
#include "platform/program/locale.h"
#include "platform/program/options.h"

struct st_bench_command {
    const char *label; /* name that the picture shows if the result has none; NULL: the name of the
                          command */
    bool quiet;
    const char *plot;     /* file of the picture; NULL: nothing is drawn */
    const char *saved_as; /* file for a copy of the JSON document; NULL: none */
    struct st_table_format out;
    int64_t seed; /* seed of the random order of measurements; the wall-clock time if the user gave
                     none */
    int64_t shown_ns; /* time on CLOCK_MONOTONIC at which the progress line was printed last; 0:
                         never */
    struct st_locale_stream stream;
};

/** The options of a measuring command, as elements of the array for st_options_read; c: a struct
 * st_bench_command. */
#define ST_BENCH_COMMAND_OPTIONS(c)                                                                \
    {"plot", .text = &(c)->plot}, {"export-json", .text = &(c)->saved_as},                         \
        {"quiet", 'q', .flag = &(c)->quiet}, ST_TABLE_OPTIONS(&(c)->out)

struct st_bench_command st_bench_command(void);

/** Checks before a measurement, which may take minutes, whether the files of --plot and
 * --export-json can be written.
 * @return 0, or an st_exit after a message. */
ST_NODISCARD int st_bench_command_check(const struct st_bench_command *c);

/** Prints the progress line to standard error, if that is a terminal, at most once a second.
 * @return false: the user asked for an early end. */
bool st_bench_command_go_on(struct st_bench_command *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/** Clears the progress line. */
void st_bench_command_done(const struct st_bench_command *c);
/** Prints a line about the coming measurement to standard error, unless quiet. */
void st_bench_command_say(const struct st_bench_command *c, const char *line);

/** Begins a result as text on standard output. @return where to write it; NULL: the options ask for
 * a document instead. */
FILE *st_bench_command_begin(struct st_bench_command *c, int *ret_width);
/** Ends the text result; prints, saves and draws the document, each if the options ask for it.
 * @param document is freed. @param measured_n number of values in it; 0 is a failure. @return an
 * st_exit. */
ST_NODISCARD int st_bench_command_end(struct st_bench_command *c, json_t *document,
                                      size_t measured_n);
