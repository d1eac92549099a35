/* Simulated sessions of `sleeptune tune`: how often a setting without effect is kept, and how often
 * one with an effect is found. Late wake-ups of a block: Poisson around a rate of its own, which
 * varies from block to block (CV 0, 0.5, 1). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/stats/random.h"
#include "evidence/tuning.h"

/* 10 min in blocks of 5 s */
#define BLOCKS       120
#define RATE         20.0 /* late wake-ups in a block */
#define FRESH_BLOCKS 16   /* of the last row that is measured again */

struct machine {
    struct st_random random;
    double cv, rate;
    double fold[ST_TUNING_ROWS_MAX]; /* how many times fewer with the row on; 0: as 1 */
    double (*law)(uint32_t on);      /* of the rate, beside that; NULL: 1 */
    uint32_t on;
    size_t fought_row; /* 1 + row that another program writes after some blocks; 0: none */
    uint64_t missed_n; /* of a block with row 0 on: three bursts */
    double others;     /* dropouts of other programs in a block with row 0 on */
    double stalls;     /* of blocks, whatever is on: 21 missed periods in two bursts */
    uint32_t blocks_n, stop_after;
    uint32_t on_seen[BLOCKS];
};

static double normal(struct st_random *random)
{
    const double u = 1 - st_random_unit(random), v = st_random_unit(random);
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

/* Gamma with mean 1 and this coefficient of variation (Marsaglia and Tsang 2000; shape >= 1
 * here). */
static double gamma_of(struct st_random *random, double cv)
{
    if (cv <= 0)
        return 1;
    const double shape = 1 / (cv * cv), d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        const double x = normal(random), v = pow(1 + c * x, 3);
        if (v > 0 && log(1 - st_random_unit(random)) < x * x / 2 + d - d * v + d * log(v))
            return d * v / shape;
    }
}

static uint64_t poisson(struct st_random *random, double mean)
{
    if (mean > 200)
        return (uint64_t)fmax(0, mean + sqrt(mean) * normal(random));
    const double limit = exp(-mean);
    uint64_t n = 0;
    for (double product = st_random_unit(random); product > limit;
         product *= st_random_unit(random))
        n++;
    return n;
}

static int set(void *ctx, uint32_t on, size_t *ret_row, char *why)
{
    struct machine *m = ctx;
    if (m->fought_row > 0 && m->blocks_n > 16 && (on & (UINT32_C(1) << (m->fought_row - 1))) != 0) {
        *ret_row = m->fought_row - 1;
        strcpy(why, "power-profiles-daemon wrote it");
        return -EBUSY;
    }
    m->on = on;
    return 0;
}

static int block(void *ctx, struct st_tuning_block *ret, char *why)
{
    struct machine *m = ctx;
    double rate = m->rate * gamma_of(&m->random, m->cv);
    for (size_t i = 0; i < ST_TUNING_ROWS_MAX; i++) {
        if ((m->on & (UINT32_C(1) << i)) != 0 && m->fold[i] > 0)
            rate /= m->fold[i];
    }
    rate *= m->law != NULL ? m->law(m->on) : 1;
    if (m->blocks_n < BLOCKS)
        m->on_seen[m->blocks_n] = m->on;
    m->blocks_n++;
    if (m->stop_after > 0 && m->blocks_n > m->stop_after) {
        strcpy(why, "stopped");
        return -EINTR;
    }
    *ret = (struct st_tuning_block){.late_n = poisson(&m->random, rate)};
    const bool stall = m->stalls > 0 && st_random_unit(&m->random) < m->stalls;
    const uint64_t missed_n = ((m->on & 1) != 0 ? m->missed_n : 0) + (stall ? 21u : 0);
    ret->events_n = ((m->on & 1) != 0 && m->missed_n > 0 ? 3u : 0) + (stall ? 2 : 0);
    ret->late_n += missed_n;
    ret->others_n = m->others > 0 && (m->on & 1) != 0 ? poisson(&m->random, m->others) : 0;
    return 0;
}

