/* Series of cycles of known truth: which file's code makes the long ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "xruns/helpers/object_share.h"

#define SAMPLE_NS 997000
#define FILES     3

static struct st_object_share share;
static struct st_xrun_code found;
static uint32_t random_state;
static double clock_ns; /* of CPU time, at which the next sample is due */

static int setup(void **state)
{
    (void)state;
    share = (struct st_object_share){.sample_ns = SAMPLE_NS};
    clock_ns = 0;
    random_state = 1;
    return 0;
}

/* 0 .. 1 */
static double any(void)
{
    random_state = random_state * 1664525 + 1013904223;
    return (double)random_state / 4294967296;
}

/* In one cycle a file computes so long, with the noise of a computer. */
static void compute(const char *name, double ns)
{
    for (clock_ns += ns * (0.8 + 0.4 * any()); clock_ns >= SAMPLE_NS; clock_ns -= SAMPLE_NS)
        st_object_share_sample(&share, name);
}

static const char *const names[FILES] = {"one.so", "two.so", "three.so"};

/* A cycle in which each file computes its part; what_ns more than that passes. */
static void cycle(const double parts_ns[FILES], bool is_long, double more_ns)
{
    double busy_ns = more_ns;
    for (int i = 0; i < FILES; i++) {
        compute(names[i], parts_ns[i]);
        busy_ns += parts_ns[i];
    }
    st_object_share_cycle(&share, is_long, (int64_t)busy_ns);
}

/* `others` usual cycles, then a long one; this is repeated `times` times. */
static void play(int times, int others, const double usual_ns[FILES], const double long_ns[FILES],
                 double more_ns)
{
    for (int i = 0; i < times; i++) {
        for (int j = 0; j < others; j++)
            cycle(usual_ns, false, 0);
        cycle(long_ns, true, more_ns);
    }
}

static bool names_one(void)
{
    found.state = ST_XRUN_CODE_WATCHED;
    st_object_share_find(&share, &found);
    assert_int_equal(found.state, ST_XRUN_CODE_WATCHED);
    return found.file[0] != '\0';
}

static void file_that_bursts_is_named(void **state)
{
    (void)state;
    static const double usual[] = {100000, 100000, 100000}, burst[] = {100000, 1400000, 100000};
    play(13, 255, usual, burst, 0);
    assert_false(names_one()); /* chance has 13 of 13 once in 8192 */
    play(31, 255, usual, burst, 0);
    assert_true(names_one());
    assert_string_equal(found.file, "two.so");
    assert_in_range(found.percent, 80, 95);
    assert_in_range(found.other_percent, 28, 38);
    assert_true(found.long_cycles_n == 44 && found.computed_n >= 42);
    assert_in_range(found.samples_n, 44, 2 * 44);
}

/* Cycles that are long because the thread got no CPU do not hide it, unless they are most of them. */
static void other_long_cycles_do_not_count(void **state)
{
    (void)state;
    static const double usual[] = {100000, 100000, 100000}, burst[] = {100000, 1400000, 100000};
    for (int i = 0; i < 30; i++) {
        play(1, 100, usual, burst, 0);
        play(2, 100, usual, usual, 2000000);
    }
    assert_true(names_one());
    assert_string_equal(found.file, "two.so");
    assert_int_equal(found.long_cycles_n, 90);
    assert_in_range(found.computed_n, 29, 33);
    setup(NULL);
    for (int i = 0; i < 30; i++) {
        play(1, 100, usual, burst, 0);
        play(6, 100, usual, usual, 2000000);
    }
    assert_false(names_one());
}

/* Another one computes more in each cycle, the one that bursts included. */
static void file_that_computes_always_is_not(void **state)
{
    (void)state;
    static const double usual[] = {900000, 50000, 50000}, burst[] = {900000, 50000, 750000};
    play(60, 31, usual, burst, 0);
    assert_true(names_one());
    assert_string_equal(found.file, "three.so");
    setup(NULL);
    static const double slow[] = {1800000, 100000, 100000}; /* the processor was slower */
    play(60, 31, usual, slow, 0);
    assert_false(names_one());
}

