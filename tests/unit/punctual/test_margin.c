/* The margin of punctual mode against overshoots whose distribution is known. */
#include "core/ns.h"
#include "punctual/margin.h"
#include "tests/unit/noise.h"
#include "tests/unit/unit.h"

/* What a wait costs and brings at a margin, for overshoots that are drawn. */
struct price {
    double on_time, spin_mean_ns;
};

/* 8 us at least, mostly 14 us, a tail: what anchors of an idle machine look like. */
static int64_t idle(struct st_random *random)
{
    return (int64_t)(8e3 + 6e3 * exp(0.35 * noise_normal(random)));
}

static struct price price_of(int64_t margin_ns, int64_t (*draw)(struct st_random *), uint64_t seed)
{
    struct st_random random = {.state = seed};
    struct price price = {0};
    for (int i = 0; i < 100000; i++) {
        const int64_t overshoot_ns = draw(&random);
        if (overshoot_ns <= margin_ns) {
            price.on_time += 1e-5;
            price.spin_mean_ns += (double)(margin_ns - overshoot_ns) * 1e-5;
        }
    }
    return price;
}

static void learn(struct st_margin *margin, int64_t (*draw)(struct st_random *), int n,
                  uint64_t seed)
{
    struct st_random random = {.state = seed};
    for (int i = 0; i < n; i++)
        st_margin_learn(margin, draw(&random));
}

static void nothing_is_known_before_the_first_overshoots(void **state)
{
    struct st_margin margin;
    st_margin_init(&margin, ST_MARGIN_QUANTILE, 0.9);
    for (int i = 0; i < 31; i++)
        st_margin_learn(&margin, 14000);
    assert_int_equal(st_margin_for(&margin, 1000000), 0);
    st_margin_learn(&margin, 14000);
    assert_in_range(st_margin_for(&margin, 1000000), 14000 - 512,
                    14000 + 512); /* a bucket is 3 % wide */
}

static void margin_is_the_quantile_that_was_asked_for(void **state)
{
    static const double quantiles[] = {0.01, 0.25, 0.5, 0.9, 0.97, 0.99};
    for (size_t i = 0; i < ST_ARRAY_LEN(quantiles); i++) {
        struct st_margin margin;
        st_margin_init(&margin, ST_MARGIN_QUANTILE, quantiles[i]);
        learn(&margin, idle, 20000, i);
        const double on_time = price_of(margin.margin_ns, idle, 77).on_time;
        assert_true(fabs(on_time - quantiles[i]) < 0.03);
    }
}

static void free_margin_costs_nothing_and_halves_the_lateness(void **state)
{
    struct st_margin margin;
    st_margin_init(&margin, ST_MARGIN_FREE, 0);
    learn(&margin, idle, 20000, 1);
    assert_in_range(margin.margin_ns, 9000, 11500);
    assert_true(price_of(margin.margin_ns, idle, 77).spin_mean_ns < 10);
}

static void free_margin_stays_below_what_all_overshoots_have(void **state)
{
    struct st_margin margin;
    st_margin_init(&margin, ST_MARGIN_FREE, 0);
    for (int i = 0; i < 1000; i++)
        st_margin_learn(&margin, 3609); /* buckets are 64 ns wide there */
    assert_int_equal(margin.margin_ns, 3584);
}

static void free_margin_learns_from_one_wait_in_four(void **state)
{
    struct st_margin margin;
    st_margin_init(&margin, ST_MARGIN_FREE, 0);
    for (int i = 0; i < 32; i++) { /* each until it knows anything */
        margin.overshoot_ns = 14000;
        st_margin_review(&margin);
    }
    assert_in_range(margin.margin_ns, 13000, 14000);
    const double total = margin.total;
    for (int i = 0; i < 4 * 64; i++) {
        margin.overshoot_ns = i % 4 == 0 ? 5000 : 14000; /* which one of four is always the same */
        st_margin_review(&margin);
    }
    assert_true(margin.total > 2.9 * total &&
                margin.total < 3.3 * total); /* 64 more, heavier by 32 * 1 / 2048 */
    assert_in_range(margin.margin_ns, 4000, 5000);
}

