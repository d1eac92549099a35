/* Box plots side by side, the median written in each box. */
#include <math.h>
#include <string.h>

#include "cli/chart_picture.h"
#include "lib/ns.h"

#define BOX_ROOM_PX   100.0 /* a box with its label */
#define BOX_PX        80.0
#define LABEL_LINES   4
#define LABEL_COLUMNS 14
#define LABEL_PX      15.0
#define FILL          UINT32_C(0xb8d9ee) /* a light blue that text is readable on, and that grey keeps */

static bool has(const struct st_chart_set *set)
{
    return set->box.n > 0;
}

static size_t per_panel(const struct st_chart_picture *picture)
{
    const double room = (picture->width - 110) / BOX_ROOM_PX;
    return room > 1 ? (size_t)room : 1;
}

/* The sets of panel i: those of one group, as many as there is room for. */
static size_t panel_sets(const struct st_chart_picture *picture, size_t panel, size_t *ret_n)
{
    const struct st_chart_data *data = picture->data;
    size_t first = 0;
    for (;; panel--) {
        size_t n = 1;
        while (first + n < data->n && n < per_panel(picture) &&
               strcmp(data->set[first + n]->group, data->set[first]->group) == 0)
            n++;
        *ret_n = n;
        if (panel == 0)
            return first;
        first += n;
    }
}

/* Bytes of a label that go on one line: broken behind '-', '_', '/' or a space. */
static size_t line_bytes(const char *text)
{
    const size_t all = strlen(text);
    size_t cut = 0;
    if (all <= LABEL_COLUMNS)
        return all;
    for (size_t i = 1; i <= LABEL_COLUMNS; i++) {
        if (strchr("-_ /", text[i - 1]) != NULL)
            cut = i;
    }
    if (cut > 0)
        return cut;
    for (cut = LABEL_COLUMNS; ((unsigned char)text[cut] & 0xc0) == 0x80;)
        cut--;
    return cut;
}

/* How many lines a label takes, with n. */
static int label_lines(const char *text)
{
    int n = 1;
    for (; *text != '\0' && n <= LABEL_LINES; n++)
        text += line_bytes(text);
    return n;
}

static int plan(struct st_chart_picture *picture)
{
    const struct st_chart_data *data = picture->data;
    char text[32];
    uint64_t cut_n = 0, n = 0;
    size_t few_n = 0, unknown_n = 0, described_n = 0;
    picture->panels_n = 0;
    for (size_t at = 0, sets_n; at < data->n; at += sets_n, picture->panels_n++)
        panel_sets(picture, picture->panels_n, &sets_n);
    st_chart_say(picture->description, sizeof(picture->description),
                 "%zu box plots of %s. Medians: ", data->n, data->quantity);
    for (size_t i = 0; i < data->n; i++) {
        const struct st_box *box = &data->set[i]->box;
        const double under_px = 24 + label_lines(data->set[i]->label) * LABEL_PX;
        picture->under_px = under_px > picture->under_px ? under_px : picture->under_px;
        n += box->n;
        few_n += !box->known;
        unknown_n += box->known && !box->outliers_known;
        cut_n += box->known && box->outliers_known ? box->outliers_n : 0;
        if (box->known && described_n++ < 12)
            st_chart_say(picture->description, sizeof(picture->description), "%s%s %s",
                         described_n > 1 ? ", " : "", data->set[i]->label,
                         st_ns_format(box->median_ns, text, sizeof(text)));
    }
    st_chart_say(picture->caption, sizeof(picture->caption),
                 "Box: quartiles and median; whiskers: the outermost values within 1.5 IQR of the box. "
                 "%llu outliers of %llu values are cut",
                 (unsigned long long)cut_n, (unsigned long long)n);
    if (unknown_n > 0)
        st_chart_say(picture->caption, sizeof(picture->caption),
                     "; of the %zu boxes marked *, extremes lie beyond, and how many was not written down",
                     unknown_n);
    st_chart_say(picture->caption, sizeof(picture->caption), ".");
    if (few_n > 0)
        st_chart_say(picture->caption, sizeof(picture->caption),
                     " Less than 40 values show no quartiles: %zu of them as a line from least to greatest.",
                     few_n);
    return 0;
}

struct st_axis st_chart_box_axis(struct st_chart_set *const *sets, size_t n)
{
    double low = (double)INFINITY, high = -low, usual = low;
    for (size_t i = 0; i < n; i++) {
        const struct st_box *box = &sets[i]->box;
        low = fmin(low, (double)(box->known ? box->low_ns : box->min_ns));
        high = fmax(high, (double)(box->known ? box->high_ns : box->max_ns));
        usual = fmin(usual, (double)box->median_ns);
    }
    return st_axis_fit(low, high, st_axis_wants_log(low, usual, high));
}

