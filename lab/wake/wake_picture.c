/* The picture of several slices: medians over the slice, a line for each mechanism. */
#include "core/ns.h"
#include "core/text/text.h"
#include "lab/bench_text.h"
#include "lab/chart/conditions.h"
#include "lab/chart/picture.h"
#include "lab/wake/bench_wake.h"
#include "platform/program/options.h"

#define NAMES_PX     150.0                          /* room for the names of lines, on the right */
#define NAME_PX      15.0                           /* from one name to the next */
#define HOLLOW(line) ((line) >= ST_CHART_LINES_MAX) /* marks of lines for which there is no new colour */
#define DODGE_PX     4.0                            /* between two lines at the same slice */

static bool has(const struct st_chart_set *set)
{
    return set->box.median_known;
}

/* Is set i the first of its panel, or with `line` of its line? */
static bool is_first(const struct st_chart_data *data, size_t i, bool line)
{
    ST_EACH_OF (before, data->set, i) {
        if (strcmp((*before)->group, data->set[i]->group) == 0 &&
            (!line || strcmp((*before)->label, data->set[i]->label) == 0))
            return false;
    }
    return true;
}

/* The same for a mechanism in all panels. */
static size_t line_of(const struct st_chart_data *data, size_t i)
{
    size_t line = 0;
    for (size_t k = 0; strcmp(data->set[k]->label, data->set[i]->label) != 0; k++)
        line += is_first(data, k, true);
    return line;
}

static int plan(struct st_picture *picture)
{
    const struct st_chart_data *data = picture->data;
    unsigned long long least_n = UINT64_MAX, most_n = 0;
    char name[ST_CHART_NAME_BYTES];
    picture->panels_n = 0;
    ST_APPEND(picture->description, "Medians of %s over the slice:", data->quantity);
    for (size_t i = 0; i < data->n; i++) {
        const struct st_chart_set *set = data->set[i];
        picture->panels_n += is_first(data, i, false);
        least_n = set->n < least_n ? set->n : least_n;
        most_n = set->n > most_n ? set->n : most_n;
        ST_APPEND(picture->description, "%s %s %s after %s", i > 0 ? "," : "", st_chart_name(data, set, name),
                  ST_NS(set->box.median_ns), ST_NS_SHORT(set->x_ns));
    }
    ST_APPEND(picture->caption,
              "Lines join medians; bars go from the first to the third quartile. n at each point: %llu",
              least_n);
    if (least_n < most_n)
        ST_APPEND(picture->caption, " to %llu", most_n);
    return 0;
}

/* All panels have the same axes. */
static void fit_axes(const struct st_chart_data *data, struct st_picture_area *area)
{
    double low = (double)INFINITY, high = -low, usual = low, shortest = low, longest = 0;
    ST_EACH_OF (place, data->set, data->n) {
        const struct st_box *box = &(*place)->box;
        low = fmin(low, (double)(box->known ? box->q1_ns : box->median_ns));
        high = fmax(high, (double)(box->known ? box->q3_ns : box->median_ns));
        usual = fmin(usual, (double)box->median_ns);
        shortest = fmin(shortest, (double)(*place)->x_ns);
        longest = fmax(longest, (double)(*place)->x_ns);
    }
    area->y_axis = st_axis_fit(low, high, st_axis_wants_log(low, usual, high));
    area->x_axis = st_axis_fit(shortest, longest, true);
}

static void x_axis(const struct st_picture_area *area, const struct st_chart_data *data)
{
    char text[32];
    st_svg_begin(area->svg, "axis x");
    for (size_t i = 0; i < data->n; i++) {
        const int64_t x_ns = data->set[i]->x_ns;
        size_t k = 0;
        while (data->set[k]->x_ns != x_ns)
            k++;
        if (k < i)
            continue;
        ST_PRINT(text, x_ns < ST_NS_PER_MS ? "%g µs" : "%g ms",
                 (double)x_ns / (x_ns < ST_NS_PER_MS ? 1e3 : 1e6));
        st_picture_x_tick(area, st_axis_at(&area->x_axis, (double)x_ns), text);
    }
    st_picture_x_name(area, "slice: length of the sleep (logarithmic)");
    st_svg_end(area->svg);
}

