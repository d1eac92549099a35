/* Draws the median delays of `sleeptune-lab wake` over the slice (length of the sleep): a line for
 * each mechanism. */
#include "core/ns.h"
#include "core/text/text.h"
#include "lab/chart/picture.h"

#define NAMES_PX 150.0 /* width of the names of lines, to the right of the panel */
#define NAME_PX  15.0  /* distance from one name to the next */
#define HOLLOW(line)                                                                               \
    ((line) >= ST_CHART_LINES_MAX) /* lines after the last colour have hollow marks */
#define DODGE_PX 4.0               /* horizontal distance between lines at the same slice */

static bool has(const struct st_chart_set *set)
{
    return set->x_ns > 0 && set->box.median_known;
}

/* Is set i the first set of its panel? If `line`: is it the first set of its panel with its
 * label? */
static bool is_first(const struct st_chart_data *data, size_t i, bool line)
{
    ST_EACH_OF (before, data->set, i) {
        if (strcmp((*before)->panel, data->set[i]->panel) == 0 &&
            (!line || strcmp((*before)->label, data->set[i]->label) == 0))
            return false;
    }
    return true;
}

/* Number of the line of set i, from 0, which sets its colour. The line of a mechanism has the same
 * number in all panels. */
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
        ST_APPEND(picture->description, "%s %s %s after %s", i > 0 ? "," : "",
                  st_chart_name(data, set, name), st_ns_text(set->box.median_ns),
                  st_ns_short(set->x_ns));
    }
    ST_APPEND(
        picture->caption,
        "Lines join medians; bars go from the first to the third quartile. n at each point: %llu",
        least_n);
    if (least_n < most_n)
        ST_APPEND(picture->caption, " to %llu", most_n);
    return 0;
}

/* Makes the axes of a panel, which are the same in all panels. */
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

/* Draws the line of a mechanism in a panel. @param first its first set. */
static void draw_line(const struct st_picture_area *area, const struct st_chart_data *data,
                      size_t first, size_t line)
{
    const struct st_pen pen = st_picture_pen(line), thin = {pen.rgb, 1, ST_DASH_NONE};
    struct st_point last = {0, 0};
    int64_t done_ns = 0;
    st_svg_begin(area->svg, "values");
    for (;;) { /* from the shortest slice to the longest, whatever their order in the file */
        const struct st_chart_set *next = NULL;
        for (size_t i = first; i < data->n; i++) {
            const struct st_chart_set *set = data->set[i];
            if (strcmp(set->panel, data->set[first]->panel) == 0 &&
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

/* Draws the mark and the name of a line, to the right of the panel. */
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
    st_picture_heading(area, data->set[first]->panel);
    st_picture_y_axis(area, data->quantity);
    x_axis(area, data);
    st_picture_frame(area);
    for (size_t i = first; i < data->n; i++) {
        if (strcmp(data->set[i]->panel, data->set[first]->panel) != 0 || !is_first(data, i, true))
            continue;
        name(area, data->set[i]->label, line_of(data, i), row++);
        draw_line(area, data, i, line_of(data, i));
    }
}

const struct st_picture_kind st_picture_slices = {
    .name = "slices", .title = "Over the slice", .has = has, .plan = plan, .draw = draw};
