/* sleeptune compare: by how much runs differ, and whether that is more than chance. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/compare.h"
#include "lib/ns.h"

#define NAME      "compare"
#define FILES_MAX 16
#define SEED      1 /* the same files give the same result */

const char *const st_compare_names[ST_COMPARE_FIGURES] = {"median", "p99", "p99.9", "missed"};

static void help(void)
{
    fputs("Usage: sleeptune compare A B [FILE...] [OPTION...]\n"
          "Say by how much the lateness of runs differs, each against the first, and\n"
          "whether that is more than chance.\n\n"
          "A file is a recording of 'measure --record', a histogram log, the JSON of\n"
          "sleeptune-lab or 'measure', the CSV of 'export' or text with one lateness\n"
          "a line.\n\n"
          "      --difference D     a difference that would matter: a time such as 1us, or\n"
          "                         percent of A's figure (5%); where none is shown, how\n"
          "                         much data would show that much\n"
          "      --every TIME       period of text (1s)\n"
          "      --plot FILE        draw the runs side by side: .svg, .png, .pdf, or - for\n"
          "                         text\n"
          "  -k, --kind KIND        of picture: box, quantile, hist or series (box)\n"
          "      --json, --format json|text\n"
          "  -h, --help             this text\n\n"
          "Examples:\n"
          "  sleeptune measure --duration 1m --record before.strec\n"
          "  sleeptune measure --duration 1m --record after.strec\n"
          "  sleeptune compare before.strec after.strec --difference 2us --plot both.svg\n\n"
          "Exit status: 0 no difference shown, 1 a difference is shown, 2 there is too\n"
          "little to compare, 3 usage, 4 failure.\n",
          stdout);
}

const char *st_compare_letter(size_t i, char *buf, size_t buf_bytes)
{
    snprintf(buf, buf_bytes, "%c", (int)('A' + (i < 26 ? i : 25)));
    return buf;
}

double st_compare_wanted(const struct st_compare_result *result, const struct st_compare_pair *pair,
                         enum st_compare_id id)
{
    if (result->wanted_share > 0)
        return result->wanted_share * pair->found.figures[id].value[0];
    return id == ST_COMPARE_MISSED ? 0 : (double)result->wanted_ns;
}

static int take_difference(const char *text, struct st_compare_result *result)
{
    char *end;
    const double percent = strtod(text, &end);
    if (end != text && strcmp(end, "%") == 0) {
        result->wanted_share = percent / 100;
        return percent > 0 && percent <= 1000
                   ? 0
                   : st_usage_error(NAME, "--difference: %s is out of range: above 0 %% .. 1000 %%", text);
    }
    result->wanted_share = 0;
    if (st_ns_parse(text, &result->wanted_ns) != 0 || result->wanted_ns <= 0)
        return st_usage_error(NAME, "--difference: '%s' is not a time such as 1us or percent such as 5%%",
                              text);
    return 0;
}

/* --- pairs -----------------------------------------------------------------------------------------------
 */

static int add_pair(struct st_compare_result *result, const struct st_compare_pair *pair)
{
    struct st_compare_pair *grown = reallocarray(result->pairs, result->pairs_n + 1, sizeof(*grown));
    if (grown == NULL)
        return -ENOMEM;
    result->pairs = grown;
    grown[result->pairs_n++] = *pair;
    return 0;
}

static const struct st_compare_row *row_of(const struct st_compare_file *file, const char *label)
{
    for (size_t i = 0; i < file->rows_n; i++) {
        if (strcmp(file->rows[i].label, label) == 0)
            return &file->rows[i];
    }
    return NULL;
}

static int compare_rows(const struct st_compare_row *a, const struct st_compare_row *b,
                        struct st_comparison *ret)
{
    *ret = (struct st_comparison){0};
    for (int id = 0; id < ST_COMPARE_FIGURES; id++) {
        struct st_compare_figure *figure = &ret->figures[id];
        if (id == ST_COMPARE_MISSED && a->periods_n > 0 && b->periods_n > 0) {
            const int r = st_compare_rates(a->missed_n, a->periods_n, b->missed_n, b->periods_n, figure);
            if (r != 0)
                return r;
        } else if (a->interval_known[id] && b->interval_known[id]) {
            *figure = st_compare_intervals(a->value[id], b->value[id]);
        } else {
            figure->known[0] = a->known[id];
            figure->known[1] = b->known[id];
            figure->value[0] = a->value[id][0];
            figure->value[1] = b->value[id][0];
        }
    }
    return 0;
}

