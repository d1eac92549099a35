/* sleeptune tune: tries the settings that the report suggests, each against its present value, and
 * restores everything. */
#include <glob.h>
#include <unistd.h>

#include "cli/change/change_output.h"
#include "cli/change/change_target.h"
#include "cli/measure/measure_run.h"
#include "cli/measure/music.h"
#include "cli/report/report_run.h"
#include "cli/tune/tune_output.h"
#include "cli/tune/tune_supervisor.h"
#include "platform/program/output.h"
#include "platform/program/stop.h"
#include "platform/program/terminal.h"

#define BUDGET_NS  (10 * ST_NS_PER_MINUTE)
#define BUDGET_MAX ST_NS_PER_DAY
/* this beginning of each block is not counted, while clocks and idle states settle */
#define SETTLE_NS ST_NS_PER_S
#define HOT_MC    95000 /* millidegrees Celsius; above this temperature processors slow down */
#define WARMER_MC 25000
/* files of ALSA's recording streams; their text is "closed" or begins with "state: RUNNING" */
#define CAPTURES "/proc/asound/card*/pcm*c/sub*/status"

struct work {
    struct st_facts_input input;
    const char *only;
    int64_t frames, rate_hz, budget_ns;
    bool keep, ask, dry_run, json, while_recording;
    enum st_report_profile profile;

    struct st_change_target target;
    struct st_candidates candidates;
    struct st_tune_supervisor supervisor;
    struct st_session_config config; /* configuration of the measurement of one block */
    int64_t start_mc;                /* temperature before the first block; INT64_MIN: unknown */
    enum st_policy policy;           /* scheduling policy of the last block */
    struct st_music *music;          /* other programs' dropouts; NULL: not watched */
    struct st_tuning tuning;
    struct st_tune_output output;
};

static const char help[] =
    "Usage: sleeptune tune [OPTION...]\n"
    "Try what 'sleeptune report' suggests: measure 5 s with each setting and 5 s\n"
    "without it, repeated in random order, and count late wake-ups. At the end\n"
    "everything is as it was before, also after Ctrl-C or kill -9.\n\n"
    "  --dry-run            print what would be tried; measure and change nothing\n"
    "  --keep               make what helped permanent; 'sleeptune revert' undoes it\n"
    "  --ask                the same, after a question\n"
    "  --budget TIME        at most this long, up to 24h (10m); one setting needs 5m\n"
    "  --only ID[,ID]       try these rules only\n"
    "  -f, --frames N       frames per period (as in the sound server, else 128)\n"
    "  -r, --rate RATE      sample rate, as in 48000 or 44.1k (server's, else 48k)\n"
    "  --profile PROFILE    do not keep what costs too much: studio, desktop\n"
    "                       (default), laptop, server; see sleeptune report --help\n"
    "  --while-recording    also while a program records\n"
    "  --user NAME          judge with the rights that NAME gets at login\n"
    "  --json               print JSON of the schema sleeptune-tune/1\n"
    "  -h, --help           this text\n\n"
    "Examples (most settings need root):\n"
    "  sleeptune tune --dry-run\n"
    "  sleeptune tune --frames 32 --ask\n\n"
    "Exit status: 0 done, nothing to try, or nothing to improve; 2 too few\n"
    "late wake-ups to compare; 3 usage, or the budget is too short; 4 failure.\n";

/** Reads the options. @return -1 to go on, or an st_exit. */
static int parse_options(int argc, char **argv, struct work *work)
{
    const struct st_option table[] = {
        {"dry-run", .flag = &work->dry_run},
        {"keep", .flag = &work->keep},
        {"ask", .flag = &work->ask},
        {"budget", .time_ns = &work->budget_ns, .min = ST_TUNE_BLOCK_NS, .max = BUDGET_MAX},
        {"only", .text = &work->only},
        ST_OPTION_ROWS_BUFFER(&work->frames, &work->rate_hz),
        {"profile", .take = st_report_run_profile, .ctx = &work->profile},
        {"while-recording", .flag = &work->while_recording},
        {"user", .text = &work->input.user},
        {.name = "json", .flag = &work->json},
    };
    const int r = st_options_only(table, ST_ARRAY_LEN(table), help, argc, argv);
    if (r == -1 && work->ask && isatty(STDIN_FILENO) != 1)
        return st_failure_usage("cannot ask without a terminal: use --keep instead of --ask");
    return r;
}

/* --- which settings to try --- */

/* Plans which settings are tried. @return ST_EXIT_DONE; or an st_exit if the budget is too
 * short. */
