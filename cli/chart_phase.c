/* Folded at a rhythm: what comes back in it lies one above the other. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/chart_picture.h"
#include "lib/ns.h"
#include "lib/series_analysis.h"

#define FEW_VALUES 20 /* fewer show no median */
#define DOT_PX     3.0
#define DOT_RGB    UINT32_C(0x3a7fae)

static bool has(const struct st_chart_set *set)
{
    return set->series.n > 0;
}

int64_t st_chart_rhythm_ns(struct st_chart_set *set)
{
    struct st_analysis *analysis = set->rhythm_looked_for ? NULL : calloc(1, sizeof(*analysis));
    struct st_series head = set->series; /* borrowed */
    double seconds = 0;
    head.n = head.n < ST_LONG_SERIES_HEAD_N ? head.n : ST_LONG_SERIES_HEAD_N;
    if (analysis == NULL)
        return set->rhythm_ns;
    if (st_analyse(&head, 0, analysis) == 0) {
        if (analysis->lattice.found && analysis->lattice.tooth_s > 0)
            seconds = analysis->lattice.tooth_s;
        else if (analysis->beat.found)
            seconds = analysis->beat.repeats_s;
    }
    free(analysis);
    set->rhythm_looked_for = true;
    set->rhythm_ns = llround(seconds * 1e9);
    return set->rhythm_ns;
}

static size_t part_of(const struct st_series *series, size_t i, const struct st_fold *fold, size_t parts_n)
{
    return st_fold_part(fold, series->index[i] - series->index[0], parts_n);
}

/* What each part shows depends on how many values it has. */
static void say_how(struct st_chart_picture *picture, const struct st_series *series)
{
    const size_t parts_n = st_fold_parts(&picture->fold, ST_CHART_PHASES);
    bool few = false, medians = false, quartiles = false;
    uint64_t n[ST_CHART_PHASES] = {0}, least = UINT64_MAX, most = 0;
    for (size_t i = 0; i < series->n; i++)
        n[part_of(series, i, &picture->fold, parts_n)]++;
    for (size_t i = 0; i < parts_n; i++) {
        least = n[i] < least ? n[i] : least;
        most = n[i] > most ? n[i] : most;
        few |= n[i] > 0 && n[i] < FEW_VALUES;
        medians |= n[i] >= FEW_VALUES;
        quartiles |= n[i] >= 2 * FEW_VALUES;
    }
    char *how = picture->how;
    const size_t bytes = sizeof(picture->how);
    if (parts_n == picture->fold.num)
        st_chart_say(how, bytes, "A part for each of the %zu phases that periods have", parts_n);
    else
        st_chart_say(how, bytes, "In %zu parts", parts_n);
    st_chart_say(how, bytes, "; n = %llu", (unsigned long long)least);
    if (most > least)
        st_chart_say(how, bytes, " .. %llu", (unsigned long long)most);
    st_chart_say(how, bytes, " in a part.");
    if (medians)
        st_chart_say(how, bytes, " Light bars: least to greatest of a part%s; lines: medians.",
                     quartiles ? "; dark ones: quartiles" : "");
    if (few)
        st_chart_say(how, bytes, " Dots: values of a part that has less than %d.", FEW_VALUES);
}

static int plan(struct st_chart_picture *picture)
{
    struct st_chart_set *set = picture->data->set[0];
    const bool asked = picture->fold_ns > 0;
    char fold[32];
    if (picture->data->n > 1) {
        st_chart_say(picture->caption, sizeof(picture->caption),
                     "--kind phase folds one series, there are %zu", picture->data->n);
        return -ENODATA;
    }
    if (!asked)
        picture->fold_ns = st_chart_rhythm_ns(set);
    if (picture->fold_ns <= 0 || st_fold_init(&set->series.period, picture->fold_ns, &picture->fold) != 0) {
        st_chart_say(picture->caption, sizeof(picture->caption), "%s: no rhythm was found", set->label);
        if (!asked && set->series.n >= ST_LONG_SERIES_HEAD_N)
            st_chart_say(picture->caption, sizeof(picture->caption), " in its first %lld values",
                         (long long)ST_LONG_SERIES_HEAD_N);
        st_chart_say(picture->caption, sizeof(picture->caption), "; --fold TIME folds at one that you know");
        return -ENODATA;
    }
    st_ns_format(picture->fold_ns, fold, sizeof(fold));
    st_chart_say(picture->caption, sizeof(picture->caption), "%s: n = %zu, folded at %s (%s).", set->label,
                 set->series.n, fold, asked ? "as asked for" : "found by the analysis");
    say_how(picture, &set->series);
    if (set->rest_unread)
        st_chart_say(picture->caption, sizeof(picture->caption), " What comes after these is not in it.");
    else if (set->left_out_n > 0)
        st_chart_say(picture->caption, sizeof(picture->caption), " The last %llu values are not in it.",
                     (unsigned long long)set->left_out_n);
    st_chart_say(picture->description, sizeof(picture->description), "%s by phase. %s",
                 picture->data->quantity, picture->caption);
    return 0;
}

