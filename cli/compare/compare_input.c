/* Reads what `compare` compares: recordings, histogram logs, series, documents of bench and measure. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "chart/input/document.h"
#include "chart/input/recording_input.h"
#include "chart/input/series_input.h"
#include "cli/command.h"
#include "cli/compare/compare.h"
#include "core/text/text.h"
#include "platform/module.h"
#include "store/recording/module_hlog.h"
#include "store/recording/recording.h"

#define BENCH_FAMILY  "sleeptune-bench-"
#define SERIES_FAMILY "sleeptune-series/"
#define TAG           "lateness"
#define SEED          1 /* which values of a log without order fall into which block */

static void note(struct st_compare_file *file, const char *text)
{
    st_text_append(file->note, sizeof(file->note), "%s%s", file->note[0] != '\0' ? " " : "", text);
}

/* --- recordings --- */

static int read_recording(const char *command, struct st_compare_file *file)
{
    struct st_recording_reader *reader;
    int r = st_recording_open(file->path, &reader);
    if (r != 0)
        return st_recording_input_refused(command, file->path, r);
    file->source = "recording";
    file->in_order = true;
    file->period = st_recording_meta(reader)->period;
    file->period_known = true;
    r = st_recording_input_blocks(reader, &file->blocks);
    const enum st_recording_end end = st_recording_ended(reader);
    const uint64_t lost_n = st_recording_totals(reader).lost_cycles;
    char lost[80];
    file->conditions = strdup(st_recording_conditions(reader));
    st_recording_close_reader(reader);
    if (r < 0 || file->conditions == NULL)
        return st_failure(command, "cannot read %s: %s", file->path, strerror(r < 0 ? -r : ENOMEM));
    if (end == ST_RECORDING_INTERRUPTED)
        note(file, "It ended early.");
    if (end == ST_RECORDING_CUT)
        note(file, "It has no end mark: it was read up to its last complete block.");
    if (end == ST_RECORDING_DAMAGED)
        note(file, "It is damaged: it was read up to the damage.");
    snprintf(lost, sizeof(lost), "%" PRIu64 " cycles are missing: the buffer for samples (ring) was full.",
             lost_n);
    if (lost_n > 0)
        note(file, lost);
    return ST_EXIT_DONE;
}

/* --- histogram logs --- */

struct log {
    struct st_blocks *blocks; /* intervals in order */
    struct st_hist all;
    size_t intervals_n;
    bool tagged; /* some interval says that it is lateness */
};

/* Of a log of ours the latenesses; of any other what has no tag. */
static int take_interval(void *ctx, const char *tag, const struct st_hist *hist)
{
    struct log *log = ctx;
    const bool ours = strcmp(tag, TAG) == 0;
    if (!ours && tag[0] != '\0')
        return 0;
    if (hist->total_n == 0)
        return 0;
    log->tagged |= ours;
    log->intervals_n++;
    const int r = st_hist_merge(&log->all, hist);
    return r < 0 ? r : st_blocks_add_hist(log->blocks, hist);
}

/* Too few intervals tell nothing of what depends on what: the values are taken as independent. */
static int take_log(struct log *log, struct st_compare_file *file)
{
    struct st_random random = {.state = SEED};
    file->in_order = log->intervals_n >= ST_PAIRS_BLOCKS_MIN;
    if (file->in_order)
        return st_blocks_end(&file->blocks);
    st_blocks_finish(&file->blocks);
    const int r = st_blocks_init(&file->blocks);
    note(file,
         "A histogram has no order: values are treated as independent. If they are not, the intervals are "
         "too narrow.");
    return r < 0 ? r : st_blocks_scatter(&file->blocks, &log->all, &random);
}

