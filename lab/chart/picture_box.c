/* Box plots side by side, the median written in each box. */
#include "core/ns.h"
#include "core/text/text.h"
#include "lab/chart/picture.h"
#include "lab/ns_exact.h"

#define BOX_ROOM_PX    100.0 /* width of a box with its label */
#define BOX_PX         80.0
#define GRID_BOXES_MAX 3 /* most boxes in a panel that is half as wide as the page */
/* most characters in the heading of a panel that is half as wide as the page */
#define GRID_HEADING_MAX 46
/* a panel gets its own axis if its boxes take a smaller share of the axis of its group */
#define SEEN_SHARE     0.2
#define SEEN_SHARE_LOG 0.4  /* SEEN_SHARE if the axis of the group is logarithmic */
#define EDGE_SHARE     0.08 /* share of a logarithmic axis between 0 and the smallest value */
/* share of an axis that cannot be seen: less than a third of a pixel */
#define UNSEEN_SHARE  0.001
#define LABEL_LINES   4
#define LABEL_COLUMNS 14
#define LABEL_PX      15.0
#define SPECK_PX      5.0 /* a line shorter than this is not visible */
#define SPECK_LINE_PX 48.0
#define CAP_PX        5.0

/* Colours of boxes, on which text is readable, also in grey. */
static const uint32_t fills[] = {0xb8d9ee, 0xf9d9a8, 0xbfe5d2, 0xf1c9dd, 0xe9e3a6, 0xd6d6d6};

static bool has(const struct st_chart_set *set)
{
    return set->box.n > 0;
}

static size_t per_panel(const struct st_picture *picture)
{
    const double room = (picture->width - 110) / BOX_ROOM_PX;
    return room > 1 ? (size_t)room : 1;
}

/** A panel, which shows all sets of one group, or a part of them. */
struct part {
    size_t first, n;
    size_t group_first, group_n;
    /* i: number of the panel in its group, from 0; parts_n: panels of the group */
    size_t i, parts_n;
};

/* Goes to the next panel. @return whether there is one. */
static bool next_part(const struct st_picture *picture, struct part *part)
{
    const struct st_chart_data *data = picture->data;
    const size_t group_end = part->group_first + part->group_n;
    part->first += part->n;
    part->i++;
    if (part->first >= data->n)
        return false;
    if (part->first == group_end) {
        size_t n = 1;
        while (part->first + n < data->n &&
               strcmp(data->set[part->first + n]->group, data->set[part->first]->group) == 0)
            n++;
        const size_t room = per_panel(picture);
        *part = (struct part){.first = part->first,
                              .group_first = part->first,
                              .group_n = n,
                              .parts_n = (n + room - 1) / room};
    }
    /* about the same number of boxes in each panel of the group */
    const size_t left = part->group_first + part->group_n - part->first,
                 parts_left = part->parts_n - part->i;
    part->n = (left + parts_left - 1) / parts_left;
    return true;
}

/* Number of bytes of a label that fit on one line. It is broken after a space; if there is none,
 * after
 * '-', '_' or '/'. */
static size_t line_bytes(const char *text)
{
    const size_t all = strlen(text);
    size_t cut = 0, space = 0;
    if (all <= LABEL_COLUMNS)
        return all;
    for (size_t i = 1; i <= LABEL_COLUMNS; i++) {
        if (strchr("-_/", text[i - 1]) != NULL)
            cut = i;
        if (text[i - 1] == ' ')
            space = i;
    }
    if (cut > 0 || space > 0)
        return space > 0 ? space : cut;
    for (cut = LABEL_COLUMNS; ((unsigned char)text[cut] & 0xc0) == 0x80;)
        cut--;
    return cut;
}

/* Number of lines that a label takes, including the line with n. */
static int label_lines(const char *text)
{
    int n = 1;
    for (; *text != '\0' && n <= LABEL_LINES; n++)
        text += line_bytes(text);
    return n;
}

/* Range of the values that boxes and whiskers show. */
struct reach {
    double low, high;
    double least, usual; /* least value above 0, and least median above 0; INFINITY: none */
};

static void take(struct reach *reach, int64_t value_ns)
{
    const double value = (double)value_ns;
    reach->low = fmin(reach->low, value);
    reach->high = fmax(reach->high, value);
    reach->least = value > 0 ? fmin(reach->least, value) : reach->least;
}

static struct reach reach_of(struct st_chart_set *const *sets, size_t n)
{
    struct reach reach = {(double)INFINITY, -(double)INFINITY, (double)INFINITY, (double)INFINITY};
    ST_EACH_OF (set, sets, n) {
        const struct st_box *box = &(*set)->box;
        take(&reach, box->known ? box->low_ns : box->min_ns);
        take(&reach, box->known ? box->high_ns : box->max_ns);
        if (box->known) {
            take(&reach, box->q1_ns);
            take(&reach, box->q3_ns);
        }
        if (box->median_known)
            take(&reach, box->median_ns);
        if (box->median_ns > 0)
            reach.usual = fmin(reach.usual, (double)box->median_ns);
    }
    return reach;
}

