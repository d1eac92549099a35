/* Values over time: minimum and maximum of each column of pixels; missed periods are marked. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "chart/picture.h"
#include "core/ns.h"
#include "core/text/text.h"
#include "core/when.h"

#define CLOCK_TICK_PX 75.0 /* from one clock time to the next */
#define MARK_PX       7.0  /* least distance between two marks of missed periods */

static bool has(const struct st_chart_set *set)
{
    return set->columns != NULL && set->n > 0;
}

static void say_set(struct st_picture *picture, const struct st_chart_set *set)
{
    char *caption = picture->caption, *description = picture->description, least[32], median[32],
         greatest[32], every[32], missed[48], name[ST_CHART_NAME_BYTES];
    st_chart_name(picture->data, set, name);
    const size_t bytes = sizeof(picture->caption), description_bytes = sizeof(picture->description);
    st_ns_format(set->box.min_ns, least, sizeof(least));
    st_ns_format(set->box.median_ns, median, sizeof(median));
    st_ns_format(set->box.max_ns, greatest, sizeof(greatest));
    snprintf(missed, sizeof(missed), "%llu period%s missed", (unsigned long long)set->missed_n,
             set->missed_n == 1 ? "" : "s");
    st_text_append(description, description_bytes,
                   "%s over time, %s: %llu values from %s to %s, median %s%s%s. ", picture->data->quantity,
                   name, (unsigned long long)set->n, least, greatest, median, set->timed ? "; " : "",
                   set->timed ? missed : "");
    if (st_picture_has_clock(picture->data)) { /* the same steps in all panels */
        if (caption[0] == '\0')
            st_text_append(caption, bytes, "%llu steps of %s; %s.", (unsigned long long)set->n,
                           st_ns_format(st_period_ns(&set->period), every, sizeof(every)), missed);
        return;
    }
    st_text_append(caption, bytes, "%s%s: n = %llu", caption[0] != '\0' ? " " : "", name,
                   (unsigned long long)set->n);
    if (set->timed)
        st_text_append(caption, bytes, ", one every %s",
                       st_ns_format(st_period_ns(&set->period), every, sizeof(every)));
    st_text_append(caption, bytes, ", least %s, median %s, greatest %s%s%s.", least, median, greatest,
                   set->timed ? "; " : "", set->timed ? missed : "");
}

static int plan(struct st_picture *picture)
{
    const struct st_chart_data *data = picture->data;
    bool joined = false, missed = false;
    picture->panels_n = data->n;
    for (size_t i = 0; i < data->n; i++) {
        missed = missed || data->set[i]->missed_n > 0;
        joined = joined || data->set[i]->columns->periods > 1;
        say_set(picture, data->set[i]);
    }
    snprintf(picture->how, sizeof(picture->how), "%s%s",
             joined
                 ? "Each column of pixels goes from the least to the greatest value of its time; no value is "
                   "left out."
                 : "Each dot is a value.",
             missed ? " Triangles: missed periods." : "");
    return 0;
}

/* Fewer dots are larger. */
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

