/* sleeptune check: measures wake-ups for ten seconds, then prints the report, whose first sentence
 * is about this measurement. */
#include <unistd.h>

#include "advisor/rules/buffer.h"
#include "advisor/rules/machine.h"
#include "cli/measure/music.h"
#include "cli/measure/sizes.h"
#include "cli/report/facts_input.h"
#include "cli/report/report_run.h"
#include "cli/show/status_screen.h"
#include "core/ns.h"
#include "core/text/json.h"
#include "measure/stress.h"
#include "platform/program/locale.h"
#include "platform/program/stop.h"
#include "platform/program/terminal.h"
#include "platform/tree.h"

#define DURATION_NS     (10 * ST_NS_PER_S)
#define DURATION_MAX_NS ST_NS_PER_DAY
#define LONGEST         2048u /* largest buffer size that is judged, in frames */
#define SURE_S          540.0 /* seconds; a shorter measurement prints no statistical bounds */

struct options {
    struct st_report_options report;
    struct st_music *music; /* NULL: other programs' dropouts are not watched */
    int64_t duration_ns;
    uint32_t judged_frames; /* buffer size for which settings are judged */
    bool quiet;
};

static const char help[] =
    "Usage: sleeptune check [OPTION...]\n"
    "Measure for ten seconds at 32 frames, watch the music that plays, and\n"
    "judge the settings. One screen: who made dropouts, which buffer sizes are\n"
    "enough here, which settings may cost most, what to do now. The first verdict\n"
    "appears after two seconds. Changes nothing and needs no root. 'sleeptune'\n"
    "without a command does the same if no sleeptuned answers.\n\n"
    "  -d, --duration T   how long to measure, as in 10s, 500ms, 1m (10s)\n"
    "      --stress       measure five times that long: without load, then while\n"
    "                     programs compute, copy memory, write to the disk, start\n"
    "                     others (64 MiB a CPU, a file of 64 MiB)\n"
    "  -q, --quiet        print nothing on standard error while it measures\n" ST_NO_SERVERS_HELP
        ST_REPORT_HELP "\n"
    "Examples:\n"
    "  sleeptune check --frames 64\n"
    "  sleeptune check --duration 1m --json | jq .verdict\n\n"
    "Exit status: 0 no dropout at the size in use (or of --frames), no finding at or\n"
    "above the threshold, 1 dropouts or findings, 2 a setting that might be such a\n"
    "finding could not be read, 3 usage, 4 failure, 5 invalid measurement.\n";

/** The smallest buffer size (frames) at which none of the wake-ups so far would have been a
 * dropout; 0: no size up to LONGEST. */
static uint32_t held_so_far(const struct st_result *result)
{
    uint32_t frames = result->frames;
    while (frames <= LONGEST &&
           (int64_t)frames * ST_NS_PER_S / result->rate_hz < result->lateness.max_ns)
        frames *= 2;
    return frames <= LONGEST || frames == result->frames ? frames : 0;
}

/** Prints the verdict so far: updated each second on a terminal, once elsewhere. @return true. */
static bool look(void *ctx, const struct st_result *result, bool first)
{
    const struct options *options = ctx;
    const bool terminal = isatty(STDERR_FILENO) == 1;
    st_music_poll(options->music);
    if (options->quiet || (!first && !terminal) || result->elapsed_periods == 0)
        return true;
    const uint64_t dropouts_n = st_music_dropouts(options->music);
    const uint32_t held_frames = held_so_far(result);
    const char *held = "no buffer size was enough";
    if (held_frames > options->judged_frames)
        held = st_text("%u frames were not enough, %u were", options->judged_frames, held_frames);
    else if (held_frames > 0)
        held = st_text("%u frames were enough", held_frames);
    if (dropouts_n > 0)
        held = st_text("%ju dropout%s in the music; %s", dropouts_n, ST_PLURAL(dropouts_n), held);
    const bool ok = held_frames > 0 && held_frames <= options->judged_frames && dropouts_n == 0;
    char *line = st_text("%s so far: %s in %s, worst %s late", ok ? "OK" : "Not OK", held,
                         st_ns_short(result->duration_ns), st_ns_short(result->lateness.max_ns));
    if (terminal)
        st_text_clip(line, st_terminal_width(STDERR_FILENO) - 1);
    fprintf(stderr, "%s%s%s", first ? "" : "\r", st_locale_text(line), terminal ? "\033[K" : "\n");
    fflush(stderr);
    return true;
}

