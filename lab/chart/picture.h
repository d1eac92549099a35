/* What all kinds of pictures share: the page, axes, lines and text. */
#pragma once

#include "lab/chart/axis.h"
#include "lab/chart/chart.h"
#include "lab/chart/svg.h"

#define ST_PICTURE_MARGIN_PX  14.0
#define ST_PICTURE_TEXT_PX    12.0
#define ST_PICTURE_INK        UINT32_C(0x1a1a1a)
#define ST_PICTURE_SOFT       UINT32_C(0x595959) /* on white: contrast 7 to 1 */
#define ST_PICTURE_GRID       UINT32_C(0xdcdcdc)
#define ST_PICTURE_CONDITIONS 4 /* most lines that the test conditions take */
#define ST_PICTURE_PANEL_PX   300.0
/* left margin of a panel, with room for the texts of its value axis */
#define ST_PICTURE_LEFT_PX 84.0

/** The rectangle in which one panel draws. */
struct st_picture_area {
    struct st_svg *svg;
    double x, y, width, height;
    struct st_axis x_axis, y_axis;
    bool y_from_0; /* the y axis is logarithmic, and its lower end is labelled 0 */
};

struct st_picture;

/** One kind of picture. */
struct st_picture_kind {
    const char *name;
    const char *title;
    /** Can this set be drawn in this kind? */
    bool (*has)(const struct st_chart_set *set);
    /** Fills description and caption and sets panels_n. @return 0; -ENODATA, with the reason in
     * `caption`; -ENOMEM. */
    int (*plan)(struct st_picture *picture);
    /** Draws panel i into the area, whose x, y, width and height leave room for the texts of the
     * axes. */
    void (*draw)(const struct st_picture *picture, size_t i, struct st_picture_area *area);
    const char *quantity; /* quantity for the title; NULL: the quantity of the data */
};

struct st_picture {
    enum st_chart_kind id;
    const struct st_picture_kind *kind;
    struct st_chart_data *data; /* only sets that this kind can draw */
    double width;
    size_t panels_n;
    size_t columns_n;       /* panels beside each other: 1 or 2 */
    double under_px;        /* room for the text under a panel */
    char description[1200]; /* text for screen readers */
    char how[300];          /* how to read the picture */
    char caption[2600];
    char conditions[1700]; /* test conditions, printed below the caption and cut after four lines */
};

extern const struct st_picture_kind st_picture_box, st_picture_series, st_picture_line,
    st_picture_slices;

/** Writes the title, such as "Box plots: lateness (woke - due)". */
void st_picture_title(const struct st_picture *picture, char *buf, size_t buf_bytes);

/** Approximate width of text in pixels, from its number of characters; no font is read. */
double st_picture_text_px(const char *text, double size);

/** Colour (palette of Okabe and Ito, dark colours first) and dashes of the i-th line. */
struct st_pen st_picture_pen(size_t i);

struct st_point st_picture_at(const struct st_picture_area *area, double x, double y);
void st_picture_rectangle(struct st_svg *svg, double x, double y, double width, double height,
                          uint32_t fill_rgb, const struct st_pen *pen);
/** Draws a small mark with the i-th shape around a point. @param pen pen for the edge of the mark;
 * NULL: no edge. */
void st_picture_marker(struct st_svg *svg, struct st_point at, size_t i, uint32_t fill_rgb,
                       const struct st_pen *pen);
void st_picture_text(struct st_svg *svg, double x, double y, enum st_anchor anchor, uint32_t rgb,
                     const char *text);

/** Draws grid, ticks and name of an axis. The left axis shows times (values in ns, in a unit that
 * fits), the bottom axis plain numbers. */
void st_picture_y_axis(const struct st_picture_area *area, const char *name);
void st_picture_x_axis(const struct st_picture_area *area, const char *name);
/** Draws one tick of the bottom axis with its grid line. @param at 0 .. 1, from left to right.
 * @param text
 * "": only the line. */
void st_picture_x_tick(const struct st_picture_area *area, double at, const char *text);
void st_picture_x_name(const struct st_picture_area *area, const char *name);
/** Draws the heading above a panel, cut if it does not fit. */
void st_picture_heading(const struct st_picture_area *area, const char *text);
void st_picture_frame(const struct st_picture_area *area);

/** The axis on which the values of all sets fit. */
struct st_axis st_picture_value_axis(const struct st_chart_data *data);
