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

struct names {
    struct st_point at[ST_CHART_LINES_MAX * ST_CHART_PRICES_MAX];
    size_t n;
};

/* The name of a mark beside it, where no other name is; the caption has them all. */
static void name_mark(const struct st_chart_area *area, struct st_point at, const char *name,
                      struct names *names)
{
    for (size_t i = 0; i < names->n; i++) {
        if (fabs(names->at[i].x - at.x) < 50 && fabs(names->at[i].y - at.y) < 14)
            return;
    }
    names->at[names->n++] = at;
    const double x =
        at.x + 9 + st_chart_text_px(name, ST_CHART_TEXT_PX) < area->canvas->width ? at.x + 9 : at.x - 9;
    st_chart_text(area->canvas, x, at.y + 4, x > at.x ? ST_ANCHOR_START : ST_ANCHOR_END, ST_CHART_INK, name);
}

static void draw_set(const struct st_chart_area *area, const struct st_chart_set *set, size_t line,
                     struct names *names)
{
    struct st_point points[ST_CHART_PRICES_MAX];
    const struct st_pen pen = st_chart_pen(line);
    area->canvas->begin(area->canvas, "values");
    for (size_t i = 0; i < set->prices_n; i++) {
        points[i] = st_chart_at(area, set->price[i].cpu, set->price[i].percent);
        st_chart_marker(area->canvas, points[i], line, pen.rgb);
        name_mark(area, points[i], set->price[i].name, names);
    }
    area->canvas->polyline(area->canvas, points, set->prices_n, &pen);
    area->canvas->end(area->canvas);
}

static void draw(const struct st_chart_picture *picture, size_t panel, struct st_chart_area *area)
{
    const struct st_chart_data *data = picture->data;
    struct names names = {.n = 0};
    double least = 1, most = 1;
    (void)panel;
    for (size_t i = 0; i < data->n; i++) {
        least = fmin(least, data->set[i]->price[0].cpu);
        most = fmax(most, data->set[i]->price[data->set[i]->prices_n - 1].cpu);
    }
    area->x_axis = st_axis_fit(least, most, least > 0);
    area->y_axis = (struct st_axis){false, -3, 103};
    st_chart_y_numbers(area, "within 100 ns of due (% of wakes)");
    st_chart_x_numbers(area, area->x_axis.log ? "CPU a cycle (times plain waking, logarithmic)"
                                              : "CPU a cycle (times plain waking)");
    st_chart_frame(area);
    for (size_t i = 0; i < data->n; i++)
        draw_set(area, data->set[i], i, &names);
}

const struct st_chart_kind_row st_chart_price = {.name = "price",
                                                 .title = "The price of waking on time",
                                                 .has = has,
                                                 .plan = plan,
                                                 .draw = draw,
                                                 .quantity = "share within 100 ns of due, against CPU",
                                                 .marks = true,
                                                 .lines = true};
