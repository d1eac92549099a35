/* A picture as SVG: lines, areas and text, written by hand (docs/adr/0007-charts.md). */
#pragma once

#include "core/base.h"

/** A point in CSS pixels (96 per inch), measured from the upper left corner. */
struct st_point {
    double x, y;
};

enum st_dash {
    ST_DASH_NONE,
    ST_DASH_LONG,
    ST_DASH_SHORT,
    ST_DASH_DOT,
    ST_DASH_LONG_DOT,
    ST_DASH_LONG_DOTS,
    ST_DASHES
};

struct st_pen {
    uint32_t rgb; /* 0xRRGGBB */
    double width; /* pixels */
    enum st_dash dash;
};

enum st_anchor { ST_ANCHOR_START, ST_ANCHOR_MIDDLE, ST_ANCHOR_END };

struct st_font {
    double size; /* pixels */
    uint32_t rgb;
    enum st_anchor anchor;
    bool bold;
    bool upwards;     /* turned by 90 degrees to the left, about its anchor */
    const char *role; /* class of the element, for programs that read a picture; NULL: none */
};

struct st_svg {
    double width, height; /* pixels */
    FILE *out;            /* stream into `text`; out, text and text_bytes are private to svg.c */
    char *text;
    size_t text_bytes;
};

/** Begins a picture; after success it must be ended with st_svg_finish. @param title, description
 * for screen readers. @return 0, -ENOMEM. */
ST_NODISCARD int st_svg_open(struct st_svg *svg, double width, double height, const char *title,
                             const char *description);
/** A group of elements with a class, for programs that read a picture; groups nest. */
void st_svg_begin(struct st_svg *svg, const char *role);
void st_svg_end(struct st_svg *svg);
/** Draws n / 2 separate lines, each between two points that follow each other. */
void st_svg_segments(struct st_svg *svg, const struct st_point *points, size_t n,
                     const struct st_pen *pen);
void st_svg_polyline(struct st_svg *svg, const struct st_point *points, size_t n,
                     const struct st_pen *pen);
/** @param pen NULL: no outline. */
void st_svg_polygon(struct st_svg *svg, const struct st_point *points, size_t n, uint32_t fill_rgb,
                    const struct st_pen *pen);
/** @param text UTF-8; (x, y) is on its base line. */
void st_svg_text(struct st_svg *svg, double x, double y, const char *text,
                 const struct st_font *font);
/** Writes the picture to a stream, which stays open, and frees it. @return 0 or -errno. */
ST_NODISCARD int st_svg_finish(struct st_svg *svg, FILE *stream);