/* A session with n rows. */
static int session(struct machine *m, size_t n, uint64_t seed, struct st_tuning *t)
{
    const struct st_tuning_bench bench = {.set = set, .block = block, .ctx = m};
    memset(t, 0, sizeof(*t));
    t->n = n;
    t->blocks_max = BLOCKS;
    m->random.state = seed * 7919;
    m->blocks_n = 0;
    if (m->rate <= 0)
        m->rate = RATE;
    const int r = st_tuning_run(t, &bench, seed);
    for (size_t i = 0; i < n; i++)
        assert_true(t->rows[i].outcome != ST_TUNING_HELPS || t->rows[i].fold.low > 1);
    return r;
}

static size_t sessions(void)
{
    const char *n = getenv("ST_TUNING_SESSIONS");
    return n != NULL ? (size_t)strtoul(n, NULL, 10) : 600; /* the long form: 3000 and more */
}

static const double cvs[] = {0, 0.5, 1};

static void a_setting_without_effect_is_kept_in_one_percent_at_most(void **state)
{
    static struct st_tuning t;
    const size_t n = sessions();
    for (size_t c = 0; c < ST_ARRAY_LEN(cvs); c++) {
        size_t one_n = 0, ten_n = 0;
        for (size_t k = 0; k < n; k++) {
            struct machine m = {.cv = cvs[c]};
            assert_int_equal(session(&m, 1, k, &t), 0);
            assert_true(t.blocks_n <= BLOCKS);
            one_n += t.rows[0].outcome == ST_TUNING_HELPS;
            m = (struct machine){.cv = cvs[c]};
            assert_int_equal(session(&m, 10, k, &t), 0);
            assert_true(t.blocks_n <= BLOCKS);
            size_t kept_n = 0;
            for (size_t i = 0; i < 10; i++)
                kept_n += t.rows[i].outcome == ST_TUNING_HELPS;
            ten_n += kept_n > 0;
        }
        print_message(
            "# CV %.1f: one null setting kept in %zu of %zu sessions, any of ten in %zu\n", cvs[c],
            one_n, n, ten_n);
        assert_true(one_n * 100 <= n);
        assert_true(ten_n * 20 <= n);
    }
}

static void a_fivefold_effect_is_found_in_ninety_percent_at_least(void **state)
{
    static struct st_tuning t;
    const size_t n = sessions();
    for (size_t c = 0; c < ST_ARRAY_LEN(cvs); c++) {
        size_t found_n = 0, held_n = 0;
        double pairs = 0;
        for (size_t k = 0; k < n; k++) {
            struct machine m = {.cv = cvs[c], .fold = {5}};
            assert_int_equal(session(&m, 1, k, &t), 0);
            const struct st_tuning_row *row = &t.rows[0];
            found_n += row->outcome == ST_TUNING_HELPS;
            held_n += row->outcome == ST_TUNING_HELPS && row->fold.low <= 5 && row->fold.high >= 5;
            pairs += row->evidence.pairs_n;
        }
        print_message("CV %.1f: found in %zu of %zu sessions, after %.1f pairs; the interval holds "
                      "5 in %zu\n",
                      cvs[c], found_n, n, pairs / (double)n, held_n);
        assert_true(found_n * 10 >= n * 9);
        assert_true(held_n * 100 >= found_n * 93);
    }
}

/* One of ten helps: the screening puts it before the others often enough. */
static void one_of_ten_is_found(void **state)
{
    static struct st_tuning t;
    size_t found_n = 0, null_n = 0;
    const size_t n = sessions() / 3;
    for (size_t k = 0; k < n; k++) {
        struct machine m = {.cv = 0.5, .fold = {[6] = 5}};
        assert_int_equal(session(&m, 10, k, &t), 0);
        for (size_t i = 0; i < 10; i++) {
            found_n += i == 6 && t.rows[i].outcome == ST_TUNING_HELPS;
            null_n += i != 6 && t.rows[i].outcome == ST_TUNING_HELPS;
        }
    }
    print_message("# one of ten: found in %zu of %zu sessions; %zu null settings kept\n", found_n,
                  n, null_n);
    assert_true(found_n * 10 >= n * 8);
    assert_true(null_n * 20 <= n);
}

