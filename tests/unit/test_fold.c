#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "lib/fold.h"

#define PARTS 100

static struct st_fold fold_of(uint32_t frames, uint32_t rate_hz, int64_t fold_ns)
{
    struct st_period period;
    struct st_fold fold;
    assert_int_equal(st_period_init(&period, frames, rate_hz), 0);
    assert_int_equal(st_fold_init(&period, fold_ns, &fold), 0);
    return fold;
}

/* How many of n periods fall into each part. */
static void count(const struct st_fold *fold, uint64_t from, uint64_t n, size_t parts_n, size_t counts[PARTS])
{
    for (size_t i = 0; i < PARTS; i++)
        counts[i] = 0;
    for (uint64_t k = from; k < from + n; k++) {
        const size_t part = st_fold_part(fold, k, parts_n);
        assert_true(part < parts_n);
        counts[part]++;
    }
}

static void phases_of_a_period_in_thirds_of_ns_stay_whole(void **state)
{
    static const uint64_t from[] = {0, 75 * 12345, UINT64_MAX / 75 * 75 - 75 * 1000};
    size_t counts[PARTS];
    (void)state;
    const struct st_fold fold = fold_of(64, 48000, 50000000);
    assert_int_equal(fold.num, 75);
    assert_int_equal(fold.den, 2);
    for (size_t i = 0; i < ST_ARRAY_LEN(from); i++) {
        count(&fold, from[i], 3000, PARTS, counts);
        size_t filled = 0;
        for (size_t k = 0; k < PARTS; k++) {
            assert_true(counts[k] == 0 || counts[k] == 40);
            filled += counts[k] > 0;
        }
        assert_int_equal(filled, 75);
    }
    assert_int_equal(st_fold_parts(&fold, PARTS), 75);
    count(&fold, 0, 3000, 75, counts);
    for (size_t k = 0; k < 75; k++)
        assert_int_equal(counts[k], 40);
}

static void a_rhythm_that_was_rounded_to_ns_is_the_one_that_was_meant(void **state)
{
    size_t counts[PARTS];
    (void)state;
    struct st_fold fold = fold_of(64, 48000, 1333333); /* one period: 1333333.3 ns */
    assert_true(fold.num == 1 && fold.den == 1);
    fold = fold_of(64, 48000, 2666667); /* two, rounded up */
    assert_true(fold.num == 2 && fold.den == 1);
    count(&fold, 0, 3000, PARTS, counts);
    assert_int_equal(counts[0], 1500);
    assert_int_equal(counts[50], 1500);
    fold = fold_of(128, 44100, 5804989); /* two of 2902494.33 ns */
    assert_true(fold.num == 2 && fold.den == 1);
}

static void a_rhythm_that_only_comes_near_is_taken_as_it_is(void **state)
{
    (void)state;
    const struct st_fold fold = fold_of(48, 48000, 1000002); /* 1 ms and 2 ns */
    assert_int_equal(fold.num, 500001);
    assert_int_equal(fold.den, 500000);
    assert_int_equal(st_fold_part(&fold, 1, PARTS), 99); /* 2 ns before the next one */
    assert_int_equal(st_fold_part(&fold, 250001, PARTS), 49);
}

static void parts_are_as_many_as_phases_where_those_are_many(void **state)
{
    (void)state;
    struct st_fold fold = fold_of(48, 48000, 50000000);
    assert_int_equal(fold.num, 50);
    assert_int_equal(st_fold_parts(&fold, 100), 50);
    assert_int_equal(st_fold_parts(&fold, 68), 50);
    assert_int_equal(st_fold_parts(&fold, 28), 28); /* more phases than that */
    fold = fold_of(48, 48000, 3000000);
    assert_int_equal(st_fold_parts(&fold, 100), 100); /* 3 are no scale */
}

static void longer_ones_shorter_ones_and_bad_ones(void **state)
{
    struct st_fold fold;
    struct st_period period;
    (void)state;
    fold = fold_of(480, 48000, 1); /* 10 ms */
    assert_int_equal(st_fold_part(&fold, 3, PARTS), 0);
    fold = fold_of(1, 48000, INT64_C(3600) * 1000000000);
    assert_int_equal(st_fold_part(&fold, UINT64_MAX, PARTS),
                     st_fold_part(&fold, UINT64_MAX % fold.num, PARTS));
    assert_int_equal(st_period_init(&period, 64, 48000), 0);
    assert_int_equal(st_fold_init(&period, 0, &fold), -ERANGE);
    assert_int_equal(st_fold_init(&period, INT64_MAX, &fold), -ERANGE);
    period = (struct st_period){1, UINT64_MAX};
    assert_int_equal(st_fold_init(&period, 50000000, &fold), -ERANGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phases_of_a_period_in_thirds_of_ns_stay_whole),
        cmocka_unit_test(a_rhythm_that_was_rounded_to_ns_is_the_one_that_was_meant),
        cmocka_unit_test(a_rhythm_that_only_comes_near_is_taken_as_it_is),
        cmocka_unit_test(parts_are_as_many_as_phases_where_those_are_many),
        cmocka_unit_test(longer_ones_shorter_ones_and_bad_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
