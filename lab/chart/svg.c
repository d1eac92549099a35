#include "lab/chart/svg.h"

#include "core/text/safe.h"
#include "core/text/text.h"

/* Writes a coordinate, rounded to a tenth of a pixel, without trailing zeros. */
static void number(FILE *out, char before, double value)
{
    const double tenths = round(value * 10);
    const bool whole = fmod(tenths, 10) == 0.0;
    fprintf(out, "%c%.*f", before, whole ? 0 : 1, fabs(tenths) < 0.5 ? 0.0 : tenths / 10);
}

static void stroke(FILE *out, const struct st_pen *pen)
{
    static const struct {
        int n;
        double lengths[6]; /* lengths of strokes and gaps in turn, pixels */
    } dashes[ST_DASHES] = {
        [ST_DASH_LONG] = {2, {8, 4}},
        [ST_DASH_SHORT] = {2, {4, 3}},
        [ST_DASH_DOT] = {2, {1.5, 3}},
        [ST_DASH_LONG_DOT] = {4, {12, 3, 1.5, 3}},
        [ST_DASH_LONG_DOTS] = {6, {12, 3, 1.5, 3, 1.5, 3}},
    };
    const int n = dashes[pen->dash].n;
    const double *lengths = dashes[pen->dash].lengths;
    fprintf(out, " stroke=\"#%06x\" stroke-width=\"%g\"", pen->rgb, pen->width);
    for (int i = 0; i < n; i++)
        fprintf(out, "%s%g%s", i == 0 ? " stroke-dasharray=\"" : ",", lengths[i],
                i + 1 == n ? "\"" : "");
}

void st_svg_begin(struct st_svg *svg, const char *role)
{
    fprintf(svg->out, "<g class=\"%s\">\n", role);
}

void st_svg_end(struct st_svg *svg)
{
    fputs("</g>\n", svg->out);
}

static void path(struct st_svg *svg, const struct st_point *points, size_t n, bool pairs,
                 bool closed, const char *fill, const struct st_pen *pen)
{
    if (n == 0)
        return;
    FILE *out = svg->out;
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

void st_svg_segments(struct st_svg *svg, const struct st_point *points, size_t n,
                     const struct st_pen *pen)
{
    path(svg, points, n, true, false, "none", pen);
}

void st_svg_polyline(struct st_svg *svg, const struct st_point *points, size_t n,
                     const struct st_pen *pen)
{
    path(svg, points, n, false, false, "none", pen);
}

void st_svg_polygon(struct st_svg *svg, const struct st_point *points, size_t n, uint32_t fill_rgb,
                    const struct st_pen *pen)
{
    const char *fill = st_text("#%06x", fill_rgb);
    path(svg, points, n, false, true, fill, pen);
}

void st_svg_text(struct st_svg *svg, double x, double y, const char *content,
                 const struct st_font *font)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    FILE *out = svg->out;
    fputs("<text", out);
    if (font->role != NULL)
        fprintf(out, " class=\"%s\"", font->role);
    fprintf(out, " x=\"%.1f\" y=\"%.1f\" font-size=\"%g\" fill=\"#%06x\"", x, y, font->size,
            font->rgb);
    if (font->anchor != ST_ANCHOR_START)
        fprintf(out, " text-anchor=\"%s\"", anchors[font->anchor]);
    if (font->bold)
        fputs(" font-weight=\"bold\"", out);
    if (font->upwards)
        fprintf(out, " transform=\"rotate(-90 %.1f %.1f)\"", x, y);
    fputc('>', out);
    st_safe_print_xml(out, content);
    fputs("</text>\n", out);
}

int st_svg_finish(struct st_svg *svg, FILE *stream)
{
    fputs("</svg>\n", svg->out);
    int r = fclose(svg->out) != 0 ? -ENOMEM : 0;
    /* a single write, so that errno is that of the write which failed */
    if (r == 0 &&
        (fwrite(svg->text, 1, svg->text_bytes, stream) != svg->text_bytes || fflush(stream) != 0))
        r = -errno;
    free(svg->text);
    return r;
}

int st_svg_open(struct st_svg *svg, double width, double height, const char *title,
                const char *description)
{
    *svg = (struct st_svg){.width = width, .height = height};
    svg->out = open_memstream(&svg->text, &svg->text_bytes);
    if (svg->out == NULL)
        return -ENOMEM;
    fprintf(svg->out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" viewBox=\"0 0 %g "
            "%g\" role=\"img\"\n"
            " aria-labelledby=\"title desc\" font-family=\"'DejaVu Sans', Verdana, 'Liberation "
            "Sans', Arial, sans-serif\">\n",
            width, height, width, height);
    /* on a dark page, the filter inverts lightness and keeps hues */
    fputs(" <style>@media (prefers-color-scheme: dark) { svg { filter: invert(0.9) "
          "hue-rotate(180deg); } }</style>\n",
          svg->out);
    fputs(" <title id=\"title\">", svg->out);
    st_safe_print_xml(svg->out, title);
    fputs("</title>\n <desc id=\"desc\">", svg->out);
    st_safe_print_xml(svg->out, description);
    fputs("</desc>\n", svg->out);
    return 0;
}