static int plan(struct work *work)
{
    struct st_tuning *t = &work->tuning;
    t->n = work->candidates.n;
    t->blocks_max = (uint32_t)(work->budget_ns / ST_TUNE_BLOCK_NS);
    for (size_t i = 0; i < t->n; i++) {
        const struct st_candidate *row = &work->candidates.rows[i];
        t->rows[i].refused = row->refused != NULL;
        ST_PRINT(t->rows[i].why, "%.190s", row->not_tried);
    }
    st_tuning_plan(t);
    if (t->blocks_max >= t->blocks_least)
        return ST_EXIT_DONE;
    return st_failure_usage("--budget: %s is too short to prove that a setting makes late wake-ups "
                            "3 times rarer. Use --budget %um or more%s.",
                            st_ns_short(work->budget_ns), ST_TUNE_MINUTES(t->blocks_least),
                            t->open_n > 1 ? ", or name fewer settings with --only" : "");
}

static int look(struct work *work)
{
    struct st_change_target *target = &work->target;
    struct st_rt_rights rights = {0};
    int status = st_change_target_open(NULL, false, target);
    if (status == ST_EXIT_DONE && geteuid() == 0 && !work->dry_run)
        status = st_change_target_recover(target, work->json);
    if (status == ST_EXIT_DONE)
        status = st_change_target_judge(&work->input, work->frames, work->rate_hz, target);
    if (status == ST_EXIT_DONE)
        status = st_report_run_choose(&target->report, work->profile, work->only);
    if (status != ST_EXIT_DONE)
        return status;
    const bool real_time = target->p->rt_rights(target->p, work->config.priority, &rights) == 0 &&
                           rights.fifo_errno == 0;
    st_candidates_find(&work->candidates, target->p, &target->report, geteuid() == 0, !real_time);
    work->output = (struct st_tune_output){.candidates = &work->candidates,
                                           .wish = &target->report.wish,
                                           .budget_ns = work->budget_ns,
                                           .real_time = real_time,
                                           .dry_run = work->dry_run,
                                           .plan = &work->tuning,
                                           .width = st_terminal_width(STDOUT_FILENO)};
    return plan(work);
}

/* --- printing --- */

static int print_text(const struct work *work,
                      void (*print)(const struct st_tune_output *output, FILE *out), FILE *to)
{
    struct st_locale_stream stream;
    print(&work->output, st_locale_begin(&stream, to));
    return st_output_text(&stream, ST_EXIT_DONE);
}

static int print(const struct work *work, bool plan)
{
    if (work->json)
        return st_output_json(st_tune_output_json(&work->output));
    return print_text(work, plan ? st_tune_output_plan : st_tune_output_result, stdout);
}

/* --- measuring --- */

static int set(void *ctx, uint32_t on, size_t *ret_row, char *why)
{
    struct work *work = ctx;
    work->config.timer_slack_ns = -1;
    for (size_t i = 0; i < work->candidates.n; i++) {
        if ((on & (UINT32_C(1) << i)) != 0 && work->candidates.rows[i].kind == ST_CANDIDATE_SLACK)
            work->config.timer_slack_ns = 1;
    }
    return st_tune_supervisor_set(&work->supervisor, on, ret_row, why);
}

/* @return the ALSA device from which a program records now, since trials could disturb that; NULL:
 * none, not known, or --while-recording allows it.
 */
static const char *recording(const struct work *work)
{
    struct st_platform *machine = work->target.p;
    glob_t paths = {0};
    char text[128] = "";
    size_t bytes;
    const char *found = NULL;
    if (!work->while_recording && glob(CAPTURES, 0, NULL, &paths) == 0) {
        ST_EACH_OF (path, paths.gl_pathv, paths.gl_pathc) {
            if (found == NULL &&
                machine->read_text(machine, *path, text, sizeof(text), &bytes) == 0 &&
                strstr(text, "RUNNING") != NULL)
                found = st_text("%s", *path);
        }
    }
    globfree(&paths);
    return found;
}

static int look_at_heat(const struct work *work, char *why)
{
    const int64_t now_mc = st_readings_temperature_mc(work->target.p, 0);
    if (now_mc == INT64_MIN || work->start_mc == INT64_MIN ||
        (now_mc < HOT_MC && now_mc - work->start_mc < WARMER_MC))
        return 0;
    snprintf(why, ST_TUNING_WHY_BYTES,
             "the machine became hot: %.0f degrees Celsius, %.0f before the first trial",
             (double)now_mc / 1000, (double)work->start_mc / 1000);
    return -ECANCELED;
}

/* Measures one block. @return 0; -EINTR: Ctrl-C, SIGTERM or SIGHUP; -ECANCELED: too hot, or a
 * program records; -EIO: the loop failed. */
