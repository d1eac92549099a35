/* Axes, lines and marks of pictures. */
#include "lab/chart/picture.h"
#include "core/ns.h"
#include "core/text/text.h"

#define TICK_PX    15.0 /* least distance between the texts of two ticks */
#define HEADING_PX (ST_PICTURE_TEXT_PX + 1)

double st_picture_text_px(const char *text, double size)
{
    return 0.6 * size * st_text_columns(text);
}

struct st_pen st_picture_pen(size_t i)
{
    static const uint32_t rgb[ST_CHART_LINES_MAX] = {0x0072b2, 0xd55e00, 0x007a59,
                                                     0xa8518a, 0x000000, 0x8a6000};
    const size_t line = i % ST_CHART_LINES_MAX;
    return (struct st_pen){rgb[line], line == 3 ? 2.4 : 1.8, (enum st_dash)(line % ST_DASHES)};
}

struct st_point st_picture_at(const struct st_picture_area *area, double x, double y)
{
    return (struct st_point){area->x + st_axis_at(&area->x_axis, x) * area->width,
                             area->y + (1 - st_axis_at(&area->y_axis, y)) * area->height};
}

void st_picture_rectangle(struct st_svg *svg, double x, double y, double width, double height,
                          uint32_t fill_rgb, const struct st_pen *pen)
{
    const struct st_point points[] = {
        {x, y}, {x + width, y}, {x + width, y + height}, {x, y + height}};
    st_svg_polygon(svg, points, ST_ARRAY_LEN(points), fill_rgb, pen);
}

void st_picture_marker(struct st_svg *svg, struct st_point at, size_t i, uint32_t fill_rgb,
                       const struct st_pen *pen)
{
    const struct st_pen edge = {pen != NULL ? pen->rgb : fill_rgb, 1.6, ST_DASH_NONE};
    const double r = 4;
    const struct st_point shapes[][4] = {
        {{-r, -r}, {r, -r}, {r, r}, {-r, r}},                /* square */
        {{0, -r - 1}, {r + 1, r}, {-r - 1, r}, {0, -r - 1}}, /* triangle */
        {{0, -r - 2}, {r + 2, 0}, {0, r + 2}, {-r - 2, 0}},  /* diamond */
        {{0, r + 1}, {r + 1, -r}, {-r - 1, -r}, {0, r + 1}}, /* triangle on its tip */
        {{-r, -r}, {r, -r}, {-r, r}, {r, r}},                /* hourglass */
        {{-r, -r}, {-r, r}, {r, -r}, {r, r}},                /* bow tie */
    };
    const struct st_point *shape = shapes[i % ST_ARRAY_LEN(shapes)];
    struct st_point points[4];
    for (size_t k = 0; k < 4; k++)
        points[k] = (struct st_point){at.x + shape[k].x, at.y + shape[k].y};
    st_svg_polygon(svg, points, 4, fill_rgb, pen != NULL ? &edge : NULL);
}

void st_picture_text(struct st_svg *svg, double x, double y, enum st_anchor anchor, uint32_t rgb,
                     const char *text)
{
    const struct st_font font = {.size = ST_PICTURE_TEXT_PX, .rgb = rgb, .anchor = anchor};
    st_svg_text(svg, x, y, text, &font);
}

static void grid_line(const struct st_picture_area *area, double x1, double y1, double x2,
                      double y2)
{
    const struct st_point points[] = {{x1, y1}, {x2, y2}};
    const struct st_pen pen = {ST_PICTURE_GRID, 1, ST_DASH_NONE};
    st_svg_segments(area->svg, points, 2, &pen);
}

static void y_tick(const struct st_picture_area *area, double value, const char *text)
{
    const double y = area->y + (1 - st_axis_at(&area->y_axis, value)) * area->height;
    grid_line(area, area->x, y, area->x + area->width, y);
    st_picture_text(area->svg, area->x - 7, y + 4, ST_ANCHOR_END, ST_PICTURE_SOFT, text);
}

static void y_name(const struct st_picture_area *area, const char *name)
{
    const struct st_font font = {.size = ST_PICTURE_TEXT_PX,
                                 .rgb = ST_PICTURE_INK,
                                 .anchor = ST_ANCHOR_MIDDLE,
                                 .upwards = true,
                                 .role = "axis-name"};
    st_svg_text(area->svg, area->x - 66, area->y + area->height / 2, name, &font);
}

void st_picture_x_name(const struct st_picture_area *area, const char *name)
{
    const struct st_font font = {.size = ST_PICTURE_TEXT_PX,
                                 .rgb = ST_PICTURE_INK,
                                 .anchor = ST_ANCHOR_MIDDLE,
                                 .role = "axis-name"};
    /* the name is centred below the axis, or further left if it would leave the page */
    const double x = fmin(area->x + area->width / 2,
                          area->svg->width - 4 - st_picture_text_px(name, ST_PICTURE_TEXT_PX) / 2);
    st_svg_text(area->svg, x, area->y + area->height + 38, name, &font);
}

