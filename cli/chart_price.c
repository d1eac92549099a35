/* What punctual waking costs: share of wakes within 100 ns of due, against CPU. */
#include <math.h>
#include <stdlib.h>

#include "cli/chart_picture.h"
#include "lib/labels.h"

#define MARK_PX 9.0  /* from a mark's middle to its name */
#define LINE_PX 13.0 /* height of a name */

static bool has(const struct st_chart_set *set)
{
    return set->prices_n > 0;
}

/* Of all marks; an interval that goes further than half of the least or twice the greatest ends at the axis'
 * end: of few blocks it may begin at 0, and the marks would have no room. */
static struct st_axis cpu_axis(const struct st_chart_data *data)
{
    double least = 1, most = 1, low = 1, high = 1;
    for (size_t i = 0; i < data->n; i++) {
        const struct st_chart_set *set = data->set[i];
        for (size_t k = 0; k < set->prices_n; k++) {
            least = fmin(least, set->price[k].cpu.value);
            most = fmax(most, set->price[k].cpu.value);
            low = fmin(low, set->price[k].cpu.low);
            high = fmax(high, set->price[k].cpu.high);
        }
    }
    low = fmax(low, least / 2);
    return st_axis_fit(low, fmin(high, 2 * most), low > 0);
}

/* n of all marks; 0: they differ. */
static uint64_t common_n(const struct st_chart_data *data)
{
    const uint64_t n = data->set[0]->price[0].n;
    for (size_t i = 0; i < data->n; i++) {
        for (size_t k = 0; k < data->set[i]->prices_n; k++) {
            if (data->set[i]->price[k].n != n)
                return 0;
        }
    }
    return n;
}

static int plan(struct st_chart_picture *picture)
{
    const struct st_chart_data *data = picture->data;
    char *caption = picture->caption, name[ST_CHART_NAME_BYTES];
    const size_t bytes = sizeof(picture->caption);
    const struct st_axis axis = cpu_axis(data);
    bool intervals = false, cut = false;
    const uint64_t each_n = common_n(data);
    st_chart_say(caption, bytes, "Share within 100 ns of due at CPU a cycle, plain waking = 1");
    if (each_n > 0)
        st_chart_say(caption, bytes, "; n = %llu each", (unsigned long long)each_n);
    st_chart_say(caption, bytes, ": ");
    for (size_t i = 0; i < data->n; i++) {
        const struct st_chart_set *set = data->set[i];
        if (data->n > 1)
            st_chart_say(caption, bytes, "%s%s: ", i > 0 ? "; " : "", st_chart_name(data, set, name));
        for (size_t k = 0; k < set->prices_n; k++) {
            st_chart_say(caption, bytes, "%s%s %.1f %% at %.2f", k > 0 ? ", " : "", set->price[k].name,
                         set->price[k].percent.value, set->price[k].cpu.value);
            if (each_n == 0 && set->price[k].n > 0)
                st_chart_say(caption, bytes, " (n = %llu)", (unsigned long long)set->price[k].n);
            intervals = intervals || set->price[k].cpu.known || set->price[k].percent.known;
            cut = cut || set->price[k].cpu.low < axis.low || set->price[k].cpu.high > axis.high;
        }
    }
    st_chart_say(caption, bytes, ".");
    st_chart_say(picture->description, sizeof(picture->description), "%s", caption);
    st_chart_say(picture->how, sizeof(picture->how),
                 "Line: settings for which no other one is better at less CPU; hollow marks: those for which "
                 "one is.%s%s%s",
                 intervals ? " Thin grey lines: 95 % intervals" : "", cut ? ", as far as the axis goes" : "",
                 intervals ? "." : "");
    return 0;
}

static void take_mark(struct st_labels *labels, struct st_point at)
{
    const double reach = MARK_PX - 2;
    st_labels_avoid_rect(labels, (struct st_rect){at.x - reach, at.y - reach, 2 * reach, 2 * reach});
}

/* An interval, if it is known. */
static void draw_interval(const struct st_chart_area *area, struct st_point from, struct st_point to,
                          bool known, struct st_labels *labels)
{
    const struct st_pen pen = {ST_CHART_INTERVAL, 1, ST_DASH_NONE};
    if (!known)
        return;
    area->canvas->segments(area->canvas, (struct st_point[]){from, to}, 2, &pen);
    st_labels_avoid_line(labels, (struct st_line){from.x, from.y, to.x, to.y});
}

