/* sleeptune export: a recording as CSV or as a NumPy array. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "chart/input/recording_input.h"
#include "cli/command.h"
#include "core/ns.h"
#include "platform/program/output.h"
#include "store/recording/recording.h"

#define COMMAND       "export"
#define ROW_MAX_BYTES 64 /* 20 digits, 20 digits and a sign, ... */

struct export
{
    const char *file; /* for messages */
    bool npy;         /* else CSV */
    struct st_recording_reader *reader;
    struct st_recording_totals totals; /* of the whole file */
    enum st_recording_end end;
    uint64_t rows; /* cycles and skipped periods */
    FILE *out;
    time_t started;
    bool progress, progress_shown;
    uint64_t shown_rows; /* at the latest look at the clock */
};

static void help(void)
{
    fputs("Usage: sleeptune export FILE --csv|--npy [-o FILE]\n"
          "Turn a recording of 'sleeptune measure --record' into a table with one row a\n"
          "period.\n\n"
          "      --csv          period,lateness_ns,skipped under '#' lines of circumstances\n"
          "      --npy          NumPy structured array with the same fields (numpy.load)\n"
          "  -o, --output FILE  write to FILE (standard output)\n"
          "  -h, --help         this text\n\n"
          "Skipped periods have the lateness they would have had. Periods that were lost\n"
          "because the ring was full have no row. A recording that was cut short is\n"
          "exported up to its last complete block.\n\n"
          "Examples:\n"
          "  sleeptune measure --duration 1h --record hour.strec\n"
          "  sleeptune export hour.strec --csv | head\n"
          "  sleeptune export hour.strec --npy -o hour.npy\n\n"
          "Exit status: 0 done, 3 usage, 4 failure (of a damaged recording, what is before\n"
          "the damage is exported).\n",
          stdout);
}

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

/* --- CSV --- */

static void csv_start(const struct export *export)
{
    FILE *out = export->out;
    const struct st_recording_meta *meta = st_recording_meta(export->reader);
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
    if (st_recording_t0_ns(export->reader) != ST_RECORDING_UNKNOWN_NS)
        fprintf(out, "# t0_ns: %" PRId64 "\n", st_recording_t0_ns(export->reader));
    fprintf(out,
            "# cycles: %" PRIu64 "\n# skipped_periods: %" PRIu64 "\n# lost_cycles: %" PRIu64 "\n# end: %s\n",
            export->totals.cycles, export->totals.skipped_periods, export->totals.lost_cycles,
            end_name(export->end));
    const char *at = st_recording_circumstances(export->reader);
    while (*at != '\0') {
        const size_t n = strcspn(at, "\n");
        fprintf(out, "# %.*s\n", (int)n, at);
        at += at[n] == '\n' ? n + 1 : n;
    }
    fputs("period,lateness_ns,skipped\n", out);
}

/* In place of printf, which takes five times as long. @return where the next character goes. */
static char *put_number(char *at, uint64_t value)
{
    char digits[20];
    size_t n = sizeof(digits);
    do
        digits[--n] = (char)('0' + value % 10);
    while ((value /= 10) > 0);
    memcpy(at, digits + n, sizeof(digits) - n);
    return at + (sizeof(digits) - n);
}

static char *csv_row(char *at, uint64_t period_index, int64_t lateness_ns, bool skipped)
{
    at = put_number(at, period_index);
    *at++ = ',';
    if (lateness_ns < 0)
        *at++ = '-';
    at = put_number(at, lateness_ns < 0 ? -(uint64_t)lateness_ns : (uint64_t)lateness_ns);
    *at++ = ',';
    *at++ = skipped ? '1' : '0';
    *at++ = '\n';
    return at;
}

/* --- NPY, format 1.0 (NEP 1) --- */

