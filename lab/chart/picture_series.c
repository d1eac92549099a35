/* Draws values over time. If a column of pixels has several values, it shows their minimum and
 * maximum. */
#include "core/ns.h"
#include "core/text/text.h"
#include "lab/chart/picture.h"
#include "lab/ns_exact.h"

#define GRID_MIN 3 /* least number of panels that are drawn in two columns */
#define LINE_PX  1.2
#define MARKS_N  24 /* approximate number of marks on each series if several share a panel */

static bool has(const struct st_chart_set *set)
{
    return set->series.n > 0;
}

static void say_set(struct st_picture *picture, const struct st_chart_set *set)
{
    char *caption = picture->caption, *description = picture->description, skipped[48] = "",
         name[ST_CHART_NAME_BYTES];
    st_chart_name(picture->data, set, name);
    const size_t bytes = sizeof(picture->caption), description_bytes = sizeof(picture->description);
    const char *least = st_ns_exact(set->box.min_ns), *median = st_ns_exact(set->box.median_ns),
               *greatest = st_ns_exact(set->box.max_ns);
    const unsigned long long skipped_n = st_series_span(&set->series) - set->series.n;
    if (set->timed && skipped_n > 0)
        ST_PRINT(skipped, "; %llu period%s without a value", skipped_n, skipped_n == 1 ? "" : "s");
    st_text_append(description, description_bytes,
                   "%s over time, %s: %llu values from %s to %s, median %s%s. ",
                   picture->data->quantity, name, (unsigned long long)set->n, least, greatest,
                   median, skipped);
    st_text_join(caption, bytes, " ", "%s: n = %llu", name, (unsigned long long)set->n);
    if (set->timed)
        st_text_append(caption, bytes, ", one every %s",
                       st_ns_text(st_period_ns(&set->series.period)));
    st_text_append(caption, bytes, ", least %s, median %s, greatest %s%s.", least, median, greatest,
                   skipped);
}

static int plan(struct st_picture *picture)
{
    const struct st_chart_data *data = picture->data;
    bool joined = false;
    picture->panels_n = data->overlay ? 1 : data->n;
    picture->columns_n = picture->panels_n >= GRID_MIN ? 2 : 1;
    ST_EACH_OF (place, data->set, data->n) {
        struct st_chart_set *set = *place;
        set->columns = set->columns != NULL ? set->columns : malloc(sizeof(*set->columns));
        if (set->columns == NULL)
            return -ENOMEM;
        st_columns_of(&set->series, set->columns);
        joined = joined || set->columns->periods > 1;
        say_set(picture, set);
    }
    ST_PRINT(picture->how, "%s",
             picture->kind == &st_picture_line ? "A line from each value to the next."
             : joined ? "Each column of pixels goes from the least to the greatest value of its "
                        "time; no value is left out."
                      : "Each dot is a value.");
    return 0;
}

/* Width of a dot in pixels: the fewer values, the larger. */
static double dot_px(const struct st_chart_set *set)
{
    static const struct {
        uint64_t n;
        double px;
    } sizes[] = {{60, 7}, {300, 5}, {1000, 3.4}};
    for (size_t i = 0; i < ST_ARRAY_LEN(sizes) && set->columns->periods == 1; i++) {
        if (set->n <= sizes[i].n)
            return sizes[i].px;
    }
    return 1.6;
}

/* Where column i lies on the x axis: at its only value, or half way between its first and its last
 * value. */
static double middle_x(const struct st_columns *columns, size_t i, double column_x)
{
    return ((double)i + 0.5 - 0.5 / (double)columns->periods) * column_x;
}

/* Makes a bar from minimum to maximum for each column, and joins bars on the same column of pixels.
 * @return the number of points. */
static size_t bars(const struct st_picture_area *area, const struct st_columns *columns,
                   double column_x, double dot, struct st_point *points)
{
    size_t n = 0;
    const double half = dot / 2;
    double last = -1;
    for (size_t i = 0; i < columns->n; i++) {
        const struct st_column *column = &columns->column[i];
        if (column->n == 0)
            continue;
        struct st_point low =
            st_picture_at(area, middle_x(columns, i, column_x), (double)column->min_ns);
        const struct st_point high = st_picture_at(area, 0, (double)column->max_ns);
        if (columns->periods > 1)
            low.x = floor(low.x) + 0.5;
        if (columns->periods > 1 && n > 0 && low.x == last) {
            points[n - 2].y = fmax(points[n - 2].y, low.y + half);
            points[n - 1].y = fmin(points[n - 1].y, high.y - half);
            continue;
        }
        last = low.x;
        points[n++] = (struct st_point){low.x, low.y + half};
        points[n++] = (struct st_point){low.x, high.y - half};
    }
    return n;
}

