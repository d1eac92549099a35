/* Common parts of report and check: options, judging, printing. */
#pragma once

#include "advisor/report/report_format.h"
#include "cli/command.h"

struct st_report_options {
    int64_t frames, rate_hz; /* 0: the values of the sound server */
    bool json;
    enum st_status threshold;
    enum st_report_profile profile;
    bool ok, all;
    const char *only; /* "ID,ID"; NULL: every rule */
    const char *output;
    const char *textfile;                  /* file for metrics; NULL: none */
    const struct st_tuned *tuned;          /* what `tune` measured on this machine; NULL: nothing */
    const struct st_report_answer *answer; /* what check measured; NULL: nothing */
};

/** The part of --help that is common to report and check. */
#define ST_REPORT_HELP                                                                             \
    "  -f, --frames N     frames per period (as in the sound server, else 128)\n"                  \
    "  -r, --rate RATE    sample rate, as in 48000 or 44.1k (server's, else 48k)\n"                \
    "  --ok               below the first screen, list the settings that are fine\n"               \
    "  --details          below the first screen, print the details of every rule\n"               \
    "  --only ID[,ID]     judge these rules only\n"                                                \
    "  --profile PROFILE  changes may cost: studio anything; desktop (default)\n"                  \
    "                     all but security; laptop not security or power; server\n"                \
    "                     not security, fairness or throughput\n"                                  \
    "  --threshold STATUS exit with 1 at this status or worse: problem (default),\n"               \
    "                     advice, unknown, ok, not-applicable\n"                                   \
    "  --json             print JSON of the schema sleeptune-report/1\n"                           \
    "  -o, --output FILE  write to FILE\n"                                                         \
    "  --textfile FILE    also write metrics for Prometheus to FILE\n"                             \
    "  -h, --help         this text\n"

/** Reads the value of --profile into ctx, an enum st_report_profile. @return 0 or ST_EXIT_USAGE. */
int st_report_run_profile(void *ctx, const char *text);

/** Reads `own` options of a subcommand and those of ST_REPORT_HELP, which go to *ret after its
 * defaults.
 * @param ret_first index of the first argument after the options; NULL: the subcommand takes none.
 * @return -1 to continue, or an st_exit. */
ST_NODISCARD int st_report_run_options(const struct st_option *own, size_t own_n, const char *help,
                                       int argc, char **argv, int *ret_first,
                                       struct st_report_options *ret);

/** Sets aside advice whose cost the profile does not accept, and leaves out rules that are not in
 * `only` (NULL: none). @return an st_exit, after a message. */
ST_NODISCARD int st_report_run_choose(struct st_report *report, enum st_report_profile profile,
                                      const char *only);

/** Judges the facts. @return an st_exit, after a message. */
ST_NODISCARD int st_report_run_make(const struct st_facts *facts, int64_t frames, int64_t rate_hz,
                                    struct st_report *ret);

/** Chooses the period from options and facts. @return an st_exit, after a message. */
ST_NODISCARD int st_report_run_period(const struct st_facts *facts,
                                      const struct st_report_options *options, struct st_wish *ret);

/** Checks that each id is a rule of this build; for an unknown id, prints similar ids. @return 0 or
 * ST_EXIT_USAGE. */
ST_NODISCARD int st_report_run_check_ids(const char *const *ids, size_t ids_n);

/** Prints the documentation of each of these rules and its finding, as text. @return an st_exit. */
ST_NODISCARD int st_report_run_rules(const struct st_facts *facts,
                                     const struct st_report_options *options,
                                     const char *const *ids, size_t ids_n);

/** Judges the facts and prints the report. @param own_machine the facts are of this machine.
 * @return an st_exit. */
int st_report_run(const struct st_facts *facts, const struct st_report_options *options,
                  bool own_machine);