static void npy_start(const struct export *export)
{
    char header[192];
    const int n = snprintf(header, sizeof(header),
                           "{'descr': [('period', '<i8'), ('lateness_ns', '<i8'), ('skipped', '|b1')], "
                           "'fortran_order': False, 'shape': (%" PRIu64 ",), }",
                           export->rows);
    /* magic, version and length are 10 bytes; all before the data is a multiple of 64 and ends in a newline
     */
    const unsigned length = ((unsigned)n + 1 + 10 + 63) / 64 * 64 - 10;
    fwrite("\x93NUMPY\x01\x00", 1, 8, export->out);
    fputc((int)(length & 0xff), export->out);
    fputc((int)(length >> 8), export->out);
    fprintf(export->out, "%-*s\n", (int)length - 1, header);
}

static char *npy_row(char *at, uint64_t period_index, int64_t lateness_ns, bool skipped)
{
    for (unsigned i = 0; i < 8; i++) { /* one store each, where the machine is little-endian */
        at[i] = (char)(period_index >> (8 * i));
        at[8 + i] = (char)((uint64_t)lateness_ns >> (8 * i));
    }
    at[16] = skipped ? 1 : 0;
    return at + 17;
}

/* --- both --- */

static void show_progress(struct export *export, uint64_t rows)
{
    if (!export->progress || rows - export->shown_rows < UINT64_C(1) << 18)
        return;
    export->shown_rows = rows;
    if (time(NULL) - export->started < 2)
        return;
    export->progress_shown = true;
    fprintf(stderr, "\rsleeptune export: %3.0f %%", 100.0 * (double)rows / (double)export->rows);
    fflush(stderr);
}

/* First pass: how many rows, and what the blocks at the end say. @return 0 or -errno. */
static int count_rows(struct export *export)
{
    struct st_recording_event event;
    const int64_t *unused;
    int r;
    while ((r = st_recording_next_run(export->reader, &event, &unused, &unused)) == 1) {
        if (event.kind != ST_RECORDING_LOST && __builtin_add_overflow(export->rows, event.n, &export->rows))
            return -EOVERFLOW;
    }
    export->totals = st_recording_totals(export->reader);
    export->end = st_recording_ended(export->reader);
    return r < 0 ? r : st_recording_rewind(export->reader);
}

/* Rows that wait to be written. */
struct rows {
    char text[1 << 16];
    char *end;
    uint64_t n; /* all so far */
};

static int write_waiting(struct export *export, struct rows *rows)
{
    fwrite(rows->text, 1, (size_t)(rows->end - rows->text), export->out);
    rows->end = rows->text;
    if (ferror(export->out) != 0)
        return errno != 0 ? -errno : -EIO;
    show_progress(export, rows->n);
    return 0;
}

/* @param lateness_ns of cycles; NULL: skipped periods. */
static int add_rows(struct export *export, struct rows *rows, const struct st_recording_event *event,
                    const int64_t *lateness_ns)
{
    const struct st_period *period = &st_recording_meta(export->reader)->period;
    char *(*const row)(char *, uint64_t, int64_t, bool) = export->npy ? npy_row : csv_row;
    int r = 0;
    for (uint64_t i = 0; i < event->n && rows->n < export->rows && r == 0; i++, rows->n++) {
        rows->end =
            row(rows->end, event->period_index + i,
                lateness_ns != NULL ? lateness_ns[i] : st_recording_skipped_lateness_ns(period, event, i),
                lateness_ns == NULL);
        if (rows->text + sizeof(rows->text) - rows->end < ROW_MAX_BYTES)
            r = write_waiting(export, rows);
    }
    return r;
}

