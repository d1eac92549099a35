/* Marks of listeners and causes: the formula, and simulated listeners. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/ns.h"
#include "core/stats/random.h"
#include "story/heard.h"

#define WINDOW_NS   (2500 * ST_NS_PER_MS)
#define LEAST_NS    (100 * ST_NS_PER_MS)
#define CAUSES      36 /* as many as are watched */
#define EVENTS_MAX  4000
#define MARKS_MAX   64
#define HISTORIES   1000
#define ALL_MARKS_N 40

static struct st_heard_cause causes[CAUSES];

static void a_p_value_is_that_of_the_formula(void **state)
{
    /* a session of 1000 s; an event of cause 0 each 100 s: a window is 2.4 s, so p = 0.024 */
    const struct st_heard_session session = {0, 1000 * ST_NS_PER_S};
    struct st_heard_event events[10];
    struct st_heard_mark marks[5];
    for (int i = 0; i < 10; i++)
        events[i] =
            (struct st_heard_event){(i * 100 + 50) * ST_NS_PER_S, (i * 100 + 50) * ST_NS_PER_S, 0};
    for (int i = 0; i < 5; i++) /* the last one hits nothing */
        marks[i] = (struct st_heard_mark){.at_ns = (i * 100 + (i < 4 ? 51 : 90)) * ST_NS_PER_S,
                                          .window_ns = WINDOW_NS,
                                          .least_ns = LEAST_NS};
    assert_int_equal(st_heard_judge(marks, 5, events, 10, &session, 1, causes, 1), 5);
    assert_int_equal(causes[0].hits_n, 4);
    assert_true(fabs(causes[0].expected - 5 * 0.024) < 1e-9);
    const double mean = 5 * 0.024,
                 p = 1 - exp(-mean) * (1 + mean + mean * mean / 2 + pow(mean, 3) / 6);
    assert_true(fabs(causes[0].p_value / p - 1) < 1e-6);
    assert_true(causes[0].named);
    assert_int_equal(st_heard_judge(marks, 2, events, 10, &session, 1, causes, 1), 2);
    assert_false(causes[0].named); /* two are too few */
}

static void marks_of_one_press_prompted_ones_and_those_without_music_do_not_count(void **state)
{
    const struct st_heard_session session = {0, 1000 * ST_NS_PER_S};
    const struct st_heard_mark marks[] = {
        {10 * ST_NS_PER_S, WINDOW_NS, LEAST_NS, false},
        {19 * ST_NS_PER_S, WINDOW_NS, LEAST_NS, false},
        {100 * ST_NS_PER_S, WINDOW_NS, LEAST_NS, true},
        {2000 * ST_NS_PER_S, WINDOW_NS, LEAST_NS, false},
    };
    assert_int_equal(st_heard_judge(marks, 4, NULL, 0, &session, 1, causes, 1), 1);
    assert_false(causes[0].named);
}

static void what_happens_all_the_time_is_too_frequent(void **state)
{
    const struct st_heard_session session = {0, 1000 * ST_NS_PER_S};
    static struct st_heard_event events[500];
    struct st_heard_mark marks[20];
    for (int i = 0; i < 500; i++)
        events[i] = (struct st_heard_event){i * 2 * ST_NS_PER_S, i * 2 * ST_NS_PER_S, 0};
    for (int i = 0; i < 20; i++)
        marks[i] = (struct st_heard_mark){(i * 20 + 1) * ST_NS_PER_S, WINDOW_NS, LEAST_NS, false};
    assert_int_equal(st_heard_judge(marks, 20, events, 500, &session, 1, causes, 1), 20);
    assert_true(causes[0].frequent && !causes[0].named);
}

/* --- simulated listeners --- */

static double exponential(struct st_random *random, double mean)
{
    return -mean * log(1 - st_random_unit(random));
}

static int by_start(const void *left, const void *right)
{
    const struct st_heard_event *a = left, *b = right;
    return (a->from_ns > b->from_ns) - (a->from_ns < b->from_ns);
}

static int by_time(const void *left, const void *right)
{
    const struct st_heard_mark *a = left, *b = right;
    return (a->at_ns > b->at_ns) - (a->at_ns < b->at_ns);
}

enum way { KEY, TYPED };

/* Two kinds of faults, one of them inaudible. A listener misses one in five, reacts after 0.3 s and
 * an exponential time of 0.4 s, and presses once in ten minutes without a reason; who types does so
 * three times, of faults that are 20 times rarer. Hours until there are marks_n marks. @param heard
 * whether the faults of cause 0 are heard. @return marks.
 */
