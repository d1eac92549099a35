/* sleeptune-lab plot: draws measurements, and writes a recording as CSV. */
#include <sys/stat.h>
#include <unistd.h>

#include "core/ns.h"
#include "lab/chart/chart.h"
#include "lab/commands.h"
#include "platform/program/output.h"
#include "store/recording/recording.h"
#include "store/recording/recording_input.h"

static const char help[] =
    "Usage: sleeptune-lab plot [OPTION...] FILE...\n"
    "Draw measurements as SVG, or convert a recording to CSV.\n\n"
    "FILE is a recording of 'measure --record', the JSON of sleeptune-lab, a CSV file\n"
    "of this command, or text with one figure per line; '-' is standard input, and\n"
    "FILE:2 is column 2 of a table. Several files share one picture.\n\n"
    "  -o, --output FILE      .svg or .csv; - is standard output\n"
    "  -k, --kind KIND        box, series, line or slices (fits the data)\n"
    "      --title TEXT       title of the picture (kind and quantity)\n"
    "      --axis TEXT        name of the axis of values (lateness, value ...)\n"
    "      --label LIST       names of the files, with commas between (file names)\n"
    "      --overlay          series of several files in one panel\n"
    "      --every TIME       time between the lines of a text file (unknown)\n"
    "      --unit UNIT        of the figures of a text file: ns, us, ms or s\n"
    "      --csv              write CSV, whatever the name of the output is\n"
    "  -h, --help             this text\n\n"
    "Examples:\n"
    "  sleeptune measure --record a.strec\n"
    "  sleeptune-lab plot a.strec -o a.svg\n"
    "  sleeptune-lab plot a.strec -o a.csv\n"
    "  sleeptune-lab plot before.strec after.strec -o both.svg\n"
    "  sleeptune-lab wake --json | sleeptune-lab plot - -o wake.svg\n\n"
    "Exit status: 0 done, 3 usage, 4 failure.\n";

/* --- a recording as CSV: a row for each cycle, and for each run of skipped periods --- */

static const char *end_name(enum st_recording_end end)
{
    static const char *const names[] = {[ST_RECORDING_OPEN] = "open",
                                        [ST_RECORDING_COMPLETE] = "complete",
                                        [ST_RECORDING_INTERRUPTED] = "interrupted",
                                        [ST_RECORDING_CUT] = "cut",
                                        [ST_RECORDING_DAMAGED] = "damaged"};
    return names[end];
}

static void write_head(const struct st_recording_meta *meta, FILE *out)
{
    char text[64];
    fputs("# sleeptune recording\n", out);
    fprintf(out, "# period_ns: %ju/%ju\n", meta->period.num, meta->period.den);
    if (meta->frames != 0)
        fprintf(out, "# frames: %" PRIu32 "\n# rate_hz: %" PRIu32 "\n", meta->frames,
                meta->rate_hz);
    if (meta->started_wall_ns != ST_RECORDING_UNKNOWN_NS) {
        const struct timespec started = st_ns_to_timespec(meta->started_wall_ns);
        struct tm tm;
        if (gmtime_r(&started.tv_sec, &tm) != NULL &&
            strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm) > 0)
            fprintf(out, "# started: %s.%03ldZ\n", text, started.tv_nsec / 1000000);
    }
    fputs("period,lateness_ns,skipped\n", out);
}

/* Writes comments with figures that a recording has only at its end, and its test conditions. */
static void write_foot(const struct st_recording_info *info, FILE *out)
{
    if (info->t0_ns != ST_RECORDING_UNKNOWN_NS)
        fprintf(out, "# t0_ns: %jd\n", info->t0_ns);
    fprintf(out, "# cycles: %ju\n# skipped_periods: %ju\n# lost_cycles: %ju\n# end: %s\n",
            info->totals.cycles, info->totals.skipped_periods, info->totals.lost_cycles,
            end_name(info->end));
    for (const char *at = info->conditions; *at != '\0';) {
        const size_t n = strcspn(at, "\n");
        fprintf(out, "# %.*s\n", (int)n, at);
        at += at[n] == '\n' ? n + 1 : n;
    }
}

/* Writes the rows. Consecutive skipped periods are one row, because a few bytes of a recording may
 * stand for any number of them. @return 0 or -errno, of the recording or of the output. */
static int write_rows(struct st_recording_reader *reader, FILE *out)
{
    struct st_recording_event event;
    int r = 1;
    while (ferror(out) == 0 && (r = st_recording_next(reader, &event)) == 1) {
        if (event.kind != ST_RECORDING_LOST)
            fprintf(out, "%ju,%jd,%ju\n", event.period_index, event.lateness_ns,
                    event.kind == ST_RECORDING_SKIPPED ? event.n : 0);
    }
    if (r >= 0 && ferror(out) != 0)
        return errno != 0 ? -errno : -EIO;
    return r < 0 ? r : 0;
}