static int read_log(const char *command, struct st_compare_file *file)
{
    char error[512];
    struct log log = {.blocks = &file->blocks};
    st_module_hlog_read_fn read;
    void *address = st_module_load("hlog", ST_MODULE_HLOG_READ_SYMBOL, error, sizeof(error));
    if (address == NULL)
        return st_failure(command, "cannot read histogram logs: %s", error);
    memcpy(&read, &address, sizeof(read)); /* ISO C has no cast from object to function pointer */
    int r = st_hist_init(&log.all, 3);
    if (r == 0) {
        FILE *stream = fopen(file->path, "rbe");
        r = stream != NULL ? read(stream, take_interval, &log, &file->conditions) : -errno;
    }
    if (r == 0)
        r = take_log(&log, file);
    st_hist_finish(&log.all);
    file->source = "histogram log";
    note(file, "A histogram log counts early wake-ups as 0.");
    if (r == -EINVAL)
        return st_failure(command, "%s: a histogram in this file does not have a precision of 3 digits",
                          file->path);
    if (r < 0)
        return st_failure(command, "cannot read %s: %s", file->path,
                          r == -EBADMSG ? "not a histogram log, or it has a broken line" : strerror(-r));
    return log.intervals_n > 0
               ? ST_EXIT_DONE
               : st_failure(command, "%s has no values with the tag '%s' and no values without a tag",
                            file->path, TAG);
}

/* --- series, text --- */

static int take_series(const struct st_series *series, struct st_compare_file *file)
{
    int r = 0;
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

static int read_series(const char *command, const struct st_series_options *options,
                       struct st_compare_file *file)
{
    struct st_series_input *series = calloc(1, sizeof(*series));
    if (series == NULL)
        return st_failure(command, "out of memory");
    int status = st_series_input_read(command, file->path, options, series);
    if (status == ST_EXIT_DONE) {
        file->source = "series";
        file->in_order = true;
        file->period = series->series.period;
        file->period_known = true;
        note(file, series->note);
        const int r = take_series(&series->series, file);
        if (r < 0)
            status = st_failure(command, "cannot read %s: %s", file->path, strerror(-r));
    }
    st_series_input_finish(series);
    free(series);
    return status;
}

/* --- JSON: figures, and values where it has them --- */

/** A figure and its interval, which is [low, high] or null. */
static void take_figure(const json_t *value, const json_t *interval, enum st_figure_id id,
                        struct st_compare_row *row)
{
    if (!json_is_number(value))
        return;
    row->known[id] = true;
    row->value[id][0] = json_number_value(value);
    const json_t *low = json_array_get(interval, 0), *high = json_array_get(interval, 1);
    if (!json_is_number(low) || !json_is_number(high) || json_number_value(low) > row->value[id][0] ||
        json_number_value(high) < row->value[id][0])
        return;
    row->interval_known[id] = true;
    row->value[id][1] = json_number_value(low);
    row->value[id][2] = json_number_value(high);
}

static bool count(const json_t *object, const char *key, uint64_t *ret)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return false;
    *ret = (uint64_t)json_integer_value(value);
    return true;
}

/* samples_ns without its warm-up, as the figures are. @return 0, -EBADMSG, -ENOMEM. */
static int take_values(const json_t *result, struct st_compare_row *row)
{
    const json_t *samples = json_object_get(result, "samples_ns");
    uint64_t warm_up_n = 0;
    const size_t n = json_array_size(samples);
    (void)count(result, "warm_up", &warm_up_n);
    if (warm_up_n >= n)
        return 0;
    row->values_ns = calloc(n - warm_up_n, sizeof(*row->values_ns));
    if (row->values_ns == NULL)
        return -ENOMEM;
    for (size_t i = warm_up_n; i < n; i++) {
        const json_t *value = json_array_get(samples, i);
        if (!json_is_integer(value))
            return -EBADMSG;
        row->values_ns[row->values_n++] = json_integer_value(value);
    }
    return 0;
}

