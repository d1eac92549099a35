/* Commands: one file each (cmd_<name>.c), one row in the table of main.c each. */
#pragma once

#include "platform/program/options.h"

extern const struct st_command st_commands[];
extern const size_t st_commands_n;

int st_cmd_measure(int argc, char **argv);
int st_cmd_lab(int argc, char **argv);
int st_cmd_listen(int argc, char **argv);
int st_cmd_check(int argc, char **argv);
int st_cmd_report(int argc, char **argv);
int st_cmd_apply(int argc, char **argv);
int st_cmd_verify(int argc, char **argv);
int st_cmd_tune(int argc, char **argv);
int st_cmd_revert(int argc, char **argv);
int st_cmd_status(int argc, char **argv);
/** Prints the first screen if a daemon answers within 500 ms. @return an st_exit; -1: no daemon
 * answers. */
int st_cmd_status_first(void);
int st_cmd_snapshot(int argc, char **argv);
int st_cmd_share(int argc, char **argv);
int st_cmd_heard(int argc, char **argv);
int st_cmd_history(int argc, char **argv);
int st_cmd_predict(int argc, char **argv);