/* --- the answer: sentences, tables, JSON --- */

/** One measurement and its load. `check` has one of them; with --stress one for each load. */
struct phase {
    enum st_stress_phase load;
    int load_error; /* negative errno if the load could not be started or ended too early; else 0 */
    struct st_sizes sizes;
};

struct answer {
    struct st_report_answer report;
    struct phase phases[ST_STRESS_PHASES];
    size_t phases_n;
    bool stress, details;
    const struct phase *worst; /* the phase with the latest wake-up */
    const char *next;
    const char *size; /* options for the next step, from st_buffer_options */
    /* what slowed the computer down during the measurement; ST_CAUSE_UNKNOWN: nothing known */
    enum st_cause slowed;
    /* buffer sizes. judged_frames: for which settings are judged; used_frames: of the sound server,
     * 0: no server, or not known */
    uint32_t judged_frames, used_frames;
    uint64_t dropouts_n; /* of other programs during the measurement */
    json_t *dropouts;    /* from st_music_finish; NULL: dropouts were not watched */
};

static const struct st_predict_row *judged_row(const struct answer *answer,
                                               const struct phase *phase)
{
    const struct st_predict_table *table = &phase->sizes.table;
    ST_EACH_OF (row, table->rows, table->n) {
        if (phase->load_error == 0 && row->frames == answer->judged_frames)
            return row;
    }
    return NULL;
}

static const struct st_result *result_of(const struct phase *phase)
{
    return &phase->sizes.result;
}

static void print_sizes(const void *ctx, FILE *out, int width, bool colour)
{
    const struct answer *answer = ctx;
    const struct st_predict_table *table = &answer->phases[0].sizes.table;
    const struct st_predict_view view = {.width = width,
                                         .colour = colour,
                                         .used_frames = answer->used_frames,
                                         .music_n = answer->dropouts_n};
    st_predict_text_rows(table, &view, out);
}

static void print_phases(const void *ctx, FILE *out, ST_UNUSED int width, bool colour)
{
    const struct answer *answer = ctx;
    fprintf(out, "  load      enough        worst wake-up   (mark: are %u frames enough?)\n",
            answer->judged_frames);
    ST_EACH_OF (phase, answer->phases, answer->phases_n) {
        const struct st_predict_row *held = phase->sizes.table.held;
        const char *frames = "no size", *latest = "unknown";
        if (held != NULL)
            frames = st_text("%u frames", held->frames);
        if (phase->load_error == 0)
            latest = st_ns_short(result_of(phase)->lateness.max_ns);
        st_predict_text_mark(judged_row(answer, phase), colour, out);
        fprintf(out, " %-9s ", st_stress_name(phase->load));
        st_text_pad(out, phase->sizes.table.known ? frames : "unknown", 13);
        fprintf(out, " %s\n", latest);
    }
}

static void print_table(const void *ctx, FILE *out, int width, bool colour)
{
    const struct answer *answer = ctx;
    if (answer->dropouts_n > 0) {
        st_status_screen_table(out, json_object_get(answer->dropouts, "table"), answer->details,
                               width);
        fputc('\n', out);
    }
    (answer->stress ? print_phases : print_sizes)(ctx, out, width, colour);
}

static json_t *answer_json(const struct answer *answer)
{
    json_t *phases = answer->stress ? json_array() : NULL;
    ST_EACH_OF (phase, answer->phases, answer->stress ? answer->phases_n : 0) {
        const struct st_predict_row *held = phase->sizes.table.held;
        const bool known = phase->load_error == 0;
        json_t *row = st_json_object(
            "load:t held_frames:o lateness_max_ns:o", st_stress_name(phase->load),
            st_json_integer_or_null(known && held != NULL, held != NULL ? held->frames : 0),
            st_json_integer_or_null(known, result_of(phase)->lateness.max_ns));
        json_array_append_new(phases, row);
    }
    return st_json_object("rows:o stress:o dropouts:o",
                          st_predict_text_rows_json(&answer->worst->sizes.table), phases,
                          json_incref(answer->dropouts));
}