static bool take_result(const struct st_document *kind, const json_t *result, struct st_compare_row *row)
{
    static const char *const names[] = {"median", "p99", "p999"};
    const json_t *figures = json_object_get(result, kind->figures);
    char group[ST_COMPARE_LABEL], key[24];
    st_document_label(kind, result, row->label, sizeof(row->label));
    st_document_group(kind, result, group, sizeof(group));
    st_text_append(row->label, sizeof(row->label), "%s%s", group[0] != '\0' ? ", " : "", group);
    if (!json_is_object(figures) || (!count(result, "n", &row->n) && !count(figures, "n", &row->n)))
        return false;
    if (take_values(result, row) != 0)
        return false;
    for (size_t id = 0; id < ST_ARRAY_LEN(names); id++) {
        snprintf(key, sizeof(key), kind->intervals_beside ? "%s_ci95_ns" : "%s_ci95", names[id]);
        take_figure(json_object_get(figures, names[id]),
                    json_object_get(kind->intervals_beside ? result : figures, key), (enum st_figure_id)id,
                    row);
    }
    uint64_t missed_n, periods_n;
    if (!count(result, "misses", &missed_n) || !count(result, "elapsed_periods", &periods_n))
        return true; /* the one says nothing without the other */
    row->missed_n = missed_n;
    row->periods_n = periods_n;
    return missed_n <= periods_n;
}

static bool take_period(const json_t *document, struct st_compare_file *file)
{
    uint64_t num, den;
    const json_t *period = json_object_get(document, "period_ns");
    if (!json_is_object(period))
        return true;
    if (!count(period, "num", &num) || !count(period, "den", &den) ||
        st_period_init_ns(&file->period, num, den) != 0)
        return false;
    file->period_known = true;
    return true;
}

/* Wait modes in turn, `measure --punctual`: each is a row, as they are not one distribution. NULL: none. */
static const json_t *wait_modes_of(const json_t *result)
{
    const json_t *arms = json_object_get(json_object_get(result, "punctual"), "arms");
    return json_is_array(arms) ? arms : NULL;
}

static bool take_wait_mode(const struct st_document *kind, const json_t *result, const json_t *mode,
                           struct st_compare_row *row)
{
    char cpu[ST_COMPARE_LABEL];
    const char *name = json_string_value(json_object_get(mode, "name"));
    if (name == NULL || !take_result(kind, mode, row))
        return false;
    st_document_label(kind, result, cpu, sizeof(cpu));
    row->label[0] = '\0';
    st_text_append(row->label, sizeof(row->label), "%.200s%s%s", cpu, cpu[0] != '\0' ? ", " : "", name);
    return true;
}

static size_t rows_of(const struct st_document *kind, const json_t *document)
{
    size_t n = 0;
    for (size_t i = 0; i < st_document_results_n(kind, document); i++) {
        const json_t *arms = wait_modes_of(st_document_result(kind, document, i));
        n += arms != NULL ? json_array_size(arms) : 1;
    }
    return n;
}

