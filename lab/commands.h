/* The subcommands of sleeptune-lab. Each is defined in cmd_<name>.c in the folder of its subject,
 * and listed in the table of main.c. */
#pragma once

#include "platform/program/options.h"

int st_cmd_exec(int argc, char **argv);
int st_cmd_syscall(int argc, char **argv);
int st_cmd_wake(int argc, char **argv);
int st_cmd_series(int argc, char **argv);
int st_cmd_analyse(int argc, char **argv);
int st_cmd_simulate(int argc, char **argv);
int st_cmd_table(int argc, char **argv);
int st_cmd_compare(int argc, char **argv);
int st_cmd_plot(int argc, char **argv);