/* Axis for boxes with whiskers. @param ret_cut the axis is logarithmic and shows 0 at its lower
 * edge. */
static struct st_axis box_axis(struct st_chart_set *const *sets, size_t n, bool *ret_cut)
{
    const struct reach reach = reach_of(sets, n);
    /* a negative value so close to 0 would look like 0 on a linear axis, too: it does not prevent a
     * logarithmic one */
    const bool near_0 = reach.low <= 0 && -reach.low < UNSEEN_SHARE * reach.high;
    const double low = near_0 && isfinite(reach.least) ? reach.least : reach.low;
    const bool log = isfinite(reach.usual) && st_axis_wants_log(low, reach.usual, reach.high);
    *ret_cut = log && reach.low <= 0;
    struct st_axis axis = st_axis_fit(log ? low : reach.low, reach.high, log);
    if (*ret_cut)
        axis.low /= pow(axis.high / axis.low, EDGE_SHARE);
    return axis;
}

/* Chooses the axis of a panel: that of its whole group, unless the boxes of the panel would be too
 * small to see on it, or need a logarithmic axis. @param ret_own the panel has an axis of its
 * own. */
static struct st_axis axis_of(struct st_chart_set *const *sets, const struct part *part,
                              bool *ret_own, bool *ret_cut)
{
    bool all_cut, own_cut;
    const struct st_axis all = box_axis(sets + part->group_first, part->group_n, &all_cut);
    const struct st_axis own = box_axis(sets + part->first, part->n, &own_cut);
    const struct reach reach = reach_of(sets + part->first, part->n);
    const double share = st_axis_at(&all, reach.high) - st_axis_at(&all, reach.low);
    *ret_own = (own.log && !all.log) || share < (all.log ? SEEN_SHARE_LOG : SEEN_SHARE);
    *ret_cut = *ret_own ? own_cut : all_cut;
    return *ret_own ? own : all;
}

static int plan(struct st_picture *picture)
{
    const struct st_chart_data *data = picture->data;
    uint64_t cut_n = 0, n = 0;
    size_t few_n = 0, unknown_n = 0, described_n = 0;
    struct part part = {0};
    bool own, cut, any_cut = false, equal = false;
    picture->panels_n = 0;
    size_t most_n = 0;
    int heading_columns = 0;
    while (next_part(picture, &part)) {
        picture->panels_n++;
        most_n = part.n > most_n ? part.n : most_n;
        const int columns = st_text_columns(data->set[part.first]->group);
        heading_columns = columns > heading_columns ? columns : heading_columns;
        (void)axis_of(data->set, &part, &own, &cut);
        any_cut |= cut;
    }
    const bool narrow = most_n <= GRID_BOXES_MAX && heading_columns <= GRID_HEADING_MAX;
    picture->columns_n = picture->panels_n > 1 && narrow ? 2 : 1;
    ST_APPEND(picture->description, "%zu box plots of %s. Medians: ", data->n, data->quantity);
    ST_EACH_OF (place, data->set, data->n) {
        const struct st_box *box = &(*place)->box;
        const double under_px = 24 + label_lines((*place)->label) * LABEL_PX;
        picture->under_px = under_px > picture->under_px ? under_px : picture->under_px;
        n += box->outliers_known || !box->known ? box->n : 0;
        few_n += !box->known;
        equal |= !box->known && box->min_ns == box->max_ns;
        unknown_n += box->known && !box->outliers_known;
        cut_n += box->known && box->outliers_known ? box->outliers_n : 0;
        if (box->median_known && described_n++ < 12)
            ST_APPEND(picture->description, "%s%s %s", described_n > 1 ? ", " : "", (*place)->label,
                      st_ns_exact(box->median_ns));
    }
    if (described_n == 0)
        ST_APPEND(picture->description, "unknown, too few values.");
    if (few_n < data->n)
        ST_APPEND(picture->caption,
                  "A box goes from the first to the third quartile and has a line at the median; "
                  "the whiskers end at the outermost values within 1.5 box lengths.");
    if (any_cut)
        ST_PRINT(picture->how,
                 "A logarithmic axis has no 0: values of 0 or less are drawn on its lower edge.");
    if (cut_n > 0 || few_n < data->n)
        ST_APPEND(picture->caption, " %llu outliers of %llu values are outside the picture.",
                  (unsigned long long)cut_n, (unsigned long long)n);
    if (unknown_n > 0)
        ST_APPEND(picture->caption,
                  " %zu %s (*) had outliers whose number was not recorded; they are not drawn.",
                  unknown_n, unknown_n == 1 ? "box" : "boxes");
    if (few_n > 0)
        ST_APPEND(picture->caption,
                  " A box needs 40 values. Rows with fewer values (%zu) are a line from the least "
                  "to the greatest value, with a diamond at the mean, and a mark at the median if "
                  "there are at least 20 values.%s",
                  few_n, equal ? " If all values are equal, a mark shows the value." : "");
    return 0;
}