void st_picture_x_tick(const struct st_picture_area *area, double at, const char *text)
{
    const double x = area->x + at * area->width,
                 half = st_picture_text_px(text, ST_PICTURE_TEXT_PX) / 2;
    grid_line(area, x, area->y, x, area->y + area->height);
    const double room = area->svg->width - 4;
    if (text[0] != '\0')
        st_picture_text(area->svg, fmin(x, room - half), area->y + area->height + 18,
                        ST_ANCHOR_MIDDLE, ST_PICTURE_SOFT, text);
}

static size_t ticks_of(const struct st_axis *axis, double room_px, double each_px, double *ticks,
                       double *ret_step)
{
    const double wanted = fmax(3, floor(room_px / each_px));
    const size_t n = st_axis_ticks(axis, (size_t)fmin(wanted, 12), ticks);
    *ret_step = n > 1 ? ticks[1] - ticks[0] : fabs(axis->high - axis->low);
    return n;
}

/* The name of an axis with its unit: "lateness (µs)". Ticks of a logarithmic axis have their own
 * units. */
static const char *name_with_unit(const struct st_axis *axis, const char *name, char *buf,
                                  size_t buf_bytes)
{
    const char *unit;
    (void)st_axis_time_unit(axis, &unit);
    if (axis->log)
        snprintf(buf, buf_bytes, "%s (logarithmic)", name);
    else
        snprintf(buf, buf_bytes, "%s (%s)", name, unit);
    return buf;
}

void st_picture_y_axis(const struct st_picture_area *area, const char *name)
{
    const struct st_axis *axis = &area->y_axis;
    double ticks[ST_AXIS_TICKS_MAX], step;
    const size_t n = ticks_of(axis, area->height, 42, ticks, &step);
    st_svg_begin(area->svg, "axis y");
    ST_EACH_OF (tick, ticks, n) {
        if (!area->y_from_0 || st_axis_at(axis, *tick) * area->height > TICK_PX)
            y_tick(area, *tick, st_axis_time_text(axis, *tick, step, ST_ROOM(160)));
    }
    if (area->y_from_0)
        y_tick(area, 0, "0");
    y_name(area, name_with_unit(axis, name, ST_ROOM(160)));
    st_svg_end(area->svg);
}

void st_picture_x_axis(const struct st_picture_area *area, const char *name)
{
    const struct st_axis *axis = &area->x_axis;
    double ticks[ST_AXIS_TICKS_MAX], step;
    char text[32];
    const size_t n = ticks_of(axis, area->width, 80, ticks, &step);
    st_svg_begin(area->svg, "axis x");
    ST_EACH_OF (tick, ticks, n) {
        ST_PRINT(text, "%g", fabs(*tick) < step / 1000 ? 0 : *tick);
        st_picture_x_tick(area, st_axis_at(axis, *tick), text);
    }
    st_picture_x_name(area, name);
    st_svg_end(area->svg);
}

void st_picture_heading(const struct st_picture_area *area, const char *text)
{
    char line[300];
    const struct st_font font = {.size = HEADING_PX, .rgb = ST_PICTURE_INK, .role = "group"};
    const double left = ST_PICTURE_LEFT_PX - ST_PICTURE_MARGIN_PX;
    const int columns = (int)((area->width + left) / (0.6 * HEADING_PX));
    ST_PRINT(line, "%s", text);
    if (st_text_columns(line) > columns)
        st_text_append(st_text_clip(line, columns - 2), sizeof(line), " …");
    if (line[0] != '\0')
        st_svg_text(area->svg, area->x - left, area->y - 14, line, &font);
}

void st_picture_frame(const struct st_picture_area *area)
{
    const struct st_pen pen = {ST_PICTURE_SOFT, 1, ST_DASH_NONE};
    const struct st_point points[] = {{area->x, area->y},
                                      {area->x, area->y + area->height},
                                      {area->x + area->width, area->y + area->height}};
    st_svg_polyline(area->svg, points, ST_ARRAY_LEN(points), &pen);
}

struct st_axis st_picture_value_axis(const struct st_chart_data *data)
{
    int64_t low = INT64_MAX, high = INT64_MIN, usual = INT64_MAX;
    ST_EACH_OF (row, data->set, data->n) {
        const struct st_chart_set *set = *row;
        const bool values = set->box.n > 0;
        low = values && set->box.min_ns < low ? set->box.min_ns : low;
        high = values && set->box.max_ns > high ? set->box.max_ns : high;
        usual = values && set->box.median_ns < usual ? set->box.median_ns : usual;
    }
    return st_axis_fit((double)low, (double)high,
                       st_axis_wants_log((double)low, (double)usual, (double)high));
}

void st_picture_title(const struct st_picture *picture, char *buf, size_t buf_bytes)
{
    const char *quantity = picture->kind->quantity;
    if (picture->data->title != NULL)
        snprintf(buf, buf_bytes, "%s", picture->data->title);
    else
        snprintf(buf, buf_bytes, "%s: %s", picture->kind->title,
                 quantity != NULL ? quantity : picture->data->quantity);
}
