/* Commands and their options. */
#pragma once

#include "platform/program/failure.h"

/** argv[0] is the subcommand's name. @return an st_exit. */
typedef int (*st_command_fn)(int argc, char **argv);

struct st_command {
    const char *name;
    const char *summary; /* one line */
    st_command_fn run;
    const char *group; /* heading in the help of `sleeptune`; NULL: not listed in that help */
};

/** Reads a whole number from min to max; prints an error (option, value, range) on stderr. @return
 * 0 or ST_EXIT_USAGE. */
ST_NODISCARD int st_option_i64(const char *option, const char *text, int64_t min, int64_t max,
                               int64_t *ret);

/** One option of a subcommand. */
struct st_option {
    const char *name; /* long, without dashes */
    char letter;      /* '\0': none */
    /* where the value goes: exactly one of these, or `flag` for an option without value */
    bool *flag;
    const char **text;
    int64_t *number;
    int64_t *rate_hz; /* "48000", "44.1k", "96kHz" */
    int64_t *time_ns;
    double *real;
    int64_t min, max; /* range of number, rate_hz, time_ns and real */
    /** Takes each value of an option that may be repeated, or whose value has another type. @return
     * 0 or an st_exit, after a message. */
    int (*take)(void *ctx, const char *text);
    void *ctx;
};

/** Rows (struct st_option) for --frames and --rate, the buffer size and rate. @param frames_at,
 * rate_at int64_t *. */
#define ST_OPTION_ROWS_BUFFER(frames_at, rate_at)                                                  \
    {"frames", 'f', .number = (frames_at), .min = 1, .max = 1 << 22},                              \
    {                                                                                              \
        "rate", 'r', .rate_hz = (rate_at), .min = 1, .max = 1 << 22                                \
    }

/** Reads options up to the first other argument; -h and --help print `help` and the name of the
 * manual page. @param ret_first index of the first other argument. @return -1 to continue, or an
 * st_exit, after a message. */
ST_NODISCARD int st_options_read(const struct st_option *options, size_t options_n,
                                 const char *help, int argc, char **argv, int *ret_first);

/** Reads the options of a subcommand without other arguments; another argument is an error. @return
 * -1 to continue, or an st_exit, after a message. */
ST_NODISCARD int st_options_only(const struct st_option *options, size_t options_n,
                                 const char *help, int argc, char **argv);

/** Reads a policy name: other, fifo, rr. Can be a `take` of struct st_option. @param ctx enum
 * st_policy.
 * @return 0 or ST_EXIT_USAGE. */
ST_NODISCARD int st_option_policy(void *ctx, const char *text);
