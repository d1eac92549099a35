/* SVG, written by hand: cairo would turn text into outlines (docs/adr/0007-charts.md). */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chart/canvas.h"
#include "core/xml_text.h"

struct svg {
    struct st_canvas canvas;
    FILE *stream; /* where all of it is written at once: only then errno is that of a write which failed */
    FILE *out;    /* memory */
    char *text;
    size_t text_bytes;
    int depth;
};

static FILE *line(struct st_canvas *canvas)
{
    struct svg *svg = (struct svg *)canvas;
    fprintf(svg->out, "%*s", svg->depth, "");
    return svg->out;
}

/* A tenth of a pixel, without zeros that say nothing. */
static void number(FILE *out, char before, double value)
{
    const double tenths = round(value * 10);
    const bool whole = fmod(tenths, 10) == 0.0;
    fprintf(out, "%c%.*f", before, whole ? 0 : 1, fabs(tenths) < 0.5 ? 0.0 : tenths / 10);
}

static void stroke(FILE *out, const struct st_pen *pen)
{
    int n;
    const double *lengths = st_dash_lengths(pen->dash, &n);
    fprintf(out, " stroke=\"#%06x\" stroke-width=\"%g\"", pen->rgb, pen->width);
    for (int i = 0; i < n; i++)
        fprintf(out, "%s%g%s", i == 0 ? " stroke-dasharray=\"" : ",", lengths[i], i + 1 == n ? "\"" : "");
}

static void begin(struct st_canvas *canvas, const char *role)
{
    fprintf(line(canvas), "<g class=\"%s\">\n", role);
    ((struct svg *)canvas)->depth++;
}

static void end(struct st_canvas *canvas)
{
    ((struct svg *)canvas)->depth--;
    fputs("</g>\n", line(canvas));
}

static void path(struct st_canvas *canvas, const struct st_point *points, size_t n, bool pairs, bool closed,
                 const char *fill, const struct st_pen *pen)
{
    if (n == 0)
        return;
    FILE *out = line(canvas);
    fprintf(out, "<path fill=\"%s\"", fill);
    if (pen != NULL)
        stroke(out, pen);
    fputs(" d=\"", out);
    for (size_t i = 0; i < n; i++) {
        const bool second = pairs && i % 2 == 1;
        if (second && points[i].x == points[i - 1].x) {
            number(out, 'V', points[i].y);
            continue;
        }
        number(out, i == 0 || (pairs && !second) ? 'M' : 'L', points[i].x);
        number(out, ' ', points[i].y);
    }
    fprintf(out, "%s\"/>\n", closed ? "Z" : "");
}

static void segments(struct st_canvas *canvas, const struct st_point *points, size_t n,
                     const struct st_pen *pen)
{
    path(canvas, points, n, true, false, "none", pen);
}

static void polyline(struct st_canvas *canvas, const struct st_point *points, size_t n,
                     const struct st_pen *pen)
{
    path(canvas, points, n, false, false, "none", pen);
}

static void polygon(struct st_canvas *canvas, const struct st_point *points, size_t n, uint32_t fill_rgb,
                    const struct st_pen *pen)
{
    char fill[16];
    snprintf(fill, sizeof(fill), "#%06x", fill_rgb);
    path(canvas, points, n, false, true, fill, pen);
}

static void text(struct st_canvas *canvas, double x, double y, const char *content,
                 const struct st_font *font)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    FILE *out = line(canvas);
    fputs("<text", out);
    if (font->role != NULL)
        fprintf(out, " class=\"%s\"", font->role);
    fprintf(out, " x=\"%.1f\" y=\"%.1f\" font-size=\"%g\" fill=\"#%06x\"", x, y, font->size, font->rgb);
    if (font->anchor != ST_ANCHOR_START)
        fprintf(out, " text-anchor=\"%s\"", anchors[font->anchor]);
    if (font->bold)
        fputs(" font-weight=\"bold\"", out);
    if (font->upwards)
        fprintf(out, " transform=\"rotate(-90 %.1f %.1f)\"", x, y);
    fputc('>', out);
    st_xml_put(out, content);
    fputs("</text>\n", out);
}

static int finish(struct st_canvas *canvas)
{
    struct svg *svg = (struct svg *)canvas;
    fputs("</svg>\n", svg->out);
    int r = fclose(svg->out) != 0 ? -ENOMEM : 0;
    if (r == 0 &&
        (fwrite(svg->text, 1, svg->text_bytes, svg->stream) != svg->text_bytes || fflush(svg->stream) != 0))
        r = -errno;
    free(svg->text);
    free(svg);
    return r;
}

int st_canvas_svg_open(enum st_canvas_format format, FILE *stream, double width, double height,
                       const char *title, const char *description, struct st_canvas **ret)
{
    (void)format;
    struct svg *svg = malloc(sizeof(*svg));
    if (svg == NULL)
        return -ENOMEM;
    *svg = (struct svg){.canvas = {width, height, begin, end, segments, polyline, polygon, text, finish},
                        .stream = stream,
                        .depth = 1};
    svg->out = open_memstream(&svg->text, &svg->text_bytes);
    if (svg->out == NULL) {
        free(svg);
        return -ENOMEM;
    }
    fprintf(svg->out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" viewBox=\"0 0 %g %g\" "
            "role=\"img\"\n"
            " aria-labelledby=\"title desc\" font-family=\"'DejaVu Sans', Verdana, 'Liberation Sans', Arial, "
            "sans-serif\">\n",
            width, height, width, height);
    fputs(" <title id=\"title\">", svg->out);
    st_xml_put(svg->out, title);
    fputs("</title>\n <desc id=\"desc\">", svg->out);
    st_xml_put(svg->out, description);
    fputs("</desc>\n", svg->out);
    *ret = &svg->canvas;
    return 0;
}