static void label(const struct st_chart_area *area, double x, const struct st_chart_set *set)
{
    char text[LABEL_COLUMNS + 32];
    const char *rest = set->label;
    double y = area->y + area->height + 18;
    for (int i = 0; i < LABEL_LINES && *rest != '\0'; i++, y += LABEL_PX) {
        const size_t bytes = line_bytes(rest);
        snprintf(text, sizeof(text), "%.*s%s", (int)bytes, rest,
                 i + 1 == LABEL_LINES && rest[bytes] != '\0' ? "…" : "");
        st_chart_text(area->canvas, x, y, ST_ANCHOR_MIDDLE, ST_CHART_INK, text);
        rest += bytes;
    }
    snprintf(text, sizeof(text), "n = %llu%s", (unsigned long long)set->box.n,
             set->box.known && !set->box.outliers_known ? " *" : "");
    st_chart_text(area->canvas, x, y, ST_ANCHOR_MIDDLE, ST_CHART_SOFT, text);
}

static double y_of(const struct st_chart_area *area, int64_t value_ns)
{
    return area->y + (1 - st_axis_at(&area->y_axis, (double)value_ns)) * area->height;
}

static void draw_box(const struct st_chart_area *area, double x, double width, const struct st_box *box)
{
    const struct st_pen thin = {ST_CHART_INK, 1.2, ST_DASH_NONE}, thick = {ST_CHART_INK, 2.4, ST_DASH_NONE};
    const double q1 = y_of(area, box->q1_ns), q3 = y_of(area, box->q3_ns),
                 median = y_of(area, box->median_ns);
    const double low = y_of(area, box->low_ns), high = y_of(area, box->high_ns);
    const double left = x - width / 2, right = x + width / 2, cap = width / 4;
    const struct st_point whiskers[] = {{x, q1},        {x, low},       {x, q3},         {x, high},
                                        {x - cap, low}, {x + cap, low}, {x - cap, high}, {x + cap, high}};
    char text[40];
    st_ns_format(box->median_ns, text, sizeof(text));
    area->canvas->segments(area->canvas, whiskers, ST_ARRAY_LEN(whiskers), &thin);
    st_chart_rectangle(area->canvas, left, q3, width, fmax(q1 - q3, 1), FILL, &thin);
    area->canvas->segments(area->canvas, (struct st_point[]){{left, median}, {right, median}}, 2, &thick);
    const struct st_font font = {.size = ST_CHART_TEXT_PX,
                                 .rgb = ST_CHART_INK,
                                 .anchor = ST_ANCHOR_MIDDLE,
                                 .bold = true,
                                 .role = "median"};
    const double half = 7, text_width = 1.1 * st_chart_text_px(text, ST_CHART_TEXT_PX);
    double y = fmin(fmax(median, q3 + half + 1), q1 - half - 1); /* the middle of the text, in the box */
    if (q1 - q3 < 2 * half + 2)
        y = high - half - 4 < area->y ? low + half + 4
                                      : high - half - 4; /* no room there: beyond the whisker */
    else if (fabs(y - median) < half)
        st_chart_rectangle(area->canvas, x - text_width / 2, median - 2, text_width, 4, FILL, NULL);
    area->canvas->text(area->canvas, x, y + 4, text, &font);
}

static void draw(const struct st_chart_picture *picture, size_t panel, struct st_chart_area *area)
{
    size_t n;
    const size_t first = panel_sets(picture, panel, &n);
    struct st_chart_set *const *sets = picture->data->set + first;
    const double room = area->width / (double)n;
    const struct st_pen line = {ST_CHART_INK, 1.2, ST_DASH_LONG};
    area->y_axis = st_chart_box_axis(sets, n);
    st_chart_heading(area, sets[0]->group);
    st_chart_y_times(area, picture->data->quantity);
    st_chart_frame(area);
    for (size_t i = 0; i < n; i++) {
        const double x = area->x + (0.5 + (double)i) * room;
        const struct st_box *box = &sets[i]->box;
        area->canvas->begin(area->canvas, "box");
        if (box->known)
            draw_box(area, x, fmin(BOX_PX, room - 10), box);
        else
            area->canvas->segments(
                area->canvas,
                (struct st_point[]){{x, y_of(area, box->min_ns) + 2}, {x, y_of(area, box->max_ns) - 2}}, 2,
                &line);
        label(area, x, sets[i]);
        area->canvas->end(area->canvas);
    }
}

const struct st_chart_kind_row st_chart_box = {
    .name = "box", .title = "Box plots", .has = has, .plan = plan, .draw = draw};