int st_compare_read_figures(const char *command, const json_t *document, struct st_compare_file *ret)
{
    const char *schema = json_string_value(json_object_get(document, "schema"));
    const struct st_document *kind = st_document_of(document);
    if (kind == NULL)
        return st_failure(
            command,
            "%s is JSON, but not a document of sleeptune-lab or 'sleeptune measure' of this version "
            "('%.40s')",
            ret->path, schema != NULL ? schema : "");
    const size_t rows_n = rows_of(kind, document);
    ret->kind = kind;
    ret->source = strncmp(kind->schema, BENCH_FAMILY, strlen(BENCH_FAMILY)) == 0 ? "bench" : "measure";
    ret->rows = calloc(rows_n + 1, sizeof(*ret->rows));
    if (ret->rows == NULL)
        return st_failure(command, "out of memory");
    bool good = rows_n > 0 && take_period(st_document_result(kind, document, 0), ret);
    for (size_t i = 0; i < st_document_results_n(kind, document) && good; i++) {
        const json_t *result = st_document_result(kind, document, i), *arms = wait_modes_of(result);
        for (size_t k = 0; k < (arms != NULL ? json_array_size(arms) : 1) && good; k++) {
            struct st_compare_row *row = &ret->rows[ret->rows_n++];
            good = arms != NULL ? take_wait_mode(kind, result, json_array_get(arms, k), row)
                                : take_result(kind, result, row);
            for (size_t other = 0; other + 1 < ret->rows_n && good; other++)
                good = strcmp(ret->rows[other].label, row->label) != 0;
            ret->in_order |= row->values_n > 0;
        }
    }
    if (!ret->in_order)
        note(ret,
             "It has no single values: they are treated as independent. If they are not, the intervals are "
             "too narrow.");
    return good ? ST_EXIT_DONE
                : st_failure(command, "%s: its results have no figures that can be compared", ret->path);
}

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
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static int read_json(const char *command, const struct st_series_options *options,
                     struct st_compare_file *file)
{
    json_error_t error;
    json_t *document = json_load_file(file->path, JSON_REJECT_DUPLICATES, &error);
    if (document == NULL)
        return st_failure(command, "%s: line %d: %s", file->path, error.line, error.text);
    const char *schema = json_string_value(json_object_get(document, "schema"));
    const json_t *first = json_array_get(json_object_get(document, "loops"), 0);
    const json_t *conditions = json_object_get(first != NULL ? first : document, "circumstances");
    int status = ST_EXIT_DONE;
    if (json_is_object(conditions)) {
        file->conditions = lines_of(conditions);
        if (file->conditions == NULL)
            status = st_failure(command, "out of memory");
    }
    const bool series = schema != NULL && strncmp(schema, SERIES_FAMILY, strlen(SERIES_FAMILY)) == 0;
    if (status == ST_EXIT_DONE && !series) {
        file->has_values = false;
        status = st_compare_read_figures(command, document, file);
    }
    json_decref(document);
    return status == ST_EXIT_DONE && series ? read_series(command, options, file) : status;
}

/* --- which of them --- */

int st_compare_read(const char *command, const char *path, const struct st_series_options *options,
                    struct st_compare_file *ret)
{
    *ret = (struct st_compare_file){.path = path, .has_values = true};
    FILE *stream = fopen(path, "rbe");
    if (stream == NULL)
        return st_failure(command, "cannot read %s: %s", path, strerror(errno));
    const int first = getc(stream), second = getc(stream), error = ferror(stream) != 0 ? errno : 0;
    fclose(stream);
    if (error != 0)
        return st_failure(command, "cannot read %s: %s", path, strerror(error));
    if (first == EOF)
        return st_failure(command, "%s is empty", path);
    if (st_blocks_init(&ret->blocks) != 0)
        return st_failure(command, "out of memory");
    const bool log = (first == '#' && second == '[') || first == '"' || first == 'T';
    int status = first == 0x89  ? read_recording(command, ret)
                 : first == '{' ? read_json(command, options, ret)
                 : log          ? read_log(command, ret)
                                : read_series(command, options, ret);
    if (status == ST_EXIT_DONE && ret->conditions == NULL) {
        ret->conditions = strdup("");
        if (ret->conditions == NULL)
            status = st_failure(command, "out of memory");
    }
    return status;
}

void st_compare_file_finish(struct st_compare_file *file)
{
    st_blocks_finish(&file->blocks);
    for (size_t i = 0; i < file->rows_n; i++)
        free(file->rows[i].values_ns);
    free(file->rows);
    free(file->conditions);
}

int st_compare_figures_of_values(struct st_compare_file *file)
{
    const struct st_blocks *blocks = &file->blocks;
    struct st_compare_row *row = calloc(1, sizeof(*row));
    int r = row != NULL ? 0 : -ENOMEM;
    for (int id = 0; id < ST_FIGURE_MISSED && r == 0; id++)
        r = st_pairs_quantile_of(blocks, (enum st_figure_id)id, &row->known[id], &row->interval_known[id],
                                 row->value[id]);
    if (r != 0) {
        free(row);
        return r;
    }
    row->n = blocks->n;
    row->missed_n = blocks->missed_n;
    row->periods_n = blocks->trials_n;
    file->rows = row;
    file->rows_n = 1;
    file->kind = st_document_of_measure();
    file->has_values = false;
    note(file, "Compared by its figures, because the other file has no single values; values are treated as "
               "independent.");
    return 0;
}