static void no_file_stands_out(void **state)
{
    (void)state;
    static const double usual[] = {100000, 100000, 100000}, each[] = {500000, 500000, 500000},
                        little[] = {100000, 400000, 100000};
    play(100, 255, usual, each, 0); /* all of them */
    assert_false(names_one());
    setup(NULL);
    play(100, 255, usual, usual, 1500000); /* it got no CPU, or slept */
    assert_false(names_one());
    setup(NULL);
    play(100, 255, usual, little, 1500000); /* most of the time is not that file's */
    assert_false(names_one());
    setup(NULL);
    static const double one[FILES][FILES] = {
        {900000, 100000, 100000}, {100000, 900000, 100000}, {100000, 100000, 900000}};
    for (int i = 0; i < 300; i++) /* now this one, now that one */
        play(1, 31, usual, one[(int)(any() * FILES)], 0);
    assert_false(names_one());
}

/* A seldom and very long cycle is not what the others are. */
static void one_cycle_is_no_evidence(void **state)
{
    (void)state;
    static const double usual[] = {100000, 100000, 100000}, burst[] = {100000, 700000, 100000},
                        once[] = {100000, 100000, 90000000};
    play(30, 100, usual, burst, 0);
    cycle(once, true, 0);
    if (names_one())
        assert_string_not_equal(found.file, "three.so");
}

static void without_others_nothing_is_known(void **state)
{
    (void)state;
    static const double burst[] = {0, 1400000, 0}, usual[] = {1000, 0, 0};
    assert_false(names_one());
    for (int i = 0; i < 200; i++)
        cycle(burst, true, 0);
    assert_false(names_one());
    setup(NULL);
    play(50, 20, usual, burst, 0); /* too few samples in the others */
    assert_false(names_one());
}

static void more_files_than_room_and_none(void **state)
{
    (void)state;
    char name[32];
    for (int i = 0; i < 20000; i++) {
        snprintf(name, sizeof(name), "file %d", i % 1000);
        st_object_share_sample(&share, name);
        st_object_share_sample(&share, "");
        st_object_share_cycle(&share, i % 20 == 0, 1000000);
    }
    assert_int_equal(share.files_n, ST_OBJECT_SHARE_MAX);
    assert_false(names_one());
}

/* 400 histories without a cause, looked at twelve times each: a name in at most three. */
static void false_names(void **state)
{
    (void)state;
    static const double usual[] = {600000, 200000, 200000};
    int named = 0;
    for (int i = 0; i < 400; i++) {
        const uint32_t kept = random_state;
        setup(NULL);
        random_state = kept;
        bool any_look = false;
        for (int look = 0; look < 12; look++) {
            for (int j = 0; j < 14; j++) {
                const double slower = 1.5 + any(),
                             now[] = {600000 * slower, 200000 * slower, 200000 * slower};
                play(1, 20, usual, now, any() < 0.5 ? 2000000 : 0);
            }
            any_look = any_look || names_one();
        }
        named += any_look;
    }
    assert_in_range(named, 0, 3);
}

/* Two have half of it each, one after the other: a cycle has a sample or two, and chance decides whose. */
static void two_halves_are_not_named(void **state)
{
    (void)state;
    static const double usual[] = {107000, 107000, 107000}, burst[] = {640000, 640000, 107000};
    int named = 0;
    for (int i = 0; i < 100; i++) {
        const uint32_t kept = random_state;
        setup(NULL);
        random_state = kept;
        bool any_look = false;
        for (int look = 0; look < 12; look++) {
            play(14, 20, usual, burst, 0);
            any_look = any_look || names_one();
        }
        named += any_look;
    }
    assert_in_range(named, 0, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(file_that_bursts_is_named, setup),
        cmocka_unit_test_setup(other_long_cycles_do_not_count, setup),
        cmocka_unit_test_setup(file_that_computes_always_is_not, setup),
        cmocka_unit_test_setup(no_file_stands_out, setup),
        cmocka_unit_test_setup(one_cycle_is_no_evidence, setup),
        cmocka_unit_test_setup(without_others_nothing_is_known, setup),
        cmocka_unit_test_setup(more_files_than_room_and_none, setup),
        cmocka_unit_test_setup(false_names, setup),
        cmocka_unit_test_setup(two_halves_are_not_named, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
