/* Messages and exit statuses of a command line program. */
#pragma once

#include "core/text/near.h"

/** Exit statuses, the same in all subcommands. */
enum st_exit {
    ST_EXIT_DONE = 0,
    ST_EXIT_FINDINGS = 1, /* findings at or above the threshold, a difference shown, missed periods
                             with --fail-on-miss */
    /* a rule that could reach the threshold is unknown, since a fact could not be read */
    ST_EXIT_UNKNOWN = 2,
    ST_EXIT_USAGE = 3,
    ST_EXIT_FAILURE = 4,
    ST_EXIT_BOOKS = 5, /* invalid measurement: its counters do not agree */
};

/** The program's name in messages; "sleeptune" unless main sets another name first. */
extern const char *st_program_name;
/** The subcommand that runs, for messages; set by main. NULL: none. */
extern const char *st_program_command;
/** The words after the subcommand; ends with NULL. */
extern char *const *st_program_words;

/** "PROGRAM COMMAND: message" on stderr, and how to get help. @return ST_EXIT_USAGE. */
int st_failure_usage(const char *format, ...) ST_PRINTF(1, 2);
/** "PROGRAM COMMAND: no such KIND: typed. Did you mean 'name'?" on stderr; `dashes` precede both
 * names.
 * @return ST_EXIT_USAGE. */
int st_failure_unknown(const char *kind, const char *dashes, const struct st_near *near);
/** "PROGRAM COMMAND: message" on stderr. @return ST_EXIT_FAILURE. */
int st_failure(const char *format, ...) ST_PRINTF(1, 2);
/** A paragraph on stderr, wrapped on a terminal. */
void st_failure_note(const char *format, ...) ST_PRINTF(1, 2);
