/* Which source a musician asks about. */
#include "story/dropout_table.h"
#include "tests/unit/unit.h"

static struct st_dropout_table device, server, other;

static int prepare(ST_UNUSED void **state)
{
    memset(&device, 0, sizeof(device));
    memset(&server, 0, sizeof(server));
    memset(&other, 0, sizeof(other));
    return 0;
}

static void expect_order(struct st_dropout_source *sources, const char *first, const char *second,
                         const char *third)
{
    st_dropout_table_sort(sources, 3);
    assert_string_equal(sources[0].name, first);
    assert_string_equal(sources[1].name, second);
    assert_string_equal(sources[2].name, third);
}

static void lost(struct st_dropout_table *table, uint64_t dropouts_n, int64_t lost_ns)
{
    table->sum = (struct st_dropout_sum){
        .n = dropouts_n, .lost_ns = lost_ns, .unknown_n = lost_ns == 0 ? dropouts_n : 0};
}

static void test_most_sound_lost_goes_first(ST_UNUSED void **state)
{
    struct st_dropout_source sources[] = {{"alsa", &device, true, false},
                                          {"pipewire", &server, true, true},
                                          {"jack", &other, true, true}};
    lost(&server, 1, 900);
    lost(&other, 5, 100);
    expect_order(sources, "pipewire", "jack", "alsa");
    lost(&other, 5, 0); /* of one the time is not known: the number decides */
    expect_order(sources, "jack", "pipewire", "alsa");
}

static void test_what_was_before_gives_way(ST_UNUSED void **state)
{
    struct st_dropout_source sources[] = {{"pipewire", &server, false, true},
                                          {"jack", &other, true, false},
                                          {"alsa", &device, true, true}};
    lost(&server, 50, 0);
    lost(&other, 1, 0);
    expect_order(sources, "jack", "pipewire",
                 "alsa"); /* none in that time: both play, one lost sound before */
}

static void test_without_dropouts_what_plays_goes_first(ST_UNUSED void **state)
{
    struct st_dropout_source sources[] = {{"alsa", &device, false, false},
                                          {"pipewire", &server, false, false},
                                          {"jack", &other, false, true}};
    expect_order(sources, "jack", "pipewire",
                 "alsa"); /* a server names programs, its device does not */
    sources[0].plays = sources[1].plays = sources[2].plays = false;
    expect_order(sources, "jack", "pipewire", "alsa"); /* as they were */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_most_sound_lost_goes_first, prepare),
        cmocka_unit_test_setup(test_what_was_before_gives_way, prepare),
        cmocka_unit_test_setup(test_without_dropouts_what_plays_goes_first, prepare),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
