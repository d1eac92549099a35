/* sleeptune plot: draws measurements, and writes a recording as CSV. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "chart/chart.h"
#include "chart/input/recording_input.h"
#include "cli/command.h"
#include "core/ns.h"
#include "platform/program/output.h"
#include "store/recording/recording.h"

#define NAME "plot"

static void help(void)
{
    fputs("Usage: sleeptune plot [OPTION...] FILE...\n"
          "Draw measurements as SVG or as text in the terminal, or convert a recording to\n"
          "CSV.\n\n"
          "FILE is a recording of 'measure --record', a histogram log, the JSON of\n"
          "'measure' or of sleeptune-lab, a CSV file of this command, or text with one\n"
          "figure per line; '-' is standard input. Several files share one picture.\n\n"
          "  -o, --output FILE      .svg or .csv (text on standard output)\n"
          "  -k, --kind KIND        box, series, hist or quantile (chosen by the data)\n"
          "      --every TIME       period of text (1s)\n"
          "      --csv              write CSV, whatever the name of the output is\n"
          "  -h, --help             this text\n\n"
          "Examples:\n"
          "  sleeptune measure --record a.strec\n"
          "  sleeptune plot a.strec -o a.svg\n"
          "  sleeptune plot a.strec -o a.csv\n"
          "  sleeptune plot --kind quantile before.strec after.strec\n"
          "  sleeptune-lab sleep --json | sleeptune plot - -o sleep.svg\n\n"
          "Exit status: 0 done, 3 usage, 4 failure.\n",
          stdout);
}

/* --- a recording as CSV: one row per period --- */

struct table {
    const char *file; /* for messages */
    struct st_recording_reader *reader;
    struct st_recording_totals totals; /* of the whole file */
    enum st_recording_end end;
    uint64_t rows; /* cycles and skipped periods */
    FILE *out;
};

static const char *end_name(enum st_recording_end end)
{
    switch (end) {
    case ST_RECORDING_COMPLETE:
        return "complete";
    case ST_RECORDING_INTERRUPTED:
        return "interrupted";
    case ST_RECORDING_CUT:
        return "cut";
    case ST_RECORDING_DAMAGED:
        return "damaged";
    case ST_RECORDING_OPEN:
        break;
    }
    return "open";
}

static void csv_start(const struct table *table)
{
    FILE *out = table->out;
    const struct st_recording_meta *meta = &st_recording_info(table->reader)->meta;
    char text[64];
    fputs("# sleeptune recording\n", out);
    fprintf(out, "# period_ns: %" PRIu64 "/%" PRIu64 "\n", meta->period.num, meta->period.den);
    if (meta->frames != 0 && meta->rate_hz != 0)
        fprintf(out, "# frames: %" PRIu32 "\n# rate_hz: %" PRIu32 "\n", meta->frames, meta->rate_hz);
    if (meta->started_wall_ns != ST_RECORDING_UNKNOWN_NS) {
        const struct timespec started = st_ns_to_timespec(meta->started_wall_ns);
        struct tm tm;
        if (gmtime_r(&started.tv_sec, &tm) != NULL &&
            strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm) > 0)
            fprintf(out, "# started: %s.%03ldZ\n", text, started.tv_nsec / 1000000);
    }
    if (st_recording_info(table->reader)->t0_ns != ST_RECORDING_UNKNOWN_NS)
        fprintf(out, "# t0_ns: %" PRId64 "\n", st_recording_info(table->reader)->t0_ns);
    fprintf(
        out, "# cycles: %" PRIu64 "\n# skipped_periods: %" PRIu64 "\n# lost_cycles: %" PRIu64 "\n# end: %s\n",
        table->totals.cycles, table->totals.skipped_periods, table->totals.lost_cycles, end_name(table->end));
    const char *at = st_recording_info(table->reader)->conditions;
    while (*at != '\0') {
        const size_t n = strcspn(at, "\n");
        fprintf(out, "# %.*s\n", (int)n, at);
        at += at[n] == '\n' ? n + 1 : n;
    }
    fputs("period,lateness_ns,skipped\n", out);
}

/* First pass: counts the rows and reads the totals at the end. @return 0 or -errno. */
static int count_rows(struct table *table)
{
    struct st_recording_event event;
    const int64_t *unused;
    int r;
    while ((r = st_recording_next_run(table->reader, &event, &unused, &unused)) == 1) {
        if (event.kind != ST_RECORDING_LOST && __builtin_add_overflow(table->rows, event.n, &table->rows))
            return -EOVERFLOW;
    }
    table->totals = st_recording_info(table->reader)->totals;
    table->end = st_recording_info(table->reader)->end;
    return r < 0 ? r : st_recording_rewind(table->reader);
}

