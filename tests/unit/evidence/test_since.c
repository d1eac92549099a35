/* Since when dropouts are more frequent: unchanged years, changed ones, and what is not
 * compared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "core/ns.h"
#include "core/stats/random.h"
#include "evidence/since.h"

#define HOUR_NS      (3600 * ST_NS_PER_S)
#define DAY_NS       (24 * HOUR_NS)
#define WEEKS        52
#define SESSIONS_MAX 1000
#define YEARS        1000

static struct st_since_session sessions[SESSIONS_MAX];
static size_t sessions_n;
static struct st_since_change changes[WEEKS];

static double normal(struct st_random *random)
{
    return sqrt(-2 * log(1 - st_random_unit(random))) * cos(2 * M_PI * st_random_unit(random));
}

static uint64_t poisson(struct st_random *random, double mean)
{
    uint64_t n = 0;
    if (mean > 500)
        return (uint64_t)fmax(round(mean + sqrt(mean) * normal(random)), 0);
    for (double left = exp(-mean), product = st_random_unit(random); product > left; n++)
        product *= st_random_unit(random);
    return n;
}

static void play(int64_t from_ns, int64_t length_ns, uint64_t dropouts_n, int64_t kind)
{
    assert_true(sessions_n < SESSIONS_MAX);
    sessions[sessions_n++] =
        (struct st_since_session){from_ns, from_ns + length_ns, length_ns, dropouts_n, kind};
}

/* A year: 1.5 h on four evenings a week, an update each Monday morning. @param jumps week from
 * which on the rate is tenfold; WEEKS: never. @param clustered sessions differ, as an e-folding of
 * 1 sigma. */
static void live(struct st_random *random, double per_hour, size_t jumps, bool clustered)
{
    sessions_n = 0;
    for (size_t week = 0; week < WEEKS; week++) {
        const int64_t monday_ns = (int64_t)week * 7 * DAY_NS;
        changes[week] = (struct st_since_change){.from_ns = monday_ns + 8 * HOUR_NS,
                                                 .at_ns = monday_ns + 9 * HOUR_NS,
                                                 .number = (uint32_t)week + 1};
        for (int64_t day = 0; day < 7; day += day == 3 ? 3 : 1) {
            if (day == 2)
                continue;
            const double hours = 0.5 + 2 * st_random_unit(random),
                         much = clustered ? exp(1.5 * normal(random) - 1.125) : 1;
            const double mean = hours * per_hour * much * (week >= jumps ? 10 : 1);
            play(monday_ns + day * DAY_NS + 20 * HOUR_NS, (int64_t)(hours * (double)HOUR_NS),
                 poisson(random, mean), 0);
        }
    }
}

static size_t found_n(size_t n)
{
    size_t all = 0;
    assert_int_equal(st_since_judge(sessions, sessions_n, changes, n, WEEKS * 7 * DAY_NS), 0);
    for (size_t i = 0; i < n; i++)
        all += changes[i].found;
    return all;
}

/* The exact answer against all ways to choose three of nine. */
static void the_p_value_is_that_of_all_permutations(void **state)
{
    static const uint64_t dropouts[] = {0, 0, 1, 0, 0, 2, 40, 60, 90};
    static const double scores[] = {0, 0, 4, 0, 0, 6, 21, 24, 26};
    sessions_n = 0;
    for (size_t i = 0; i < 9; i++)
        play((int64_t)i * DAY_NS, HOUR_NS, dropouts[i], 0);
    changes[0] = (struct st_since_change){
        .from_ns = 5 * DAY_NS + 2 * HOUR_NS, .at_ns = 6 * DAY_NS, .number = 1};
    int as_much = 0, all = 0;
    for (int a = 0; a < 9; a++) {
        for (int b = a + 1; b < 9; b++) {
            for (int c = b + 1; c < 9; c++, all++)
                as_much += scores[a] + scores[b] + scores[c] >= 71;
        }
    }
    assert_int_equal(st_since_judge(sessions, sessions_n, changes, 1, 9 * DAY_NS), 0);
    assert_int_equal(changes[0].looks, 1);
    assert_true(fabs(changes[0].p_value - 2.0 * as_much / all) < 1e-12);
    assert_int_equal(changes[0].before.sessions_n, 6);
    assert_int_equal(changes[0].since.dropouts_n, 190);
    assert_int_equal(changes[0].since.played_ns, 3 * HOUR_NS);
    assert_int_equal(st_since_judge(sessions, sessions_n, changes, 1, 8 * DAY_NS + 2 * HOUR_NS), 0);
    assert_int_equal(changes[0].looks, 0); /* the third day is not over */
}

