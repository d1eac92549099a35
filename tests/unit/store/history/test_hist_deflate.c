

#include <zlib.h>

#include "store/history/hist_deflate.h"
#include "tests/unit/unit.h"

static uint8_t buf[400000];

static struct st_hist hist_of(int digits)
{
    struct st_hist hist;
    assert_int_equal(st_hist_init(&hist, digits), 0);
    return hist;
}

static void a_bucket_is_its_distance_and_its_count(void **state)
{
    struct st_hist hist = hist_of(3);
    st_hist_add_n(&hist, 1, 3);
    st_hist_add_n(&hist, 5, 300);
    static const uint8_t wanted[] = {3, 1, 3, 3, 0xac, 0x02};
    assert_int_equal(st_hist_deflate_pack(&hist, buf), sizeof(wanted));
    assert_memory_equal(buf, wanted, sizeof(wanted));
    st_hist_finish(&hist);
}

static void unpacking_gives_back_what_was_packed(void **state)
{
    for (int digits = 1; digits <= 4; digits++) {
        struct st_hist hist = hist_of(digits), back = hist_of(digits);
        uint8_t *room = malloc(st_hist_deflate_room(&hist));
        size_t bytes;
        st_hist_add_n(&hist, 0, 1);
        st_hist_add_n(&hist, 1000, UINT64_C(1) << 40);
        st_hist_add_n(&hist, 12345678, 127);
        st_hist_add_n(&hist, ST_HIST_HIGHEST_NS / 2, UINT64_C(1) << 61);
        uint8_t *stored = st_hist_deflate(&hist, &bytes);
        assert_true(room != NULL && stored != NULL);
        assert_int_equal(st_hist_deflate_undo(&back, stored, bytes, room), 0);
        assert_memory_equal(back.late, hist.late, hist.counts_len * sizeof(*hist.late));
        assert_int_equal(back.total_n, hist.total_n);
        assert_int_equal(back.min_ns, 0);
        assert_int_equal(back.max_ns, st_hist_bucket_middle(
                                          &hist, st_hist_index(&hist, ST_HIST_HIGHEST_NS / 2)));
        free(room);
        free(stored);
        st_hist_finish(&hist);
        st_hist_finish(&back);
    }
}

static void early_and_over_range_values_keep_n(void **state)
{
    struct st_hist hist = hist_of(3), back = hist_of(3);
    st_hist_add_n(&hist, -500, 4);
    st_hist_add_n(&hist, -2 * ST_HIST_HIGHEST_NS, 1);
    st_hist_add_n(&hist, 700, 10);
    st_hist_add_n(&hist, 2 * ST_HIST_HIGHEST_NS, 3);
    for (int times = 0; times < 2; times++) { /* the second time what came back */
        const size_t bytes = st_hist_deflate_pack(times == 0 ? &hist : &back, buf);
        st_hist_reset(&back);
        assert_int_equal(st_hist_deflate_unpack(&back, buf, bytes), 0);
        assert_int_equal(back.total_n, 18);
        assert_int_equal(back.late[0], 5);
        assert_int_equal(back.late[700], 10);
        assert_int_equal(back.over_n, 3);
        assert_int_equal(st_hist_quantile(&back, 0.5), 700);
        assert_true(st_hist_quantile(&back, 0.9) >= ST_HIST_HIGHEST_NS);
    }
    st_hist_finish(&hist);
    st_hist_finish(&back);
}

static void an_empty_histogram_goes_through(void **state)
{
    struct st_hist hist = hist_of(3), back = hist_of(3);
    assert_int_equal(st_hist_deflate_pack(&hist, buf), 1);
    assert_int_equal(st_hist_deflate_unpack(&back, buf, 1), 0);
    assert_int_equal(st_hist_deflate_unpack(&back, buf, 0), -EBADMSG);
    assert_int_equal(back.total_n, 0);
    st_hist_finish(&hist);
    st_hist_finish(&back);
}