static int blocks_of(const struct st_compare_row *row, struct st_blocks *ret)
{
    int r = st_blocks_init(ret);
    for (size_t i = 0; i < row->values_n && r == 0; i++)
        r = st_blocks_add(ret, row->values_ns[i], false);
    return r == 0 ? st_blocks_end(ret) : r;
}

static int compare_values(const struct st_compare_row *a, const struct st_compare_row *b,
                          struct st_comparison *ret)
{
    struct st_random random = {.state = SEED};
    struct st_blocks blocks[2] = {0};
    int r = blocks_of(a, &blocks[0]);
    if (r == 0)
        r = blocks_of(b, &blocks[1]);
    if (r == 0)
        r = st_compare(&blocks[0], &blocks[1], &random, ret);
    if (r == 0)
        ret->figures[ST_COMPARE_MISSED] = (struct st_compare_figure){0}; /* no period, none missed */
    st_blocks_finish(&blocks[0]);
    st_blocks_finish(&blocks[1]);
    return r;
}

/* Row by row, in the order of a. */
static int pair_rows(struct st_compare_result *result, const struct st_compare_file *a,
                     const struct st_compare_file *b)
{
    int r = 0;
    size_t common_n = 0;
    for (size_t i = 0; i < a->rows_n && r == 0; i++) {
        const struct st_compare_row *row = &a->rows[i], *other = row_of(b, row->label);
        if (other == NULL)
            continue;
        common_n++;
        struct st_compare_pair pair = {.a = a, .b = b, .label = row->label, .n = {row->n, other->n}};
        pair.by_values = row->values_n > 0 && other->values_n > 0;
        if (pair.by_values) {
            pair.n[0] = row->values_n;
            pair.n[1] = other->values_n;
            r = compare_values(row, other, &pair.found);
        } else {
            r = compare_rows(row, other, &pair.found);
        }
        if (r == 0)
            r = add_pair(result, &pair);
    }
    result->left_out_n += a->rows_n + b->rows_n - 2 * common_n;
    return r;
}

static int pair_values(struct st_compare_result *result, const struct st_compare_file *a,
                       const struct st_compare_file *b)
{
    struct st_random random = {.state = SEED};
    struct st_compare_pair pair = {
        .a = a, .b = b, .label = "", .n = {a->blocks.n, b->blocks.n}, .by_values = true};
    const int r = st_compare(&a->blocks, &b->blocks, &random, &pair.found);
    return r == 0 ? add_pair(result, &pair) : r;
}

static int correct(struct st_compare_result *result)
{
    const size_t n = result->pairs_n * ST_COMPARE_FIGURES;
    struct st_compare_figure **figures = calloc(n + 1, sizeof(struct st_compare_figure *));
    if (figures == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++)
        figures[i] = &result->pairs[i / ST_COMPARE_FIGURES].found.figures[i % ST_COMPARE_FIGURES];
    result->tests_n = st_compare_correct(figures, n);
    for (size_t i = 0; i < n; i++)
        result->shown_n += figures[i]->shown;
    free(figures);
    return 0;
}

static int compare_files(struct st_compare_result *result)
{
    const struct st_compare_file *a = &result->files[0];
    int r = 0;
    for (size_t i = 1; i < result->files_n && r == 0; i++) {
        const struct st_compare_file *b = &result->files[i];
        r = st_circumstances_compare(a->circumstances, b->circumstances, &result->differ[i],
                                     &result->differ_n[i]);
        if (strcmp(a->source, b->source) != 0) /* they tell of other things, too */
            st_circumstances_keep_known(result->differ[i], &result->differ_n[i]);
        if (r == 0)
            r = a->has_values ? pair_values(result, a, b) : pair_rows(result, a, b);
    }
    return r == 0 ? correct(result) : r;
}

/* --- all of it ---------------------------------------------------------------------------------------------
 */

/* "sleeptune-lab sleep", "a recording". */
static const char *kind_of(const struct st_compare_file *file)
{
    return file->has_values || file->kind == NULL ? file->source : file->kind->name;
}