/** The buffer size (frames) that was enough in all phases. 0: in one phase no size was enough, or
 * the sizes are unknown. */
static uint32_t held_in_all(const struct answer *answer)
{
    uint32_t frames = 0;
    ST_EACH_OF (phase, answer->phases, answer->phases_n) {
        const struct st_predict_row *held = phase->sizes.table.held;
        if (phase->load_error == 0 && held == NULL)
            return 0;
        if (held != NULL)
            frames = ST_MAX(held->frames, frames);
    }
    return frames;
}

/* @return a sentence that says which buffer size is enough on this computer. After dropouts of
 * other programs it says what the computer alone could do. */
static const char *held_text(const struct st_predict_table *table, const struct answer *answer)
{
    const struct st_predict_row *held = table->held;
    const uint32_t used = answer->used_frames;
    if (answer->dropouts_n == 0 || held == NULL || used == 0)
        return st_predict_text_answer(table);
    return st_text(held->frames <= used
                       ? "This computer alone could play with %u frames (%.1f ms)."
                       : "Use %u frames (%.1f ms) or more: this computer alone needs them.",
                   held->frames, held->period_us / 1000);
}

static const char *sizes_text(const struct answer *answer, bool watched)
{
    const struct st_predict_table *table = &answer->worst->sizes.table;
    const struct st_result *result = result_of(answer->worst);
    const uint32_t held = held_in_all(answer);
    const double seconds = st_predict_seconds(&answer->worst->sizes.late);
    const char *text = held_text(table, answer);
    if (answer->stress && table->known)
        text = st_text("While sleeptune kept the computer busy, %s for each kind of load, %s%u "
                       "frames were enough. Worst wake-up: with the load '%s', %s late.",
                       st_ns_short(result->duration_ns), held > 0 ? "" : "not even ",
                       held > 0 ? held : LONGEST, st_stress_name(answer->worst->load),
                       st_ns_short(result->lateness.max_ns));
    if (!answer->stress && table->brief && !watched)
        text = st_text("%s Measured for %.*f s.", text, seconds < 9.95, seconds);
    if (result->policy == ST_POLICY_OTHER)
        text = st_text("%s Measured without real-time priority: this user may not use it%s.", text,
                       answer->worst->sizes.rtkit_refused ? ", and rtkit gave none" : "");
    return text;
}

/** @return sentences: the main cause of late wake-ups, and what slowed the whole computer down; "":
 * neither. */
static const char *causes_text(const struct answer *answer, bool judged_held)
{
    enum st_cause cause;
    const char *text = "";
    const bool late =
        !judged_held && st_result_main_cause(result_of(answer->worst), &cause) != NULL;
    if (late)
        text = st_text(" Main cause of late wake-ups: %s.", st_cause_kind_text(cause));
    if (answer->slowed != ST_CAUSE_UNKNOWN && !(late && cause == answer->slowed))
        text = st_text("%s Meanwhile %s: %s.", text, st_cause_kind_text(answer->slowed),
                       st_cause_kind_todo(answer->slowed));
    return text;
}

static const char *next_text(const struct answer *answer, const struct st_facts *facts,
                             bool judged_held)
{
    const uint32_t held = held_in_all(answer);
    const bool no_right = !judged_held && result_of(answer->worst)->policy == ST_POLICY_OTHER;
    if (no_right && st_machine_right_at_login(facts))
        return ST_DROPOUT_REASON_LOG_IN;
    if (no_right)
        return st_text("%s (to get real-time priority; then log out and in, and check again)",
                       facts->os == ST_OS_FREEBSD ? "sleeptune report freebsd-rt-permission"
                                                  : ST_DROPOUT_REASON_GET_RIGHTS);
    if (held == 0)
        return "sleeptune report (which settings make audio threads wake up late)";
    if (!judged_held)
        return st_predict_text_setting(held);
    return st_text(answer->stress
                       ? "sleeptune check -d 3h%s (is this buffer size enough for hours?)"
                       : "sleeptune check --stress%s (is this buffer size enough while "
                         "the computer is busy?)",
                   answer->size);
}