/* @param lateness_ns of cycles; NULL: skipped periods. */
static void write_run(const struct table *table, const struct st_recording_event *event,
                      const int64_t *lateness_ns, uint64_t n)
{
    const struct st_period *period = &st_recording_info(table->reader)->meta.period;
    for (uint64_t i = 0; i < n; i++)
        fprintf(table->out, "%" PRIu64 ",%" PRId64 ",%d\n", event->period_index + i,
                lateness_ns != NULL ? lateness_ns[i] : st_recording_skipped_lateness_ns(period, event, i),
                lateness_ns == NULL);
}

/* Second pass. Of a recording that still grows it writes the rows that were counted. @return 0 or -errno. */
static int write_rows(struct table *table)
{
    struct st_recording_event event;
    const int64_t *lateness_ns, *callback_ns;
    for (uint64_t left_n = table->rows; left_n > 0 && ferror(table->out) == 0;) {
        const int r = st_recording_next_run(table->reader, &event, &lateness_ns, &callback_ns);
        if (r <= 0)
            return r < 0 ? r : -EIO; /* the file became shorter */
        if (event.kind == ST_RECORDING_LOST)
            continue;
        const uint64_t n = event.n < left_n ? event.n : left_n;
        write_run(table, &event, event.kind == ST_RECORDING_CYCLE ? lateness_ns : NULL, n);
        left_n -= n;
    }
    if (ferror(table->out) != 0)
        return errno != 0 ? -errno : -EIO;
    return 0;
}

static int write_table(struct table *table, const char *path)
{
    const char *name = path != NULL ? path : "standard output";
    struct st_output output;
    int r = st_output_open(&output, path);
    if (r < 0)
        return st_failure(NAME, "cannot write %s: %s", name, st_destination_error(r));
    table->out = output.stream;
    errno = 0;
    csv_start(table);
    r = write_rows(table);
    const int closed = st_output_close(&output, r == 0);
    if (r == 0)
        r = closed;
    return r == 0 ? ST_EXIT_DONE
                  : st_failure(NAME, "cannot convert %s to %s: %s", table->file, name, strerror(-r));
}

/* Output replaces an existing file, so it must not be the recording itself. */
static bool same_file(const char *a, const char *b)
{
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

static int write_csv(struct table *table, const char *path)
{
    int r = st_recording_open(table->file, &table->reader);
    if (r != 0)
        return st_recording_input_refused(NAME, table->file, r);
    r = count_rows(table);
    int status;
    if (r == -ESPIPE)
        status = st_failure(NAME, "%s is not a regular file. CSV needs one, because it is read twice",
                            table->file);
    else if (r < 0)
        status = st_failure(NAME, "cannot read %s: %s", table->file, strerror(-r));
    else
        status = write_table(table, path);
    st_recording_close_reader(table->reader);
    if (status != ST_EXIT_DONE)
        return status;
    if (table->end == ST_RECORDING_DAMAGED)
        return st_failure(NAME, "%s is damaged after %" PRIu64 " cycles; the CSV ends there", table->file,
                          table->totals.cycles);
    if (table->end == ST_RECORDING_CUT)
        (void)st_failure(
            NAME,
            "%s has no end mark (the measurement still runs, or it was killed): the CSV has the %" PRIu64
            " cycles of its complete blocks",
            table->file, table->totals.cycles);
    return ST_EXIT_DONE;
}

static bool is_csv(const char *path)
{
    const size_t bytes = path != NULL ? strlen(path) : 0;
    return bytes > 4 && strcasecmp(path + bytes - 4, ".csv") == 0;
}

static int convert(const char *path, char **files, int n)
{
    struct table table = {.file = files[0]};
    if (n > 1)
        return st_failure_usage(NAME, "CSV can have only one recording: leave out %s", files[1]);
    if (path != NULL && strcmp(path, "-") != 0 && same_file(files[0], path))
        return st_failure_usage(NAME, "-o %s is the recording itself", path);
    return write_csv(&table, path);
}

int st_cmd_plot(int argc, char **argv)
{
    struct st_chart_options chart = {.kind = ST_CHART_ANY};
    struct st_series_options series;
    struct st_chart_data data;
    bool csv = false;
    int first;
    st_series_input_options_init(&series);
    const struct st_option options[] = {
        {.name = "output", .letter = 'o', .text = &chart.path},
        {.name = "kind", .letter = 'k', .take = st_chart_take_kind, .ctx = &chart.kind},
        {.name = "every", .take = st_series_input_take_every, .ctx = &series.every_ns},
        {.name = "csv", .flag = &csv},
    };
    int status = st_options_read(NAME, options, ST_ARRAY_LEN(options), help, argc, argv, &first);
    if (status >= 0)
        return status;
    if (first == argc)
        return st_failure_usage(NAME, "which file?");
    if (csv || is_csv(chart.path))
        return convert(chart.path, argv + first, argc - first);
    status = st_chart_check(NAME, "-o", chart.path);
    st_chart_init(&data, "");
    for (int i = first; i < argc && status == ST_EXIT_DONE; i++)
        status = st_chart_read(NAME, argv[i], &series, &data);
    if (status == ST_EXIT_DONE)
        status = st_chart_write(NAME, &data, &chart);
    st_chart_finish(&data);
    return status;
}
