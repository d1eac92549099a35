/* When the loop is to run, and when nothing plays. */
#include "core/ns.h"
#include "daemon/loop/witness.h"
#include "tests/unit/unit.h"

#define START_NS (100 * ST_NS_PER_S)

static struct st_playing playing;
static struct st_playing_facts facts;

static int setup(void **state)
{
    facts = (struct st_playing_facts){.telling_n = 1, .played_ns = INT64_MIN};
    playing.told_ns = START_NS;
    return 0;
}

static enum st_playing_answer after(int64_t s)
{
    return st_witness_plays(&playing, &facts, START_NS + s * ST_NS_PER_S);
}

static void nothing_has_played_yet(void **state)
{
    assert_int_equal(after(0), ST_PLAYING_NO);
    assert_int_equal(after(3600), ST_PLAYING_NO);
}

static void what_was_seen_to_play_plays_for_30_s(void **state)
{
    facts.played_ns = START_NS + 5 * ST_NS_PER_S;
    assert_int_equal(after(5), ST_PLAYING_YES);
    assert_int_equal(after(34), ST_PLAYING_YES);
    assert_int_equal(after(35), ST_PLAYING_NO);
    facts.played_ns = START_NS + 40 * ST_NS_PER_S;
    assert_int_equal(after(40), ST_PLAYING_YES);
}

static void own_stream_plays(void **state)
{
    facts.own_stream = true;
    assert_int_equal(after(1), ST_PLAYING_YES);
}

static void without_a_source_it_is_unknown_after_10_s(void **state)
{
    facts.telling_n = 0;
    assert_int_equal(after(9), ST_PLAYING_NO);
    assert_int_equal(after(10), ST_PLAYING_UNKNOWN);
    facts.telling_n = 1;
    assert_int_equal(after(11), ST_PLAYING_NO);
    facts.telling_n = 0; /* a server that is started again */
    assert_int_equal(after(20), ST_PLAYING_NO);
    assert_int_equal(after(21), ST_PLAYING_UNKNOWN);
}

static void beside_a_source_that_cannot_tell_the_others_prove_nothing(void **state)
{
    facts.blind = "jack";
    assert_int_equal(after(10), ST_PLAYING_UNKNOWN);
    facts.played_ns = START_NS + 11 * ST_NS_PER_S; /* but that something plays they know */
    assert_int_equal(after(11), ST_PLAYING_YES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(nothing_has_played_yet, setup),
        cmocka_unit_test_setup(what_was_seen_to_play_plays_for_30_s, setup),
        cmocka_unit_test_setup(own_stream_plays, setup),
        cmocka_unit_test_setup(without_a_source_it_is_unknown_after_10_s, setup),
        cmocka_unit_test_setup(beside_a_source_that_cannot_tell_the_others_prove_nothing, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
