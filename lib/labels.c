#include "lib/labels.h"

#include <math.h>

#define FARTHEST 160.0
#define STEP     8.0

void st_labels_avoid_rect(struct st_labels *labels, struct st_rect rect)
{
    if (labels->rects_n < ST_LABELS_RECTS_MAX)
        labels->rect[labels->rects_n++] = rect;
}

void st_labels_avoid_line(struct st_labels *labels, struct st_line line)
{
    if (labels->lines_n < ST_LABELS_LINES_MAX)
        labels->line[labels->lines_n++] = line;
}

static bool overlap(const struct st_rect *a, const struct st_rect *b)
{
    return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height &&
           b->y < a->y + a->height;
}

/* Narrows the part [*from, *to] of a line to where start + t * way lies in low .. high. */
static void clip(double start, double way, double low, double high, double *from, double *to)
{
    if (way == 0) {
        if (start <= low || start >= high)
            *to = -1;
        return;
    }
    const double a = (low - start) / way, b = (high - start) / way;
    *from = fmax(*from, fmin(a, b));
    *to = fmin(*to, fmax(a, b));
}

static bool crosses(const struct st_line *line, const struct st_rect *rect)
{
    double from = 0, to = 1;
    clip(line->x1, line->x2 - line->x1, rect->x, rect->x + rect->width, &from, &to);
    clip(line->y1, line->y2 - line->y1, rect->y, rect->y + rect->height, &from, &to);
    return from < to;
}

bool st_labels_is_free(const struct st_labels *labels, const struct st_rect *rect)
{
    const struct st_rect *page = &labels->page;
    if (rect->x < page->x || rect->x + rect->width > page->x + page->width || rect->y < page->y ||
        rect->y + rect->height > page->y + page->height)
        return false;
    for (size_t i = 0; i < labels->rects_n; i++) {
        if (overlap(&labels->rect[i], rect))
            return false;
    }
    for (size_t i = 0; i < labels->lines_n; i++) {
        if (crosses(&labels->line[i], rect))
            return false;
    }
    return true;
}

static bool holds(const struct st_rect *rect, double x, double y)
{
    return x > rect->x && x < rect->x + rect->width && y > rect->y && y < rect->y + rect->height;
}

/* Is nothing between a mark and its text? */
static bool is_seen_from(const struct st_labels *labels, double x, double y, const struct st_rect *text)
{
    const struct st_line line = {x, y, fmin(fmax(x, text->x), text->x + text->width),
                                 fmin(fmax(y, text->y), text->y + text->height)};
    for (size_t i = 0; i < labels->rects_n; i++) {
        if (!holds(&labels->rect[i], x, y) && crosses(&line, &labels->rect[i]))
            return false;
    }
    return true;
}

bool st_labels_put(struct st_labels *labels, double x, double y, double reach, double width, double height,
                   struct st_rect *ret)
{
    /* towards where; the text's side that faces the mark is the one that is at that distance */
    static const double ways[][2] = {{1, 0}, {1, 1}, {1, -1}, {0, 1}, {0, -1}, {-1, 1}, {-1, -1}, {-1, 0}};
    for (double far = reach; far <= FARTHEST; far += STEP) {
        for (size_t i = 0; i < ST_ARRAY_LEN(ways); i++) {
            const double to_x = ways[i][0], to_y = ways[i][1];
            const double slant = to_x != 0 && to_y != 0 ? 0.7 : 1;
            const struct st_rect rect = {
                .x = x + to_x * slant * far - width * (1 - to_x) / 2,
                .y = y + to_y * slant * far - height * (1 - to_y) / 2,
                .width = width,
                .height = height,
            };
            if (st_labels_is_free(labels, &rect) && is_seen_from(labels, x, y, &rect)) {
                st_labels_avoid_rect(labels, rect);
                *ret = rect;
                return true;
            }
        }
    }
    return false;
}