/* Each removes its own late wake-ups: the larger source hides the smaller one. */
static double two_sources(uint32_t on)
{
    return 0.1 + ((on & 2) != 0 ? 0 : 8.0) + ((on & 8) != 0 ? 0 : 2.0);
}

/* Each is in the way of the other: only both together help. */
static double only_both(uint32_t on)
{
    return (on & 10) == 10 ? 0.1 : 1;
}

static double last_of_four(uint32_t on)
{
    return (on & 8) != 0 ? 0.2 : 1;
}

/* Either is enough. */
static double either(uint32_t on)
{
    return (on & 10) != 0 ? 0.1 : 1;
}

/* The others may hide a fault, the order may be wrong: time goes to what shows something. Rows 1
 * and 3. */
static void settings_that_hide_each_other_are_found(void **state)
{
    static const struct {
        const char *what;
        double (*law)(uint32_t on);
        size_t rows_n, wanted_n; /* of rows 1 and 3 */
        size_t least;            /* sessions of 100 */
    } cases[] = {
        {"a larger source hides a smaller one", two_sources, 4, 2, 80},
        {"a larger source hides a smaller one", two_sources, 10, 2, 80},
        {"only both together help", only_both, 4, 2, 75},
        {"only both together help", only_both, 6, 2, 55},
        {"either is enough", either, 4, 1, 90},
        {"either is enough", either, 10, 1, 90},
        {"only the last of four helps", last_of_four, 4, 1, 90},
    };
    static struct st_tuning t;
    const size_t n = sessions() / 6;
    for (size_t c = 0; c < ST_ARRAY_LEN(cases); c++) {
        size_t found_n = 0, null_n = 0;
        for (size_t k = 0; k < n; k++) {
            size_t these_n = 0;
            struct machine m = {.cv = 0.5, .law = cases[c].law};
            assert_int_equal(session(&m, cases[c].rows_n, k, &t), 0);
            assert_true(t.blocks_n <= BLOCKS);
            assert_int_equal(m.on, 0);
            for (size_t i = 0; i < cases[c].rows_n; i++) {
                const bool helps = t.rows[i].outcome == ST_TUNING_HELPS;
                these_n += helps && (i == 1 || i == 3);
                null_n += helps && i != 1 && i != 3;
            }
            found_n += these_n >= cases[c].wanted_n;
        }
        print_message("# %s, %zu settings: found in %zu of %zu sessions, %zu others kept\n",
                      cases[c].what, cases[c].rows_n, found_n, n, null_n);
        assert_true(found_n * 100 >= n * cases[c].least);
        assert_true(null_n * 20 <= n);
    }
}

/* A computer that stalls now and then: what does nothing neither helps nor harms. A stall of 21
 * periods in one block of a pair was called harmful once. */
static void stalls_are_no_harm(void **state)
{
    static const double stalls[] = {0.02, 0.1, 0.3};
    static struct st_tuning t;
    const size_t n = sessions();
    ST_EACH (share, stalls) {
        for (size_t rows_n = 1; rows_n <= 10; rows_n += 9) {
            size_t kept_n = 0, harmful_n = 0;
            for (size_t k = 0; k < n; k++) {
                struct machine m = {.cv = 0.5, .rate = rows_n == 1 ? 1 : RATE, .stalls = *share};
                bool kept = false, harmful = false;
                assert_int_equal(session(&m, rows_n, k, &t), 0);
                for (size_t i = 0; i < rows_n; i++) {
                    kept |= t.rows[i].outcome == ST_TUNING_HELPS;
                    harmful |= t.rows[i].outcome == ST_TUNING_HARMFUL;
                }
                kept_n += kept;
                harmful_n += harmful;
            }
            print_message("# %.0f %% of blocks stall, %zu null settings: one kept in %zu of %zu "
                          "sessions, one "
                          "called harmful in %zu\n",
                          100 * *share, rows_n, kept_n, n, harmful_n);
            assert_true(kept_n * 100 <= n);
            assert_true(harmful_n * 100 <= n);
        }
    }
}

