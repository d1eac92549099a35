/* sleeptune predict: estimates the dropouts per hour at each buffer size from one run at the
 * shortest one. */
#include <unistd.h>

#include "advisor/rules/buffer.h"
#include "cli/command.h"
#include "cli/module/module_history.h"
#include "cli/show/predict_text.h"
#include "core/text/json.h"
#include "core/text/safe.h"
#include "core/when.h"
#include "platform/module.h"
#include "platform/posix/posix.h"
#include "platform/program/output.h"
#include "platform/program/terminal.h"
#include "store/recording/recording_input.h"

static const char help[] =
    "Usage: sleeptune predict FILE [OPTION...]\n"
    "       sleeptune predict --history [FILE] [OPTION...]\n"
    "Which buffer size can I use? Dropouts per hour at each size, and how sure that\n"
    "is, from one run at the shortest size. Longer ones follow from that.\n\n"
    "FILE is a recording of 'measure --record'.\n\n"
    "      --history              what sleeptuned measured; FILE is a history\n"
    "                             (usually the one that 'sleeptune history' shows)\n"
    "      --frames N             also this size, such as 480\n"
    "      --json                 print JSON\n"
    "  -h, --help                 this text\n\n"
    "Examples:\n"
    "  sleeptune measure --frames 32 --duration 10m --record run.strec\n"
    "  sleeptune predict run.strec\n"
    "  sleeptune predict --history\n\n"
    "Exit status: 0 a size is enough, 1 each size has dropouts, 2 too little data,\n"
    "3 usage, 4 failure.\n";

/* --- input --- */

static int add_events(struct st_recording_reader *reader, struct st_predict_run *run)
{
    struct st_recording_event event;
    int r;
    while ((r = st_recording_next(reader, &event)) == 1) {
        *(event.kind == ST_RECORDING_LOST ? &run->lost_n : &run->periods_n) += event.n;
        if (event.kind == ST_RECORDING_CYCLE)
            st_predict_add(run, event.period_index, event.lateness_ns);
    }
    return r;
}

static int read_recording(const char *path, struct st_predict_run *run)
{
    struct st_recording_reader *reader;
    const char *name = st_text_is(path, "-") ? "standard input" : path;
    FILE *stream = st_posix_input_open(path);
    if (stream == NULL)
        return st_failure("cannot read %s: %s", path, st_posix_input_error(errno));
    int r = st_recording_open_stream(stream, &reader);
    if (r != 0)
        return st_failure("cannot read %s: %s", name, st_recording_input_error(r));
    const struct st_recording_info *info = st_recording_info(reader);
    const struct st_recording_meta *meta = &info->meta;
    const bool sized = meta->frames != 0 && meta->rate_hz != 0;
    r = st_predict_begin(run, &meta->period, meta->frames, meta->rate_hz);
    if (r == 0)
        r = add_events(reader, run);
    const enum st_recording_end end = info->end;
    st_recording_close_reader(reader);
    if (r < 0)
        return st_failure("cannot read %s: %s", name, strerror(-r));
    if (end == ST_RECORDING_CUT || end == ST_RECORDING_DAMAGED)
        st_failure("%s is %s: sleeptune read only its beginning", name,
                   end == ST_RECORDING_CUT ? "cut" : "damaged");
    if (sized)
        return ST_EXIT_DONE;
    return st_failure("%s does not say its buffer size. Record with 'sleeptune measure --record'.",
                      name);
}

static int read_history(const char *path, struct st_module_history_predict *ret)
{
    st_module_history_predict_fn function;
    const char *error = st_module_load("history", ST_MODULE_HISTORY_PREDICT_SYMBOL, &function);
    if (error != NULL)
        return st_failure("cannot load: %s", error);
    const int r = function(path, ret);
    if (r == 0)
        return ST_EXIT_DONE;
    const int status = st_failure("%s", ret->error);
    return r == -ENODATA ? ST_EXIT_UNKNOWN : status;
}

/* --- output --- */

