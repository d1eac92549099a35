/* What report and check share: options, judging, printing. */
#ifndef ST_CLI_REPORT_RUN_H
#define ST_CLI_REPORT_RUN_H

#include <getopt.h>

#include "advisor/report.h"

struct st_report_options {
    int64_t frames;
    int64_t rate_hz;
    bool period_given; /* by an option */
    enum st_format format;
    enum st_status threshold;
    enum st_profile profile;
    bool all;
    const char *only;   /* "ID,ID"; NULL: every rule */
    const char *config; /* NULL: the installed one, for this machine only */
    const char *output;
    const struct st_trials *trials; /* what was tried on this machine; NULL: nothing */
};

#define ST_REPORT_SHORT_OPTIONS "f:r:o:h"
/** Rows for getopt_long; 'h' is left to the caller. */
#define ST_REPORT_LONG_OPTIONS                                                                               \
    {"frames", required_argument, NULL, 'f'}, {"rate", required_argument, NULL, 'r'},                        \
        {"format", required_argument, NULL, 'F'}, {"json", no_argument, NULL, 'j'},                          \
        {"threshold", required_argument, NULL, 't'}, {"profile", required_argument, NULL, 'P'},              \
        {"only", required_argument, NULL, 'I'}, {"config", required_argument, NULL, 'C'},                    \
        {"all", no_argument, NULL, 'a'}, {"output", required_argument, NULL, 'o'},                           \
    {                                                                                                        \
        "help", no_argument, NULL, 'h'                                                                       \
    }

/** The part of --help that both have. */
#define ST_REPORT_HELP                                                                                       \
    "  -f, --frames N     frames a period (128)\n"                                                           \
    "  -r, --rate N       frames a second (48000)\n"                                                         \
    "  --all              the first screen, and the details of every rule\n"                                 \
    "  --only ID[,ID]     these rules alone\n"                                                               \
    "  --profile PROFILE  what may be paid: studio everything; desktop (default) not\n"                      \
    "                     security; laptop not power either; server neither fairness,\n"                     \
    "                     throughput nor security\n"                                                         \
    "  --config FILE      whose list 'mute' names what not to show\n"                                        \
    "  --threshold STATUS exit with 1 from this status on: problem (default), advice,\n"                     \
    "                     unknown, ok, not-applicable\n"                                                     \
    "  --format FORMAT    text (default), json, html or markdown\n"                                          \
    "  --json             the same as --format json\n"                                                       \
    "  -o, --output FILE  write to FILE\n"                                                                   \
    "  -h, --help         this text\n"

void st_report_defaults(struct st_report_options *options);

/** One option of ST_REPORT_LONG_OPTIONS. @return 0, an st_exit after a message, or -1: not one of them. */
int st_report_option(const char *command, int option, const char *text, struct st_report_options *options);

/** Judges and prints. own_machine: the installed configuration's mutes are for it. @return an st_exit. */
int st_report_run(const char *command, const struct st_facts *facts, const struct st_report_options *options,
                  bool own_machine);

#endif
