/* SVG, written by hand: cairo would turn text into outlines (docs/adr/0007-charts.md). */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/canvas.h"

struct svg {
    struct st_canvas canvas;
    FILE *out;
    int depth;
};

/* Bytes of the character at text, 0 when it is none that XML may hold. */
static size_t character(const unsigned char *text)
{
    if (text[0] < 0x80)
        return text[0] >= 0x20 || text[0] == '\t' ? 1 : 0;
    const size_t bytes = text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;
    if (text[0] < 0xc2 || text[0] > 0xf4)
        return 0;
    for (size_t i = 1; i < bytes; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    }
    const bool surrogate = text[0] == 0xed && text[1] >= 0xa0,
               none = text[0] == 0xef && text[1] == 0xbf && text[2] >= 0xbe;
    const bool overlong = (text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xf0 && text[1] < 0x90);
    return surrogate || none || overlong || (text[0] == 0xf4 && text[1] >= 0x90) ? 0 : bytes;
}

static void escaped(FILE *out, const char *text)
{
    while (*text != '\0') {
        const size_t bytes = character((const unsigned char *)text);
        switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            if (bytes == 0)
                fputc('?', out);
            else
                fwrite(text, 1, bytes, out);
        }
        text += bytes > 0 ? bytes : 1;
    }
}

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
    escaped(out, content);
    fputs("</text>\n", out);
}

static int finish(struct st_canvas *canvas)
{
    struct svg *svg = (struct svg *)canvas;
    fputs("</svg>\n", svg->out);
    const int r = fflush(svg->out) != 0 ? -errno : ferror(svg->out) != 0 ? -EIO : 0;
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
    *svg = (struct svg){{width, height, begin, end, segments, polyline, polygon, text, finish}, stream, 1};
    fprintf(stream,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" viewBox=\"0 0 %g %g\" "
            "role=\"img\"\n"
            " aria-labelledby=\"title desc\" font-family=\"'DejaVu Sans', Verdana, 'Liberation Sans', Arial, "
            "sans-serif\">\n",
            width, height, width, height);
    fputs(" <title id=\"title\">", stream);
    escaped(stream, title);
    fputs("</title>\n <desc id=\"desc\">", stream);
    escaped(stream, description);
    fputs("</desc>\n", stream);
    *ret = &svg->canvas;
    return 0;
}
