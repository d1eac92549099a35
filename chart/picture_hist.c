/* Histograms: counts on a logarithmic axis, so that a single late wake-up is seen among a million. */
#include <math.h>
#include <stdlib.h>

#include "chart/picture.h"
#include "core/ns.h"
#include "core/text/text.h"

#define BINS 140

static bool has(const struct st_chart_set *set)
{
    return set->hist.total_n > 0;
}

static int plan(struct st_picture *picture)
{
    const struct st_chart_data *data = picture->data;
    char median[32], greatest[32], name[ST_CHART_NAME_BYTES];
    for (size_t i = 0; i < data->n; i++) {
        const struct st_box *box = &data->set[i]->box;
        st_text_append(picture->caption, sizeof(picture->caption), "%s%s: n = %llu, median %s, greatest %s.",
                       i > 0 ? " " : "", st_chart_name(data, data->set[i], name), (unsigned long long)box->n,
                       st_ns_format(box->median_ns, median, sizeof(median)),
                       st_ns_format(box->max_ns, greatest, sizeof(greatest)));
    }
    st_text_append(picture->description, sizeof(picture->description), "Histogram of %s. %s", data->quantity,
                   picture->caption);
    return 0;
}

/* Number of bins; a bin is not narrower than the resolution of the values. */
static size_t bins_of(const struct st_axis *axis, size_t bins_max)
{
    double most;
    if (axis->log)
        most = log(axis->high / axis->low) / log1p(fmax(1 / axis->low, 0.001));
    else
        most = (axis->high - axis->low) / fmax(1, 0.001 * fmax(fabs(axis->low), fabs(axis->high)));
    return (size_t)fmin(fmax(floor(most), 8), (double)bins_max);
}

/* Counts values in up to bins_max equal parts of an axis. @return the number of parts. */
static size_t count(const struct st_sample *sample, const struct st_axis *axis, size_t bins_max,
                    uint64_t *bins)
{
    const size_t bins_n = bins_of(axis, bins_max);
    uint64_t before = 0;
    for (size_t i = 0; i < bins_n; i++)
        bins[i] = 0;
    for (size_t i = 0; i < sample->len; i++) {
        const size_t bin = (size_t)(st_axis_at(axis, (double)sample->values_ns[i]) * (double)bins_n);
        bins[bin < bins_n ? bin : bins_n - 1] += sample->cumulative_n[i] - before;
        before = sample->cumulative_n[i];
    }
    return bins_n;
}

/* Outline of the bins. */
static void steps(const struct st_picture_area *area, const uint64_t *bins, size_t bins_n, size_t line)
{
    const struct st_pen pen = st_picture_pen(line);
    struct st_point points[2 * BINS + 2];
    const double foot = area->y + area->height, width = area->width / (double)bins_n;
    size_t n = 0;
    st_svg_begin(area->svg, "values");
    for (size_t i = 0; i < bins_n; i++) {
        const double y = bins[i] > 0 ? st_picture_at(area, 0, (double)bins[i]).y : foot;
        points[n++] = (struct st_point){area->x + (double)i * width, y};
        points[n++] = (struct st_point){area->x + (double)(i + 1) * width, y};
    }
    st_svg_polyline(area->svg, points, n, &pen);
    st_svg_end(area->svg);
}

static void draw(const struct st_picture *picture, size_t panel, struct st_picture_area *area)
{
    const struct st_chart_data *data = picture->data;
    uint64_t bins[ST_CHART_LINES_MAX][BINS], most = 1;
    (void)panel;
    area->x_axis = st_picture_value_axis(data);
    size_t bins_n = 1;
    for (size_t i = 0; i < data->n; i++) {
        bins_n = count(&data->set[i]->sample, &area->x_axis, BINS, bins[i]);
        for (size_t k = 0; k < bins_n; k++)
            most = bins[i][k] > most ? bins[i][k] : most;
    }
    area->y_axis = (struct st_axis){true, 0.7, fmax((double)most * 1.6, 12)};
    st_picture_y_axis(area, "values in a bin (logarithmic)", false);
    st_picture_x_axis(area, data->quantity, true);
    for (size_t i = 0; i < data->n; i++)
        steps(area, bins[i], bins_n, i);
    st_picture_frame(area);
    st_picture_draw_deadline(area, data, true);
}

const struct st_picture_kind st_picture_hist = {
    .name = "hist", .title = "Histogram", .has = has, .plan = plan, .draw = draw, .lines = true};
