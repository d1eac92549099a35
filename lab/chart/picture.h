/* Shared by all kinds of pictures: the page, its axes, its lines. */
#pragma once

#include "lab/chart/axis.h"
#include "lab/chart/chart.h"
#include "lab/chart/svg.h"

#define ST_PICTURE_MARGIN_PX  14.0
#define ST_PICTURE_TEXT_PX    12.0
#define ST_PICTURE_INK        UINT32_C(0x1a1a1a)
#define ST_PICTURE_SOFT       UINT32_C(0x595959) /* on white: contrast 7 to 1 */
#define ST_PICTURE_GRID       UINT32_C(0xdcdcdc)
#define ST_PICTURE_CONDITIONS 4 /* lines of test conditions */
#define ST_PICTURE_PANEL_PX   300.0
#define ST_PICTURE_LEFT_PX    84.0 /* of a panel, for the texts of its axis of values */

/** The rectangle in which one panel draws. */
struct st_picture_area {
    struct st_svg *svg;
    double x, y, width, height;
    struct st_axis x_axis, y_axis;
    bool y_from_0; /* logarithmic, with 0 at its lower end */
};

struct st_picture;

/** One kind of picture. */
struct st_picture_kind {
    const char *name;
    const char *title;
    /** Can this set be drawn in this kind? */
    bool (*has)(const struct st_chart_set *set);
    /** Fills description and caption and sets panels_n. @return 0; -ENODATA, with the reason in `caption`;
     * -ENOMEM. */
    int (*plan)(struct st_picture *picture);
    /** Draws panel i into the area, whose x, y, width and height leave room for the texts of the axes. */
    void (*draw)(const struct st_picture *picture, size_t i, struct st_picture_area *area);
    const char *quantity; /* in the title; NULL: the quantity of the data */
};

struct st_picture {
    enum st_chart_kind id;
    const struct st_picture_kind *kind;
    struct st_chart_data *data; /* only sets that this kind can draw */
    double width;
    size_t panels_n;
    size_t columns_n;       /* of panels, side by side: 1 or 2 */
    double under_px;        /* room for the text under a panel */
    char description[1200]; /* for screen readers */
    char how[300];          /* how to read the picture */
    char caption[2600];
    char conditions[1700]; /* the end of it, cut after four lines */
};

extern const struct st_picture_kind st_picture_box, st_picture_series, st_picture_line, st_picture_slices;

/** "Quantiles: lateness (woke - due)". */
void st_picture_title(const struct st_picture *picture, char *buf, size_t buf_bytes);

/** Approximate width of text; no font is read. */
double st_picture_text_px(const char *text, double size);

/** Colour (palette of Okabe and Ito, dark colours first) and dashes of line i. */
struct st_pen st_picture_pen(size_t i);

struct st_point st_picture_at(const struct st_picture_area *area, double x, double y);
void st_picture_rectangle(struct st_svg *svg, double x, double y, double width, double height,
                          uint32_t fill_rgb, const struct st_pen *pen);
/** A small mark of shape i around a point. @param pen of its edge; NULL: none. */
void st_picture_marker(struct st_svg *svg, struct st_point at, size_t i, uint32_t fill_rgb,
                       const struct st_pen *pen);
void st_picture_text(struct st_svg *svg, double x, double y, enum st_anchor anchor, uint32_t rgb,
                     const char *text);

/** Grid, ticks and name of an axis: on the left of times in ns, shown in a unit that fits; at the bottom of
 * plain numbers. */
void st_picture_y_axis(const struct st_picture_area *area, const char *name);
void st_picture_x_axis(const struct st_picture_area *area, const char *name);
/** One tick of the bottom axis, with its grid line. @param text "": only the line. */
void st_picture_x_tick(const struct st_picture_area *area, double at, const char *text);
void st_picture_x_name(const struct st_picture_area *area, const char *name);
/** Heading above a panel, cut where it does not fit. */
void st_picture_heading(const struct st_picture_area *area, const char *text);
void st_picture_frame(const struct st_picture_area *area);

/** The axis of values that holds all sets. */
struct st_axis st_picture_value_axis(const struct st_chart_data *data);
