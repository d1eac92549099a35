/* The benches: one file each (bench_<name>.c), one row each in the table of cmd_bench.c. */
#ifndef ST_CLI_BENCH_H
#define ST_CLI_BENCH_H

/** argv[0] is the bench's name. @return an st_exit. */
int st_bench_sleep(int argc, char **argv);
int st_bench_syscall(int argc, char **argv);
int st_bench_wake(int argc, char **argv);
int st_bench_series(int argc, char **argv);

#endif