static void heading(const struct st_picture_area *area, const char *group, const struct part *part,
                    bool own)
{
    char of[64] = "";
    if (part->parts_n > 1)
        ST_PRINT(of, "%s%zu of %zu%s", group[0] != '\0' ? "; " : "", part->i + 1, part->parts_n,
                 own ? ", own axis" : "");
    const char *text = st_text("%s%s", group, of);
    st_picture_heading(area, text);
}

static void label(const struct st_picture_area *area, double x, const struct st_chart_set *set)
{
    char text[LABEL_COLUMNS + 32];
    const char *rest = set->label;
    double y = area->y + area->height + 18;
    for (int i = 0; i < LABEL_LINES && *rest != '\0'; i++, y += LABEL_PX) {
        const size_t bytes = line_bytes(rest);
        ST_PRINT(text, "%.*s%s", (int)bytes, rest,
                 i + 1 == LABEL_LINES && rest[bytes] != '\0' ? "…" : "");
        st_picture_text(area->svg, x, y, ST_ANCHOR_MIDDLE, ST_PICTURE_INK, text);
        rest += bytes;
    }
    ST_PRINT(text, "n = %llu%s", (unsigned long long)set->box.n,
             set->box.known && !set->box.outliers_known ? " *" : "");
    st_picture_text(area->svg, x, y, ST_ANCHOR_MIDDLE, ST_PICTURE_SOFT, text);
}

static double y_of(const struct st_picture_area *area, int64_t value_ns)
{
    return area->y + (1 - st_axis_at(&area->y_axis, (double)value_ns)) * area->height;
}

static struct st_font median_font(enum st_anchor anchor)
{
    return (struct st_font){.size = ST_PICTURE_TEXT_PX,
                            .rgb = ST_PICTURE_INK,
                            .anchor = anchor,
                            .bold = true,
                            .role = "median"};
}

static void draw_box(const struct st_picture_area *area, double x, double width,
                     const struct st_box *box, uint32_t fill)
{
    const struct st_pen thin = {ST_PICTURE_INK, 1.2, ST_DASH_NONE},
                        thick = {ST_PICTURE_INK, 2.4, ST_DASH_NONE};
    const double q1 = y_of(area, box->q1_ns), q3 = y_of(area, box->q3_ns),
                 median = y_of(area, box->median_ns);
    const double low = y_of(area, box->low_ns), high = y_of(area, box->high_ns);
    const double left = x - width / 2, right = x + width / 2, cap = width / 4;
    const struct st_point whiskers[] = {{x, q1},         {x, low},       {x, q3},
                                        {x, high},       {x - cap, low}, {x + cap, low},
                                        {x - cap, high}, {x + cap, high}};
    const char *text = st_ns_exact(box->median_ns);
    st_svg_segments(area->svg, whiskers, ST_ARRAY_LEN(whiskers), &thin);
    st_picture_rectangle(area->svg, left, q3, width, fmax(q1 - q3, 1), fill, &thin);
    st_svg_segments(area->svg, (struct st_point[]){{left, median}, {right, median}}, 2, &thick);
    const struct st_font font = median_font(ST_ANCHOR_MIDDLE);
    const double half = 8, text_width = 1.1 * st_picture_text_px(text, ST_PICTURE_TEXT_PX);
    /* middle of the median's text, inside the box */
    double y = fmin(fmax(median, q3 + half), q1 - half);
    if (q1 - q3 < 2 * half) /* no room in the box: the text goes above or below the whiskers */
        y = high - half < area->y ? low + half : high - half;
    else if (fabs(y - median) < half)
        st_picture_rectangle(area->svg, x - text_width / 2, median - 2, text_width, 4, fill, NULL);
    st_svg_text(area->svg, x, y + 4, text, &font);
}

/* Draws values that are too close to each other for a line: a mark with the median, or with minimum
 * and maximum. */
