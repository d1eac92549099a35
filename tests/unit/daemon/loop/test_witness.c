/* Which period and priority the timing test runs with. */
#include "daemon/loop/witness.h"
#include "tests/unit/unit.h"

static struct st_config defaults(void)
{
    struct st_config config;
    st_config_defaults(&config);
    return config;
}

static struct st_playing_facts music(int64_t frames, int64_t rate_hz, int priority)
{
    return (struct st_playing_facts){.frames = frames, .rate_hz = rate_hz, .priority = priority};
}

static void before_anything_plays_it_has_128_frames_and_priority_70(void **state)
{
    const struct st_config config = defaults();
    const struct st_witness witness = st_witness_choose(&config, NULL);
    assert_int_equal(witness.frames, 128);
    assert_int_equal(witness.rate_hz, 48000);
    assert_int_equal(witness.policy, ST_POLICY_FIFO);
    assert_int_equal(witness.priority, 70);
    assert_false(witness.music);
    assert_false(witness.settled);
}

static void it_has_the_period_and_priority_of_the_music(void **state)
{
    const struct st_config config = defaults();
    const struct st_playing_facts facts = music(1024, 44100, 20);
    const struct st_witness witness = st_witness_choose(&config, &facts);
    assert_int_equal(witness.frames, 1024);
    assert_int_equal(witness.rate_hz, 44100);
    assert_int_equal(witness.policy, ST_POLICY_FIFO);
    assert_int_equal(witness.priority, 20);
    assert_true(witness.music);
    assert_true(witness.settled);
}

static void music_without_rights_has_a_witness_without_rights(void **state)
{
    const struct st_config config = defaults();
    const struct st_playing_facts facts = music(256, 48000, 0);
    const struct st_witness witness = st_witness_choose(&config, &facts);
    assert_int_equal(witness.policy, ST_POLICY_OTHER);
    assert_int_equal(witness.priority, 0);
}

static void what_is_not_known_is_waited_for(void **state)
{
    const struct st_config config = defaults();
    const struct st_playing_facts no_rights = music(256, 48000, -1), no_period = music(0, 0, 88);
    const struct st_witness first = st_witness_choose(&config, &no_rights),
                            second = st_witness_choose(&config, &no_period);
    assert_int_equal(first.frames, 256);
    assert_int_equal(first.priority, 70);
    assert_false(first.settled);
    assert_int_equal(second.frames, 128);
    assert_int_equal(second.priority, 88);
    assert_false(second.settled);
    assert_true(st_witness_differs(&first, &second));
    assert_false(st_witness_differs(&first, &first));
}

static void what_is_configured_stays(void **state)
{
    struct st_config config = defaults();
    config.loop.frames = 64;
    config.loop.rate_hz = 96000;
    config.loop.priority = 50;
    const struct st_playing_facts facts = music(1024, 44100, 20);
    const struct st_witness witness = st_witness_choose(&config, &facts);
    assert_int_equal(witness.frames, 64);
    assert_int_equal(witness.rate_hz, 96000);
    assert_int_equal(witness.priority, 50);
    assert_false(witness.music);
    assert_true(witness.settled);
}

static void a_very_short_period_is_taken_several_times(void **state)
{
    const struct st_config config = defaults();
    const struct st_playing_facts short_one = music(64, 96000, 88), least = music(192, 48000, 88);
    assert_int_equal(st_witness_choose(&config, &short_one).frames,
                     512);                                            /* 667 us: eight of them */
    assert_int_equal(st_witness_choose(&config, &least).frames, 192); /* 4 ms */
}

static void no_period_is_longer_and_no_priority_higher_than_allowed(void **state)
{
    const struct st_config config = defaults();
    const struct st_playing_facts facts = music(100000, 8000, 99);
    const struct st_witness witness = st_witness_choose(&config, &facts);
    assert_int_equal(witness.frames, 128);
    assert_int_equal(witness.priority, ST_CONFIG_PRIORITY_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(before_anything_plays_it_has_128_frames_and_priority_70),
        cmocka_unit_test(it_has_the_period_and_priority_of_the_music),
        cmocka_unit_test(music_without_rights_has_a_witness_without_rights),
        cmocka_unit_test(what_is_not_known_is_waited_for),
        cmocka_unit_test(what_is_configured_stays),
        cmocka_unit_test(a_very_short_period_is_taken_several_times),
        cmocka_unit_test(no_period_is_longer_and_no_priority_higher_than_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
