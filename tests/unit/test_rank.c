#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "lib/rank.h"

/* Medians of the four, and how wide the interval of each difference is to either side. */
struct story {
    int64_t median_ns[4];
    int64_t half_ns;
    bool unknown;
    int error;
};

static int difference(const void *ctx, size_t a, size_t b, struct st_quantile *ret)
{
    const struct story *s = ctx;
    const int64_t ns = s->median_ns[b] - s->median_ns[a];
    *ret = (struct st_quantile){.known = true,
                                .value_ns = ns,
                                .interval_known = !s->unknown,
                                .low_ns = ns - s->half_ns,
                                .high_ns = ns + s->half_ns};
    return s->error;
}

static int rank(const struct story *s, unsigned *ret)
{
    struct st_ranked items[4];
    for (size_t i = 0; i < 4; i++)
        items[i] = (struct st_ranked){.id = i, .median_ns = s->median_ns[i]};
    const int r = st_rank(items, 4, difference, s);
    for (size_t i = 0; i < 4 && r == 0; i++)
        ret[items[i].id] = items[i].rank;
    return r;
}

static void assert_ranks(const struct story *s, unsigned a, unsigned b, unsigned c, unsigned d)
{
    unsigned ranks[4];
    assert_int_equal(rank(s, ranks), 0);
    assert_int_equal(ranks[0], a);
    assert_int_equal(ranks[1], b);
    assert_int_equal(ranks[2], c);
    assert_int_equal(ranks[3], d);
}

static void the_least_median_is_first(void **state)
{
    (void)state;
    assert_ranks(&(struct story){.median_ns = {400, 100, 300, 200}, .half_ns = 50}, 4, 1, 3, 2);
}

static void who_cannot_be_told_from_the_first_shares_its_rank(void **state)
{
    (void)state;
    /* 160 is not told from 100, 220 is, although not from 160; the next rank counts those before it */
    assert_ranks(&(struct story){.median_ns = {220, 100, 160, 290}, .half_ns = 100}, 3, 1, 1, 3);
    assert_ranks(&(struct story){.median_ns = {4, 1, 3, 2}, .half_ns = 50}, 1, 1, 1, 1);
}

static void an_interval_that_touches_zero_or_is_not_known_tells_nothing(void **state)
{
    (void)state;
    assert_ranks(&(struct story){.median_ns = {100, 200, 100, 201}, .half_ns = 100}, 1, 1, 1, 4);
    assert_ranks(&(struct story){.median_ns = {1, 2000, 30000, 400000}, .unknown = true}, 1, 1, 1, 1);
}

static void an_error_ends_it(void **state)
{
    (void)state;
    unsigned ranks[4];
    assert_int_equal(rank(&(struct story){.median_ns = {1, 2, 3, 4}, .error = -ENOMEM}, ranks), -ENOMEM);
    assert_int_equal(st_rank(NULL, 0, difference, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_median_is_first),
        cmocka_unit_test(who_cannot_be_told_from_the_first_shares_its_rank),
        cmocka_unit_test(an_interval_that_touches_zero_or_is_not_known_tells_nothing),
        cmocka_unit_test(an_error_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