static void what_was_learned_fades_by_waits_however_many_of_them_are_learned(void **state)
{
    struct st_margin each, one_in_four;
    st_margin_init(&each, ST_MARGIN_QUANTILE, 0.9);
    st_margin_init(&one_in_four, ST_MARGIN_FREE, 0);
    for (int i = 0; i < 32 + 2048; i++) {
        each.overshoot_ns = one_in_four.overshoot_ns = 14000;
        st_margin_review(&each);
        st_margin_review(&one_in_four);
    }
    /* by e, less what steps of 64 and 256 waits make of it: 1.03125^32 and 1.125^8 */
    assert_true(each.weight > 2.6F && each.weight < 2.8F);
    assert_true(one_in_four.weight > 2.5F && one_in_four.weight < 2.7F);
}

static void budget_that_is_left_reaches_beyond_the_quantile(void **state)
{
    /* 99.5 % within 14.8 us, their median in the bucket from 13.8 us on: 1 us more, or what the
     * budget allows */
    static const struct {
        int64_t budget_ns, least_ns, most_ns;
    } rows[] = {{100000, 15600, 15900}, {200, 14000, 14500}};
    ST_EACH (row, rows) {
        struct st_margin margin;
        st_margin_init(&margin, ST_MARGIN_BUDGET, (double)row->budget_ns);
        for (int k = 0; k < 64 * 100; k++)
            st_margin_learn(&margin, k % 300 == 0 ? 17000 : k % 100 == 0 ? 14800 : 14000);
        assert_in_range(margin.margin_ns, row->least_ns, row->most_ns);
    }
}

static void spinning_stays_within_its_budget_and_uses_it(void **state)
{
    static const int64_t budgets_ns[] = {0, 500, 2000, 8000};
    for (size_t i = 0; i < ST_ARRAY_LEN(budgets_ns); i++) {
        struct st_margin margin;
        st_margin_init(&margin, ST_MARGIN_BUDGET, (double)budgets_ns[i]);
        learn(&margin, idle, 20000, i);
        const struct price price = price_of(margin.margin_ns, idle, 77);
        assert_true(price.spin_mean_ns <= 1.05 * (double)budgets_ns[i] + 5);
        assert_true(price.spin_mean_ns >= 0.85 * (double)budgets_ns[i] || price.on_time > 0.98);
    }
}

static void stall_moves_the_margin_by_less_than_a_microsecond(void **state)
{
    enum { SETTINGS = 5 };
    struct st_margin settings[SETTINGS];
    st_margin_init(&settings[0], ST_MARGIN_FREE, 0);
    st_margin_init(&settings[1], ST_MARGIN_QUANTILE, 0.97);
    st_margin_init(&settings[2], ST_MARGIN_QUANTILE, ST_MARGIN_QUANTILE_MOST);
    st_margin_init(&settings[3], ST_MARGIN_BUDGET, 8000);
    st_margin_init(&settings[4], ST_MARGIN_BUDGET, 80000);
    for (size_t i = 0; i < SETTINGS; i++) {
        struct st_margin without = settings[i], with;
        learn(&without, idle, 64 * 300 + 31, i); /* the next one computes */
        with = without;
        st_margin_learn(&without, 14000);
        st_margin_learn(&with, 20 * ST_NS_PER_MS);
        assert_true(llabs(with.margin_ns - without.margin_ns) < 1000);
        /* and what it took for a long while after it */
        for (int k = 0; k < 64 * 40; k++) {
            st_margin_learn(&without, 14000 + k % 7 * 500);
            st_margin_learn(&with, 14000 + k % 7 * 500);
            assert_true(llabs(with.margin_ns - without.margin_ns) < 1000);
        }
    }
}

static int64_t loaded(struct st_random *random)
{
    return idle(random) + 25000;
}