static json_t *table_json(const struct st_predict_table *table,
                          const struct st_module_history_predict *input)
{
    const struct st_history_predict *read = &input->read;
    const double seconds = st_predict_seconds(table->run);
    json_t *history = NULL;
    if (input->path[0] != '\0')
        history = st_json_object("path:t since_ns:i until_ns:i other_settings_ns:i", input->path,
                                 read->since_ns, read->until_ns, read->other_ns);
    return st_json_object(
        "schema:t measured:o history:o target_per_hour:d held_frames:o rows:o",
        "sleeptune-predict/1",
        st_json_object("frames:u rate_hz:u seconds:d", table->run->frames, table->run->rate_hz,
                       seconds),
        history, st_predict_target(seconds),
        st_json_integer_or_null(table->held != NULL, table->held != NULL ? table->held->frames : 0),
        st_predict_text_rows_json(table));
}

/* Prints which time of the history the prediction uses, and how much of it is not counted. */
static void say_history(const struct st_module_history_predict *input, FILE *out, int width)
{
    const struct st_history_predict *read = &input->read;
    char other[80] = "";
    if (read->other_ns > 0)
        ST_PRINT(other, "; %s with other settings were left out", st_ns_short(read->other_ns));
    const char *line = st_text("%s of measurements in %s, at %u frames, from %.10s to %.10s%s",
                               st_ns_short((int64_t)(st_predict_seconds(&input->run) * 1e9)),
                               input->path, input->run.frames, st_when_text(read->since_ns),
                               st_when_text(read->until_ns), other);
    st_text_field(out, "From", line, 6, width);
}

static void say_next(const struct st_predict_table *table, FILE *out, int width)
{
    const char *line = "sleeptune report (which settings make audio threads wake up late)";
    if (!table->known)
        line = "sleeptune measure --frames 32 --duration 10m --record FILE";
    else if (table->held != NULL && st_predict_target(st_predict_seconds(table->run)) > 1)
        line = st_text("sleeptune measure%s --duration 3h --record FILE (3 h without a dropout: at "
                       "most 1 per hour with 95 %% confidence)",
                       st_buffer_options(&(struct st_wish){.frames = table->run->frames,
                                                           .rate_hz = table->run->rate_hz}));
    else if (table->held != NULL)
        line = st_predict_text_setting(table->held->frames);
    st_text_field(out, "Next", line, 6, width);
}

static int print_text(const struct st_predict_table *table,
                      const struct st_module_history_predict *input)
{
    struct st_locale_stream stream;
    FILE *out = st_locale_begin(&stream, stdout);
    const int width = st_terminal_width(STDOUT_FILENO);
    st_text_wrap(out, st_predict_text_answer(table), 0, width);
    fputc('\n', out);
    st_predict_text_rows(table, &(struct st_predict_view){.width = width}, out);
    fputc('\n', out);
    if (input->path[0] != '\0')
        say_history(input, out, width);
    say_next(table, out, width);
    return st_output_text(&stream, ST_EXIT_DONE);
}

int st_cmd_predict(int argc, char **argv)
{
    struct st_module_history_predict input = {.path = ""};
    struct st_predict_table table = {.run = &input.run};
    int64_t frames = 0;
    bool history = false, json = false;
    int first = 0;
    const struct st_option options[] = {
        {"frames", .number = &frames, .min = 1, .max = ST_PREDICT_FRAMES_MAX},
        {"history", .flag = &history},
        {.name = "json", .flag = &json},
    };
    int status = st_options_read(options, ST_ARRAY_LEN(options), help, argc, argv, &first);
    if (status >= 0)
        return status;
    if (argc - first > 1)
        return st_failure_usage("predict reads one file: give only one");
    if (argc == first && !history)
        return st_failure_usage("give the file of a recording, or --history");
    status = history ? read_history(argv[first], &input) : read_recording(argv[first], &input.run);
    if (status == ST_EXIT_DONE) {
        st_predict_text_fill(&table, (uint32_t)frames);
        status = json ? st_output_json(table_json(&table, &input)) : print_text(&table, &input);
    }
    st_predict_finish(&input.run);
    if (status != ST_EXIT_DONE || table.held != NULL)
        return status;
    return table.known ? ST_EXIT_FINDINGS : ST_EXIT_UNKNOWN;
}