static void draw_intervals(const struct st_chart_area *area, const struct st_chart_price *price,
                           struct st_labels *labels)
{
    draw_interval(area, st_chart_at(area, price->cpu.low, price->percent.value),
                  st_chart_at(area, price->cpu.high, price->percent.value), price->cpu.known, labels);
    draw_interval(area, st_chart_at(area, price->cpu.value, price->percent.low),
                  st_chart_at(area, price->cpu.value, price->percent.high), price->percent.known, labels);
}

static void draw_set(const struct st_chart_area *area, const struct st_chart_set *set, size_t line,
                     struct st_labels *labels)
{
    struct st_point points[ST_CHART_PRICES_MAX];
    const struct st_pen pen = st_chart_pen(line);
    size_t n = 0;
    area->canvas->begin(area->canvas, "values");
    for (size_t i = 0; i < set->prices_n; i++)
        draw_intervals(area, &set->price[i], labels);
    for (size_t i = 0; i < set->prices_n; i++) {
        if (set->price[i].best)
            points[n++] = st_chart_at(area, set->price[i].cpu.value, set->price[i].percent.value);
    }
    area->canvas->polyline(area->canvas, points, n, &pen);
    for (size_t i = 1; i < n; i++)
        st_labels_avoid_line(labels,
                             (struct st_line){points[i - 1].x, points[i - 1].y, points[i].x, points[i].y});
    for (size_t i = 0; i < set->prices_n; i++) {
        const struct st_chart_price *price = &set->price[i];
        const struct st_point at = st_chart_at(area, price->cpu.value, price->percent.value);
        st_chart_marker(area->canvas, at, line, price->best ? pen.rgb : 0xffffff, &pen);
        take_mark(labels, at);
    }
    area->canvas->end(area->canvas);
}

/* Beside its mark, or tied to it by a line; the caption has those that found no room. */
static void name_mark(const struct st_chart_area *area, struct st_point at, const char *name,
                      struct st_labels *labels)
{
    const struct st_pen pen = {ST_CHART_SOFT, 0.8, ST_DASH_NONE};
    const double width = st_chart_text_px(name, ST_CHART_TEXT_PX) + 2;
    struct st_rect rect;
    if (!st_labels_put(labels, at.x, at.y, MARK_PX, width, LINE_PX, &rect))
        return;
    const struct st_point nearest = {fmin(fmax(at.x, rect.x), rect.x + rect.width),
                                     fmin(fmax(at.y, rect.y), rect.y + rect.height)};
    const double far = hypot(nearest.x - at.x, nearest.y - at.y), start = (MARK_PX - 2) / fmax(far, MARK_PX);
    const struct st_point from = {at.x + (nearest.x - at.x) * start, at.y + (nearest.y - at.y) * start};
    if (far > 1.5 * MARK_PX)
        area->canvas->segments(area->canvas, (struct st_point[]){from, nearest}, 2, &pen);
    st_chart_text(area->canvas, rect.x + width / 2, rect.y + LINE_PX - 3, ST_ANCHOR_MIDDLE, ST_CHART_INK,
                  name);
}

static void draw_names(const struct st_chart_area *area, const struct st_chart_data *data,
                       struct st_labels *labels)
{
    for (size_t i = 0; i < data->n; i++) {
        const struct st_chart_set *set = data->set[i];
        for (size_t k = 0; k < set->prices_n; k++)
            name_mark(area, st_chart_at(area, set->price[k].cpu.value, set->price[k].percent.value),
                      set->price[k].name, labels);
    }
}

static void draw(const struct st_chart_picture *picture, size_t panel, struct st_chart_area *area)
{
    const struct st_chart_data *data = picture->data;
    struct st_labels *labels = calloc(1, sizeof(*labels));
    (void)panel;
    if (labels == NULL)
        return;
    area->x_axis = cpu_axis(data);
    area->y_axis = (struct st_axis){false, -3, 103};
    labels->page =
        (struct st_rect){area->x + 2, area->y - 16, area->canvas->width - area->x - 4, area->height + 15};
    st_chart_y_numbers(area, "within 100 ns of due (% of wakes)");
    st_chart_x_numbers(area, area->x_axis.log ? "CPU a cycle (times plain waking, logarithmic)"
                                              : "CPU a cycle (times plain waking)");
    st_chart_frame(area);
    for (size_t i = 0; i < data->n; i++)
        draw_set(area, data->set[i], i, labels);
    draw_names(area, data, labels);
    free(labels);
}

const struct st_chart_kind_row st_chart_price = {.name = "price",
                                                 .title = "The price of waking on time",
                                                 .has = has,
                                                 .plan = plan,
                                                 .draw = draw,
                                                 .quantity = "share within 100 ns of due, against CPU",
                                                 .marks = true,
                                                 .lines = true};
