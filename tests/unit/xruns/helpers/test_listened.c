/* What was heard of a stream, with what is known of its program. */
#include "tests/unit/unit.h"
#include "xruns/helpers/listened.h"

#define MS INT64_C(1000000)
#define AT (INT64_C(5000) * 1000 * MS)

static void stand(struct st_listened *listened, int64_t lost_ms, int64_t now_ms)
{
    const struct st_client_buffer_loss loss = {lost_ms * MS, ST_DROPOUT_STOPPED};
    st_listened_stand(listened, &loss, AT + now_ms * MS);
}

static void a_silence_in_which_the_program_stood_still_is_one(void **state)
{
    struct st_listened listened = {0};
    struct st_listened_loss loss;
    st_listened_find(&listened, AT, 470 * MS, 0);
    assert_false(st_listened_take(&listened, AT + 500 * MS, &loss));
    stand(&listened, 430, 520);
    assert_false(st_listened_take(&listened, AT + 1100 * MS, &loss));
    assert_true(st_listened_take(&listened, AT + 1300 * MS, &loss));
    assert_int_equal(loss.n, 1);
    assert_int_equal(loss.reason, ST_DROPOUT_STOPPED);
    assert_int_equal(loss.certainty, ST_CERTAINTY_EXACT);
    assert_int_equal(loss.lost_ns, 470 * MS);
    assert_int_equal(loss.begin_ns, AT);
    assert_false(st_listened_take(&listened, AT + 5000 * MS, &loss)); /* not twice */
}

static void what_it_did_before_or_later_explains_nothing(void **state)
{
    struct st_listened listened = {0};
    struct st_listened_loss loss;
    stand(&listened, 100, -400);
    assert_false(st_listened_take(&listened, AT, &loss));
    st_listened_find(&listened, AT, 20 * MS, ST_LISTENED_WHOLE | ST_LISTENED_RARE);
    assert_true(st_listened_take(&listened, AT + 800 * MS, &loss));
    assert_int_equal(loss.reason, ST_DROPOUT_UNKNOWN);
    assert_int_equal(loss.certainty, ST_CERTAINTY_PROBABLE);
    stand(&listened, 100, 3000);
    assert_false(st_listened_take(&listened, AT + 9000 * MS, &loss));
    stand(&listened, 6000, 9000); /* too long to be heard as one */
    assert_false(st_listened_take(&listened, AT + 9100 * MS, &loss));
    assert_true(st_listened_take(&listened, AT + 9800 * MS, &loss));
    assert_int_equal(loss.lost_ns, 6000 * MS);
    assert_int_equal(loss.n, 1);
    assert_int_equal(loss.certainty, ST_CERTAINTY_PROBABLE); /* it may have played silence */
    assert_false(st_listened_take(&listened, AT + 9900 * MS, &loss));
}

static void many_are_written_too_slowly(void **state)
{
    struct st_listened listened = {0};
    struct st_listened_loss loss;
    for (int i = 0; i < 20; i++) {
        st_listened_find(&listened, AT + 43 * i * MS, (i == 7 ? 30 : 21) * MS,
                         i % 2 == 0 ? ST_LISTENED_WHOLE : 0);
        assert_false(st_listened_take(&listened, AT + (43 * i + 25) * MS, &loss));
    }
    assert_true(st_listened_take(&listened, AT + 1700 * MS, &loss));
    assert_int_equal(loss.n, 20);
    assert_int_equal(loss.lost_ns, (20 * 21 + 9) * MS);
    assert_int_equal(loss.longest_ns, 30 * MS);
    assert_int_equal(loss.reason, ST_DROPOUT_WRITES_SLOWLY);
    assert_int_equal(loss.certainty, ST_CERTAINTY_EXACT);
}

