/* PNG and PDF by cairo: the module sleeptune-plot. */
#include <cairo-pdf.h>
#include <cairo.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "chart/canvas.h"

#include "core/safe_text.h"

#define PNG_SCALE   2.0         /* sharp on dense screens, and in print at half its size */
#define POINTS_A_PX (72 / 96.0) /* PDF counts in points */
#define FONT        "DejaVu Sans"

struct picture {
    struct st_canvas canvas;
    enum st_canvas_format format;
    FILE *out;
    cairo_surface_t *surface;
    cairo_t *cairo;
};

static cairo_t *cairo_of(struct st_canvas *canvas)
{
    return ((struct picture *)canvas)->cairo;
}

static void colour(cairo_t *cairo, uint32_t rgb)
{
    cairo_set_source_rgb(cairo, (rgb >> 16 & 0xff) / 255.0, (rgb >> 8 & 0xff) / 255.0, (rgb & 0xff) / 255.0);
}

static void stroke(cairo_t *cairo, const struct st_pen *pen)
{
    int n;
    const double *lengths = st_dash_lengths(pen->dash, &n);
    colour(cairo, pen->rgb);
    cairo_set_line_width(cairo, pen->width);
    cairo_set_dash(cairo, lengths, n, 0);
    cairo_stroke(cairo);
}

static void nothing(struct st_canvas *canvas, const char *role)
{
    (void)canvas;
    (void)role; /* neither format names its parts */
}

static void nothing_more(struct st_canvas *canvas)
{
    (void)canvas;
}

static void segments(struct st_canvas *canvas, const struct st_point *points, size_t n,
                     const struct st_pen *pen)
{
    cairo_new_path(cairo_of(canvas));
    for (size_t i = 0; i + 1 < n; i += 2) {
        cairo_move_to(cairo_of(canvas), points[i].x, points[i].y);
        cairo_line_to(cairo_of(canvas), points[i + 1].x, points[i + 1].y);
    }
    stroke(cairo_of(canvas), pen);
}

static void polyline(struct st_canvas *canvas, const struct st_point *points, size_t n,
                     const struct st_pen *pen)
{
    cairo_new_path(cairo_of(canvas)); /* text leaves a point behind */
    for (size_t i = 0; i < n; i++)
        cairo_line_to(cairo_of(canvas), points[i].x, points[i].y);
    stroke(cairo_of(canvas), pen);
}

static void polygon(struct st_canvas *canvas, const struct st_point *points, size_t n, uint32_t fill_rgb,
                    const struct st_pen *pen)
{
    cairo_t *cairo = cairo_of(canvas);
    cairo_new_path(cairo);
    for (size_t i = 0; i < n; i++)
        cairo_line_to(cairo, points[i].x, points[i].y);
    cairo_close_path(cairo);
    colour(cairo, fill_rgb);
    if (pen == NULL) {
        cairo_fill(cairo);
        return;
    }
    cairo_fill_preserve(cairo);
    stroke(cairo, pen);
}

static void text(struct st_canvas *canvas, double x, double y, const char *content,
                 const struct st_font *font)
{
    cairo_t *cairo = cairo_of(canvas);
    cairo_text_extents_t extents;
    char safe[1024]; /* invalid UTF-8 would be the end of the whole picture */
    (void)st_safe_copy(safe, sizeof(safe), content, ST_TEXT_TO_NUL);
    cairo_save(cairo);
    cairo_select_font_face(cairo, FONT, CAIRO_FONT_SLANT_NORMAL,
                           font->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, font->size);
    cairo_text_extents(cairo, safe, &extents);
    colour(cairo, font->rgb);
    cairo_translate(cairo, x, y);
    if (font->upwards)
        cairo_rotate(cairo, -M_PI / 2);
    cairo_move_to(cairo, -extents.x_advance * (double)font->anchor / 2, 0);
    cairo_show_text(cairo, safe);
    cairo_restore(cairo);
}

static cairo_status_t write_bytes(void *ctx, const unsigned char *bytes, unsigned n)
{
    return fwrite(bytes, 1, n, ctx) == n ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static int error_of(cairo_status_t status)
{
    switch ((int)status) {
    case CAIRO_STATUS_SUCCESS:
        return 0;
    case CAIRO_STATUS_NO_MEMORY:
        return -ENOMEM;
    case CAIRO_STATUS_WRITE_ERROR:
        return errno != 0 ? -errno : -EIO;
    case CAIRO_STATUS_INVALID_SIZE:
        return -EFBIG;
    default:
        return -EINVAL;
    }
}

static int finish(struct st_canvas *canvas)
{
    struct picture *picture = (struct picture *)canvas;
    cairo_status_t status = cairo_status(picture->cairo);
    errno = 0;
    if (status == CAIRO_STATUS_SUCCESS && picture->format == ST_CANVAS_PNG)
        status = cairo_surface_write_to_png_stream(picture->surface, write_bytes, picture->out);
    cairo_destroy(picture->cairo);
    cairo_surface_finish(picture->surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(picture->surface);
    int r = error_of(status);
    cairo_surface_destroy(picture->surface);
    if (fflush(picture->out) != 0 && r == 0)
        r = -errno;
    free(picture);
    return r;
}

static cairo_surface_t *surface_of(enum st_canvas_format format, FILE *stream, double width, double height,
                                   const char *title, const char *description)
{
    if (format == ST_CANVAS_PNG)
        return cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(width * PNG_SCALE),
                                          (int)ceil(height * PNG_SCALE));
    cairo_surface_t *surface =
        cairo_pdf_surface_create_for_stream(write_bytes, stream, width * POINTS_A_PX, height * POINTS_A_PX);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, title);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_SUBJECT, description);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, "sleeptune");
    return surface;
}

int st_module_plot_open(enum st_canvas_format format, FILE *stream, double width, double height,
                        const char *title, const char *description, struct st_canvas **ret)
{
    const double scale = format == ST_CANVAS_PNG ? PNG_SCALE : POINTS_A_PX;
    struct picture *picture = malloc(sizeof(*picture));
    if (picture == NULL)
        return -ENOMEM;
    *picture = (struct picture){
        .canvas = {width, height, nothing, nothing_more, segments, polyline, polygon, text, finish},
        .format = format,
        .out = stream,
        .surface = surface_of(format, stream, width, height, title, description),
    };
    picture->cairo = cairo_create(picture->surface);
    const int r = error_of(cairo_status(picture->cairo));
    if (r != 0) {
        cairo_destroy(picture->cairo);
        cairo_surface_destroy(picture->surface);
        free(picture);
        return r;
    }
    cairo_scale(picture->cairo, scale, scale);
    *ret = &picture->canvas;
    return 0;
}