/* Makes bars; those on the same column of pixels are joined. @return the number of points. */
static size_t bars(const struct st_picture_area *area, const struct st_columns *columns, double first_x,
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
            st_picture_at(area, first_x + ((double)i + 0.5) * column_x, (double)column->min_ns);
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

static void mark_misses(const struct st_picture_area *area, const struct st_columns *columns, double first_x,
                        double column_x)
{
    double last = -MARK_PX;
    st_svg_begin(area->svg, "misses");
    for (size_t i = 0; i < columns->n; i++) {
        if (columns->column[i].missed_n == 0)
            continue;
        const double x = st_picture_at(area, first_x + ((double)i + 0.5) * column_x, 0).x;
        if (x - last < MARK_PX)
            continue;
        const struct st_point triangle[] = {{x - 3.5, area->y - 9}, {x + 3.5, area->y - 9}, {x, area->y - 2}};
        st_svg_polygon(area->svg, triangle, 3, ST_PICTURE_MISS, NULL);
        last = x;
    }
    st_svg_end(area->svg);
}

/* Ticks at full local hours or days; a day's first one has the date without the year. */
static void clock_ticks(const struct st_picture_area *area, int64_t from_ns, int64_t span_ns)
{
    char day[24], before[24], text[24], name[64];
    const time_t from_s = (time_t)(from_ns / ST_NS_PER_S);
    struct tm tm;
    const int64_t step_ns = st_when_step(span_ns, (int64_t)fmax(2, area->width / CLOCK_TICK_PX));
    const int64_t zone_ns = localtime_r(&from_s, &tm) != NULL ? tm.tm_gmtoff * ST_NS_PER_S : 0;
    const int64_t first_ns = (from_ns + zone_ns + step_ns - 1) / step_ns * step_ns - zone_ns;
    st_picture_clock(from_ns, true, before, sizeof(before));
    st_picture_clock(from_ns + span_ns - 1, true, day, sizeof(day));
    if (strcmp(before, day) == 0)
        snprintf(name, sizeof(name), "time on %s", day);
    else
        snprintf(name, sizeof(name), "time from %s to %s", before, day);
    st_svg_begin(area->svg, "axis x");
    for (int64_t at_ns = first_ns; at_ns <= from_ns + span_ns; at_ns += step_ns) {
        st_picture_clock(at_ns, true, day, sizeof(day));
        st_picture_clock(at_ns, false, text, sizeof(text));
        const bool new_day = strcmp(day, before) != 0;
        st_picture_x_tick(area, (double)(at_ns - from_ns) / (double)span_ns, new_day ? day + 5 : text);
        memcpy(before, day, sizeof(before));
    }
    st_picture_x_name(area, name);
    st_svg_end(area->svg);
}

static void draw(const struct st_picture *picture, size_t panel, struct st_picture_area *area)
{
    const struct st_chart_set *set = picture->data->set[panel];
    const struct st_chart_data *data = picture->data;
    const bool clock = st_picture_has_clock(data);
    const double column_x = st_chart_value_x(set) * (double)set->columns->periods;
    const double first_x = clock ? st_chart_value_x(set) * (double)set->columns->first : 0;
    char axis[64] = "number of the value (the first is 0)", name[ST_CHART_NAME_BYTES];
    if (set->timed)
        snprintf(axis, sizeof(axis), "time since the first value (%s)", st_chart_x_unit(set));
    struct st_pen pen = st_picture_pen(0);
    struct st_point *points = malloc(2 * ST_COLUMNS_MAX * sizeof(*points));
    if (points == NULL)
        return;
    const double dot = dot_px(set);
    pen.width = dot;
    area->y_axis = st_picture_value_axis(picture->data);
    double end_x = column_x * (double)set->columns->n;
    if (clock)
        end_x = (double)(data->to_wall_ns - data->from_wall_ns) / (double)st_period_ns(&set->period) *
                st_chart_value_x(set);
    area->x_axis = (struct st_axis){false, 0, fmax(end_x, 1e-9)};
    st_picture_y_axis(area, picture->data->quantity, true);
    if (clock)
        clock_ticks(area, data->from_wall_ns, data->to_wall_ns - data->from_wall_ns);
    else
        st_picture_x_axis(area, axis, false);
    st_picture_frame(area);
    if (picture->data->n > 1)
        st_picture_heading(area, st_chart_name(picture->data, set, name));
    st_svg_begin(area->svg, "values");
    st_svg_segments(area->svg, points, bars(area, set->columns, first_x, column_x, dot, points), &pen);
    st_svg_end(area->svg);
    mark_misses(area, set->columns, first_x, column_x);
    st_picture_draw_deadline(area, picture->data, false);
    free(points);
}

const struct st_picture_kind st_picture_series = {
    .name = "series", .title = "Over time", .has = has, .plan = plan, .draw = draw};