static void unchanged_years_have_no_line(void **state)
{
    static const double rates[] = {0.2, 2, 14};
    struct st_random random = {.state = 21};
    int lines[2] = {0};
    for (int year = 0; year < YEARS; year++) {
        live(&random, rates[year % 3], WEEKS, year % 2 == 1);
        lines[year % 2] += found_n(WEEKS) > 0;
    }
    print_message("# a line in %d of %d unchanged years, and in %d of %d where dropouts cluster\n",
                  lines[0], YEARS / 2, lines[1], YEARS / 2);
    assert_true(lines[0] <= YEARS / 2 * 5 / 100);
    assert_true(lines[1] <= YEARS / 2 * 5 / 100);
}

/* Ten times more dropouts, in weeks 8 to 51 of weekly updates: found by the end of 14 played days,
 * and since the right week. */
static void tenfold_is_found_within_14_played_days(void **state)
{
    struct st_random random = {.state = 22};
    int found = 0, right = 0, clustered = 0;
    for (int year = 0; year < YEARS; year++) {
        const size_t jumps = 8 + (size_t)year % 40;
        live(&random, 0.2, jumps, year % 2 == 1);
        while (sessions_n > 0 &&
               sessions[sessions_n - 1].from_ns > ((int64_t)jumps * 7 + 25) * DAY_NS)
            sessions_n--; /* three weeks and a half: 14 evenings since */
        const size_t n = found_n(jumps + 4 < WEEKS ? jumps + 4 : WEEKS);
        if (year % 2 == 1) {
            clustered += n > 0;
            continue;
        }
        found += n > 0;
        right += changes[jumps].found && changes[jumps].worse;
    }
    print_message("# tenfold was found in %d of %d years, since the right week in %d; where "
                  "dropouts cluster in %d\n",
                  found, YEARS / 2, right, clustered);
    assert_true(found >= YEARS / 2 * 97 / 100);
    assert_true(right >= YEARS / 2 * 90 / 100);
}

/* A new project from the day of the update on: another program, and nothing is said. */
static void other_programs_are_not_compared(void **state)
{
    sessions_n = 0;
    for (int64_t day = 0; day < 40; day++)
        play(day * DAY_NS, HOUR_NS, day < 20 ? 0 : 50, day < 20 ? 0 : 1);
    changes[0] =
        (struct st_since_change){.from_ns = 20 * DAY_NS, .at_ns = 20 * DAY_NS, .number = 1};
    assert_int_equal(found_n(1), 0);
    assert_int_equal(changes[0].looks, 0);
    for (size_t i = 0; i < sessions_n; i++)
        sessions[i].kind = 0;
    assert_int_equal(found_n(1), 1);
    assert_true(changes[0].worse);
    for (size_t i = 0; i < sessions_n; i++)
        sessions[i].dropouts_n = 50 - sessions[i].dropouts_n;
    assert_int_equal(found_n(1), 1);
    assert_false(changes[0].worse);
}

static void what_played_around_the_change_does_not_count(void **state)
{
    sessions_n = 0;
    for (int64_t day = 0; day < 20; day++)
        play(day * DAY_NS, day == 10 ? 3 * HOUR_NS : HOUR_NS, 1, 0);
    play(20 * DAY_NS, ST_SINCE_LEAST_NS - 1, 100, 0); /* too short */
    changes[0] = (struct st_since_change){.from_ns = 9 * DAY_NS + 1,
                                          .at_ns = 10 * DAY_NS + HOUR_NS,
                                          .number = 1}; /* day 9 and 10 are not known */
    assert_int_equal(found_n(1), 0);
    assert_int_equal(changes[0].before.sessions_n, 9);
    assert_int_equal(changes[0].since.sessions_n, 7); /* the look after 14 days is to come */
    assert_int_equal(changes[0].looks, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_p_value_is_that_of_all_permutations),
        cmocka_unit_test(unchanged_years_have_no_line),
        cmocka_unit_test(tenfold_is_found_within_14_played_days),
        cmocka_unit_test(other_programs_are_not_compared),
        cmocka_unit_test(what_played_around_the_change_does_not_count),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