static void who_cuts_itself_off_has_many_silences(void **state)
{
    struct st_listened listened = {0};
    struct st_listened_loss loss;
    for (int n = 4; n <= 8; n += 4) {
        for (int i = 0; i < n; i++)
            st_listened_find(&listened, AT + 300 * i * MS, 90 * MS, ST_LISTENED_WHOLE);
        assert_int_equal(st_listened_take(&listened, AT + 4000 * MS, &loss), n == 8);
    }
    for (int own_n = 3; own_n <= 4; own_n++) {
        for (int i = 0; i < 8; i++)
            st_listened_find(&listened, AT + 300 * i * MS, 90 * MS,
                             ST_LISTENED_WHOLE | (i < own_n ? ST_LISTENED_OWN : 0));
        assert_int_equal(st_listened_take(&listened, AT + 4000 * MS, &loss), own_n == 3);
    }
}

static void two_are_enough_if_one_is_whole(void **state)
{
    struct st_listened listened = {0};
    struct st_listened_loss loss;
    for (int whole = 1; whole >= 0; whole--) {
        for (int i = 0; i < 3; i++)
            st_listened_find(&listened, AT + 100 * i * MS, 21 * MS,
                             i == 1 && whole ? ST_LISTENED_WHOLE | ST_LISTENED_RARE : 0);
        assert_int_equal(st_listened_take(&listened, AT + 2000 * MS, &loss), whole);
        assert_true(!whole || (loss.n == 3 && loss.reason == ST_DROPOUT_WRITES_SLOWLY));
    }
}

static void one_of_the_plug_in_is_enough_if_it_is_rare(void **state)
{
    struct st_listened listened = {.plug_in = true};
    struct st_listened_loss loss;
    for (int rare = 1; rare >= 0; rare--) {
        for (int i = 0; i < 2; i++)
            st_listened_find(&listened, AT + 150 * i * MS, 90 * MS, rare ? ST_LISTENED_RARE : 0);
        assert_int_equal(st_listened_take(&listened, AT + 2000 * MS, &loss), rare);
        assert_true(!rare || (loss.n == 2 && loss.reason == ST_DROPOUT_WRITES_SLOWLY));
    }
    st_listened_find(&listened, AT, 90 * MS, ST_LISTENED_RARE);
    assert_true(st_listened_take(&listened, AT + 2000 * MS, &loss));
    assert_int_equal(loss.n, 1);
    assert_int_equal(loss.lost_ns, 90 * MS);
    assert_int_equal(loss.certainty, ST_CERTAINTY_PROBABLE);
}

static void what_goes_on_is_reported_in_parts(void **state)
{
    struct st_listened listened = {0};
    struct st_listened_loss loss;
    int64_t n = 0, parts = 0;
    for (int i = 0; i < 400; i++) {
        st_listened_find(&listened, AT + 43 * i * MS, 21 * MS, ST_LISTENED_WHOLE);
        if (st_listened_take(&listened, AT + (43 * i + 25) * MS, &loss)) {
            n += loss.n;
            parts++;
        }
    }
    assert_true(st_listened_take(&listened, AT + 43 * 420 * MS, &loss));
    assert_int_equal(n + loss.n, 400);
    assert_int_equal(parts, 3);
}

static void what_is_left_at_the_end_is_reported(void **state)
{
    struct st_listened listened = {0};
    struct st_listened_loss loss;
    for (int i = 0; i < 9; i++)
        st_listened_find(&listened, AT + 500 * i * MS, 90 * MS,
                         ST_LISTENED_WHOLE | ST_LISTENED_RARE);
    assert_false(st_listened_take(&listened, AT + 4100 * MS, &loss));
    assert_true(st_listened_end(&listened, &loss));
    assert_int_equal(loss.n, 9);
    assert_int_equal(loss.reason, ST_DROPOUT_WRITES_SLOWLY);
    assert_false(st_listened_end(&listened, &loss));
    /* one may be how the program stops its sound */
    st_listened_find(&listened, AT + 9000 * MS, 90 * MS, ST_LISTENED_WHOLE | ST_LISTENED_RARE);
    assert_false(st_listened_end(&listened, &loss));
    st_listened_find(&listened, AT + 19000 * MS, 90 * MS, ST_LISTENED_WHOLE | ST_LISTENED_RARE);
    stand(&listened, 80, 19100);
    assert_true(st_listened_end(&listened, &loss));
    assert_int_equal(loss.reason, ST_DROPOUT_STOPPED);
}

