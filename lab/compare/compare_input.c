/* Reads what `compare` compares: recordings and series. */
#include "core/ns.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "lab/commands.h"
#include "lab/compare/compare.h"
#include "lab/input/document.h"
#include "lab/input/json_input.h"
#include "lab/input/series_input.h"
#include "platform/posix/posix.h"
#include "store/recording/recording_input.h"

#define SERIES_FAMILY "sleeptune-series/"

static void note(struct st_compare_file *file, const char *text)
{
    st_text_join(file->note, sizeof(file->note), " ", "%s", text);
}

/* --- recordings --- */

static int add_blocks(struct st_recording_reader *reader, struct st_blocks *ret)
{
    const struct st_period *period = &st_recording_info(reader)->meta.period;
    struct st_recording_event event;
    int r;
    while ((r = st_recording_next(reader, &event)) == 1) {
        if (event.kind == ST_RECORDING_CYCLE)
            r = st_blocks_add(ret, event.lateness_ns,
                              st_period_missed(period, event.period_index,
                                               st_ns_add(event.lateness_ns, event.callback_ns)));
        else if (event.kind == ST_RECORDING_SKIPPED)
            r = st_blocks_add_missed(ret, event.n);
        if (r < 0)
            return r;
    }
    return r < 0 ? r : st_blocks_end(ret);
}

static int read_recording(struct st_compare_file *file)
{
    struct st_recording_reader *reader;
    int r = st_recording_open(file->path, &reader);
    if (r != 0)
        return st_failure("cannot read %s: %s", file->path, st_recording_input_error(r));
    r = st_blocks_init(&file->blocks);
    if (r == 0)
        r = add_blocks(reader, &file->blocks);
    const struct st_recording_info run = *st_recording_info(reader);
    file->source = "recording";
    file->period = run.meta.period;
    file->conditions = strdup(run.conditions);
    st_recording_close_reader(reader);
    if (r != 0 || file->conditions == NULL)
        return st_failure("cannot read %s: %s", file->path, st_recording_input_error(r != 0 ? r : -ENOMEM));
    if (run.end == ST_RECORDING_INTERRUPTED)
        note(file, "The measurement ended early.");
    if (run.end == ST_RECORDING_CUT)
        note(file, "The recording has no end mark and was read up to its last complete block.");
    if (run.end == ST_RECORDING_DAMAGED)
        note(file, "The recording is damaged. Only the part before the damage was read.");
    const char *lost = ST_TEXT(80, "%" PRIu64 " cycles are missing: the buffer for samples (ring) was full.",
                               run.totals.lost_cycles);
    if (run.totals.lost_cycles > 0)
        note(file, lost);
    if (strcmp(file->path, "-") == 0 || file->blocks.n == 0)
        return ST_EXIT_DONE; /* cannot be read again: its figures are those of the blocks */
    const struct st_series_options options = {0};
    struct st_series_input *again = calloc(1, sizeof(*again));
    int status =
        again == NULL ? st_failure("out of memory") : st_series_input_read(file->path, &options, again);
    if (status == ST_EXIT_DONE && st_long_series_sample(&again->all, &file->sample) != 0)
        status = st_failure("out of memory");
    if (again != NULL)
        st_series_input_finish(again);
    free(again);
    return status;
}

/* --- series, text --- */

static int take_series(const struct st_series *series, struct st_compare_file *file)
{
    int r = st_blocks_init(&file->blocks);
    for (size_t i = 0; i < series->n && r == 0; i++) {
        const uint64_t gap = i > 0 ? series->index[i] - series->index[i - 1] - 1 : 0;
        if (gap > 0)
            r = st_blocks_add_missed(&file->blocks, gap);
        if (r == 0)
            r = st_blocks_add(&file->blocks, series->lateness_ns[i],
                              st_period_missed(&file->period, series->index[i], series->lateness_ns[i]));
    }
    return r == 0 ? st_blocks_end(&file->blocks) : r;
}

/* All values, exactly where there are not too many. */
static int take_sample(struct st_series_input *input, struct st_compare_file *file)
{
    int r = input->series.n > 0 ? st_long_series_of(&input->series, &input->all) : 0;
    return r == 0 ? st_long_series_sample(&input->all, &file->sample) : r;
}

