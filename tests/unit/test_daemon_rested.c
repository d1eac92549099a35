/* The figures of a loop that rests are those that it had. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "daemon/status/rested.h"

static struct st_rested rested;

static void assert_same(const struct st_hist *a, const struct st_hist *b)
{
    assert_int_equal(a->total_n, b->total_n);
    assert_int_equal(a->early_n, b->early_n);
    assert_int_equal(a->min_ns, b->min_ns);
    assert_int_equal(a->max_ns, b->max_ns);
    assert_memory_equal(a->late, b->late, a->counts_len * sizeof(a->late[0]));
    assert_memory_equal(a->early, b->early, a->counts_len * sizeof(a->early[0]));
}

static void figures_come_back_as_they_were(void **state)
{
    (void)state;
    struct st_result result = {.cycles = 3000, .frames = 128}, back;
    assert_int_equal(st_result_init_histograms(&result, true), 0);
    for (int64_t i = 0; i < 1000; i++) {
        st_hist_add(&result.lateness, 20000 + i * i);
        st_hist_add(&result.lateness, -i);
        st_hist_add(&result.response, i);
    }
    st_hist_add(&result.response, INT64_C(4000000000000)); /* above the range */
    for (int i = 0; i < 2; i++) { /* the next rest takes the place of the one before */
        assert_int_equal(st_rested_keep(&rested, &result), 0);
        assert_int_equal(st_rested_result(&rested, &back), 0);
        assert_int_equal(back.cycles, 3000);
        assert_int_equal(back.frames, 128);
        assert_same(&result.lateness, &back.lateness);
        assert_same(&result.response, &back.response);
        assert_int_equal(st_hist_quantile(&result.lateness, 0.99), st_hist_quantile(&back.lateness, 0.99));
        st_result_finish(&back);
    }
    assert_true(rested.lateness.counts_n < 2000);
    st_result_finish(&result);
    st_rested_forget(&rested);
    assert_int_equal(st_rested_result(&rested, &back), -ENOENT);
}

static void loop_without_a_cycle_is_kept_too(void **state)
{
    (void)state;
    struct st_result result = {.frames = 64}, back;
    assert_int_equal(st_result_init_histograms(&result, false), 0);
    assert_int_equal(st_rested_keep(&rested, &result), 0);
    assert_int_equal(st_rested_result(&rested, &back), 0);
    assert_same(&result.lateness, &back.lateness);
    st_result_finish(&back);
    st_result_finish(&result);
    st_rested_forget(&rested);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_come_back_as_they_were),
        cmocka_unit_test(loop_without_a_cycle_is_kept_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