static void margin_follows_a_change_of_load_both_ways(void **state)
{
    struct st_margin margin;
    st_margin_init(&margin, ST_MARGIN_QUANTILE, 0.97);
    learn(&margin, idle, 10000, 1);
    const int64_t idle_ns = margin.margin_ns;
    learn(&margin, loaded, 1000, 2); /* upwards at once: 3 % of new ones are enough */
    assert_true(margin.margin_ns > idle_ns + 20000);
    learn(&margin, idle, 10000, 3); /* downwards when 97 % are */
    assert_true(llabs(margin.margin_ns - idle_ns) < 1500);

    st_margin_init(&margin, ST_MARGIN_FREE, 0);
    learn(&margin, loaded, 10000, 1);
    const int64_t loaded_ns = margin.margin_ns;
    learn(&margin, idle, 200, 2); /* the smallest overshoot went down: at once */
    assert_true(margin.margin_ns < loaded_ns - 20000);
    learn(&margin, loaded, 12000, 3);
    assert_true(llabs(margin.margin_ns - loaded_ns) < 1500);
}

/* two modes: with and without an interrupt to the idle CPU */
static int64_t bimodal(struct st_random *random)
{
    const bool polls = st_random_unit(random) < 0.3;
    return (int64_t)((polls ? 3e3 : 14e3) * exp(0.08 * noise_normal(random)));
}

static void two_modes_are_one_distribution(void **state)
{
    struct st_margin margin;
    st_margin_init(&margin, ST_MARGIN_FREE, 0);
    learn(&margin, bimodal, 20000, 1);
    assert_in_range(margin.margin_ns, 2200, 3000); /* of the lower one */
    st_margin_init(&margin, ST_MARGIN_BUDGET, 5000);
    learn(&margin, bimodal, 20000, 1);
    const struct price price = price_of(margin.margin_ns, bimodal, 77);
    assert_true(price.spin_mean_ns <= 5250);
    assert_true(price.on_time > 0.9); /* 0.3 * 12 us, and more, is what the lower one costs there */
}

static void never_more_than_half_of_the_wait(void **state)
{
    struct st_margin margin;
    st_margin_init(&margin, ST_MARGIN_FIXED, 125000);
    st_margin_learn(&margin, 1);
    assert_int_equal(st_margin_for(&margin, 1333333), 125000);
    assert_int_equal(st_margin_for(&margin, 200000), 100000);
    assert_int_equal(st_margin_for(&margin, 0), 0);
    assert_int_equal(st_margin_for(&margin, -5), 0);
}

static void absurd_overshoots_do_no_harm(void **state)
{
    static const int64_t values_ns[] = {INT64_MIN, -1,   0,        63,       64,       2047,
                                        2048,      4096, 16777215, 16777216, INT64_MAX};
    struct st_margin margin;
    st_margin_init(&margin, ST_MARGIN_QUANTILE, ST_MARGIN_QUANTILE_MOST);
    for (int k = 0; k < 100000; k++) { /* the weights are made light again on the way */
        st_margin_learn(&margin, values_ns[(size_t)k % ST_ARRAY_LEN(values_ns)]);
        assert_in_range(margin.margin_ns, 0, 16777216);
    }
    assert_true(isfinite(margin.total) && isfinite(margin.weight));
}

static void learning_is_the_same_after_the_weights_were_made_light(void **state)
{
    struct st_margin margin;
    st_margin_init(&margin, ST_MARGIN_QUANTILE, 0.5);
    learn(&margin, idle, 200000, 1); /* seven times */
    const double on_time = price_of(margin.margin_ns, idle, 77).on_time;
    assert_true(fabs(on_time - 0.5) < 0.04);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_known_before_the_first_overshoots),
        cmocka_unit_test(margin_is_the_quantile_that_was_asked_for),
        cmocka_unit_test(free_margin_costs_nothing_and_halves_the_lateness),
        cmocka_unit_test(free_margin_stays_below_what_all_overshoots_have),
        cmocka_unit_test(free_margin_learns_from_one_wait_in_four),
        cmocka_unit_test(what_was_learned_fades_by_waits_however_many_of_them_are_learned),
        cmocka_unit_test(budget_that_is_left_reaches_beyond_the_quantile),
        cmocka_unit_test(spinning_stays_within_its_budget_and_uses_it),
        cmocka_unit_test(stall_moves_the_margin_by_less_than_a_microsecond),
        cmocka_unit_test(margin_follows_a_change_of_load_both_ways),
        cmocka_unit_test(two_modes_are_one_distribution),
        cmocka_unit_test(never_more_than_half_of_the_wait),
        cmocka_unit_test(absurd_overshoots_do_no_harm),
        cmocka_unit_test(learning_is_the_same_after_the_weights_were_made_light),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
