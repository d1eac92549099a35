/* What apply, verify and revert print. */
#pragma once

#include "advisor/change/applied.h"

/** Prints a label, and a text at this column, on stdout: wrapped for a terminal, control characters
 * replaced. */
void st_change_output_row(int column, const char *label, const char *text);
/** Prints the lines of a text, indented, on stdout. */
void st_change_output_lines(const char *text);

/** Asks a question on standard error; an empty answer means no. */
bool st_change_output_ask(const char *question);

/** An entry as a text of st_text, safe to print: "/etc/x", "kern.y = 1 (was 0)". */
const char *st_change_output_entry(const struct st_entry *entry);
/** Why a setting was not changed, and what to do. @param error of an `st_applied_` function.
 * @return a sentence, static or as strerror. */
const char *st_change_output_why(int error);
/** The text if there is nothing to check or undo. @param all false: some settings were named. */
const char *st_change_output_nothing(bool all);

/** Prints what would be written: one row for each entry with its old value; the text of a file
 * below its row. */
void st_change_output_plan(const struct st_journal *plan);

/** An st_change_event_fn: prints one line for each event on stdout, failures on stderr. */
void st_change_output_event(enum st_change_event event, const struct st_entry *entry,
                            const char *now, int error);

/** Prints the next step for each kind of file that changed, or runs it if it is a command
 * (update-grub,
 * ...). @param reverted the files are as before apply. @return ST_EXIT_DONE, or ST_EXIT_FAILURE if
 * a command failed. */
ST_NODISCARD int st_change_output_then(const struct st_applied *applied, bool reverted,
                                       bool run_commands);
