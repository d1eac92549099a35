#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "store/recording/column.h"

enum { N_MAX = 4096 };

static int64_t values[N_MAX], back[N_MAX], scratch[N_MAX];
static uint8_t buf[ST_COLUMN_MAX_BYTES(N_MAX)];

static uint64_t random_next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* There and back; @return bytes. */
static size_t round_trip(size_t n)
{
    struct st_bytes_out out = {.at = buf, .end = buf + ST_COLUMN_MAX_BYTES(n)};
    st_column_put(&out, values, n, scratch);
    assert_false(out.full);
    struct st_bytes_in in = {.at = buf, .end = out.at};
    assert_int_equal(st_column_get(&in, back, n), 0);
    assert_ptr_equal(in.at, out.at);
    if (n > 0)
        assert_memory_equal(values, back, n * sizeof(*values));
    return (size_t)(out.at - buf);
}

static void every_number_comes_back(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (unsigned shift = 0; shift < 64; shift++) {
        for (size_t i = 0; i < 257; i++)
            values[i] = (int64_t)(random_next(&seed) >> shift) - (shift % 2 == 0 ? 0 : 1000);
        round_trip(257);
    }
}

static void the_ends_of_the_range_come_back(void **state)
{
    (void)state;
    static const int64_t ends[] = {INT64_MIN, INT64_MAX, 0, -1, 1, INT64_MIN + 1, INT64_MAX - 1};
    for (size_t i = 0; i < ST_ARRAY_LEN(ends); i++) {
        for (size_t k = 0; k < ST_ARRAY_LEN(ends); k++) {
            values[0] = ends[i];
            values[1] = ends[k];
            values[2] = ends[(i + k) % ST_ARRAY_LEN(ends)];
            round_trip(3);
        }
    }
}

static void none_and_one_and_equal_values_are_short(void **state)
{
    (void)state;
    assert_true(round_trip(0) <= 3);
    values[0] = 3000;
    assert_true(round_trip(1) <= 4);
    for (size_t i = 0; i < N_MAX; i++)
        values[i] = 3000;
    assert_true(round_trip(N_MAX) <= 4);
}

static void values_within_16_us_take_less_than_2_bytes(void **state)
{
    (void)state;
    uint64_t seed = 99;
    for (size_t i = 0; i < N_MAX; i++) {
        values[i] = 2000 + (int64_t)(random_next(&seed) % 16000);
        if (random_next(&seed) % 50 == 0) /* 2 % outside */
            values[i] += (int64_t)(random_next(&seed) % 1000000);
    }
    assert_true(round_trip(N_MAX) < N_MAX * 19 / 10);
}

static void a_spike_does_not_widen_the_others(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_MAX; i++)
        values[i] = (int64_t)(i % 256);
    const size_t plain = round_trip(N_MAX);
    values[1000] = INT64_C(3600000000000);
    assert_in_range(round_trip(N_MAX), plain, plain + 16);
}

static void a_column_cut_anywhere_is_refused(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (size_t i = 0; i < 100; i++)
        values[i] = (int64_t)(random_next(&seed) % 3000) * (i % 10 == 0 ? 1000000 : 1);
    const size_t bytes = round_trip(100);
    for (size_t size = 0; size < bytes; size++) {
        struct st_bytes_in in = {.at = buf, .end = buf + size};
        assert_int_equal(st_column_get(&in, back, 100), -EBADMSG);
    }
}

static void hostile_columns_are_refused(void **state)
{
    (void)state;
    static const struct {
        uint8_t bytes[16];
        size_t n;
    } rows[] = {
        {{0, 33, 0}, 1},            /* more bits than there may be */
        {{0, 0, 2, 0, 2, 1, 2}, 1}, /* more exceptions than values */
        {{0, 0, 1, 4, 2}, 4},       /* exception behind the last value */
        {{0, 0, 2, 0, 2, 0, 2}, 4}, /* the same place twice */
        {{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02, 0, 0}, 1}, /* varint beyond 64 bits */
    };
    for (size_t i = 0; i < ST_ARRAY_LEN(rows); i++) {
        struct st_bytes_in in = {.at = rows[i].bytes, .end = rows[i].bytes + sizeof(rows[i].bytes)};
        assert_int_equal(st_column_get(&in, back, rows[i].n), -EBADMSG);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_comes_back),
        cmocka_unit_test(the_ends_of_the_range_come_back),
        cmocka_unit_test(none_and_one_and_equal_values_are_short),
        cmocka_unit_test(values_within_16_us_take_less_than_2_bytes),
        cmocka_unit_test(a_spike_does_not_widen_the_others),
        cmocka_unit_test(a_column_cut_anywhere_is_refused),
        cmocka_unit_test(hostile_columns_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
