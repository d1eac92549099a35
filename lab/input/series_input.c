#include "lab/input/series_input.h"
#include "core/text/json.h"
#include "store/recording/recording_input.h"

#include "core/ns.h"
#include "core/text/number.h"
#include "core/text/text.h"
#include "lab/input/json_input.h"
#include "lab/input/series_text.h"
#include "platform/posix/posix.h"
#include "platform/program/options.h"
#include "store/recording/recording.h"

#define LINE_BYTES                                                                                 \
    1024 /* longest line that is read, in bytes; test conditions in CSV comments have the longest  \
            lines */
#define SCHEMA_FAMILY "sleeptune-series/"

struct input {
    const char *name; /* name of the file, for messages */
    const struct st_series_options *options;
    FILE *stream;
    size_t cell; /* number of the column in "FILE:2"; 0: none */
};

static void note(struct st_series_input *result, const char *text)
{
    st_text_join(result->note, sizeof(result->note), " ", "%s", text);
}

void st_series_input_finish(struct st_series_input *input)
{
    st_series_finish(&input->series);
    free(input->conditions);
    input->conditions = NULL;
}

/* --- recordings --- */

static int add_events(struct st_recording_reader *reader, struct st_series_input *result)
{
    struct st_recording_event event;
    int r;
    while ((r = st_recording_next(reader, &event)) == 1) {
        if (event.kind == ST_RECORDING_CYCLE && result->series.n == ST_SERIES_COUNT_MAX)
            result->left_out_n++;
        else if (event.kind == ST_RECORDING_CYCLE)
            r = st_series_add(&result->series, event.period_index, event.lateness_ns);
        if (r < 0)
            return r;
    }
    return r;
}

static int read_recording(struct input *input, struct st_series_input *result)
{
    struct st_recording_reader *reader;
    int r = st_recording_open_stream(input->stream, &reader);
    input->stream = NULL; /* the reader owns the stream now, and closes it */
    if (r != 0)
        return st_failure("cannot read %s: %s", input->name, st_recording_input_error(r));
    const struct st_recording_info *run = st_recording_info(reader);
    result->source = "recording";
    st_series_init(&result->series, &run->meta.period);
    r = add_events(reader, result);
    result->interrupted = run->end == ST_RECORDING_INTERRUPTED;
    if (run->end == ST_RECORDING_CUT)
        note(result, "The recording has no end mark: it was read up to its last whole line.");
    if (run->end == ST_RECORDING_DAMAGED)
        note(result, "The recording is damaged: everything before the damage was read.");
    const char *lost = st_text("%ju cycles are missing: the buffer for samples (ring) was full.",
                               run->totals.lost_cycles);
    if (run->totals.lost_cycles > 0)
        note(result, lost);
    result->conditions = strdup(run->conditions);
    st_recording_close_reader(reader);
    if (r == 0 && result->conditions == NULL)
        r = -ENOMEM;
    return r == 0 ? ST_EXIT_DONE
                  : st_failure("cannot read %s: %s", input->name, st_recording_input_error(r));
}

/* --- JSON --- */

static bool get_u64(const json_t *object, const char *key, uint64_t *ret)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return false;
    *ret = (uint64_t)json_integer_value(value);
    return true;
}

static int add_values(const json_t *document, struct st_series_input *result)
{
    const json_t *samples = json_object_get(document, "samples_ns"),
                 *periods = json_object_get(document, "periods");
    const json_t *period = json_object_get(document, "period_ns");
    struct st_period parsed;
    uint64_t num, den;
    if (!json_is_array(samples) || !get_u64(period, "num", &num) || !get_u64(period, "den", &den) ||
        st_period_init_ns(&parsed, num, den) != 0 ||
        (json_is_array(periods) && json_array_size(periods) != json_array_size(samples)))
        return -EBADMSG;
    st_series_init(&result->series, &parsed);
    for (size_t i = 0; i < json_array_size(samples); i++) {
        const json_t *sample = json_array_get(samples, i), *index = json_array_get(periods, i);
        if (!json_is_integer(sample) ||
            (index != NULL && (!json_is_integer(index) || json_integer_value(index) < 0)))
            return -EBADMSG;
        if (i == ST_SERIES_COUNT_MAX) {
            result->left_out_n = json_array_size(samples) - i;
            break;
        }
        const int r =
            st_series_add(&result->series, index != NULL ? (uint64_t)json_integer_value(index) : i,
                          json_integer_value(sample));
        if (r != 0)
            return r == -EINVAL ? -EBADMSG : r;
    }
    return 0;
}