/* The line that set `first` begins. */
static void draw_line(const struct st_picture_area *area, const struct st_chart_data *data, size_t first,
                      size_t line)
{
    const struct st_pen pen = st_picture_pen(line), thin = {pen.rgb, 1, ST_DASH_NONE};
    struct st_point last = {0, 0};
    int64_t done_ns = 0;
    st_svg_begin(area->svg, "values");
    for (;;) { /* from the shortest sleep on, in whatever order they were measured */
        const struct st_chart_set *next = NULL;
        for (size_t i = first; i < data->n; i++) {
            const struct st_chart_set *set = data->set[i];
            if (strcmp(set->group, data->set[first]->group) == 0 &&
                strcmp(set->label, data->set[first]->label) == 0 && set->x_ns > done_ns &&
                (next == NULL || set->x_ns < next->x_ns))
                next = set;
        }
        if (next == NULL)
            break;
        struct st_point at = st_picture_at(area, (double)next->x_ns, (double)next->box.median_ns);
        at.x += DODGE_PX * ((double)((line + 1) / 2) * (line % 2 == 0 ? -1 : 1));
        const struct st_point bar[] = {{at.x, st_picture_at(area, 1, (double)next->box.q1_ns).y},
                                       {at.x, st_picture_at(area, 1, (double)next->box.q3_ns).y}};
        if (next->box.known)
            st_svg_segments(area->svg, bar, 2, &thin);
        if (done_ns > 0)
            st_svg_segments(area->svg, (struct st_point[]){last, at}, 2, &pen);
        st_picture_marker(area->svg, at, line, HOLLOW(line) ? 0xffffff : pen.rgb, &thin);
        last = at;
        done_ns = next->x_ns;
    }
    st_svg_end(area->svg);
}

/* Its mark and name, on the right. */
static void name(const struct st_picture_area *area, const char *text, size_t line, size_t row)
{
    const struct st_pen pen = st_picture_pen(line), thin = {pen.rgb, 1, ST_DASH_NONE};
    const struct st_point at = {area->x + area->width + 24, area->y + (double)row * NAME_PX};
    st_picture_marker(area->svg, at, line, HOLLOW(line) ? 0xffffff : pen.rgb, &thin);
    st_picture_text(area->svg, at.x + 12, at.y + 4, ST_ANCHOR_START, ST_PICTURE_INK, text);
}

static void draw(const struct st_picture *picture, size_t panel, struct st_picture_area *area)
{
    const struct st_chart_data *data = picture->data;
    size_t first = 0, row = 0;
    for (size_t seen = 0; first < data->n; first++) {
        if (is_first(data, first, false) && seen++ == panel)
            break;
    }
    area->width -= NAMES_PX;
    fit_axes(data, area);
    st_picture_heading(area, data->set[first]->group);
    st_picture_y_axis(area, data->quantity);
    x_axis(area, data);
    st_picture_frame(area);
    for (size_t i = first; i < data->n; i++) {
        if (strcmp(data->set[i]->group, data->set[first]->group) != 0 || !is_first(data, i, true))
            continue;
        name(area, data->set[i]->label, line_of(data, i), row++);
        draw_line(area, data, i, line_of(data, i));
    }
}

static const struct st_picture_kind over_slices = {
    .name = "slices", .title = "Over the slice", .has = has, .plan = plan, .draw = draw};

/* A set of each cell. @return 0, -ENOMEM. */
static int add_cells(const struct st_bench_wake *bench, struct st_chart_data *data)
{
    ST_EACH_OF (cell, bench->cells, bench->cells_n) {
        if (cell->n == 0)
            continue;
        struct st_chart_set *set = st_chart_add(data, cell->method->name);
        if (set == NULL || st_hist_init(&set->hist, 3) != 0)
            return -ENOMEM;
        set->x_ns = cell->slice_ns;
        ST_PRINT(set->group, "%s CPU, %s", cell->placement == ST_WAKE_SAME_CPU ? "the same" : "another",
                 cell->kind == ST_WAKE_INTERRUPTED ? "woken early" : "timed out");
        ST_EACH_OF (delay, cell->delay_ns, cell->n)
            st_hist_add(&set->hist, *delay);
    }
    return 0;
}

int st_bench_wake_plot(const char *path, const struct st_bench_wake *bench, struct st_lab *lab, int status)
{
    const struct st_chart_options options = {.path = path, .own = &over_slices};
    struct st_chart_data data;
    json_t *conditions = st_bench_text_conditions_json(&lab->platform->machine);
    st_chart_init(&data, "delay");
    st_chart_conditions(&data, st_conditions_text(conditions, ST_ROOM(sizeof(data.conditions))));
    int drawn = add_cells(bench, &data) == 0 ? ST_EXIT_DONE : st_failure("out of memory");
    if (drawn == ST_EXIT_DONE)
        drawn = st_chart_write(&data, &options);
    st_chart_finish(&data);
    json_decref(conditions);
    return status != ST_EXIT_DONE ? status : drawn;
}
