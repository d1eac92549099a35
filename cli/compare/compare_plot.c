/* A picture of what `compare` compares: the runs side by side. */
#include <stdio.h>
#include <string.h>

#include "chart/chart.h"
#include "cli/command.h"
#include "cli/compare/compare.h"
#include "cli/show/figure_text.h"
#include "core/text/text.h"
#include "evidence/verdict.h"

#define CAPTION_FIGURES 6
#define LATENESS        "lateness (woke - due)"
#define TAG             "lateness" /* of a histogram log */

/* Of a histogram log, only what was compared. */
static bool is_wanted(const struct st_compare_file *file, const struct st_chart_set *set)
{
    const bool log = strcmp(file->source, "histogram log") == 0;
    return !log || strcmp(set->label, TAG) == 0 || set->label[0] == '\0';
}

/* Adds file i. Its only set is named "A: before.strec", several are named as "A: nanosleep". */
static int add_file(const char *command, const struct st_compare_file *file, size_t i,
                    const struct st_series_options *series, struct st_chart_data *data)
{
    char letter[8], name[sizeof(data->set[0]->file)];
    const size_t before = data->n;
    const int status = st_chart_read(command, file->path, series, data);
    st_compare_letter(i, letter, sizeof(letter));
    for (size_t k = data->n; status == ST_EXIT_DONE && k-- > before;) {
        struct st_chart_set *set = data->set[k];
        const bool alone = file->has_values || strcmp(set->label, set->file) == 0;
        if (!is_wanted(file, set)) {
            st_chart_drop(data, k);
            continue;
        }
        snprintf(name, sizeof(name), "%s%s%.*s", letter, alone ? ": " : "",
                 alone ? (int)sizeof(name) - 12 : 0, set->file);
        memcpy(set->file, name, sizeof(name));
        if (alone)
            snprintf(set->label, sizeof(set->label), "%s", name);
    }
    return status;
}

/* The JSON of `measure` has none. */
static bool has_quartiles(const struct st_compare_result *result)
{
    for (size_t i = 0; i < result->files_n; i++) {
        if (strcmp(result->files[i].source, "measure") == 0)
            return false;
    }
    return true;
}

/* Adds what is shown, in a sentence. */
static void caption(const struct st_compare_result *result, char *buf, size_t buf_bytes)
{
    char letter[8], value[ST_FIGURE_TEXT_BYTES], low[ST_FIGURE_TEXT_BYTES], high[ST_FIGURE_TEXT_BYTES];
    st_text_append(buf, buf_bytes, "Differences shown: %zu of %zu%s", result->shown_n, result->tests_n,
                   result->tests_n > 0 ? " figures compared (5 %, Holm)" : ", too few values to compare");
    const char *gap = ": ";
    for (size_t i = 0; i < result->pairs_n; i++) {
        const struct st_compare_pair *pair = &result->pairs[i];
        st_compare_letter((size_t)(pair->b - result->files), letter, sizeof(letter));
        for (int id = 0; id < ST_FIGURES; id++) {
            const struct st_figure *f = &pair->found.figures[id];
            if (!st_verdict_shows(f) || result->shown_n > CAPTION_FIGURES)
                continue;
            st_text_append(buf, buf_bytes, "%s%s%s%s - A, %s %s (95 %%: %s .. %s)", gap, pair->label,
                           pair->label[0] != '\0' ? ": " : "", letter, st_figure_names[id],
                           st_figure_text_signed((enum st_figure_id)id, f->difference.value, value),
                           st_figure_text_signed((enum st_figure_id)id, f->difference.low, low),
                           st_figure_text_signed((enum st_figure_id)id, f->difference.high, high));
            gap = "; ";
        }
    }
    st_text_append(buf, buf_bytes, ".");
}

int st_compare_plot(const char *command, const struct st_compare_result *result,
                    const struct st_series_options *series, const struct st_chart_options *options)
{
    struct st_chart_options chart = *options;
    struct st_chart_data data;
    int status = ST_EXIT_DONE;
    if (options->path == NULL)
        return ST_EXIT_DONE;
    if (chart.kind == ST_CHART_ANY)
        chart.kind = has_quartiles(result) ? ST_CHART_BOX : ST_CHART_QUANTILE;
    st_chart_init(&data, LATENESS);
    for (size_t i = 0; i < result->files_n && status == ST_EXIT_DONE; i++)
        status = add_file(command, &result->files[i], i, series, &data);
    for (size_t i = 0; i < result->files_n && !result->files[0].has_values; i++) {
        char letter[8];
        st_text_append(data.note, sizeof(data.note), "%s is %.60s. ",
                       st_compare_letter(i, letter, sizeof(letter)), result->files[i].path);
    }
    caption(result, data.note, sizeof(data.note));
    if (status == ST_EXIT_DONE && strcmp(chart.path, "-") == 0)
        putchar('\n');
    if (status == ST_EXIT_DONE)
        status = st_chart_write(command, &data, &chart);
    st_chart_finish(&data);
    return status;
}