static int measure(void *ctx, struct st_tuning_block *ret, char *why)
{
    struct work *work = ctx;
    struct st_result result;
    const char *device = recording(work);
    if (device != NULL) {
        snprintf(why, ST_TUNING_WHY_BYTES, "a program began to record (%.60s)", device);
        return -ECANCELED;
    }
    st_music_poll(work->music);
    const uint64_t others_n = st_music_dropouts(work->music);
    if (st_measure_run(&work->config, NULL, NULL, &result) != ST_EXIT_DONE) {
        snprintf(why, ST_TUNING_WHY_BYTES, "the timing test did not start");
        return -EIO;
    }
    int r = 0;
    if (st_stop_asked() || result.interrupted) {
        snprintf(why, ST_TUNING_WHY_BYTES, "stopped");
        r = -EINTR;
    } else if (st_measure_run_status(&result) != ST_EXIT_DONE) {
        snprintf(why, ST_TUNING_WHY_BYTES, "the timing test failed");
        r = -EIO;
    }
    const int64_t period_ns = st_period_ns(&result.period);
    work->policy = result.policy;
    st_music_poll(work->music);
    *ret = (struct st_tuning_block){
        .late_n = st_hist_count_above(&result.lateness, period_ns / work->candidates.late_share) +
                  result.skipped_periods,
        .events_n = result.miss_events.n,
        .others_n = st_music_dropouts(work->music) - others_n,
    };
    st_result_finish(&result);
    return r == 0 ? look_at_heat(work, why) : r;
}

static void show(void *ctx, const struct st_tuning *tuning, int row)
{
    const struct work *work = ctx;
    const int64_t left_s =
        (int64_t)(tuning->blocks_max - tuning->blocks_n) * (ST_TUNE_BLOCK_NS / ST_NS_PER_S);
    char *line = st_text("%s; at most %lld:%02lld left",
                         row < 0 ? "measuring" : work->candidates.rows[row].finding->rule->id,
                         (long long)(left_s / 60), (long long)(left_s % 60));
    st_text_clip(line, st_terminal_width(STDERR_FILENO) - 1);
    fprintf(stderr, "\r%s\033[K", line);
    fflush(stderr);
}

static int run(struct work *work)
{
    struct st_platform *p = work->target.p;
    const struct st_tuning_bench bench = {.set = set,
                                          .block = measure,
                                          .look = isatty(STDERR_FILENO) == 1 ? show : NULL,
                                          .ctx = work};
    work->output.tuning = &work->tuning;
    int r = st_tune_supervisor_start(&work->supervisor, p, work->target.folder, &work->candidates);
    if (r != 0)
        return ST_EXIT_FAILURE;
    work->music = st_music_start(p, st_xrun_sources, work->target.facts, geteuid() == 0);
    const int ended = st_tuning_run(&work->tuning, &bench, (uint64_t)st_platform_wall_ns(p));
    if (bench.look != NULL)
        fputs("\r\033[K", stderr);
    r = st_tune_supervisor_end(&work->supervisor);
    json_t *dropouts = st_music_finish(work->music, false, work->target.facts);
    json_decref(dropouts);
    if (dropouts == NULL)
        return st_failure("out of memory");
    work->output.real_time = work->policy != ST_POLICY_OTHER;
    if (r == -EIO)
        return ST_EXIT_FAILURE;
    if (ended == 0 || ended == -EINTR || ended == -ECANCELED)
        return ST_EXIT_DONE;
    return st_failure("%s", work->tuning.why);
}

/* --- after the trials: saving and applying results --- */

/* Saves the results, by which later reports sort their findings. */
static void save(const struct work *work)
{
    struct st_tuned tuned = {.frames = work->output.wish->frames};
    const time_t now = time(NULL);
    struct tm tm;
    for (size_t i = 0; i < work->tuning.n; i++) {
        const struct st_tuning_row *row = &work->tuning.rows[i];
        struct st_tuned_row *to = &tuned.rows[tuned.n];
        *to = (struct st_tuned_row){.outcome = row->outcome,
                                    .fold = row->fold.value,
                                    .low = row->fold.low,
                                    .high = row->fold.high};
        for (int arm = 0; arm < 2; arm++) {
            to->events_n[arm] = row->mean[arm].events_n;
            to->seconds[arm] = row->dropouts.pairs_n * st_ns_seconds(ST_TUNE_BLOCK_NS - SETTLE_NS);
        }
        const struct st_candidate *candidate = &work->candidates.rows[i];
        ST_PRINT(to->id, "%s", candidate->finding->rule->id);
        if (candidate->kind == ST_CANDIDATE_VALUES && candidate->steps_n > 0)
            ST_PRINT(to->target, "%.199s",
                     work->candidates.plan.entries[candidate->first_step].target);
        ST_PRINT(to->from, "%.63s", candidate->now);
        ST_PRINT(to->to, "%.63s", candidate->trial);
        tuned.n += row->outcome == ST_TUNING_HELPS || row->outcome == ST_TUNING_NO_EFFECT ||
                   row->outcome == ST_TUNING_HARMFUL;
    }
    if (tuned.n == 0 || geteuid() != 0)
        return;
    if (localtime_r(&now, &tm) != NULL)
        strftime(tuned.day, sizeof(tuned.day), "%Y-%m-%d", &tm);
    /* The journal makes this folder; a session that tries only the timer slack has no journal. */
    (void)work->target.p->make_folder(work->target.p, work->target.folder, ST_JOURNAL_FOLDER_MODE);
    const int r = st_tuned_write(work->target.p, work->target.folder, work->target.facts, &tuned);
    if (r != 0)
        fprintf(stderr, "sleeptune tune: cannot save the result in %s: %s\n", work->target.folder,
                strerror(-r));
}

