/* What punctual waking costs: share of wakes within 100 ns of due, against CPU. */
#include <math.h>

#include "cli/chart_picture.h"

static bool has(const struct st_chart_set *set)
{
    return set->prices_n > 0;
}

static int plan(struct st_chart_picture *picture)
{
    const struct st_chart_data *data = picture->data;
    char *caption = picture->caption;
    const size_t bytes = sizeof(picture->caption);
    st_chart_say(caption, bytes, "Share within 100 ns of due at CPU a cycle, plain waking = 1: ");
    for (size_t i = 0; i < data->n; i++) {
        const struct st_chart_set *set = data->set[i];
        for (size_t k = 0; k < set->prices_n; k++)
            st_chart_say(caption, bytes, "%s%s %.1f %% at %.2f", i + k > 0 ? ", " : "", set->price[k].name,
                         set->price[k].percent, set->price[k].cpu);
    }
    st_chart_say(caption, bytes, ".");
    st_chart_say(picture->description, sizeof(picture->description), "%s", caption);
    return 0;
}

static void draw(const struct st_chart_picture *picture, size_t panel, struct st_chart_area *area)
{
    const struct st_chart_data *data = picture->data;
    struct st_point points[ST_CHART_PRICES_MAX];
    double most = 1;
    (void)panel;
    for (size_t i = 0; i < data->n; i++)
        most = fmax(most, data->set[i]->price[data->set[i]->prices_n - 1].cpu);
    area->x_axis = st_axis_fit(0, most, false);
    area->y_axis = (struct st_axis){false, 0, 104};
    st_chart_y_numbers(area, "within 100 ns of due (% of wakes)");
    st_chart_x_numbers(area, "CPU a cycle (times plain waking)");
    st_chart_frame(area);
    for (size_t i = 0; i < data->n; i++) {
        const struct st_chart_set *set = data->set[i];
        const struct st_pen pen = st_chart_pen(i);
        double named_y = 0;
        area->canvas->begin(area->canvas, "values");
        for (size_t k = 0; k < set->prices_n; k++) {
            points[k] = st_chart_at(area, set->price[k].cpu, set->price[k].percent);
            st_chart_marker(area->canvas, points[k], i, pen.rgb);
            if (k == 0 || fabs(points[k].y - named_y) > 13) {
                st_chart_text(area->canvas, points[k].x + 9, points[k].y + 4, ST_ANCHOR_START, ST_CHART_INK,
                              set->price[k].name);
                named_y = points[k].y;
            }
        }
        area->canvas->polyline(area->canvas, points, set->prices_n, &pen);
        area->canvas->end(area->canvas);
    }
}

const struct st_chart_kind_row st_chart_price = {"price", "The price of waking on time", has, plan, draw,
                                                 true};
