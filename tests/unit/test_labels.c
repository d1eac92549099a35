/* Texts beside marks: none lies on another, on a mark or on a line, and all are on the page. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/labels.h"
#include "lib/random.h"

#define PAGE ((struct st_rect){0, 0, 600, 300})

static bool overlap(const struct st_rect *a, const struct st_rect *b)
{
    return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height &&
           b->y < a->y + a->height;
}

/* Points of a line that are in a rectangle, by walking along it. */
static bool passes(const struct st_line *line, const struct st_rect *rect)
{
    for (int i = 0; i <= 5000; i++) {
        const double x = line->x1 + (line->x2 - line->x1) * i / 5000,
                     y = line->y1 + (line->y2 - line->y1) * i / 5000;
        if (x > rect->x + 0.2 && x < rect->x + rect->width - 0.2 && y > rect->y + 0.2 &&
            y < rect->y + rect->height - 0.2)
            return true;
    }
    return false;
}

static void names_of_a_curve_lie_free(void **state)
{
    enum { N = 14 };
    (void)state;
    struct st_labels *labels = calloc(1, sizeof(*labels));
    struct st_random random = {.state = 3};
    assert_non_null(labels);
    for (int round = 0; round < 30; round++) {
        struct st_rect marks[N], texts[N];
        struct st_line lines[N - 1];
        size_t texts_n = 0;
        *labels = (struct st_labels){.page = PAGE};
        for (size_t i = 0; i < N; i++) { /* a curve that rises and flattens, with close neighbours */
            const double x = 20 + 40 * (double)i + 10 * st_random_unit(&random),
                         y = 280 - 260 * (1 - 1 / (1 + (double)i / 2));
            marks[i] = (struct st_rect){x - 5, y - 5, 10, 10};
            st_labels_avoid_rect(labels, marks[i]);
            if (i > 0) {
                lines[i - 1] = (struct st_line){marks[i - 1].x + 5, marks[i - 1].y + 5, x, y};
                st_labels_avoid_line(labels, lines[i - 1]);
            }
        }
        for (size_t i = 0; i < N; i++) {
            const double width = 15 + 40 * st_random_unit(&random);
            texts_n += st_labels_put(labels, marks[i].x + 5, marks[i].y + 5, 8, width, 13, &texts[texts_n]);
        }
        assert_int_equal(texts_n, N);
        for (size_t i = 0; i < N; i++) {
            assert_true(texts[i].x >= 0 && texts[i].x + texts[i].width <= PAGE.width);
            assert_true(texts[i].y >= 0 && texts[i].y + texts[i].height <= PAGE.height);
            for (size_t k = 0; k < N; k++) {
                assert_false(overlap(&texts[i], &marks[k]));
                assert_true(k == i || !overlap(&texts[i], &texts[k]));
                assert_true(k == N - 1 || !passes(&lines[k], &texts[i]));
            }
        }
    }
    free(labels);
}

static void to_the_right_where_nothing_is(void **state)
{
    (void)state;
    struct st_labels *labels = calloc(1, sizeof(*labels));
    struct st_rect rect;
    assert_non_null(labels);
    labels->page = PAGE;
    assert_true(st_labels_put(labels, 100, 100, 9, 40, 12, &rect));
    assert_true(rect.x >= 109 && rect.y < 100 && rect.y + rect.height > 100);
    assert_false(st_labels_is_free(labels, &rect));
    /* at the right edge there is room at the left only */
    assert_true(st_labels_put(labels, 595, 200, 9, 40, 12, &rect));
    assert_true(rect.x + rect.width <= 600);
    free(labels);
}

static void no_room_is_said(void **state)
{
    (void)state;
    struct st_labels *labels = calloc(1, sizeof(*labels));
    struct st_rect rect = {1, 2, 3, 4};
    assert_non_null(labels);
    labels->page = PAGE;
    assert_false(st_labels_put(labels, 300, 150, 9, 700, 12, &rect)); /* wider than the page */
    st_labels_avoid_rect(labels, PAGE);
    assert_false(st_labels_put(labels, 300, 150, 9, 10, 12, &rect));
    assert_true(rect.x == 1 && rect.height == 4);
    free(labels);
}

/* Crossing, touching, missing; upright, flat, and a line that is a point. */
static void lines_are_kept_off(void **state)
{
    (void)state;
    static const struct {
        struct st_line line;
        bool is_free;
    } rows[] = {
        {{0, 0, 50, 50}, false},  {{0, 15, 50, 15}, false},  {{15, 0, 15, 50}, false},
        {{50, 50, 0, 0}, false},  {{15, 15, 15, 15}, false}, {{0, 9, 50, 9}, true},
        {{21, 0, 21, 50}, true},  {{0, 25, 25, 50}, true},   {{0, 0, 9, 9}, true},
        {{30, 30, 40, 40}, true},
    };
    const struct st_rect rect = {10, 10, 10, 10};
    struct st_labels *labels = calloc(1, sizeof(*labels));
    assert_non_null(labels);
    for (size_t i = 0; i < ST_ARRAY_LEN(rows); i++) {
        *labels = (struct st_labels){.page = PAGE};
        st_labels_avoid_line(labels, rows[i].line);
        assert_int_equal(st_labels_is_free(labels, &rect), rows[i].is_free);
    }
    free(labels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_a_curve_lie_free),
        cmocka_unit_test(to_the_right_where_nothing_is),
        cmocka_unit_test(no_room_is_said),
        cmocka_unit_test(lines_are_kept_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