static int write_table(const char *file, struct st_recording_reader *reader, const char *path)
{
    const char *name = path != NULL ? path : "standard output";
    struct st_output output;
    int r = st_output_open(&output, path);
    if (r < 0)
        return st_failure("cannot write %s: %s", name, st_destination_error(r));
    errno = 0;
    write_head(&st_recording_info(reader)->meta, output.stream);
    r = write_rows(reader, output.stream);
    write_foot(st_recording_info(reader), output.stream);
    const int closed = st_output_close(&output, r == 0);
    if (r == 0)
        r = closed;
    return r == 0 ? ST_EXIT_DONE
                  : st_failure("cannot convert %s to %s: %s", file, name, strerror(-r));
}

/* Output replaces an existing file, so it must not be the recording itself. */
static bool same_file(const char *a, const char *b)
{
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

static int write_csv(const char *file, const char *path)
{
    struct st_recording_reader *reader;
    const int r = st_recording_open(file, &reader);
    if (r != 0)
        return st_failure("cannot read %s: %s", file, st_recording_input_error(r));
    int status = write_table(file, reader, path);
    const enum st_recording_end end = st_recording_info(reader)->end;
    const uint64_t cycles = st_recording_info(reader)->totals.cycles;
    st_recording_close_reader(reader);
    if (status == ST_EXIT_DONE && end == ST_RECORDING_DAMAGED)
        status = st_failure("%s is damaged after %ju cycles; the CSV ends there", file, cycles);
    else if (status == ST_EXIT_DONE && end == ST_RECORDING_CUT)
        (void)st_failure("%s has no end mark (the measurement still runs, or it was killed): the "
                         "CSV has the %ju cycles of its whole lines",
                         file, cycles);
    return status;
}

static bool is_csv(const char *path)
{
    const size_t bytes = path != NULL ? strlen(path) : 0;
    return bytes > 4 && strcasecmp(path + bytes - 4, ".csv") == 0;
}

static int convert(const char *path, char **files, int n)
{
    if (n > 1)
        return st_failure_usage("a CSV file can hold only one recording: leave out %s", files[1]);
    if (path != NULL && strcmp(path, "-") != 0 && same_file(files[0], path))
        return st_failure_usage("-o %s would overwrite the recording. Choose another name.", path);
    return write_csv(files[0], path);
}

/* Reads one file. *labels is the rest of the list of --label: its first word, if any, names the
 * file in the picture and is removed. */
static int read_file(const char *path, const struct st_series_options *series, const char **labels,
                     struct st_chart_data *data)
{
    const size_t before = data->n;
    const int status = st_chart_read(path, series, data);
    const size_t bytes = *labels != NULL ? strcspn(*labels, ",") : 0;
    for (size_t i = before; i < data->n && bytes > 0; i++) {
        struct st_chart_set *set = data->set[i];
        const bool only = strcmp(set->label, set->file) == 0;
        ST_PRINT(set->file, "%.*s", (int)bytes, *labels);
        if (only)
            ST_PRINT(set->label, "%s", set->file);
    }
    if (*labels != NULL)
        *labels += bytes + ((*labels)[bytes] == ',');
    return status;
}

/* Checks the name of the picture. @return 0 or an st_exit, after a message. */
static int check_picture(const char *path)
{
    if (path == NULL && isatty(STDOUT_FILENO) == 1)
        return st_failure_usage("name the picture: -o FILE.svg");
    return path == NULL || strcmp(path, "-") == 0 ? 0 : st_chart_check("-o", path);
}

int st_cmd_plot(int argc, char **argv)
{
    struct st_chart_options chart = {.kind = ST_CHART_ANY};
    struct st_series_options series = {0};
    struct st_chart_data data;
    const char *axis = NULL, *labels = NULL, *title = NULL;
    bool csv = false, overlay = false;
    int first;
    const struct st_option options[] = {
        {.name = "output", .letter = 'o', .text = &chart.path},
        {.name = "kind", .letter = 'k', .take = st_chart_take_kind, .ctx = &chart.kind},
        ST_SERIES_TEXT_OPTIONS(&series),
        {.name = "title", .text = &title},
        {.name = "axis", .text = &axis},
        {.name = "label", .text = &labels},
        {.name = "overlay", .flag = &overlay},
        {.name = "csv", .flag = &csv},
    };
    int status = st_options_read(options, ST_ARRAY_LEN(options), help, argc, argv, &first);
    if (status >= 0)
        return status;
    if (first == argc)
        return st_failure_usage("give a file");
    if (overlay && chart.kind != ST_CHART_ANY && chart.kind != ST_CHART_SERIES &&
        chart.kind != ST_CHART_LINE)
        return st_failure_usage("--overlay is for --kind series and line");
    if (csv || is_csv(chart.path))
        return convert(chart.path, argv + first, argc - first);
    status = check_picture(chart.path);
    st_chart_init(&data, "");
    for (int i = first; i < argc && status == ST_EXIT_DONE; i++)
        status = read_file(argv[i], &series, &labels, &data);
    data.title = title;
    data.overlay = overlay;
    if (overlay && chart.kind == ST_CHART_ANY)
        chart.kind = ST_CHART_SERIES;
    if (axis != NULL)
        ST_PRINT(data.quantity, "%s", axis);
    if (status == ST_EXIT_DONE)
        status = st_chart_write(&data, &chart);
    st_chart_finish(&data);
    return status;
}