/* Converts a JSON object to "key: value" lines. @return a new string; NULL: out of memory. */
static char *lines_of(const json_t *object)
{
    char *text = NULL;
    size_t bytes;
    const char *key;
    json_t *value;
    FILE *out = open_memstream(&text, &bytes);
    if (out == NULL)
        return NULL;
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        char *dumped =
            json_is_string(value)
                ? NULL
                : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6));
        if (!json_is_null(value)) /* a condition that is null is unknown, and is left out */
            fprintf(out, "%s: %s\n", key, dumped != NULL ? dumped : json_string_value(value));
        free(dumped);
    }
    return st_text_take(out, &text);
}

int st_series_input_json(const char *name, const json_t *document, struct st_series_input *ret)
{
    const char *schema = st_json_text(document, "schema");
    if (schema == NULL || !st_text_begins(schema, SCHEMA_FAMILY))
        return st_failure("%s is JSON, but not a series of 'sleeptune-lab series' or 'simulate'. A "
                          "column of 'sleeptune-lab table --samples' can be read.",
                          name);
    if (strcmp(schema, ST_SERIES_SCHEMA) != 0)
        return st_failure("%s was written by a newer sleeptune: '%.40s', not '%s'", name, schema,
                          ST_SERIES_SCHEMA);
    const char *source = st_json_text(document, "source");
    ret->source = "json";
    ret->plain = source != NULL && strcmp(source, "text") == 0;
    int r = add_values(document, ret);
    const json_t *conditions = json_object_get(document, "conditions");
    if (r == 0 && json_is_object(conditions)) {
        ret->conditions = lines_of(conditions);
        r = ret->conditions == NULL ? -ENOMEM : 0;
    }
    if (r == -EBADMSG)
        return st_failure("%s: samples_ns, periods or period_ns is missing or invalid", name);
    return r == 0 ? ST_EXIT_DONE : st_failure("%s: %s", name, strerror(-r));
}

static int read_json(struct input *input, struct st_series_input *result)
{
    json_error_t error;
    json_t *document = st_json_input_read(input->stream, &error);
    if (document == NULL)
        return st_failure("%s: line %d: %s", input->name, error.line, error.text);
    const int status = st_series_input_json(input->name, document, result);
    json_decref(document);
    return status;
}

/* --- text --- */

/* @return ns of the unit; 0: no unit was given; -1: there is no such unit. */
static int64_t unit_ns(const char *unit)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    int64_t ns = 1;
    for (size_t i = 0; unit != NULL && i < ST_ARRAY_LEN(units); i++, ns *= 1000) {
        if (strcmp(unit, units[i]) == 0)
            return ns;
    }
    return unit != NULL ? -1 : 0;
}

static const char *reason(int r)
{
    switch (r) {
    case -EBADMSG:
        return "the file has neither one number in each line nor the CSV of 'sleeptune-lab plot'; "
               "column 2 of a table is FILE:2";
    case -ENOENT:
        return "the table has no column with this number";
    case -ERANGE:
        return "a number is out of range: lateness is at most an hour";
    case -EINVAL:
        return "the period numbers do not increase";
    case -E2BIG:
        return "the line is too long";
    default:
        return strerror(-r);
    }
}

/* Reads a line without its newline; stops at LINE_BYTES - 1 bytes or after a NUL. @return whether
 * there is a line. */
static bool read_line(FILE *stream, char line[LINE_BYTES], size_t *ret_bytes)
{
    size_t bytes = 0;
    int c = 0;
    while (bytes + 1 < LINE_BYTES && (c = getc(stream)) != EOF && c != '\n') {
        line[bytes++] = (char)c;
        if (c == '\0')
            break;
    }
    line[bytes] = '\0';
    *ret_bytes = bytes;
    return bytes > 0 || c == '\n';
}

static int read_lines(struct input *input, struct st_series_text *text,
                      struct st_series_input *result, uint64_t *ret_line)
{
    char line[LINE_BYTES];
    size_t bytes;
    int r;
    for (*ret_line = 1; read_line(input->stream, line, &bytes); ++*ret_line) {
        if (bytes + 1 == sizeof(line))
            return -E2BIG;
        if (strlen(line) != bytes)
            return -EBADMSG;
        if (text->column_n == ST_SERIES_COUNT_MAX || text->series.n == ST_SERIES_COUNT_MAX)
            result->left_out_n++;
        else if ((r = st_series_text_line(text, line, bytes)) != 0)
            return r;
    }
    return ferror(input->stream) != 0 ? -errno : 0;
}