/* Draws about MARKS_N marks along a series, with a shape for each series, since colours are lost on
 * grey paper. */
static void draw_marks(const struct st_picture_area *area, const struct st_columns *columns,
                       double column_x, size_t line)
{
    const size_t each = columns->n / MARKS_N + 1;
    for (size_t i = line * each / ST_CHART_LINES_MAX; i < columns->n; i += each) {
        const struct st_column *column = &columns->column[i];
        if (column->n > 0)
            st_picture_marker(
                area->svg,
                st_picture_at(area, middle_x(columns, i, column_x), (double)column->max_ns), line,
                st_picture_pen(line).rgb, NULL);
    }
}

/* Draws the values of one set, as bars or as one line. */
static void draw_set(const struct st_picture_area *area, const struct st_chart_set *set,
                     double column_x, struct st_pen pen, bool line)
{
    struct st_point *points = malloc(2 * ST_COLUMNS_MAX * sizeof(*points));
    if (points == NULL)
        return;
    const double dot = dot_px(set);
    pen.dash = ST_DASH_NONE;
    st_svg_begin(area->svg, "values");
    const size_t n = bars(area, set->columns, column_x, line ? 0 : dot, points);
    pen.width = line ? LINE_PX : dot;
    (line ? st_svg_polyline : st_svg_segments)(area->svg, points, n, &pen);
    st_svg_end(area->svg);
    free(points);
}

/* Distance from one value of a set to the next on the x axis, whose unit is that of the longest
 * set. */
static double value_x(const struct st_chart_set *set, const struct st_chart_set *longest)
{
    return st_chart_value_x(longest) * st_period_seconds(&set->series.period) /
           st_period_seconds(&longest->series.period);
}

static double length_s(const struct st_chart_set *set)
{
    return (double)set->columns->n * (double)set->columns->periods *
           st_period_seconds(&set->series.period);
}

static void draw(const struct st_picture *picture, size_t panel, struct st_picture_area *area)
{
    const struct st_chart_data *data = picture->data;
    const size_t first = data->overlay ? 0 : panel, end = data->overlay ? data->n : panel + 1;
    const struct st_chart_set *longest = data->set[first];
    bool timed = true;
    for (size_t i = first; i < end; i++) {
        longest = length_s(data->set[i]) > length_s(longest) ? data->set[i] : longest;
        timed = timed && data->set[i]->timed;
    }
    char axis[64] = "number of the value (the first is 0)", name[ST_CHART_NAME_BYTES];
    if (timed)
        ST_PRINT(axis, "time since the first value (%s)", st_chart_x_unit(longest));
    area->y_axis = st_picture_value_axis(data);
    const double end_x = timed ? length_s(longest) / st_period_seconds(&longest->series.period) *
                                     st_chart_value_x(longest)
                               : (double)(longest->columns->n * longest->columns->periods);
    area->x_axis = (struct st_axis){false, 0, fmax(end_x, 1e-9)};
    st_picture_y_axis(area, data->quantity);
    st_picture_x_axis(area, axis);
    st_picture_frame(area);
    if (data->n > 1 && !data->overlay)
        st_picture_heading(area, st_chart_name(data, longest, name));
    for (size_t i = first; i < end; i++) {
        const struct st_chart_set *set = data->set[i];
        const double each_x = timed ? value_x(set, longest) : 1;
        draw_set(area, set, each_x * (double)set->columns->periods, st_picture_pen(i),
                 picture->kind == &st_picture_line);
        if (data->overlay)
            draw_marks(area, set->columns, each_x * (double)set->columns->periods, i);
    }
}

const struct st_picture_kind st_picture_series = {
    .name = "series", .title = "Over time", .has = has, .plan = plan, .draw = draw};

const struct st_picture_kind st_picture_line = {
    .name = "line", .title = "Over time", .has = has, .plan = plan, .draw = draw};