static void silences_of_the_music_and_changes_are_none(void **state)
{
    struct st_listened listened = {0};
    struct st_listened_loss loss;
    st_listened_find(&listened, AT, 20 * MS, ST_LISTENED_RARE); /* alone */
    assert_false(st_listened_take(&listened, AT + 2000 * MS, &loss));
    st_listened_find(&listened, AT, 20 * MS, ST_LISTENED_WHOLE); /* the program cuts itself off */
    assert_false(st_listened_take(&listened, AT + 2000 * MS, &loss));
    st_listened_find(&listened, AT + 3000 * MS, 20 * MS, ST_LISTENED_WHOLE | ST_LISTENED_RARE);
    st_listened_change(&listened, AT + 3100 * MS);
    assert_false(st_listened_take(&listened, AT + 5000 * MS, &loss));
    st_listened_change(&listened, AT + 6000 * MS);
    st_listened_find(&listened, AT + 6200 * MS, 20 * MS, ST_LISTENED_WHOLE | ST_LISTENED_RARE);
    assert_false(st_listened_take(&listened, AT + 8000 * MS, &loss));
    st_listened_find(&listened, AT + 9000 * MS, 20 * MS, ST_LISTENED_WHOLE | ST_LISTENED_RARE);
    assert_true(st_listened_take(&listened, AT + 11000 * MS, &loss));
    st_listened_find(&listened, AT + 12000 * MS, 20 * MS, ST_LISTENED_WHOLE | ST_LISTENED_RARE);
    st_listened_change(&listened, AT + 12600 * MS); /* reported late */
    assert_false(st_listened_take(&listened, AT + 14000 * MS, &loss));
}

static void lines_are_read(void **state)
{
    uint32_t id;
    int64_t begin_ns, lost_ns;
    unsigned signs;
    assert_true(
        st_listened_parse("lost 57 123456789012 470000000 3", &id, &begin_ns, &lost_ns, &signs));
    assert_int_equal(id, 57);
    assert_int_equal(begin_ns, INT64_C(123456789012));
    assert_int_equal(lost_ns, 470 * MS);
    assert_int_equal(signs, ST_LISTENED_WHOLE | ST_LISTENED_RARE);
    static const char *const wrong[] = {"",
                                        "lost",
                                        "lost 57 1 2",
                                        "lost 57 1 2 8",
                                        "lost -1 1 2 0",
                                        "lost +57 1 2 0",
                                        "lost 4294967296 1 2 0",
                                        "lost 57 -1 2 0",
                                        "lost 57 1 9223372036854775807 0",
                                        "lost 57 1 2 0 5",
                                        "lost 57 1 99999999999999999999999999 0"};
    for (size_t i = 0; i < ST_ARRAY_LEN(wrong); i++)
        assert_false(st_listened_parse(wrong[i], &id, &begin_ns, &lost_ns, &signs));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_silence_in_which_the_program_stood_still_is_one),
        cmocka_unit_test(what_it_did_before_or_later_explains_nothing),
        cmocka_unit_test(many_are_written_too_slowly),
        cmocka_unit_test(who_cuts_itself_off_has_many_silences),
        cmocka_unit_test(two_are_enough_if_one_is_whole),
        cmocka_unit_test(one_of_the_plug_in_is_enough_if_it_is_rare),
        cmocka_unit_test(what_goes_on_is_reported_in_parts),
        cmocka_unit_test(what_is_left_at_the_end_is_reported),
        cmocka_unit_test(silences_of_the_music_and_changes_are_none),
        cmocka_unit_test(lines_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