static int read_series(const struct st_series_options *options, struct st_compare_file *file)
{
    struct st_series_input *series = calloc(1, sizeof(*series));
    if (series == NULL)
        return st_failure("out of memory");
    int status = st_series_input_read(file->path, options, series);
    if (status == ST_EXIT_DONE) {
        file->source = "series";
        file->period = series->series.period;
        note(file, series->note);
        file->untimed = series->untimed;
        int r = take_series(&series->series, file);
        if (r >= 0 && file->blocks.n > 0)
            r = take_sample(series, file);
        if (r < 0)
            status = st_failure("cannot read %s: %s", file->path, strerror(-r));
    }
    st_series_input_finish(series);
    free(series);
    return status;
}

/* --- JSON of a series --- */

/* An object as "key: value" lines. NULL: out of memory. */
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
        if (json_is_null(value))
            continue; /* not known */
        char *dumped = json_is_string(value)
                           ? NULL
                           : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6));
        fprintf(out, "%s: %s\n", key,
                json_is_string(value) ? json_string_value(value)
                : dumped != NULL      ? dumped
                                      : "");
        free(dumped);
    }
    return st_text_take(out, &text);
}

static int read_json(const struct st_series_options *options, struct st_compare_file *file)
{
    json_error_t error = {.text = ""};
    FILE *stream = st_posix_input_open(file->path);
    json_t *document = stream != NULL ? st_json_input_read(stream, &error) : NULL;
    st_posix_input_close(stream);
    if (document == NULL)
        return st_failure("%s: line %d: %s", file->path, error.line, error.text);
    const char *schema = st_json_text(document, "schema");
    const json_t *conditions = json_object_get(document, "conditions");
    int status = ST_EXIT_DONE;
    if (schema == NULL || !st_text_begins(schema, SERIES_FAMILY)) {
        status =
            st_failure("cannot compare %s (%.40s). Record with 'measure --record', or compare a column of "
                       "'sleeptune-lab table --samples'.",
                       file->path, schema != NULL ? schema : "JSON");
    } else if (json_is_object(conditions)) {
        file->conditions = lines_of(conditions);
        if (file->conditions == NULL)
            status = st_failure("out of memory");
    }
    json_decref(document);
    return status == ST_EXIT_DONE ? read_series(options, file) : status;
}

bool st_compare_documents(char *const paths[2], json_t *documents[2])
{
    const struct st_document *kinds[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        json_error_t error;
        FILE *stream = strcmp(paths[i], "-") == 0 ? NULL : st_posix_input_open(paths[i]);
        const int first = stream != NULL ? getc(stream) : EOF;
        if (stream != NULL)
            ungetc(first, stream);
        documents[i] = first == '{' ? st_json_input_read(stream, &error) : NULL;
        if (stream != NULL)
            st_posix_input_close(stream);
        kinds[i] = documents[i] != NULL ? st_document_of(documents[i]) : NULL;
    }
    return kinds[0] != NULL && kinds[0] == kinds[1] && kinds[0]->list != NULL &&
           json_is_array(json_object_get(st_document_result(kinds[0], documents[0], 0), "samples_ns"));
}

/* --- which of them --- */

int st_compare_read(const char *path, const struct st_series_options *options, struct st_compare_file *ret)
{
    *ret = (struct st_compare_file){.path = path};
    size_t cell;
    FILE *stream = st_series_input_open(path, &cell);
    if (stream == NULL)
        return st_failure("cannot read %s: %s", path, st_posix_input_error(errno));
    const int first = getc(stream), error = ferror(stream) != 0 ? errno : 0;
    ungetc(first, stream);
    st_posix_input_close(stream);
    if (error != 0)
        return st_failure("cannot read %s: %s", path, st_posix_input_error(error));
    if (first == EOF)
        return st_failure("%s is empty", path);
    int status = first == 0x89 && cell == 0  ? read_recording(ret)
                 : first == '{' && cell == 0 ? read_json(options, ret)
                                             : read_series(options, ret);
    if (status == ST_EXIT_DONE && ret->conditions == NULL) {
        ret->conditions = strdup("");
        if (ret->conditions == NULL)
            status = st_failure("out of memory");
    }
    return status;
}

void st_compare_file_finish(struct st_compare_file *file)
{
    st_blocks_finish(&file->blocks);
    st_sample_finish(&file->sample);
    free(file->conditions);
}
