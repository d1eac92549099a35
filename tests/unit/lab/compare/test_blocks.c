/* Stretches of a run: their number and length, that nothing is lost, values without order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "lab/compare/blocks.h"

static uint64_t values_in(const struct st_block *block)
{
    uint64_t n = 0;
    for (size_t i = 0; i < block->len; i++) {
        n += block->buckets[i].n;
        if (i > 0)
            assert_true(block->buckets[i].bucket > block->buckets[i - 1].bucket);
    }
    return n;
}

/* Every value is in one of few stretches, which are of equal length but the last. */
static void test_lengths(void **state)
{
    (void)state;
    static const uint64_t ns[] = {0, 1, 2, 7, 63, 64, 65, 96, 127, 128, 129, 1000, 4096, 4097, 100000};
    for (size_t row = 0; row < ST_ARRAY_LEN(ns); row++) {
        struct st_blocks blocks;
        uint64_t sum = 0, missed_n = 0;
        assert_int_equal(st_blocks_init(&blocks), 0);
        for (uint64_t i = 0; i < ns[row]; i++)
            assert_int_equal(st_blocks_add(&blocks, (int64_t)i * 1000 - 5000, i % 10 == 0), 0);
        assert_int_equal(st_blocks_end(&blocks), 0);
        assert_int_equal(blocks.n, ns[row]);
        assert_int_equal(blocks.trials_n, ns[row]);
        assert_int_equal(blocks.missed_n, (ns[row] + 9) / 10);
        assert_true(blocks.len <= ST_BLOCKS_MAX);
        assert_true(blocks.len >= (ns[row] < 32 ? ns[row] : 32));
        for (size_t i = 0; i < blocks.len; i++) {
            assert_int_equal(values_in(&blocks.block[i]), blocks.block[i].n);
            if (i + 1 < blocks.len)
                assert_int_equal(blocks.block[i].n, blocks.block[0].n);
            assert_true(blocks.block[i].n * 2 >= blocks.block[0].n / 2);
            sum += blocks.block[i].n;
            missed_n += blocks.block[i].missed_n;
        }
        assert_int_equal(sum, ns[row]);
        assert_int_equal(missed_n, blocks.missed_n);
        if (ns[row] > 0) {
            assert_int_equal(blocks.min_ns, -5000);
            assert_int_equal(blocks.max_ns, (int64_t)ns[row] * 1000 - 6000);
        }
        st_blocks_finish(&blocks);
    }
}

/* Periods that were missed have a place in time, but no value. */
static void test_missed(void **state)
{
    (void)state;
    struct st_blocks blocks;
    assert_int_equal(st_blocks_init(&blocks), 0);
    for (int i = 0; i < 640; i++)
        assert_int_equal(st_blocks_add(&blocks, 1000, false), 0);
    assert_int_equal(st_blocks_add_missed(&blocks, 640), 0);
    assert_int_equal(st_blocks_end(&blocks), 0);
    assert_int_equal(blocks.n, 640);
    assert_int_equal(blocks.trials_n, 1280);
    assert_int_equal(blocks.missed_n, 640);
    assert_int_equal(blocks.block[0].missed_n, 0);
    assert_int_equal(blocks.block[blocks.len - 1].n, 0);
    assert_int_equal(blocks.block[blocks.len - 1].missed_n, blocks.block[blocks.len - 1].trials_n);
    st_blocks_finish(&blocks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_missed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
