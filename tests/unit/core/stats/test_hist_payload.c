#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/stats/hist_payload.h"

static uint8_t buf[400000];

static struct st_hist hist_of(int digits)
{
    struct st_hist hist;
    assert_int_equal(st_hist_init(&hist, digits), 0);
    return hist;
}

static void a_payload_has_the_bytes_of_the_format(void **state)
{
    (void)state;
    struct st_hist hist = hist_of(3);
    st_hist_add_n(&hist, 1, 3);   /* index 1: one zero before it */
    st_hist_add_n(&hist, 5, 100); /* three zeros */
    static const uint8_t
        wanted[] =
            {
                0x1c, 0x84, 0x93, 0x13, 0,    0,    0, 5, 0, 0, 0, 0, 0,    0,
                0,    3,    0,    0,    0,    0,    0, 0, 0, 1, 0, 0, 0x03, 0x46,
                0x30, 0xb8, 0xa0, 0,    0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 0, /* a single zero is a count */
                6,                                                       /* ZigZag of 3 */
                5,                                                       /* ZigZag of -3: a run of zeros */
                0xc8, 0x01,                                              /* ZigZag of 100 */
            };
    assert_int_equal(st_hist_payload_encode(&hist, buf, sizeof(buf)), sizeof(wanted));
    assert_memory_equal(buf, wanted, sizeof(wanted));
    st_hist_finish(&hist);
}

static void decoding_gives_back_what_was_encoded(void **state)
{
    (void)state;
    for (int digits = 1; digits <= 4; digits++) {
        struct st_hist hist = hist_of(digits), back = hist_of(digits);
        st_hist_add_n(&hist, 0, 1);
        st_hist_add_n(&hist, 1000, UINT64_C(1) << 40);
        st_hist_add_n(&hist, 12345678, 127);
        st_hist_add_n(&hist, ST_HIST_HIGHEST_NS, UINT64_C(1) << 61); /* nine bytes of varint */
        const int64_t bytes = st_hist_payload_encode(&hist, buf, sizeof(buf));
        assert_true(bytes > 0);
        assert_true((size_t)bytes <= st_hist_payload_max_bytes(&hist));
        assert_int_equal(st_hist_payload_add(&back, buf, (size_t)bytes), 0);
        assert_memory_equal(back.late, hist.late, hist.counts_len * sizeof(*hist.late));
        assert_int_equal(back.total_n, hist.total_n);
        assert_int_equal(back.min_ns, 0);
        const uint32_t last = st_hist_index(&hist, ST_HIST_HIGHEST_NS);
        assert_int_equal(back.max_ns,
                         st_hist_bucket_lowest(&hist, last) + st_hist_bucket_width(&hist, last) - 1);
        st_hist_finish(&hist);
        st_hist_finish(&back);
    }
}

static void early_and_over_range_values_keep_n(void **state)
{
    (void)state;
    struct st_hist hist = hist_of(3), back = hist_of(3);
    st_hist_add_n(&hist, -500, 4);
    st_hist_add_n(&hist, -2 * ST_HIST_HIGHEST_NS, 1);
    st_hist_add_n(&hist, 700, 10);
    st_hist_add_n(&hist, 2 * ST_HIST_HIGHEST_NS, 3);
    const int64_t bytes = st_hist_payload_encode(&hist, buf, sizeof(buf));
    assert_int_equal(st_hist_payload_add(&back, buf, (size_t)bytes), 0);
    assert_int_equal(back.total_n, 18);
    assert_int_equal(back.late[0], 5);
    assert_int_equal(back.late[700], 10);
    assert_int_equal(back.late[back.counts_len - 1], 3);
    st_hist_finish(&hist);
    st_hist_finish(&back);
}