static bool is_wanted(const struct work *work)
{
    if (work->ask && work->json)
        (void)print_text(work, st_tune_output_result, stderr);
    return !work->ask || st_change_output_ask("Keep the settings that helped?");
}

/* Makes the settings that helped permanent, by `sleeptune apply` for the same buffer size and user.
 * With
 * --json, the text of `apply` goes to standard error, since the JSON document goes to standard
 * output. */
static int keep(struct work *work)
{
    char *argv[8 + ST_CANDIDATES_MAX] = {st_text("apply"), st_text("--yes"),
                                         st_text("--no-measure")};
    int argc = 3, out = -1;
    if (!is_wanted(work)) {
        if (!work->json)
            (void)print_text(work, st_tune_output_next, stdout);
        return ST_EXIT_DONE;
    }
    if (work->frames > 0)
        argv[argc++] = st_text("--frames=%jd", work->frames);
    if (work->rate_hz > 0)
        argv[argc++] = st_text("--rate=%jd", work->rate_hz);
    if (work->input.user != NULL)
        argv[argc++] = st_text("--user=%s", work->input.user);
    for (size_t i = 0; i < work->tuning.n; i++) {
        if (st_tune_output_is_worth(&work->output, i))
            argv[argc++] = st_text("%s", work->candidates.rows[i].finding->rule->id);
    }
    fflush(stdout);
    if (work->json && ((out = dup(STDOUT_FILENO)) < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0))
        return st_failure("%s", strerror(errno));
    st_program_command = "apply"; /* messages of `apply` begin with this name */
    const int status = st_cmd_apply(argc, argv);
    st_program_command = "tune";
    fflush(stdout);
    if (out >= 0) {
        (void)dup2(out, STDOUT_FILENO);
        close(out);
    }
    return status;
}

static int try_settings(struct work *work)
{
    const char *device = recording(work);
    if (!work->json) {
        (void)print_text(work, st_tune_output_plan, stdout);
        fflush(stdout);
    }
    if (work->tuning.open_n == 0)
        return work->json ? print(work, true) : ST_EXIT_DONE;
    if (device != NULL)
        return st_failure("a program records now (%s). Stop it, or add --while-recording.", device);
    int status = run(work);
    if (status != ST_EXIT_DONE)
        return status;
    save(work);
    bool worth = false;
    for (size_t i = 0; i < work->tuning.n; i++)
        worth |= st_tune_output_is_worth(&work->output, i);
    work->output.offered = worth && (work->keep || work->ask);
    if (!work->json)
        status = print(work, false);
    const int applied = work->output.offered ? keep(work) : ST_EXIT_DONE;
    if (work->json)
        status = print(work, false);
    if (applied != ST_EXIT_DONE || status != ST_EXIT_DONE)
        return applied != ST_EXIT_DONE ? applied : status;
    return work->tuning.end == ST_TUNING_RARE ? ST_EXIT_UNKNOWN : ST_EXIT_DONE;
}

int st_cmd_tune(int argc, char **argv)
{
    struct work work = {.budget_ns = BUDGET_NS};
    struct st_session_config *config = &work.config;
    st_session_defaults(config);
    int status = parse_options(argc, argv, &work);
    if (status >= 0)
        return status;
    status = look(&work);
    if (status == ST_EXIT_DONE) {
        config->frames = work.output.wish->frames;
        config->rate_hz = work.output.wish->rate_hz;
        config->duration_ns = ST_TUNE_BLOCK_NS - SETTLE_NS;
        config->warmup_max_ns = SETTLE_NS;
        config->warmup_cycles =
            (uint64_t)config->rate_hz * (uint64_t)(SETTLE_NS / ST_NS_PER_S) / config->frames + 1;
        work.start_mc = st_readings_temperature_mc(work.target.p, 0);
        status = work.dry_run ? print(&work, true) : try_settings(&work);
        st_candidates_finish(&work.candidates);
    }
    if (work.target.p != NULL)
        st_change_target_close(&work.target);
    return status;
}
