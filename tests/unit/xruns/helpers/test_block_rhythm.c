/* Series of cycles of known truth. */
#include "tests/unit/unit.h"
#include "xruns/helpers/block_rhythm.h"

enum { RATE = 48000, USUAL_NS = 300000 };

static struct st_block_rhythm rhythm;
static uint32_t random_state;
static int64_t played;    /* frames, of the client ... */
static int64_t not_graph; /* ... beyond which the driver counted */

static int setup(void **state)
{
    rhythm = (struct st_block_rhythm){0};
    random_state = 1;
    played = not_graph = 0;
    return 0;
}

/* 0 .. n - 1 */
static uint32_t below(uint32_t n)
{
    random_state = random_state * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)random_state * n >> 32);
}

/* What one cycle needs, with the noise of a computer: ±10 %, now and then more. */
static int64_t noisy(void)
{
    return USUAL_NS + (int64_t)below(USUAL_NS / 5) - USUAL_NS / 10 +
           (below(2000) == 0 ? USUAL_NS : 0);
}

static void cycle(int64_t frames, bool is_long)
{
    st_block_rhythm_add(&rhythm, played + not_graph, frames, noisy() + (is_long ? USUAL_NS : 0),
                        USUAL_NS);
    played += frames;
}

/* A plug-in that computes when it has a block. */
static void play_blocks(int64_t frames, int64_t block, int64_t seconds)
{
    for (const int64_t end = played + seconds * RATE; played < end;)
        cycle(frames, (played + frames) / block != played / block);
}

static int64_t find(bool *any)
{
    return st_block_rhythm_find(&rhythm, any);
}

static void a_block_is_found_whatever_the_buffer(void **state)
{
    static const int64_t sizes[] = {128, 1024, 480, 1000};
    static const int64_t blocks[] = {16384, 32768, 65536};
    bool any;
    for (size_t i = 0; i < ST_ARRAY_LEN(sizes) * ST_ARRAY_LEN(blocks); i++) {
        const int64_t size = sizes[i % ST_ARRAY_LEN(sizes)],
                      block = blocks[i / ST_ARRAY_LEN(sizes)];
        setup(NULL);
        random_state = (uint32_t)i + 7;
        played = 12345 * (int64_t)i;
        play_blocks(size, block, 60);
        if (find(&any) != block)
            fail_msg("%d in cycles of %d: found %d", (int)block, (int)size, (int)find(&any));
        assert_false(any); /* so far */
        play_blocks(size == 128 ? 1024 : 128, block, 60);
        assert_int_equal(find(&any), block);
        assert_true(any);
    }
}

static void noise_and_long_cycles_at_random_have_no_rhythm(void **state)
{
    bool any;
    for (uint32_t seed = 1; seed <= 400; seed++) {
        static const int64_t sizes[] = {64, 128, 256, 1024};
        const int64_t size = sizes[seed % ST_ARRAY_LEN(sizes)];
        const uint32_t each = 4u << seed % 9; /* one long cycle in this number */
        setup(NULL);
        random_state = seed;
        for (const int64_t end = 90 * RATE; played < end;)
            cycle(size, below(each) == 0);
        if (find(&any) != 0)
            fail_msg("seed %u, one in %u, cycles of %d: found %d", seed, each, (int)size,
                     (int)find(&any));
    }
}

/* A job that runs each second, in the computer's time. */
static void rhythm_of_time_is_none(void **state)
{
    static const int64_t periods_ms[] = {100, 250, 333, 500, 700, 1000, 1500, 2000};
    bool any;
    for (size_t i = 0; i < 2 * ST_ARRAY_LEN(periods_ms); i++) {
        setup(NULL);
        play_blocks(i % 2 == 0 ? 128 : 1024, periods_ms[i / 2] * RATE / 1000, 120);
        assert_int_equal(find(&any), 0);
    }
}

/* Each second, eighth or thirty-second cycle: that changes with the buffer. */
static void rhythm_of_the_graph_is_none(void **state)
{
    bool any;
    for (int64_t n = 2; n <= 8; n++) {
        setup(NULL);
        for (int64_t i = 0; i < 20000; i++)
            cycle(256, i % n == 0);
        assert_int_equal(find(&any), 0);
    }
    setup(NULL);
    for (int64_t i = 0; i < 20000; i++)
        cycle(256, i % 32 == 0);
    (void)find(&any);
    assert_false(any);
    for (int64_t i = 0; i < 5000; i++)
        cycle(1024, i % 32 == 0);
    assert_int_equal(find(&any), 0);
}

static void it_is_found_again_after_a_lost_cycle(void **state)
{
    bool any;
    play_blocks(256, 32768, 40);
    not_graph += 256; /* the plug-in did not get it */
    play_blocks(256, 32768, 120);
    assert_int_equal(find(&any), 32768);
}

/* Nothing is reported of a cycle now and then; the client computed in it, or it did not. */
static void lost_cycles_do_not_hide_it(void **state)
{
    bool any;
    for (uint32_t seed = 1; seed <= 20; seed++) {
        setup(NULL);
        random_state = seed;
        for (int i = 0; i < 4; i++) {
            play_blocks(128, 32768, 2 + below(2));
            played += 128 * (1 + below(3));
            play_blocks(128, 32768, 13);
            not_graph += 128 * (1 + below(3));
        }
        if (find(&any) != 32768)
            fail_msg("seed %u: found %d", seed, (int)find(&any));
    }
}

/* A computer that takes the client's CPU for 4 or 5 cycles, some times a second, and one report in
 * 50 is lost. It has a long cycle at each block; or each period, in the computer's time. @return
 * what is found. */
static int64_t play_on_a_busy_computer(uint32_t seed, int64_t block, int64_t period)
{
    bool any;
    int64_t next = period;
    setup(NULL);
    random_state = seed;
    while (played + not_graph < 60 * RATE) {
        const int64_t now = played + not_graph;
        if (below(125) == 0)
            not_graph += 128 * (4 + below(2));
        bool is_long = block > 0 ? (played + 128) / block != played / block : now >= next;
        next += is_long ? period : 0;
        if (below(50) == 0)
            played += 128;
        else
            cycle(128, is_long);
    }
    return find(&any);
}

static void cycles_that_the_computer_takes_do_not_hide_it(void **state)
{
    for (uint32_t seed = 1; seed <= 50; seed++) {
        const int64_t found = play_on_a_busy_computer(seed, 32768, 0);
        if (found != 32768)
            fail_msg("seed %u: found %d", seed, (int)found);
    }
}

/* A time that is up to 6 % longer than a block, so that cycles that were not seen could explain
 * it. */
static void nor_do_they_make_a_rhythm_of_time_one(void **state)
{
    int found_n = 0;
    for (uint32_t seed = 1; seed <= 200; seed++)
        found_n += play_on_a_busy_computer(seed, 0, 32768 + (int64_t)seed * 10) != 0;
    assert_in_range(found_n, 0, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_block_is_found_whatever_the_buffer, setup),
        cmocka_unit_test_setup(noise_and_long_cycles_at_random_have_no_rhythm, setup),
        cmocka_unit_test_setup(rhythm_of_time_is_none, setup),
        cmocka_unit_test_setup(rhythm_of_the_graph_is_none, setup),
        cmocka_unit_test_setup(it_is_found_again_after_a_lost_cycle, setup),
        cmocka_unit_test_setup(lost_cycles_do_not_hide_it, setup),
        cmocka_unit_test_setup(cycles_that_the_computer_takes_do_not_hide_it, setup),
        cmocka_unit_test_setup(nor_do_they_make_a_rhythm_of_time_one, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