/** Makes the report with the answer. @return ST_EXIT_FINDINGS if the buffer size in use (or asked
 * for) was not enough, or if other programs had dropouts; else ST_EXIT_DONE. */
static int make_answer(const struct st_facts *facts, struct answer *answer)
{
    int64_t frames, dropouts_n;
    const char *server, *music;
    const bool dropouts =
        st_facts_int(facts, ST_MUSIC_DROPOUTS, &dropouts_n) == 0 && dropouts_n > 0;
    if (dropouts)
        answer->dropouts_n = (uint64_t)dropouts_n;
    bool judged_held = true;
    answer->worst = &answer->phases[0];
    if (st_facts_int(facts, ST_MUSIC_FRAMES, &frames) == 0 && frames > 0 &&
        frames <= ST_PREDICT_FRAMES_MAX)
        answer->used_frames = (uint32_t)frames;
    ST_EACH_OF (phase, answer->phases, answer->phases_n) {
        if (!phase->sizes.measured || phase->load_error != 0)
            continue;
        st_sizes_fill(&phase->sizes,
                      answer->used_frames > 0 ? answer->used_frames : answer->judged_frames);
        phase->sizes.table.brief = st_predict_seconds(phase->sizes.table.run) < SURE_S;
        const struct st_predict_row *judged = judged_row(answer, phase);
        judged_held = judged_held && (judged == NULL || st_predict_holds(judged) || !judged->known);
        if (result_of(phase)->lateness.max_ns > result_of(answer->worst)->lateness.max_ns)
            answer->worst = phase;
    }
    answer->report.json = answer_json(answer);
    answer->report.text =
        st_text("%s%s", sizes_text(answer, st_facts_text(facts, ST_MUSIC_SERVER, &server) == 0),
                causes_text(answer, judged_held));
    answer->next = next_text(answer, facts, judged_held);
    const bool said = dropouts && st_facts_text(facts, ST_MUSIC_NEXT, &music) == 0;
    if (said)
        answer->report.next = music;
    else if (!dropouts || !judged_held)
        answer->report.next = answer->next;
    answer->report.fine = judged_held && held_in_all(answer) > 0 && !said;
    answer->report.table = print_table;
    answer->report.ctx = answer;
    return dropouts || !judged_held ? ST_EXIT_FINDINGS : ST_EXIT_DONE;
}

/* --- measuring --- */

/** Reports why a measurement failed or is invalid. @return an st_exit; ST_EXIT_DONE: it is
 * valid. */
static int status_of(const struct st_sizes *sizes)
{
    if (sizes->measured && !sizes->result.books_balance) {
        st_failure("the measurement is invalid: its counts contradict each other. Run it again");
        return ST_EXIT_BOOKS;
    }
    if (!sizes->measured || sizes->result.error == 0)
        return ST_EXIT_DONE;
    return st_failure("the measurement failed: %s", strerror(-sizes->result.error));
}

/** Measures under one load and adds the result to `answer`. @return an st_exit, after a message. A
 * load that cannot be started is no failure: phase->load_error keeps the error. */
static int measure_phase(struct options *options, const struct st_wish *wish, uint32_t shortest,
                         enum st_stress_phase load, struct answer *answer)
{
    struct phase *phase = &answer->phases[answer->phases_n++];
    struct st_stress *stress = NULL;
    int status = ST_EXIT_DONE;
    phase->load = load;
    phase->load_error = st_stress_start(load, &stress);
    if (phase->load_error == 0)
        status = st_sizes_measure(wish->rate_hz, shortest, options->duration_ns,
                                  answer->stress ? st_stress_name(load) : NULL, look, options,
                                  &phase->sizes);
    const int ended = st_stress_stop(stress);
    if (phase->load_error == 0)
        phase->load_error = ended;
    return status == ST_EXIT_DONE ? status_of(&phase->sizes) : status;
}