static size_t listen(struct st_random *random, enum way way, bool heard, size_t marks_n,
                     struct st_heard_mark *marks, struct st_heard_event *events,
                     size_t *ret_events_n, struct st_heard_session *ret_session)
{
    const double rare = way == TYPED ? 20 : 1;
    double audible_s = exponential(random, rare * 120), silent_s = exponential(random, rare * 60),
           press_s = exponential(random, 600), now_s = 0;
    size_t n = 0, events_n = 0;
    while (n < marks_n && events_n < EVENTS_MAX) {
        now_s = fmin(fmin(audible_s, silent_s), press_s);
        const int64_t at_ns = (int64_t)(now_s * 1e9);
        if (now_s == press_s) {
            marks[n++] = (struct st_heard_mark){at_ns, way == TYPED ? 30 * ST_NS_PER_S : WINDOW_NS,
                                                LEAST_NS, false};
            press_s += way == TYPED && n % 3 != 0 ? 11 : exponential(random, 600);
        } else if (now_s == silent_s) {
            events[events_n++] = (struct st_heard_event){at_ns, at_ns, 1};
            silent_s += exponential(random, rare * 60);
        } else {
            events[events_n++] = (struct st_heard_event){at_ns, at_ns, 0};
            if (heard && st_random_unit(random) < 0.8)
                marks[n++] = (struct st_heard_mark){
                    at_ns + (int64_t)((0.3 + exponential(random, 0.4)) * 1e9), WINDOW_NS, LEAST_NS,
                    false};
            audible_s += exponential(random, rare * 120);
        }
    }
    qsort(events, events_n, sizeof(*events), by_start);
    qsort(marks, n, sizeof(*marks), by_time);
    *ret_events_n = events_n;
    *ret_session = (struct st_heard_session){0, (int64_t)((now_s + 10) * 1e9)};
    return n;
}

static void the_right_cause_comes_first(void **state)
{
    static struct st_heard_event events[EVENTS_MAX];
    struct st_heard_mark marks[MARKS_MAX];
    struct st_random random = {.state = 11};
    int first_n = 0, named_n = 0;
    for (int i = 0; i < HISTORIES; i++) {
        struct st_heard_session session;
        size_t events_n;
        const size_t n =
            listen(&random, KEY, true, 6 + (size_t)i % 10, marks, events, &events_n, &session);
        (void)st_heard_judge(marks, n, events, events_n, &session, 1, causes, CAUSES);
        size_t best = 0;
        for (size_t c = 1; c < CAUSES; c++)
            best = causes[c].p_value < causes[best].p_value ? c : best;
        first_n += best == 0;
        named_n += causes[0].named;
    }
    print_message(
        "# the right cause was first in %d of %d histories of 6 to 15 marks, named in %d\n",
        first_n, HISTORIES, named_n);
    assert_true(first_n >= HISTORIES * 95 / 100);
    assert_true(named_n >= HISTORIES * 9 / 10);
}

/* Looked at after every mark, as people do. */
static void name_without_association(enum way way)
{
    static struct st_heard_event events[EVENTS_MAX];
    struct st_heard_mark marks[MARKS_MAX];
    struct st_random random = {.state = 12};
    int named_n = 0;
    for (int i = 0; i < HISTORIES; i++) {
        struct st_heard_session session;
        size_t events_n;
        const size_t n =
            listen(&random, way, false, ALL_MARKS_N, marks, events, &events_n, &session);
        bool named = false;
        for (size_t k = ST_HEARD_LEAST_N; k <= n && !named; k++) {
            (void)st_heard_judge(marks, k, events, events_n, &session, 1, causes, 2);
            named = causes[0].named || causes[1].named;
        }
        named_n += named;
    }
    print_message("# without association a cause was named in %d of %d histories of %d marks\n",
                  named_n, HISTORIES, ALL_MARKS_N);
    assert_true(named_n <= HISTORIES * 2 / 100);
}

static void without_association_no_cause_is_named(void **state)
{
    name_without_association(KEY);
    name_without_association(TYPED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_p_value_is_that_of_the_formula),
        cmocka_unit_test(marks_of_one_press_prompted_ones_and_those_without_music_do_not_count),
        cmocka_unit_test(what_happens_all_the_time_is_too_frequent),
        cmocka_unit_test(the_right_cause_comes_first),
        cmocka_unit_test(without_association_no_cause_is_named),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