static void harm_is_found_and_switched_off(void **state)
{
    static struct st_tuning t;
    struct machine m = {.cv = 0.5, .fold = {0.2, 5}};
    assert_int_equal(session(&m, 2, 3, &t), 0);
    assert_int_equal(t.rows[0].outcome, ST_TUNING_HARMFUL);
    assert_int_equal(t.rows[1].outcome, ST_TUNING_HELPS);
    assert_int_equal(m.on, 0);
    m = (struct machine){.missed_n = 200};
    assert_int_equal(session(&m, 1, 3, &t), 0);
    assert_int_equal(t.rows[0].outcome, ST_TUNING_HARMFUL);
    assert_int_equal(t.rows[0].evidence.pairs_n, 10);
    assert_string_equal(t.rows[0].why, "30 dropouts with this setting, 0 without it");
    assert_int_equal(m.on, 0);
}

/* Wake-ups are as late with it as without. */
static void a_setting_that_makes_dropouts_only_is_tried_until_that_shows(void **state)
{
    static struct st_tuning t;
    const size_t n = sessions() / 6;
    size_t harmful_n = 0;
    for (size_t k = 0; k < n; k++) {
        struct machine m = {.cv = 0.5, .others = 0.7};
        assert_int_equal(session(&m, 1, k, &t), 0);
        assert_int_not_equal(t.rows[0].outcome, ST_TUNING_HELPS);
        harmful_n += t.rows[0].outcome == ST_TUNING_HARMFUL;
    }
    print_message(
        "# 0.7 dropouts in a block with it, none without: harmful in %zu of %zu sessions\n",
        harmful_n, n);
    assert_true(harmful_n * 100 >= n * 90);
}

static void what_helps_stays_on_while_the_next_one_is_tried(void **state)
{
    static struct st_tuning t;
    struct machine m = {.rate = 200, .fold = {5, 5}};
    assert_int_equal(session(&m, 2, 5, &t), 0);
    assert_int_equal(t.rows[0].outcome, ST_TUNING_HELPS);
    assert_int_equal(t.rows[1].outcome, ST_TUNING_HELPS);
    bool both = false, without_first = false;
    for (uint32_t i = 0; i < m.blocks_n; i++)
        both |= m.on_seen[i] == 3;
    assert_true(both);
    for (uint32_t i = ST_TUNING_SAME_BLOCKS; i < m.blocks_n; i += 2) /* pairs are in any order */
        without_first |= m.on_seen[i] == 0 && m.on_seen[i + 1] == 1;
    assert_true(without_first);
    /* a setting whose cost is not accepted is tried and does not stay on */
    m = (struct machine){.rate = 200, .fold = {5, 5}};
    const struct st_tuning_bench bench = {.set = set, .block = block, .ctx = &m};
    memset(&t, 0, sizeof(t));
    t.n = 2;
    t.blocks_max = BLOCKS;
    t.rows[0].refused = true;
    assert_int_equal(st_tuning_run(&t, &bench, 5), 0);
    assert_int_equal(t.rows[0].outcome, ST_TUNING_HELPS);
    for (uint32_t i = m.blocks_n - FRESH_BLOCKS; i < m.blocks_n; i++)
        assert_int_not_equal(m.on_seen[i], 3);
}

/* The number of blocks in the plan is enough: a session with exactly that number finds each effect,
 * if chance plays no part. And no block is too many: with one pair fewer the plan counts one
 * setting fewer. */