/** Measures, and fills facts and answer. @return an st_exit; answer->report.text stays NULL if
 * there is no answer. */
static int measure(struct options *options, bool watch, struct st_facts *facts,
                   struct answer *answer)
{
    struct st_wish wish;
    int status = st_report_run_period(facts, &options->report, &wish);
    if (status != ST_EXIT_DONE)
        return status;
    const uint32_t shortest = st_sizes_shortest(&wish, (uint32_t)options->report.frames);
    const size_t phases_n = answer->stress ? ST_STRESS_PHASES : 1;
    options->judged_frames = answer->judged_frames = wish.frames;
    answer->size = st_buffer_options(&wish);
    if (wish.in_use)
        answer->used_frames = wish.frames;
    options->music =
        watch ? st_music_start(st_platform_native(), st_xrun_sources, facts, geteuid() == 0) : NULL;
    struct st_platform *p = st_platform_native();
    struct st_readings before = {.log_fd = -1}, after = {.log_fd = -1};
    bool guest = false;
    (void)st_tree_virtualised(p, &guest);
    st_readings_read(p, -1, guest, INT64_MIN, &before);
    for (size_t i = 0; i < phases_n && status == ST_EXIT_DONE && !st_stop_asked(); i++)
        status = measure_phase(options, &wish, shortest, (enum st_stress_phase)i, answer);
    st_readings_read(p, -1, guest, INT64_MIN, &after);
    if (answer->phases[0].sizes.rtkit_refused)
        (void)st_facts_put_int(facts, ST_KEY_RTKIT_REFUSED_N, 1, "sleeptune asked rtkit");
    answer->slowed = st_cause_slowed(&before, &after);
    answer->dropouts = watch ? st_music_finish(options->music, true, facts) : NULL;
    if (status == ST_EXIT_DONE &&
        ((watch && answer->dropouts == NULL) || !answer->phases[0].sizes.measured))
        status = st_failure("out of memory");
    if (!options->quiet && isatty(STDERR_FILENO) == 1)
        fputs("\r\033[K", stderr);
    if (status != ST_EXIT_DONE)
        return status;
    status = make_answer(facts, answer);
    ST_EACH_OF (phase, answer->phases, answer->phases_n) {
        if (phase->load_error != 0)
            status = st_failure("the load '%s' failed: %s%s", st_stress_name(phase->load),
                                phase->load_error == -ECHILD ? "it ended too early"
                                                             : strerror(-phase->load_error),
                                phase->load == ST_STRESS_DISK
                                    ? ". This load needs 64 MiB free in $TMPDIR or /var/tmp"
                                    : "");
    }
    return status;
}

int st_cmd_check(int argc, char **argv)
{
    static struct answer answer; /* too large for the stack */
    struct options options = {.duration_ns = DURATION_NS};
    struct st_facts_input input = {0};
    struct st_facts *facts;
    const struct st_option own[] = {
        {"duration", 'd', .time_ns = &options.duration_ns, .min = ST_NS_PER_MS,
         .max = DURATION_MAX_NS},
        {"quiet", 'q', .flag = &options.quiet},
        {"stress", .flag = &answer.stress},
        {"no-servers", .flag = &input.no_servers},
    };
    int status =
        st_report_run_options(own, ST_ARRAY_LEN(own), help, argc, argv, NULL, &options.report);
    if (status >= 0)
        return status;
    /* read the facts before the loop runs, so that no setting of the loop is taken for one of the
     * machine */
    st_facts_input_of_player(&input);
    status = st_facts_input_load(&input, &facts);
    if (status != ST_EXIT_DONE)
        return status;
    answer.details = options.report.all;
    const int measured = measure(&options, !input.no_servers, facts, &answer);
    if (answer.report.text != NULL) {
        options.report.answer = &answer.report;
        status = st_report_run(facts, &options.report, true);
    }
    json_decref(answer.report.json);
    json_decref(answer.dropouts);
    ST_EACH_OF (phase, answer.phases, answer.phases_n)
        st_sizes_finish(&phase->sizes);
    st_facts_free(facts);
    return measured == ST_EXIT_DONE || status >= ST_EXIT_USAGE ? status : measured;
}
