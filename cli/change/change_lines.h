/* Lines that apply, verify and revert print. */
#ifndef ST_CLI_CHANGE_CHANGE_LINES_H
#define ST_CLI_CHANGE_CHANGE_LINES_H

/** A label at this column and a text, on stdout: wrapped for a terminal, control characters replaced. */
void st_change_print(int column, const char *label, const char *text);
/** The lines of a text, indented, on stdout. */
void st_change_print_lines(const char *text);

#endif
