/* What charts are drawn on: lines, areas and text, on SVG (canvas_svg.c), or PNG and PDF (module_plot.c). */
#ifndef ST_CHART_CANVAS_H
#define ST_CHART_CANVAS_H

#include <stdbool.h>
#include <stdio.h>

#include "core/base.h"

enum st_canvas_format { ST_CANVAS_SVG, ST_CANVAS_PNG, ST_CANVAS_PDF };

/** In pixels of a screen (96 an inch) from the upper left corner. */
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

/** Lengths of strokes and gaps in pixels; n = 0 for ST_DASH_NONE. */
const double *st_dash_lengths(enum st_dash dash, int *ret_n);

struct st_pen {
    uint32_t rgb; /* 0xRRGGBB */
    double width;
    enum st_dash dash;
};

enum st_anchor { ST_ANCHOR_START, ST_ANCHOR_MIDDLE, ST_ANCHOR_END };

struct st_font {
    double size; /* pixels */
    uint32_t rgb;
    enum st_anchor anchor;
    bool bold;
    bool upwards;     /* turned by 90 degrees to the left, about its anchor */
    const char *role; /* what it is, for programs that read a picture; NULL: just text */
};

struct st_canvas {
    double width, height;
    /** A part of the picture with a name, for programs that read it; parts may lie in parts. */
    void (*begin)(struct st_canvas *canvas, const char *role);
    void (*end)(struct st_canvas *canvas);
    /** n points, two a line. */
    void (*segments)(struct st_canvas *canvas, const struct st_point *points, size_t n,
                     const struct st_pen *pen);
    void (*polyline)(struct st_canvas *canvas, const struct st_point *points, size_t n,
                     const struct st_pen *pen);
    /** pen: NULL: no outline. */
    void (*polygon)(struct st_canvas *canvas, const struct st_point *points, size_t n, uint32_t fill_rgb,
                    const struct st_pen *pen);
    /** UTF-8; (x, y) is on its base line. */
    void (*text)(struct st_canvas *canvas, double x, double y, const char *text, const struct st_font *font);
    /** Writes what is left and frees; the stream stays open. @return 0 or -errno. */
    int (*finish)(struct st_canvas *canvas);
};

/** @param title, description of the picture, for those who do not see it. @return 0 or -ENOMEM, -EIO. */
typedef int (*st_canvas_open_fn)(enum st_canvas_format format, FILE *stream, double width, double height,
                                 const char *title, const char *description, struct st_canvas **ret);

ST_NODISCARD int st_canvas_svg_open(enum st_canvas_format format, FILE *stream, double width, double height,
                                    const char *title, const char *description, struct st_canvas **ret);

/** What the module sleeptune-plot exports: an st_canvas_open_fn for PNG and PDF. */
#define ST_MODULE_PLOT_SYMBOL "st_module_plot_open"
__attribute__((visibility("default"))) int st_module_plot_open(enum st_canvas_format format, FILE *stream,
                                                               double width, double height, const char *title,
                                                               const char *description,
                                                               struct st_canvas **ret);

#endif