static void draw_speck(const struct st_picture_area *area, double x, const struct st_box *box)
{
    const struct st_pen thick = {ST_PICTURE_INK, 2.4, ST_DASH_NONE};
    const bool two = !box->median_known && box->min_ns < box->max_ns;
    const double at = (y_of(area, box->min_ns) + y_of(area, box->max_ns)) / 2,
                 half = SPECK_LINE_PX / 2;
    const double above = at - 7, below = at + 16;
    struct st_font font = median_font(ST_ANCHOR_MIDDLE);
    font.role = box->median_known ? font.role : "values";
    st_svg_segments(area->svg, (struct st_point[]){{x - half, at}, {x + half, at}}, 2, &thick);
    const char *text = st_ns_exact(two ? box->max_ns : box->median_ns);
    st_svg_text(area->svg, x, !two && above < area->y + 10 ? below : above, text, &font);
    if (two)
        st_svg_text(area->svg, x, below, st_ns_exact(box->min_ns), &font);
}

/* Draws a set with too few values for a box: a line from minimum to maximum, with the median or the
 * mean if they are known. */
static void draw_few(const struct st_picture_area *area, double x, const struct st_box *box)
{
    const struct st_pen dashed = {ST_PICTURE_INK, 1.2, ST_DASH_LONG},
                        thin = {ST_PICTURE_INK, 1.2, ST_DASH_NONE},
                        thick = {ST_PICTURE_INK, 2.4, ST_DASH_NONE};
    const double low = y_of(area, box->min_ns), high = y_of(area, box->max_ns),
                 median = y_of(area, box->median_ns);
    if (low - high < SPECK_PX) {
        draw_speck(area, x, box);
        return;
    }
    const struct st_point caps[] = {
        {x - CAP_PX, low}, {x + CAP_PX, low}, {x - CAP_PX, high}, {x + CAP_PX, high}};
    st_svg_segments(area->svg, (struct st_point[]){{x, low}, {x, high}}, 2, &dashed);
    st_svg_segments(area->svg, caps, ST_ARRAY_LEN(caps), &thin);
    const char *text = st_ns_exact(box->median_known ? box->median_ns : box->mean_ns);
    const double mean = y_of(area, box->mean_ns),
                 end = x + 11 + st_picture_text_px(text, ST_PICTURE_TEXT_PX);
    const bool left = end > area->x + area->width + 22;
    struct st_font font = median_font(left ? ST_ANCHOR_END : ST_ANCHOR_START);
    if (box->mean_known)
        st_picture_marker(area->svg, (struct st_point){x, mean}, 2, ST_PICTURE_INK, NULL);
    if (box->median_known)
        st_svg_segments(area->svg, (struct st_point[]){{x - 8, median}, {x + 8, median}}, 2,
                        &thick);
    font.role = box->median_known ? font.role : "mean";
    if (box->median_known || box->mean_known)
        st_svg_text(area->svg, left ? x - 11 : x + 11, (box->median_known ? median : mean) + 4,
                    text, &font);
}

/* The name that a colour stands for: the file if there are several, else the label of the set. */
static const char *name_of(const struct st_chart_data *data, size_t set)
{
    ST_EACH_OF (one, data->set, data->n) {
        if (strcmp((*one)->file, data->set[0]->file) != 0)
            return data->set[set]->file;
    }
    return data->set[set]->label;
}

/* Colour of a box: the same for a name in all panels. If there are more names than colours, the
 * place of the box in its panel decides. */
static uint32_t fill_of(const struct st_chart_data *data, size_t set, size_t place)
{
    size_t names_n = 0, name = 0;
    for (size_t i = 0; i < data->n; i++) {
        size_t first = 0;
        while (strcmp(name_of(data, first), name_of(data, i)) != 0)
            first++;
        if (first == i && strcmp(name_of(data, i), name_of(data, set)) == 0)
            name = names_n;
        names_n += first == i;
    }
    return fills[(names_n <= ST_ARRAY_LEN(fills) ? name : place) % ST_ARRAY_LEN(fills)];
}

static void draw(const struct st_picture *picture, size_t panel, struct st_picture_area *area)
{
    struct part part = {0};
    bool own;
    for (size_t i = 0; i <= panel; i++)
        (void)next_part(picture, &part);
    struct st_chart_set *const *sets = picture->data->set + part.first;
    const size_t n = part.n;
    const double room = area->width / (double)n;
    area->y_axis = axis_of(picture->data->set, &part, &own, &area->y_from_0);
    heading(area, sets[0]->group, &part, own);
    st_picture_y_axis(area, picture->data->quantity);
    st_picture_frame(area);
    for (size_t i = 0; i < n; i++) {
        const double x = area->x + (0.5 + (double)i) * room;
        const struct st_box *box = &sets[i]->box;
        st_svg_begin(area->svg, "box");
        if (box->known)
            draw_box(area, x, fmin(BOX_PX, room - 10), box,
                     fill_of(picture->data, part.first + i, i));
        else
            draw_few(area, x, box);
        label(area, x, sets[i]);
        st_svg_end(area->svg);
    }
}

const struct st_picture_kind st_picture_box = {
    .name = "box", .title = "Box plots", .has = has, .plan = plan, .draw = draw};