int st_chart_fold(const struct st_series *series, const struct st_fold *fold, size_t parts_n,
                  struct st_chart_folded *ret)
{
    size_t first[ST_CHART_PHASES + 1] = {0}, filled[ST_CHART_PHASES] = {0};
    int64_t *values = malloc(series->n * sizeof(*values));
    if (values == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < series->n; i++)
        first[part_of(series, i, fold, parts_n) + 1]++;
    for (size_t i = 0; i < parts_n; i++)
        first[i + 1] += first[i];
    for (size_t i = 0; i < series->n; i++) {
        const size_t part = part_of(series, i, fold, parts_n);
        values[first[part] + filled[part]++] = series->lateness_ns[i];
    }
    *ret = (struct st_chart_folded){.n = parts_n, .values_ns = values};
    for (size_t i = 0; i < parts_n; i++) {
        const struct st_sample sample = st_sample_of(values + first[i], filled[i]);
        ret->value_ns[i] = values + first[i];
        if (filled[i] > 0)
            st_box_of(&sample, &ret->box[i]);
    }
    return 0;
}

void st_chart_folded_finish(struct st_chart_folded *folded)
{
    free(folded->values_ns);
}

/* Too few values for a median: each as a dot. */
static void draw_dots(const struct st_chart_area *area, double x, const struct st_box *box,
                      const int64_t *values_ns)
{
    const struct st_pen pen = {DOT_RGB, DOT_PX, ST_DASH_NONE};
    struct st_point points[2 * FEW_VALUES];
    size_t n = 0;
    for (uint64_t i = 0; i < box->n && n + 2 <= ST_ARRAY_LEN(points); i++) {
        const double y = st_chart_at(area, 0, (double)values_ns[i]).y;
        points[n++] = (struct st_point){x, y + DOT_PX / 2};
        points[n++] = (struct st_point){x, y - DOT_PX / 2};
    }
    area->canvas->segments(area->canvas, points, n, &pen);
}

static void draw_part(const struct st_chart_area *area, const struct st_chart_folded *folded, size_t i)
{
    const struct st_box *box = &folded->box[i];
    const double step = area->width / (double)folded->n, x = area->x + step * (double)i, width = step - 0.6;
    const struct st_pen line = {ST_CHART_INK, 2, ST_DASH_NONE};
    const double low = st_chart_at(area, 0, (double)box->min_ns).y,
                 high = st_chart_at(area, 0, (double)box->max_ns).y;
    const double q1 = st_chart_at(area, 0, (double)box->q1_ns).y,
                 q3 = st_chart_at(area, 0, (double)box->q3_ns).y;
    const double median = st_chart_at(area, 0, (double)box->median_ns).y;
    if (!box->median_known) {
        draw_dots(area, x + width / 2, box, folded->value_ns[i]);
        return;
    }
    st_chart_rectangle(area->canvas, x, high, width, fmax(low - high, 1), 0xb8d9ee, NULL);
    if (box->known)
        st_chart_rectangle(area->canvas, x, q3, width, fmax(q1 - q3, 1), 0x5a9fcb, NULL);
    area->canvas->segments(area->canvas, (struct st_point[]){{x, median}, {x + width, median}}, 2, &line);
}

static void draw(const struct st_chart_picture *picture, size_t panel, struct st_chart_area *area)
{
    const struct st_chart_set *set = picture->data->set[panel];
    struct st_chart_folded folded;
    char name[80], fold[32];
    area->x_axis = (struct st_axis){false, 0, (double)picture->fold_ns};
    area->y_axis = st_chart_value_axis(picture->data);
    if (st_chart_fold(&set->series, &picture->fold, st_fold_parts(&picture->fold, ST_CHART_PHASES),
                      &folded) != 0)
        return;
    snprintf(name, sizeof(name), "phase in %s", st_ns_format(picture->fold_ns, fold, sizeof(fold)));
    st_chart_y_times(area, picture->data->quantity);
    st_chart_x_times(area, name);
    area->canvas->begin(area->canvas, "values");
    for (size_t i = 0; i < folded.n; i++) {
        if (folded.box[i].n > 0)
            draw_part(area, &folded, i);
    }
    area->canvas->end(area->canvas);
    st_chart_frame(area);
    st_chart_folded_finish(&folded);
}

const struct st_chart_kind_row st_chart_phase = {
    .name = "phase", .title = "Folded", .has = has, .plan = plan, .draw = draw};