/* Values beside the figures of measure are compared by their figures. */
static int make_alike(struct st_compare_result *result)
{
    const struct st_document *kind = NULL;
    size_t values_n = 0;
    for (size_t i = 0; i < result->files_n; i++) {
        const struct st_compare_file *file = &result->files[i];
        kind = file->has_values ? kind : file->kind;
        values_n += file->has_values;
    }
    for (size_t i = 0; i < result->files_n && values_n > 0 && kind != NULL; i++) {
        struct st_compare_file *file = &result->files[i];
        const int r =
            file->has_values && kind == st_document_of_measure() ? st_compare_figures_of_values(file) : 0;
        if (r != 0)
            return st_failure(NAME, "%s: %s", file->path, strerror(-r));
    }
    for (size_t i = 1; i < result->files_n; i++) {
        const struct st_compare_file *first = &result->files[0], *file = &result->files[i];
        if (file->has_values != first->has_values || file->kind != first->kind)
            return st_failure(NAME,
                              "%s is of %s and %s of %s: they have no figures in common that can be compared",
                              file->path, kind_of(file), first->path, kind_of(first));
    }
    return ST_EXIT_DONE;
}

static int read_files(struct st_compare_result *result, char **paths, const struct st_series_options *series)
{
    for (size_t i = 0; i < result->files_n; i++) {
        const int status = st_compare_read(NAME, paths[i], series, &result->files[i]);
        if (status != ST_EXIT_DONE)
            return status;
    }
    return make_alike(result);
}

static int run(struct st_compare_result *result, char **paths, bool json,
               const struct st_series_options *series, const struct st_chart_options *chart)
{
    int status = read_files(result, paths, series);
    if (status != ST_EXIT_DONE)
        return status;
    int r = compare_files(result);
    if (r != 0)
        return st_failure(NAME, "cannot compare: %s", strerror(-r));
    if (result->pairs_n == 0)
        return st_failure(NAME, "%s and %s have no result of the same kind", paths[0], paths[1]);
    r = json ? st_compare_print_json(result) : st_compare_print(result);
    if (r != 0)
        return st_failure(NAME, "cannot write the result: %s", strerror(-r));
    const int drawn = st_compare_plot(NAME, result, series, chart);
    if (drawn != ST_EXIT_DONE)
        return drawn;
    return result->shown_n > 0 ? ST_EXIT_FINDINGS : result->tests_n > 0 ? ST_EXIT_DONE : ST_EXIT_UNKNOWN;
}

static int take_difference_option(const char *command, void *ctx, const char *text)
{
    (void)command;
    return take_difference(text, ctx);
}

int st_cmd_compare(int argc, char **argv)
{
    struct st_compare_result result = {.wanted_share = 0.05};
    struct st_chart_options chart = {.kind = ST_CHART_ANY};
    struct st_series_options series;
    bool json = false;
    int first = 0;
    st_series_options_init(&series);
    const struct st_option options[] = {
        {.name = "difference", .take = take_difference_option, .ctx = &result},
        {.name = "every", .take = st_series_take_every, .ctx = &series.every_ns},
        {.name = "plot", .text = &chart.path},
        {.name = "kind", .letter = 'k', .take = st_chart_take_kind, .ctx = &chart.kind},
        {.name = "json", .flag = &json},
        {.name = "format", .take = st_take_format, .ctx = &json},
    };
    int status = st_options_read(NAME, options, ST_ARRAY_LEN(options), help, argc, argv, &first);
    if (status >= 0)
        return status;
    char **paths = argv + first; /* options have moved before them */
    result.files_n = (size_t)(argc - first);
    if (result.files_n > FILES_MAX)
        return st_usage_error(NAME, "more than %d files", FILES_MAX);
    if (result.files_n < 2)
        return st_usage_error(NAME, "%s", result.files_n == 0 ? "which files?" : "with which other file?");
    status = st_chart_option_check(NAME, chart.path, json);
    if (status != ST_EXIT_DONE)
        return status;
    result.files = calloc(result.files_n, sizeof(*result.files));
    result.differ = calloc(result.files_n, sizeof(*result.differ));
    result.differ_n = calloc(result.files_n, sizeof(*result.differ_n));
    status = result.files == NULL || result.differ == NULL || result.differ_n == NULL
                 ? st_failure(NAME, "out of memory")
                 : run(&result, paths, json, &series, &chart);
    for (size_t i = 0; i < result.files_n && result.files != NULL; i++)
        st_compare_file_finish(&result.files[i]);
    for (size_t i = 0; i < result.files_n && result.differ != NULL && result.differ_n != NULL; i++)
        st_circumstances_free(result.differ[i], result.differ_n[i]);
    free(result.files);
    free(result.differ);
    free(result.differ_n);
    free(result.pairs);
    return status;
}