static int read_text(struct input *input, struct st_series_input *result)
{
    static const char *const kinds[] = {[ST_SERIES_TEXT_SECONDS] = "seconds, one a line",
                                        [ST_SERIES_TEXT_NS] = "nanoseconds, one a line",
                                        [ST_SERIES_TEXT_CSV] = "CSV of sleeptune-lab plot"};
    struct st_series_text text;
    struct st_period period;
    uint64_t line;
    int r = st_series_input_period(input->options, &period);
    if (r != 0)
        return r;
    st_series_text_init(&text, &period);
    text.cell = input->cell;
    text.unit_ns = unit_ns(input->options->unit);
    if (text.unit_ns < 0)
        return st_failure_usage("--unit: '%s' is not ns, us, ms or s", input->options->unit);
    r = read_lines(input, &text, result, &line);
    int status = ST_EXIT_DONE;
    if (r != 0) {
        status = st_failure("%s: line %ju: %s", input->name, line, reason(r));
    } else if ((r = st_series_text_end(&text)) != 0) {
        status = st_failure("%s: %s", input->name, r == -ENODATA ? "no samples" : reason(r));
    } else {
        ST_PRINT(result->heading, "%s", text.heading);
        result->plain = text.kind != ST_SERIES_TEXT_CSV;
        result->source = result->plain ? "text" : "csv";
        result->untimed = !text.period_known && input->options->every_ns == 0 &&
                          input->options->frames == 0 && input->options->rate_hz == 0;
        result->series = text.series;
        text.series = (struct st_series){0};
        const bool of_unit = text.unit_ns > 0 && result->plain;
        ST_PRINT(result->note, "Read as %s%s.", of_unit ? "numbers in " : "",
                 of_unit ? input->options->unit : kinds[text.kind]);
    }
    st_series_text_finish(&text);
    return status;
}

FILE *st_series_input_open(const char *path, size_t *ret_cell)
{
    const char *colon = strrchr(path, ':');
    int64_t cell;
    FILE *stream = st_posix_input_open(path);
    *ret_cell = 0;
    if (stream != NULL || errno != ENOENT || colon == NULL ||
        st_number_i64(colon + 1, 1, LINE_BYTES, &cell) != 0)
        return stream;
    char *file = strndup(path, (size_t)(colon - path));
    stream = file != NULL ? st_posix_input_open(file) : NULL;
    free(file);
    *ret_cell = (size_t)cell;
    return stream;
}

int st_series_input_read(const char *path, const struct st_series_options *options,
                         struct st_series_input *ret)
{
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    struct input input = {.name = name, .options = options};
    input.stream = st_series_input_open(path, &input.cell);
    if (input.stream == NULL)
        return st_failure("cannot read %s: %s", path, st_posix_input_error(errno));
    errno = 0;
    const int first = getc(input.stream);
    int status;
    if (first == EOF) {
        status = ferror(input.stream) != 0
                     ? st_failure("cannot read %s: %s", input.name, st_posix_input_error(errno))
                     : st_failure("%s is empty", input.name);
    } else {
        ungetc(first, input.stream);
        if (first == 's' && input.cell == 0)
            status = read_recording(&input, ret);
        else if (first == '{' && input.cell == 0)
            status = read_json(&input, ret);
        else
            status = read_text(&input, ret);
    }
    st_posix_input_close(input.stream);
    if (status == ST_EXIT_DONE && ret->left_out_n > 0) {
        char text[120];
        ST_PRINT(text, "Only the first %zu samples were read; %ju more were left out.",
                 ret->series.n, ret->left_out_n);
        note(ret, text);
    }
    return status;
}

/* --- options --- */

int st_series_input_period(const struct st_series_options *o, struct st_period *ret)
{
    if (o->every_ns != 0 && (o->frames != 0 || o->rate_hz != 0))
        return st_failure_usage("--every and --frames, --rate cannot be used together");
    const int r =
        o->frames != 0 || o->rate_hz != 0
            ? st_period_init(ret, o->frames != 0 ? (uint32_t)o->frames : 128,
                             o->rate_hz != 0 ? (uint32_t)o->rate_hz : 48000)
            : st_period_init_ns(ret, (uint64_t)(o->every_ns != 0 ? o->every_ns : ST_NS_PER_S), 1);
    return r == 0 ? 0 : st_failure_usage("the period is out of range");
}