static void a_planned_budget_shows_each_effect(void **state)
{
    static struct st_tuning t;
    for (size_t n = 1; n <= 12; n++) {
        struct machine m = {.rate = 1e9};
        const struct st_tuning_bench bench = {.set = set, .block = block, .ctx = &m};
        memset(&t, 0, sizeof(t));
        t.n = n;
        for (size_t i = 0; i < n; i++) {
            m.fold[i] = 3;
        }
        st_tuning_plan(&t);
        print_message("# %zu settings: %u blocks for one, %u for all\n", n, t.blocks_least,
                      t.blocks_all);
        t.blocks_max = t.blocks_all - 2;
        st_tuning_plan(&t);
        assert_int_equal(t.sure_n, n - 1);
        t.blocks_max = t.blocks_all;
        assert_int_equal(st_tuning_run(&t, &bench, n), 0);
        assert_int_equal(t.sure_n, n);
        assert_true(t.blocks_n <= t.blocks_all);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(t.rows[i].outcome, ST_TUNING_HELPS);
    }
    /* 16 pairs whose D is 0.5 reach an e-value of 100; 8 fresh pairs; 12 blocks without a change */
    memset(&t, 0, sizeof(t));
    t.n = 1;
    st_tuning_plan(&t);
    assert_int_equal(t.blocks_least, 60);
}

static void what_cannot_be_tried_is_not_planned(void **state)
{
    static struct st_tuning t;
    memset(&t, 0, sizeof(t));
    t.n = 4;
    t.blocks_max = BLOCKS;
    strcpy(t.rows[3].why, "needs root");
    st_tuning_plan(&t);
    assert_int_equal(t.open_n, 3);
    assert_int_equal(t.sure_n, 2);
}

static void a_fight_ends_that_setting_only(void **state)
{
    static struct st_tuning t;
    struct machine m = {.fold = {5, 5}, .fought_row = 1};
    assert_int_equal(session(&m, 2, 4, &t), 0);
    assert_int_equal(t.rows[0].outcome, ST_TUNING_FAILED);
    assert_string_equal(t.rows[0].why, "power-profiles-daemon wrote it");
    assert_int_equal(t.rows[1].outcome, ST_TUNING_HELPS);
}

static void few_late_wake_ups_end_it_early(void **state)
{
    static struct st_tuning t;
    struct machine m = {.rate = 1e-9, .fold = {5}};
    assert_int_equal(session(&m, 1, 1, &t), 0);
    assert_int_equal(t.end, ST_TUNING_NOTHING);
    assert_int_equal(t.blocks_n, 12);
    m = (struct machine){.rate = 0.2, .fold = {5}}; /* too rare */
    assert_int_equal(session(&m, 1, 1, &t), 0);
    assert_int_equal(t.end, ST_TUNING_RARE);
    assert_int_equal(t.blocks_n, 12);
    assert_int_equal(t.rows[0].evidence.pairs_n, 0);
}

static void a_stop_ends_the_session_with_all_off(void **state)
{
    static struct st_tuning t;
    struct machine m = {.stop_after = 21};
    assert_int_equal(session(&m, 2, 1, &t), -EINTR);
    assert_int_equal(t.end, ST_TUNING_STOPPED);
    for (size_t i = 0; i < 2; i++)
        assert_true((t.rows[i].outcome == ST_TUNING_UNDECIDED) == (t.rows[i].evidence.pairs_n > 0));
    assert_int_equal(m.on, 0);
    assert_string_equal(t.rows[1].why, "the trials ended too early");
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_setting_without_effect_is_kept_in_one_percent_at_most),
        cmocka_unit_test(a_fivefold_effect_is_found_in_ninety_percent_at_least),
        cmocka_unit_test(one_of_ten_is_found),
        cmocka_unit_test(settings_that_hide_each_other_are_found),
        cmocka_unit_test(stalls_are_no_harm),
        cmocka_unit_test(harm_is_found_and_switched_off),
        cmocka_unit_test(a_setting_that_makes_dropouts_only_is_tried_until_that_shows),
        cmocka_unit_test(what_helps_stays_on_while_the_next_one_is_tried),
        cmocka_unit_test(a_planned_budget_shows_each_effect),
        cmocka_unit_test(what_cannot_be_tried_is_not_planned),
        cmocka_unit_test(a_fight_ends_that_setting_only),
        cmocka_unit_test(few_late_wake_ups_end_it_early),
        cmocka_unit_test(a_stop_ends_the_session_with_all_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