static void an_empty_histogram_goes_through(void **state)
{
    (void)state;
    struct st_hist hist = hist_of(3), back = hist_of(3);
    const int64_t bytes = st_hist_payload_encode(&hist, buf, sizeof(buf));
    assert_int_equal(bytes, 41);
    assert_int_equal(st_hist_payload_add(&back, buf, (size_t)bytes), 0);
    assert_int_equal(back.total_n, 0);
    st_hist_finish(&hist);
    st_hist_finish(&back);
}

static void a_small_buffer_is_refused_at_every_size(void **state)
{
    (void)state;
    struct st_hist hist = hist_of(3);
    for (int64_t v = 1; v < 40; v++)
        st_hist_add_n(&hist, v * v, (uint64_t)v << 30);
    const int64_t bytes = st_hist_payload_encode(&hist, buf, sizeof(buf));
    for (size_t size = 0; size < (size_t)bytes; size++) {
        uint8_t *small = malloc(size + 1); /* so that an overrun is seen by the sanitizers */
        assert_non_null(small);
        assert_int_equal(st_hist_payload_encode(&hist, small, size), -ENOSPC);
        free(small);
    }
    st_hist_finish(&hist);
}

static void a_payload_cut_anywhere_is_refused(void **state)
{
    (void)state;
    struct st_hist hist = hist_of(3), back = hist_of(3);
    for (int64_t v = 1; v < 40; v++)
        st_hist_add_n(&hist, v * v * v, (uint64_t)v << 20);
    const int64_t bytes = st_hist_payload_encode(&hist, buf, sizeof(buf));
    for (size_t size = 0; size < (size_t)bytes; size++)
        assert_int_equal(st_hist_payload_add(&back, buf, size), -EBADMSG);
    st_hist_finish(&hist);
    st_hist_finish(&back);
}

static void other_parameters_are_refused(void **state)
{
    (void)state;
    struct st_hist hist = hist_of(3), two = hist_of(2);
    st_hist_add(&hist, 77);
    st_hist_add(&two, 5);
    const size_t bytes = (size_t)st_hist_payload_encode(&hist, buf, sizeof(buf));
    assert_int_equal(st_hist_payload_add(&two, buf, bytes), -EINVAL);
    assert_int_equal(two.total_n, 1); /* untouched */
    buf[23] = 2;                      /* lowest value */
    assert_int_equal(st_hist_payload_add(&hist, buf, bytes), -EINVAL);
    buf[23] = 1;
    buf[11] = 1; /* index offset */
    assert_int_equal(st_hist_payload_add(&hist, buf, bytes), -EINVAL);
    buf[11] = 0;
    buf[3] = 0x14; /* cookie */
    assert_int_equal(st_hist_payload_add(&hist, buf, bytes), -EBADMSG);
    st_hist_finish(&hist);
    st_hist_finish(&two);
}

/* Replaces the counts of an empty payload. */
static int decode_counts(struct st_hist *hist, const uint8_t *counts, uint8_t bytes)
{
    const struct st_hist empty = hist_of(3);
    assert_int_equal(st_hist_payload_encode(&empty, buf, sizeof(buf)), 41);
    st_hist_finish(&(struct st_hist){.late = empty.late, .early = empty.early});
    memcpy(buf + 40, counts, bytes);
    buf[7] = bytes;
    st_hist_reset(hist);
    return st_hist_payload_add(hist, buf, 40U + bytes);
}

