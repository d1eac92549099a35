/* Quantiles as HdrHistogram plots them: at 1 / (1 - p) on a logarithmic axis, so that each nine has the same room. */
#include <math.h>

#include "chart/picture.h"
#include "core/ns.h"
#include "core/stats/stats.h"
#include "core/text/text.h"

#define STEPS_A_DECADE 60
#define POINTS_MAX     1200
#define TICK_GAP_PX    4.0

static bool has(const struct st_chart_set *set)
{
    return set->hist.total_n > 0 || set->marks_n > 0;
}

bool st_picture_quantile_of(const struct st_chart_set *set, double p, int64_t *ret_ns)
{
    if (set->hist.total_n > 0 && set->n >= st_stats_quantile_min_n(p)) {
        *ret_ns = st_sample_quantile(&set->sample, p);
        return true;
    }
    for (size_t i = 0; set->hist.total_n == 0 && i < set->marks_n; i++) {
        if (fabs(set->mark[i].p - p) < 1e-9) {
            *ret_ns = set->mark[i].value_ns;
            return true;
        }
    }
    return false;
}

bool st_picture_greatest(const struct st_chart_set *set, int64_t *ret_ns)
{
    const bool values = set->hist.total_n > 0;
    if (!values && !set->max_known)
        return false;
    *ret_ns = values ? set->box.max_ns : set->max_ns;
    return true;
}

static int plan(struct st_picture *picture)
{
    static const struct {
        const char *name;
        double p;
    } told[] = {{"median", 0.5}, {"p99", 0.99}, {"p99.9", 0.999}};
    const struct st_chart_data *data = picture->data;
    char *caption = picture->caption, text[32], name[ST_CHART_NAME_BYTES];
    const size_t bytes = sizeof(picture->caption);
    bool lines = false, marks = false;
    for (size_t i = 0; i < data->n; i++) {
        const struct st_chart_set *set = data->set[i];
        int64_t greatest;
        lines = lines || set->hist.total_n > 0;
        marks = marks || set->hist.total_n == 0;
        st_text_append(caption, bytes, "%s%s: n = %llu", i > 0 ? " " : "", st_chart_name(data, set, name),
                       (unsigned long long)set->n);
        for (size_t k = 0; k < ST_ARRAY_LEN(told); k++) {
            int64_t value;
            if (st_picture_quantile_of(set, told[k].p, &value))
                st_text_append(caption, bytes, ", %s %s", told[k].name,
                               st_ns_format(value, text, sizeof(text)));
        }
        if (st_picture_greatest(set, &greatest))
            st_text_append(caption, bytes, ", greatest %s", st_ns_format(greatest, text, sizeof(text)));
        st_text_append(caption, bytes, ".");
    }
    st_text_append(picture->description, sizeof(picture->description), "Quantiles of %s. %s", data->quantity,
                   caption);
    snprintf(
        picture->how, sizeof(picture->how), "%s%s",
        lines
            ? "A line ends where fewer than 10 values are greater; the mark after it is the greatest value. "
            : "",
        marks ? "For files that have only quantiles, each mark is one of them and the last mark is the "
                "greatest value; the lines only connect the marks."
              : "");
    return 0;
}

/* Draws a line up to the quantile with 10 values beyond it, or the known marks. */
static void draw_set(const struct st_picture_area *area, const struct st_chart_set *set, size_t line)
{
    const struct st_pen pen = st_picture_pen(line);
    struct st_point points[POINTS_MAX];
    int64_t greatest;
    size_t n = 0;
    st_svg_begin(area->svg, "values");
    if (set->hist.total_n > 0) {
        const double nines = log10(fmax((double)set->n / 10, 1));
        const size_t steps = (size_t)fmin(ceil(nines * STEPS_A_DECADE), POINTS_MAX - 1);
        for (size_t i = 0; i <= steps && steps > 0; i++) {
            const double x = pow(10, nines * (double)i / (double)steps);
            points[n++] = st_picture_at(area, x, (double)st_sample_quantile(&set->sample, 1 - 1 / x));
        }
        st_svg_polyline(area->svg, points, n, &pen);
        for (double x = 2; x <= (double)set->n / 10;
             x *= x < 10 ? 5 : 10) /* so that lines differ in shape, too */
            st_picture_marker(area->svg,
                              st_picture_at(area, x, (double)st_sample_quantile(&set->sample, 1 - 1 / x)),
                              line, pen.rgb, NULL);
    } else {
        for (size_t i = 0; i < set->marks_n; i++) {
            points[n++] = st_picture_at(area, 1 / (1 - set->mark[i].p), (double)set->mark[i].value_ns);
            st_picture_marker(area->svg, points[i], line, pen.rgb, NULL);
        }
        st_svg_polyline(area->svg, points, n, &pen);
    }
    if (st_picture_greatest(set, &greatest))
        st_picture_marker(area->svg, st_picture_at(area, fmax((double)set->n, 1), (double)greatest), line,
                          pen.rgb, NULL);
    st_svg_end(area->svg);
}

/* A tick at 1 / (1 - p), with its text if it does not overlap the previous one. */
static void tick(const struct st_picture_area *area, double at, const char *text, double *ends)
{
    const double middle = st_axis_at(&area->x_axis, at) * area->width;
    const double half = st_picture_text_px(text, ST_PICTURE_TEXT_PX) / 2;
    const bool room = middle - half > *ends + TICK_GAP_PX;
    st_picture_x_tick(area, st_axis_at(&area->x_axis, at), room ? text : "");
    *ends = room ? middle + half : *ends;
}

static void ticks(const struct st_picture_area *area)
{
    double ends = -area->x;
    char text[32];
    tick(area, 1, "0 %", &ends);
    tick(area, 2, "50 %", &ends);
    for (int nines = 1; pow(10, nines) <= area->x_axis.high; nines++) {
        snprintf(text, sizeof(text), "%.*f %%", nines > 2 ? nines - 2 : 0, 100 * (1 - pow(10, -nines)));
        tick(area, pow(10, nines), text, &ends);
    }
}

static void draw(const struct st_picture *picture, size_t panel, struct st_picture_area *area)
{
    const struct st_chart_data *data = picture->data;
    double most = 20;
    (void)panel;
    for (size_t i = 0; i < data->n; i++)
        most = fmax(most, (double)data->set[i]->n);
    area->x_axis = (struct st_axis){true, 1, most * 1.3};
    area->y_axis = st_picture_value_axis(data);
    st_picture_y_axis(area, data->quantity, true);
    st_svg_begin(area->svg, "axis x");
    ticks(area);
    st_picture_x_name(area, "share of values up to this one (%, logarithmic towards 100 %)");
    st_svg_end(area->svg);
    st_picture_frame(area);
    for (size_t i = 0; i < data->n; i++)
        draw_set(area, data->set[i], i);
    st_picture_draw_deadline(area, data, false);
}

const struct st_picture_kind st_picture_quantile = {.name = "quantile",
                                                    .title = "Quantiles",
                                                    .has = has,
                                                    .plan = plan,
                                                    .draw = draw,
                                                    .marks = true,
                                                    .lines = true};
