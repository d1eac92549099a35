/* How values are distributed: the share of them in each of 80 equal parts of the axis of values. */
#include "core/ns.h"
#include "core/text/text.h"
#include "lab/chart/picture.h"

#define PARTS_N 80

static bool has(const struct st_chart_set *set)
{
    return set->sample.len > 0 && set->box.known;
}

static int plan(struct st_picture *picture)
{
    char median[32], name[ST_CHART_NAME_BYTES];
    ST_PRINT(picture->how, "Each line has the share of values in each of %d equal parts of the axis.",
             PARTS_N);
    ST_EACH_OF (set, picture->data->set, picture->data->n)
        ST_APPEND(picture->description, "Density of %s: %llu values, median %s. ",
                  st_chart_name(picture->data, *set, name), (unsigned long long)(*set)->n,
                  st_ns_format_exact((*set)->box.median_ns, median, sizeof(median)));
    ST_PRINT(picture->caption, "%s", picture->description);
    return 0;
}

/* Shares of a set, in percent. @return the largest. */
static double shares(const struct st_chart_set *set, const struct st_axis *axis, double share[PARTS_N])
{
    double most = 0;
    for (int part = 0; part < PARTS_N; part++)
        share[part] = 0;
    for (size_t i = 0; i < set->sample.len; i++) {
        const uint64_t n = set->sample.cumulative_n == NULL
                               ? 1
                               : set->sample.cumulative_n[i] - (i > 0 ? set->sample.cumulative_n[i - 1] : 0);
        const double at = st_axis_at(axis, (double)set->sample.values_ns[i]) * PARTS_N;
        if (at >= 0 && at <= PARTS_N)
            share[at < PARTS_N ? (int)at : PARTS_N - 1] += 100 * (double)n / (double)set->n;
    }
    for (int part = 0; part < PARTS_N; part++)
        most = fmax(most, share[part]);
    return most;
}

static void draw(const struct st_picture *picture, size_t panel, struct st_picture_area *area)
{
    const struct st_chart_data *data = picture->data;
    double share[PARTS_N], most = 1e-9;
    (void)panel;
    area->y_axis = st_picture_value_axis(data);
    ST_EACH_OF (set, data->set, data->n)
        most = fmax(most, shares(*set, &area->y_axis, share));
    area->x_axis = (struct st_axis){false, 0, 1.05 * most};
    st_picture_y_axis(area, data->quantity);
    st_picture_x_axis(area, "share of the values (%)");
    st_picture_frame(area);
    st_svg_begin(area->svg, "values");
    for (size_t i = 0; i < data->n; i++) {
        struct st_point points[PARTS_N];
        (void)shares(data->set[i], &area->y_axis, share);
        for (int part = 0; part < PARTS_N; part++)
            points[part] = (struct st_point){area->x + area->width * share[part] / area->x_axis.high,
                                             area->y + area->height * (1 - (part + 0.5) / PARTS_N)};
        const struct st_pen pen = st_picture_pen(i);
        st_svg_polyline(area->svg, points, PARTS_N, &pen);
    }
    st_svg_end(area->svg);
}

const struct st_picture_kind st_picture_density = {
    .name = "density", .title = "Density", .has = has, .plan = plan, .draw = draw};