static void hostile_counts_are_refused_and_leave_it_empty(void **state)
{
    (void)state;
    struct st_hist hist = hist_of(3);
    /* 33793 zeros, one more than there are buckets: ZigZag 67585 */
    assert_int_equal(decode_counts(&hist, (const uint8_t[]){2, 0x81, 0x90, 0x04}, 4), -EBADMSG);
    assert_int_equal(hist.total_n, 0);
    assert_int_equal(hist.late[0], 0);
    /* twice 20000 zeros: ZigZag 39999 */
    assert_int_equal(decode_counts(&hist, (const uint8_t[]){0xbf, 0xb8, 0x02, 0xbf, 0xb8, 0x02}, 6),
                     -EBADMSG);
    /* as many zeros as buckets is the limit, one count more is not */
    assert_int_equal(decode_counts(&hist, (const uint8_t[]){0xff, 0x8f, 0x04}, 3), 0);
    assert_int_equal(decode_counts(&hist, (const uint8_t[]){0xff, 0x8f, 0x04, 2}, 4), -EBADMSG);
    /* INT64_MIN zeros */
    assert_int_equal(decode_counts(&hist, (const uint8_t[]){255, 255, 255, 255, 255, 255, 255, 255, 255}, 9),
                     -EBADMSG);
    /* two counts that together pass INT64_MAX */
    static const uint8_t two[] = {254, 255, 255, 255, 255, 255, 255, 255, 255, 2};
    assert_int_equal(decode_counts(&hist, two, 9), 0);
    assert_int_equal(hist.total_n, INT64_MAX);
    assert_int_equal(decode_counts(&hist, two, 10), -EBADMSG);
    assert_int_equal(hist.total_n, 0);
    st_hist_finish(&hist);
}

static void payloads_of_fewer_digits_are_added_at_the_middles_of_their_buckets(void **state)
{
    (void)state;
    struct st_hist two = hist_of(2), three = hist_of(3);
    st_hist_add_n(&two, 77, 5);
    st_hist_add_n(&two, 100000, 3); /* 2 digits: 99840 .. 100351 */
    st_hist_add_n(&three, 77, 1);
    const size_t bytes = (size_t)st_hist_payload_encode(&two, buf, sizeof(buf));
    for (uint64_t times = 1; times <= 2; times++) {
        assert_int_equal(st_hist_payload_add(&three, buf, bytes), 0);
        assert_int_equal(three.total_n, 1 + 8 * times);
        assert_int_equal(three.late[77], 1 + 5 * times);
        assert_int_equal(three.late[st_hist_index(&three, 100096)], 3 * times);
    }
    assert_int_equal(three.min_ns, 77);
    assert_int_equal(three.max_ns, 100351);
    st_hist_finish(&two);
    st_hist_finish(&three);
}

static void what_cannot_be_added_changes_nothing(void **state)
{
    (void)state;
    struct st_hist two = hist_of(2), three = hist_of(3);
    st_hist_add_n(&two, 5, 9);
    st_hist_add_n(&three, 70000, 9);
    const size_t bytes = (size_t)st_hist_payload_encode(&three, buf, sizeof(buf));
    assert_int_equal(st_hist_payload_add(&two, buf, bytes), -EINVAL);
    for (size_t size = 0; size < bytes; size++)
        assert_int_equal(st_hist_payload_add(&three, buf, size), -EBADMSG);
    st_hist_add_n(&three, 5, INT64_MAX - 20); /* 12 more would pass what is counted */
    assert_int_equal(st_hist_payload_add(&three, buf, bytes), 0);
    assert_int_equal(st_hist_payload_add(&three, buf, bytes), -EBADMSG);
    assert_int_equal(three.total_n, INT64_MAX - 2);
    assert_int_equal(two.total_n, 9);
    st_hist_finish(&two);
    st_hist_finish(&three);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_payload_has_the_bytes_of_the_format),
        cmocka_unit_test(decoding_gives_back_what_was_encoded),
        cmocka_unit_test(early_and_over_range_values_keep_n),
        cmocka_unit_test(an_empty_histogram_goes_through),
        cmocka_unit_test(a_small_buffer_is_refused_at_every_size),
        cmocka_unit_test(a_payload_cut_anywhere_is_refused),
        cmocka_unit_test(other_parameters_are_refused),
        cmocka_unit_test(hostile_counts_are_refused_and_leave_it_empty),
        cmocka_unit_test(payloads_of_fewer_digits_are_added_at_the_middles_of_their_buckets),
        cmocka_unit_test(what_cannot_be_added_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
