/* Room for texts beside the marks of a picture: where no mark, no line and no other text is. */
#ifndef ST_LIB_LABELS_H
#define ST_LIB_LABELS_H

#include <stdbool.h>

#include "lib/base.h"

#define ST_LABELS_RECTS_MAX 512
#define ST_LABELS_LINES_MAX 512

/** y grows downwards, as in pictures. */
struct st_rect {
    double x, y, width, height;
};

struct st_line {
    double x1, y1, x2, y2;
};

/** What is taken already. Zeroed, then `page` set. */
struct st_labels {
    struct st_rect page; /* texts stay in it */
    struct st_rect rect[ST_LABELS_RECTS_MAX];
    size_t rects_n;
    struct st_line line[ST_LABELS_LINES_MAX];
    size_t lines_n;
};

/** More than there is room for are ignored. Threads: one a st_labels. */
void st_labels_avoid_rect(struct st_labels *labels, struct st_rect rect);
void st_labels_avoid_line(struct st_labels *labels, struct st_line line);

/** Is nothing there? */
bool st_labels_is_free(const struct st_labels *labels, const struct st_rect *rect);

/**
 * The free place for a text of width and height that is nearest to a mark at (x, y), which reaches `reach` to
 * each side; taken from then on. Of equally near ones that to the right, then those below and above.
 * Nothing lies between the two. @return whether there is one within 160 units.
 */
bool st_labels_put(struct st_labels *labels, double x, double y, double reach, double width, double height,
                   struct st_rect *ret);

#endif