/* Second pass. A recording that still grows is exported as far as it was counted. @return 0 or -errno. */
static int write_rows(struct export *export)
{
    struct rows *rows = malloc(sizeof(*rows));
    int r = rows != NULL ? 0 : -ENOMEM;
    if (r == 0) {
        rows->end = rows->text;
        rows->n = 0;
    }
    while (r == 0 && rows->n < export->rows) {
        struct st_recording_event event;
        const int64_t *lateness_ns, *callback_ns;
        r = st_recording_next_run(export->reader, &event, &lateness_ns, &callback_ns);
        if (r <= 0)
            r = r < 0 ? r : -EIO; /* the file became shorter meanwhile */
        else if (event.kind == ST_RECORDING_LOST)
            r = 0;
        else
            r = add_rows(export, rows, &event, event.kind == ST_RECORDING_CYCLE ? lateness_ns : NULL);
    }
    if (r == 0)
        r = write_waiting(export, rows);
    free(rows);
    return r;
}

static int write_table(struct export *export, const char *path)
{
    const char *name = path != NULL ? path : "standard output";
    struct st_output output;
    int r = st_output_open(&output, path);
    if (r < 0)
        return st_failure(COMMAND, "cannot write %s: %s", name, st_destination_error(r));
    export->out = output.stream;
    export->started = time(NULL);
    export->progress = isatty(STDERR_FILENO) == 1 && !isatty(fileno(output.stream));
    errno = 0;
    if (export->npy)
        npy_start(export);
    else
        csv_start(export);
    r = write_rows(export);
    if (export->progress_shown)
        fputc('\n', stderr);
    const int closed = st_output_close(&output, r == 0);
    if (r == 0)
        r = closed;
    return r == 0 ? ST_EXIT_DONE
                  : st_failure(COMMAND, "cannot export %s to %s: %s", export->file, name, strerror(-r));
}

/* The output replaces a file of its name: it must not be the recording itself. */
static bool same_file(const char *a, const char *b)
{
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

static int run(struct export *export, const char *path)
{
    int r = st_recording_open(export->file, &export->reader);
    if (r != 0)
        return st_recording_refused(COMMAND, export->file, r);
    r = count_rows(export);
    int status;
    if (r == -ESPIPE)
        status = st_failure(COMMAND, "%s is not a file: it has to be read twice", export->file);
    else if (r < 0)
        status = st_failure(COMMAND, "cannot read %s: %s", export->file, strerror(-r));
    else
        status = write_table(export, path);
    st_recording_close_reader(export->reader);
    if (status != ST_EXIT_DONE)
        return status;
    if (export->end == ST_RECORDING_DAMAGED)
        return st_failure(COMMAND, "%s is damaged after %" PRIu64 " cycles; exported up to there",
                          export->file, export->totals.cycles);
    if (export->end == ST_RECORDING_CUT)
        (void)st_failure(COMMAND,
                         "%s has no end mark (still running, or it was cut short): exported the %" PRIu64
                         " cycles of its complete blocks",
                         export->file, export->totals.cycles);
    return ST_EXIT_DONE;
}

int st_cmd_export(int argc, char **argv)
{
    const char *path = NULL;
    bool csv = false, npy = false;
    int first = 0;
    const struct st_option options[] = {
        {"csv", .flag = &csv},
        {"npy", .flag = &npy},
        {"output", 'o', .text = &path},
    };
    const int r = st_options_read(COMMAND, options, ST_ARRAY_LEN(options), help, argc, argv, &first);
    if (r >= 0)
        return r;
    if (csv && npy)
        return st_usage_error(COMMAND, "--csv and --npy exclude each other");
    if (first == argc)
        return st_usage_error(COMMAND, "which recording?");
    if (first + 1 < argc)
        return st_usage_error(COMMAND, "unexpected argument: %s", argv[first + 1]);
    if (!csv && !npy)
        return st_usage_error(COMMAND, "--csv or --npy?");
    struct export export = {.file = argv[first], .npy = npy};
    const bool to_stdout = path == NULL || strcmp(path, "-") == 0;
    if (npy && to_stdout && isatty(STDOUT_FILENO) == 1)
        return st_usage_error(COMMAND, "--npy is binary: give -o FILE or a pipe");
    if (!to_stdout && same_file(export.file, path))
        return st_usage_error(COMMAND, "-o %s is the recording itself", path);
    return run(&export, path);
}
