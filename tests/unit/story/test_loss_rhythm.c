/* Losses at equal intervals, among others, and losses at random. */
#include "core/ns.h"
#include "core/stats/random.h"
#include "story/loss_rhythm.h"
#include "tests/unit/unit.h"

#define BEATS 60

static struct st_random dice;

static double even(double from, double to)
{
    return from + (to - from) * st_random_unit(&dice);
}

static int by_time(const void *one, const void *other)
{
    const double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

/* @return the interval that was found, in s. */
static double found(double *at_s, size_t n)
{
    struct st_loss_rhythm rhythm = {0};
    qsort(at_s, n, sizeof(at_s[0]), by_time);
    for (size_t i = 0; i < n; i++)
        st_loss_rhythm_add(&rhythm, (int64_t)(at_s[i] * (double)ST_NS_PER_S));
    st_loss_rhythm_find(&rhythm);
    return (double)rhythm.each_ns / (double)ST_NS_PER_S;
}

static size_t put_noise(double *at_s, size_t n, double rate, double until_s)
{
    for (double at = 0; n < 2 * ST_LOSS_RHYTHM_MAX && (at -= log(1 - even(0, 1)) / rate) < until_s;)
        at_s[n++] = at;
    return n;
}

static void a_minute_is_found_beside_others(ST_UNUSED void **state)
{
    int right = 0;
    for (int series = 0; series < 100; series++) {
        double at_s[2 * ST_LOSS_RHYTHM_MAX], now_s = even(0, 60);
        size_t n = 0;
        for (int beat = 0; beat < BEATS; beat++, now_s += even(59, 61)) {
            if (even(0, 1) >= 0.3)
                at_s[n++] = now_s;
        }
        n = put_noise(at_s, n, (double)n / now_s, now_s);
        right += fabs(found(at_s, n) - 60) < 0.6;
    }
    if (right < 90)
        fail_msg("%d of 100", right);
}

static void none_is_found_at_random(ST_UNUSED void **state)
{
    int named = 0;
    for (int series = 0; series < 1000; series++) {
        double at_s[2 * ST_LOSS_RHYTHM_MAX];
        const double rate = pow(10, even(-3, 0));
        const size_t n = put_noise(at_s, 0, rate, even(20, 200) / rate);
        named += n > 0 && found(at_s, n) != 0;
    }
    assert_int_equal(named, 0);
}

/* Of bursts the beginnings count. What comes each 5 s comes each 10 s, too. */
static void only_its_own_interval_is_named(ST_UNUSED void **state)
{
    struct st_loss_rhythm rhythm = {0};
    for (int i = 0; i < 200; i++)
        st_loss_rhythm_add(&rhythm, i * 5 * ST_NS_PER_S);
    st_loss_rhythm_find(&rhythm);
    assert_int_equal(rhythm.each_ns, 0);
    rhythm = (struct st_loss_rhythm){0};
    for (int i = 0; i < 20; i++) {
        for (int more = 0; more < 3; more++)
            st_loss_rhythm_add(&rhythm, i * 30 * ST_NS_PER_S + more * ST_NS_PER_S / 4);
    }
    st_loss_rhythm_find(&rhythm);
    assert_int_equal(rhythm.n, 20);
    assert_int_equal(rhythm.each_ns, 30 * ST_NS_PER_S);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_minute_is_found_beside_others),
                                       cmocka_unit_test(none_is_found_at_random),
                                       cmocka_unit_test(only_its_own_interval_is_named)};
    dice.state = 59;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