/* The room is an upper bound. */
static void the_fullest_histogram_fits(void **state)
{
    struct st_hist hist = hist_of(2), back = hist_of(2);
    const size_t room_bytes = st_hist_deflate_room(&hist);
    uint8_t *room = malloc(room_bytes); /* so that an overrun is seen by the sanitizers */
    assert_non_null(room);
    for (uint32_t every = 1; every < 200; every = 2 * every + 1) {
        for (uint32_t i = 0; i < hist.counts_len; i++)
            hist.late[i] = i % every == 0 ? UINT64_MAX : 0;
        const size_t bytes = st_hist_deflate_pack(&hist, room);
        assert_true(bytes <= room_bytes);
        assert_int_equal(st_hist_deflate_unpack(&back, room, bytes),
                         -EBADMSG); /* more than is counted */
    }
    assert_int_equal(back.total_n, 0);
    free(room);
    st_hist_finish(&hist);
    st_hist_finish(&back);
}

static void hostile_counts_are_refused_and_change_nothing(void **state)
{
    static const struct {
        uint8_t bytes[24];
        size_t n;
        int r;
    } rows[] = {
        {{5, 0, 1}, 3, -EBADMSG},                      /* more digits than there are */
        {{0, 0, 1}, 3, -EBADMSG},                      /* none */
        {{4, 0, 1}, 3, -EBADMSG},                      /* more than it has */
        {{2, 0, 1}, 3, -EBADMSG},                      /* fewer */
        {{3, 0}, 2, -EBADMSG},                         /* no count */
        {{3, 0, 0x80}, 3, -EBADMSG},                   /* half a count */
        {{3, 0xff, 0x87, 0x02, 1}, 5, 0},              /* the last bucket, 33791 */
        {{3, 0x80, 0x88, 0x02, 1}, 5, -EBADMSG},       /* the one behind it */
        {{3, 0xff, 0x87, 0x02, 1, 0, 1}, 7, -EBADMSG}, /* the same in two steps */
        {{3, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1, 1}, 12, -EBADMSG},
        {{3, 0, 255, 255, 255, 255, 255, 255, 255, 255, 127}, 11, 0}, /* INT64_MAX */
        {{3, 0, 255, 255, 255, 255, 255, 255, 255, 255, 127, 0, 1}, 13, -EBADMSG},
    };
    struct st_hist hist = hist_of(3);
    for (size_t i = 0; i < ST_ARRAY_LEN(rows); i++) {
        st_hist_reset(&hist);
        print_message("# %zu\n", i);
        assert_int_equal(st_hist_deflate_unpack(&hist, rows[i].bytes, rows[i].n), rows[i].r);
        assert_int_equal(hist.total_n > 0, rows[i].r == 0);
        assert_int_equal(hist.max_ns == INT64_MIN, rows[i].r != 0);
    }
    st_hist_finish(&hist);
}

/* 16 MB of zeros are 16 kB. */
static void what_inflates_beyond_its_room_is_refused(void **state)
{
    const size_t plain_bytes = 16 << 20;
    struct st_hist hist = hist_of(2);
    uLongf deflated = compressBound(plain_bytes);
    uint8_t *plain = calloc(1, plain_bytes), *whole = malloc(deflated),
            *room = malloc(st_hist_deflate_room(&hist));
    assert_true(plain != NULL && whole != NULL && room != NULL);
    assert_int_equal(compress2(whole, &deflated, plain, plain_bytes, Z_BEST_COMPRESSION), Z_OK);
    assert_int_equal(st_hist_deflate_undo(&hist, whole, deflated, room), -EBADMSG);
    assert_int_equal(st_hist_deflate_undo(&hist, plain, 100, room), -EBADMSG);
    free(plain);
    free(whole);
    free(room);
    st_hist_finish(&hist);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bucket_is_its_distance_and_its_count),
        cmocka_unit_test(unpacking_gives_back_what_was_packed),
        cmocka_unit_test(early_and_over_range_values_keep_n),
        cmocka_unit_test(an_empty_histogram_goes_through),
        cmocka_unit_test(the_fullest_histogram_fits),
        cmocka_unit_test(hostile_counts_are_refused_and_change_nothing),
        cmocka_unit_test(what_inflates_beyond_its_room_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
