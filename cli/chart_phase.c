/* Folded at a rhythm: what comes back in it lies one above the other. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/chart_picture.h"
#include "lib/ns.h"
#include "lib/series_analysis.h"

static bool has(const struct st_chart_set *set)
{
    return set->series.n > 0;
}

/* The rhythm that the analysis finds; 0: none. */
static double found_ns(const struct st_series *series)
{
    struct st_analysis *analysis = calloc(1, sizeof(*analysis));
    double seconds = 0;
    if (analysis != NULL && st_analyse(series, 0, analysis) == 0) {
        if (analysis->lattice.found && analysis->lattice.tooth_s > 0)
            seconds = analysis->lattice.tooth_s;
        else if (analysis->beat.found)
            seconds = analysis->beat.repeats_s;
    }
    free(analysis);
    return seconds * 1e9;
}

static int plan(struct st_chart_picture *picture)
{
    const struct st_chart_set *set = picture->data->set[0];
    const bool asked = picture->fold_ns > 0;
    char fold[32];
    if (picture->data->n > 1) {
        st_chart_say(picture->caption, sizeof(picture->caption),
                     "--kind phase folds one series, there are %zu", picture->data->n);
        return -ENODATA;
    }
    if (!asked)
        picture->fold_ns = (int64_t)found_ns(&set->series);
    if (picture->fold_ns <= 0) {
        st_chart_say(picture->caption, sizeof(picture->caption),
                     "%s: no rhythm was found; --fold TIME folds at one that you know", set->label);
        return -ENODATA;
    }
    st_ns_format(picture->fold_ns, fold, sizeof(fold));
    st_chart_say(picture->caption, sizeof(picture->caption), "%s: n = %zu, folded at %s (%s).", set->label,
                 set->series.n, fold, asked ? "as asked for" : "found by the analysis");
    snprintf(picture->how, sizeof(picture->how),
             "Light bars: least to greatest of each hundredth of it; dark ones: quartiles; lines: medians.");
    if (set->left_out_n > 0)
        st_chart_say(picture->caption, sizeof(picture->caption), " The last %llu values are not in it.",
                     (unsigned long long)set->left_out_n);
    st_chart_say(picture->description, sizeof(picture->description), "%s by phase. %s",
                 picture->data->quantity, picture->caption);
    return 0;
}

static size_t bin_of(const struct st_series *series, size_t i, double fold_ns, size_t bins_n)
{
    const double period_ns = (double)series->period.num / (double)series->period.den;
    const double phase = fmod((double)(series->index[i] - series->index[0]) * period_ns, fold_ns) / fold_ns;
    return (size_t)fmin(phase * (double)bins_n, (double)bins_n - 1);
}

int st_chart_fold(const struct st_series *series, double fold_ns, size_t bins_n, struct st_box *ret)
{
    size_t first[ST_CHART_PHASES + 1] = {0}, filled[ST_CHART_PHASES] = {0};
    int64_t *values = malloc(series->n * sizeof(*values));
    if (values == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < series->n; i++)
        first[bin_of(series, i, fold_ns, bins_n) + 1]++;
    for (size_t i = 0; i < bins_n; i++)
        first[i + 1] += first[i];
    for (size_t i = 0; i < series->n; i++) {
        const size_t bin = bin_of(series, i, fold_ns, bins_n);
        values[first[bin] + filled[bin]++] = series->lateness_ns[i];
    }
    for (size_t i = 0; i < bins_n; i++) {
        const struct st_sample sample = st_sample_of(values + first[i], filled[i]);
        ret[i] = (struct st_box){0};
        if (filled[i] > 0)
            st_box_of(&sample, &ret[i]);
    }
    free(values);
    return 0;
}

static void draw_bin(const struct st_chart_area *area, size_t i, const struct st_box *box)
{
    const double x = area->x + area->width * (double)i / ST_CHART_PHASES,
                 width = area->width / ST_CHART_PHASES - 0.6;
    const struct st_pen line = {ST_CHART_INK, 2, ST_DASH_NONE};
    const double low = st_chart_at(area, 0, (double)box->min_ns).y,
                 high = st_chart_at(area, 0, (double)box->max_ns).y;
    const double q1 = st_chart_at(area, 0, (double)box->q1_ns).y,
                 q3 = st_chart_at(area, 0, (double)box->q3_ns).y;
    const double median = st_chart_at(area, 0, (double)box->median_ns).y;
    st_chart_rectangle(area->canvas, x, high, width, fmax(low - high, 1), 0xb8d9ee, NULL);
    st_chart_rectangle(area->canvas, x, q3, width, fmax(q1 - q3, 1), 0x5a9fcb, NULL);
    area->canvas->segments(area->canvas, (struct st_point[]){{x, median}, {x + width, median}}, 2, &line);
}

static void draw(const struct st_chart_picture *picture, size_t panel, struct st_chart_area *area)
{
    const struct st_chart_set *set = picture->data->set[panel];
    struct st_box boxes[ST_CHART_PHASES];
    char name[80], fold[32];
    area->x_axis = (struct st_axis){false, 0, (double)picture->fold_ns};
    area->y_axis = st_chart_value_axis(picture->data);
    if (st_chart_fold(&set->series, (double)picture->fold_ns, ST_CHART_PHASES, boxes) != 0)
        return;
    snprintf(name, sizeof(name), "phase in %s", st_ns_format(picture->fold_ns, fold, sizeof(fold)));
    st_chart_y_times(area, picture->data->quantity);
    st_chart_x_times(area, name);
    area->canvas->begin(area->canvas, "values");
    for (size_t i = 0; i < ST_CHART_PHASES; i++) {
        if (boxes[i].n > 0)
            draw_bin(area, i, &boxes[i]);
    }
    area->canvas->end(area->canvas);
    st_chart_frame(area);
}

const struct st_chart_kind_row st_chart_phase = {
    .name = "phase", .title = "Folded", .has = has, .plan = plan, .draw = draw};
