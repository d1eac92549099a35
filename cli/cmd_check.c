/* sleeptune check: ten seconds of measuring, then the report with what was measured in its first sentence. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/facts/measured.h"
#include "cli/command.h"
#include "cli/measure/measure_run.h"
#include "cli/measure/music.h"
#include "cli/report/facts_input.h"
#include "cli/report/report_measure.h"
#include "cli/report/report_run.h"
#include "core/ns.h"
#include "core/text/text.h"
#include "platform/program/locale.h"
#include "platform/program/terminal.h"

#define COMMAND         "check"
#define DURATION_NS     (10 * ST_NS_PER_S)
#define DURATION_MAX_NS (86400 * ST_NS_PER_S)

struct options {
    struct st_report_options report;
    struct st_music *music; /* NULL: it is not watched */
    int64_t duration_ns;
    bool quiet;
};

static void help(void)
{
    fputs("Usage: sleeptune check [OPTION...]\n"
          "Watch the music that plays and run a loop like an audio program's for ten\n"
          "seconds, judge the settings, and report all of it on one screen: who made\n"
          "dropouts, does this machine keep up with the period, how sure is that, and which\n"
          "settings may cost most. The first verdict appears after two\n"
          "seconds. Changes nothing and needs no root. 'sleeptune' without a command does\n"
          "the same.\n\n"
          "  -d, --duration T   how long to measure, as in 10s, 500ms, 1m (10s)\n"
          "  -q, --quiet        print nothing on standard error while it measures\n" ST_NO_SERVERS_HELP
              ST_REPORT_HELP "\n"
          "Examples:\n"
          "  sleeptune check --frames 64\n"
          "  sleeptune check --duration 1m --json | jq .verdict\n\n"
          "Exit status: 0 no dropout, no period missed and no finding at or above the\n"
          "threshold, 1 dropouts, findings or missed periods, 2 a rule that could reach the\n"
          "threshold is unknown, 3 usage, 4 failure, 5 the counters do not agree.\n",
          stdout);
}

/** Prints the verdict so far: updated each second on a terminal, once elsewhere. */
static void look(void *ctx, const struct st_result *worst, bool first)
{
    const struct options *options = ctx;
    const bool terminal = isatty(STDERR_FILENO) == 1;
    char time[24], bound[32], latest[24], line[280], tail[40], music[64] = "";
    const double bound_per_hour =
        st_miss_events_per_hour_max95(worst->miss_events.n, st_result_seconds(worst));
    st_music_poll(options->music);
    if (options->quiet || (!first && !terminal) || worst->elapsed_periods == 0)
        return;
    const uint64_t dropouts_n = st_music_dropouts(options->music);
    if (dropouts_n > 0)
        snprintf(music, sizeof(music), "%" PRIu64 " dropout%s in the music; ", dropouts_n,
                 dropouts_n == 1 ? "" : "s");
    snprintf(line, sizeof(line),
             "%s so far: %s%" PRIu64 " of %" PRIu64
             " periods missed in %s (95%% confidence: at most %s events/h)",
             worst->misses == 0 && dropouts_n == 0 ? "OK" : "Not OK", music, worst->misses,
             worst->elapsed_periods, st_ns_format(worst->duration_ns, time, sizeof(time)),
             st_miss_events_rate_text(bound_per_hour, bound, sizeof(bound)));
    snprintf(tail, sizeof(tail), ", worst wake-up %s late",
             st_ns_format(worst->lateness.max_ns, latest, sizeof(latest)));
    const int columns = st_terminal_width(STDERR_FILENO) - 1;
    if (!terminal || st_text_columns(line) + st_text_columns(tail) <= columns)
        strcat(line, tail);
    else
        st_text_clip(line, columns);
    fprintf(stderr, "%s%s%s", first ? "" : "\r", st_locale_text(line), terminal ? "\033[K" : "\n");
    fflush(stderr);
}

/** Measures into facts. */
static int measure(struct options *options, bool watch, struct st_facts *facts)
{
    struct st_session_config config;
    struct st_result result;
    int64_t dropouts_n;
    struct st_wish wish;
    int status = st_report_run_period(COMMAND, facts, &options->report, &wish);
    if (status != ST_EXIT_DONE)
        return status;
    st_session_defaults(&config);
    config.frames = wish.frames;
    config.rate_hz = wish.rate_hz;
    config.duration_ns = options->duration_ns;
    options->music = watch ? st_music_start(st_platform_native(), facts, geteuid() == 0) : NULL;
    status = st_measure_run(COMMAND, &config, look, options, &result);
    if (watch && st_music_finish(options->music, wish.frames, facts) != 0 && status == ST_EXIT_DONE) {
        st_result_finish(&result);
        status = st_failure(COMMAND, "out of memory");
    }
    if (status != ST_EXIT_DONE)
        return status;
    if (!options->quiet && isatty(STDERR_FILENO) == 1)
        fputs("\r\033[K", stderr);
    if (st_report_measure_put(facts, &result) != 0)
        status = st_failure(COMMAND, "out of memory");
    else
        status = st_measure_run_status(&result, 1);
    if (status == ST_EXIT_DONE &&
        (result.misses > 0 || (st_facts_int(facts, ST_MUSIC_DROPOUTS, &dropouts_n) == 0 && dropouts_n > 0)))
        status = ST_EXIT_FINDINGS;
    st_result_finish(&result);
    return status;
}

int st_cmd_check(int argc, char **argv)
{
    struct options options = {.duration_ns = DURATION_NS};
    struct st_facts_input input = {0};
    struct st_facts *facts;
    const struct st_option own[] = {
        {"duration", 'd', .time_ns = &options.duration_ns, .min = ST_NS_PER_MS, .max = DURATION_MAX_NS},
        {"quiet", 'q', .flag = &options.quiet},
        {"no-servers", .flag = &input.no_servers},
    };
    int status =
        st_report_run_options(COMMAND, own, ST_ARRAY_LEN(own), help, argc, argv, NULL, &options.report);
    if (status >= 0)
        return status;
    /* before the loop runs, so that nothing of it is taken for the machine's */
    st_facts_input_of_player(&input);
    status = st_facts_input_load(COMMAND, &input, &facts);
    if (status != ST_EXIT_DONE)
        return status;
    const int measured = measure(&options, !input.no_servers, facts);
    if (measured == ST_EXIT_USAGE ||
        (measured == ST_EXIT_FAILURE && st_facts_find(facts, ST_MEASURED_SOURCE) == NULL)) {
        st_facts_free(facts);
        return measured;
    }
    status = st_report_run(COMMAND, facts, &options.report, true);
    st_facts_free(facts);
    if (measured == ST_EXIT_DONE || status >= ST_EXIT_USAGE)
        return status;
    return measured;
}
