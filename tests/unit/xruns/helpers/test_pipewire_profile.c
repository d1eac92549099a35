/* What PipeWire's profiler reports: counters, nodes, second cards, loads, code. */
#include "tests/unit/unit.h"
#include "tests/unit/xruns/helpers/profile_fixture.h"

static void quiet_cycles_tell_nothing(void **state)
{
    for (int i = 0; i < 100; i++) {
        TAKE(1000 + i, 5, {PLAYER, "player", FINISHED, NO_COUNTER},
             {CARD, "card", INACTIVE, NO_COUNTER});
        TAKE(1000 + i, 5, {PLAYER, "player", FINISHED, 17}, {CARD, "card", NOT_TRIGGERED, 2});
    }
    assert_int_equal(profile.unreported_n, 0);
}

/* What is reported each ten seconds comes earlier then. */
static void another_buffer_size_is_noticed_until_it_is_reported(void **state)
{
    char text[256] = "";
    play_from(1000, 2000, 5);
    assert_false(profile.resized);
    cycle_frames = 96;
    play(4000, 5, NO_COUNTER);
    cycle_frames = 48;
    assert_true(profile.resized);
    seeing(write_seen, text);
    st_pipewire_profile_loads(&profile);
    assert_false(profile.resized);
}

static void xruns_of_the_driver_are_the_devices(void **state)
{
    play(1000, 5, NO_COUNTER);
    play(2000, 6, NO_COUNTER);
    play(3000, 8, NO_COUNTER);
    assert_int_equal(profile.unreported_n,
                     0); /* a client or the server may still be found to be late */
    play(4000, 8, NO_COUNTER);
    tells("alsa_output.card/ 3 0; ");
}

/* A card that is unplugged, or plays no longer, right after it ran dry: no cycle comes that settles
 * it. */
static void a_device_that_ran_dry_and_went_is_counted(void **state)
{
    for (int removed = 0; removed < 2; removed++) {
        assert_int_equal(begin(state), 0);
        play(1000, 5, 0);
        play(2000, 5, 0);
        play(3000, 6, 0);
        assert_int_equal(profile.unreported_n, 0);
        if (removed)
            st_pipewire_profile_remove(&profile, DRIVER);
        (void)loads(); /* these cycles */
        (void)loads(); /* none since */
        tells("alsa_output.card/ 1 0; ");
        (void)loads();
        assert_int_equal(profile.unreported_n, 0);
    }
}

static void what_was_before_the_first_sight_is_not_told(void **state)
{
    play(1000, 500, 400);
    assert_int_equal(profile.unreported_n, 0);
    st_pipewire_profile_remove(&profile, PLAYER); /* another has its id now */
    st_pipewire_profile_add(&profile, PLAYER, CLIENT, false, false);
    TAKE(2000, 500, {PLAYER, "other", FINISHED, 900});
    assert_int_equal(profile.unreported_n, 0);
}

static void nodes_of_a_client_that_is_left_out_tell_nothing(void **state)
{
    enum { OWN = 41, OWN_CLIENT = 51 };
    st_pipewire_profile_add(&profile, OWN, OWN_CLIENT, false, false);
    TAKE(1000, 5, {OWN, "own", FINISHED, 1}, {PLAYER, "player", FINISHED, 1},
         {CARD, "card", FINISHED, 1});
    TAKE(3000, 5, {OWN, "own", FINISHED, 4}, {PLAYER, "player", FINISHED, 3},
         {CARD, "card", FINISHED, 2});
    st_pipewire_profile_add(&profile, 42, OWN_CLIENT, false,
                            false);                      /* it has had no cycle, so no name */
    st_pipewire_profile_leave_out(&profile, OWN_CLIENT); /* it is heard of late */
    TAKE(4000, 5, {OWN, "own", FINISHED, 5}, {PLAYER, "player", FINISHED, 3});
    tells("card/ 1 0; alsa_output.card/player 0 2; ");
    st_pipewire_profile_remove(&profile, OWN);
    st_pipewire_profile_remove(&profile, OWN_CLIENT); /* another client has its id now */
    st_pipewire_profile_add(&profile, OWN, OWN_CLIENT, false, false);
    TAKE(5000, 5, {OWN, "other", FINISHED, 1}, {PLAYER, "player", FINISHED, 3});
    TAKE(6000, 5, {OWN, "other", FINISHED, 2}, {PLAYER, "player", FINISHED, 3});
    tells("alsa_output.card/other 0 1; ");
    assert_int_equal(told_busy_ns, 0);
}

static void video_loses_no_sound(void **state)
{
    st_pipewire_profile_add(&profile, DRIVER, ST_PIPEWIRE_PROFILE_VIDEO, true, false);
    for (int i = 1; i < 9; i++)
        play(1000 * i, i, i);
    assert_int_equal(profile.unreported_n, 0);
    assert_string_equal(loads(), "");
}

/* As 0.3.65 does when the next cycle begins: as incomplete, then as ended by the driver, which
 * takes the time of the cycle. */
static void without_counters_each_unfinished_cycle_counts_once(void **state)
{
    for (int cycle = 1; cycle <= 3; cycle++) {
        const struct follower player = {PLAYER, "player", cycle == 1 ? AWAKE : TRIGGERED,
                                        NO_COUNTER};
        take_times((struct times){1000 * cycle, 1000 * cycle}, 5, &player, NULL, 1);
        take_times((struct times){1000 * cycle, 1000 * cycle + 1000}, 5, &player, NULL, 1);
    }
    play(5000, 5, NO_COUNTER);
    tells("alsa_output.card/player 0 3; ");
}

static int64_t told_dropouts_n, told_longest_ns, told_lost_ns;

static void sum_seen(ST_UNUSED void *ctx, const struct st_xrun_seen *seen)
{
    if (seen->kind == ST_XRUN_SEEN_CYCLE)
        return;
    told_dropouts_n += seen->event.kind == ST_EVENT_CLIENT_DROPOUT ? seen->event.count_n : 0;
    told_lost_ns += seen->event.lost_ns;
    told_longest_ns =
        seen->event.longest_ns > told_longest_ns ? seen->event.longest_ns : told_longest_ns;
    assert_int_equal(seen->event.place, ST_DROPOUT_AT_GRAPH);
}

/* In periods of 1 ms: 40 cycles are lost, two are played, two are lost, 30 are played, one is
 * lost. */
static void lost_cycles_with_next_to_no_sound_between_are_one_dropout(void **state)
{
    int lost_n = 0;
    told_dropouts_n = told_longest_ns = told_lost_ns = 0;
    seeing(sum_seen, NULL);
    for (int i = 0; i < 80; i++) {
        const bool lost = i >= 2 && (i < 42 || (i >= 44 && i < 46) || i == 76);
        lost_n += lost;
        play(1000000 + 1000 * i, 5, lost_n);
        if (i % 10 == 9) /* reported meanwhile */
            st_pipewire_profile_report(&profile);
    }
    assert_int_equal(told_dropouts_n, 2);
    assert_int_equal(told_lost_ns, 45 * INT64_C(1000000)); /* no less than the longest */
    assert_int_equal(
        told_longest_ns,
        44 * INT64_C(1000000)); /* from the begin of its first cycle to the end of its last */
}

/* A server that was late makes up for it by short cycles: what is lost is a cycle's sound
 * nevertheless. */
static void a_lost_cycle_is_no_shorter_than_its_sound(void **state)
{
    told_dropouts_n = told_longest_ns = told_lost_ns = 0;
    for (int i = 0; i < 6; i++)
        TAKE(1000000 + (i < 3 ? 1000 * i : 2000 + 300 * (i - 2)), 5,
             {PLAYER, "player", FINISHED,
              i < 3   ? 0
              : i < 5 ? i - 2
                      : 2});
    seeing(sum_seen, NULL);
    st_pipewire_profile_report(&profile);
    assert_int_equal(told_dropouts_n, 1);
    assert_int_equal(told_lost_ns, 2 * INT64_C(1000000));
    assert_int_equal(told_longest_ns, told_lost_ns);
}

static void counters_win_over_the_status(void **state)
{
    play(1000, 5, 4);
    TAKE(2000, 5, {PLAYER, "player", AWAKE, 4});
    assert_int_equal(profile.unreported_n, 0);
    TAKE(4000, 5, {PLAYER, "player", TRIGGERED, 6});
    play(5000, 5, 6); /* only now it is clear what happened */
    tells("alsa_output.card/player 0 2; ");
    TAKE(6000, 5,
         {PLAYER, "player", FINISHED, 9}); /* the client has counted missed wake-ups, too */
    tells("alsa_output.card/player 0 1; ");
}

static struct st_xrun_seen dry;

static void copy_seen(ST_UNUSED void *ctx, const struct st_xrun_seen *seen)
{
    assert_int_equal(dry.event.count_n, 0);
    dry = *seen;
}

static void a_card_that_runs_dry_says_how_much_was_lost(void **state)
{
    for (int has = 0; has < 2; has++) {
        for (int i = 1; i <= 6; i++) { /* in the third cycle: 45 ms at 48 kHz */
            driver_lost_frames = has == 0 ? -1 : 480 + (i >= 3 ? 2160 : 0);
            TAKE(1000 * i + 100000 * has, 5 + has + (i >= 3), {PLAYER, "player", FINISHED, 3});
        }
        dry = (struct st_xrun_seen){0};
        seeing(copy_seen, NULL);
        st_pipewire_profile_report(&profile);
        assert_int_equal(dry.event.count_n, 1);
        assert_int_equal(dry.event.place, ST_DROPOUT_AT_DEVICE_BUFFER);
        assert_int_equal(dry.event.lost_ns, has * 45 * ST_NS_PER_MS);
        assert_int_equal(dry.event.longest_ns, dry.event.lost_ns);
    }
    for (int two = 0; two < 2; two++) {
        for (int i = 1; i <= 6; i++) { /* 45 ms, then 10 ms, or two of unknown length: one report */
            driver_lost_frames = (i >= 3 ? 2160 : 0) + (i >= 4 ? 480 : 0);
            TAKE(1000 * i + 200000 + 100000 * two, 7 + 2 * two + (i >= 3) + (i >= 4) * (1 + two),
                 {PLAYER, "player", FINISHED, 3});
        }
        dry = (struct st_xrun_seen){0};
        st_pipewire_profile_report(&profile);
        assert_int_equal(dry.event.count_n, 2 + two);
        assert_int_equal(dry.event.lost_ns, 55 * ST_NS_PER_MS);
        assert_int_equal(dry.event.longest_ns, !two * 45 * ST_NS_PER_MS);
    }
    driver_lost_frames = -1;
}

static void each_of_many_clients_has_its_dropouts(void **state)
{
    static struct follower many[100];
    char names[100][8];
    for (int take = 1; take <= 3; take++) {
        for (int i = 0; i < 100; i++) {
            snprintf(names[i], sizeof(names[i]), "many %d", i);
            many[i] = (struct follower){1000 + i, names[i], FINISHED, take > 1};
        }
        take_times((struct times){1000 * take - 1, 1000 * take}, 5, many, NULL, 100);
    }
    assert_int_equal(profile.unreported_n, 100);
}

static void a_second_card_has_device_dropouts(void **state)
{
    TAKE(1000, 5, {CARD, "card", FINISHED, 1}, {PLAYER, "player", FINISHED, 1});
    TAKE(2000, 5, {CARD, "card", FINISHED, 2}, {PLAYER, "player", FINISHED, 2});
    tells("card/ 1 0; alsa_output.card/player 0 1; ");
}

/* Its cycle of 1 ms, in which it plays what lasts 1 ms. */
static void take_card(int64_t cycle, int64_t delay, double rate)
{
    static uint8_t space[4096];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(space, sizeof(space));
    struct spa_pod_frame frame, object;
    const struct times at = {cycle * 1000 - 1000, cycle * 1000};
    spa_pod_builder_push_struct(&builder, &frame);
    spa_pod_builder_push_object(&builder, &object, SPA_TYPE_OBJECT_Profiler, 0);
    spa_pod_builder_prop(&builder, SPA_PROFILER_info, 0);
    spa_pod_builder_add_struct(&builder, SPA_POD_Long(cycle), SPA_POD_Float(0.1),
                               SPA_POD_Float(0.1), SPA_POD_Float(0.1), SPA_POD_Int(0));
    spa_pod_builder_prop(&builder, SPA_PROFILER_clock, 0);
    spa_pod_builder_add_struct(&builder, SPA_POD_Int(0), SPA_POD_Int(1), SPA_POD_String("clock"),
                               SPA_POD_Long(cycle), SPA_POD_Fraction(&SPA_FRACTION(1, 48000)),
                               SPA_POD_Long(cycle), SPA_POD_Long(INT64_C(48)));
    put_block(&builder, SPA_PROFILER_driverBlock, DRIVER, "alsa_output.card", at, FINISHED, 0);
    put_block(&builder, SPA_PROFILER_followerBlock, CARD, "alsa_output.usb", at, FINISHED, 0);
    spa_pod_builder_prop(&builder, SPA_PROFILER_followerBlock + 1, 0);
    spa_pod_builder_add_struct(&builder, SPA_POD_Int(9), SPA_POD_String("api.alsa.1"),
                               SPA_POD_Long(cycle * 1000000),
                               SPA_POD_Fraction(&SPA_FRACTION(1, 48000)), SPA_POD_Long(cycle * 48),
                               SPA_POD_Long(INT64_C(48)), SPA_POD_Long(delay), SPA_POD_Double(rate),
                               SPA_POD_Long(cycle * 1000000), SPA_POD_Long(INT64_C(0)));
    spa_pod_builder_pop(&builder, &object);
    assert_int_equal(st_pipewire_profile_take(&profile, spa_pod_builder_pop(&builder, &frame)), 0);
}

static void see_resync(void *ctx, const struct st_xrun_seen *seen)
{
    *(struct st_xrun_seen *)ctx = *seen;
}

static void a_second_card_that_is_put_in_step_is_reported_beside_the_first(void **state)
{
    struct st_xrun_seen seen = {0};
    int64_t cycle = 1;
    for (; cycle < 12000; cycle++)
        take_card(cycle, 100, 1.000037);
    assert_int_equal(profile.unreported_n, 0);
    take_card(cycle++, 580, 1.000034);
    take_card(cycle++, 100, 1);
    assert_true(profile.unreported_n > 0);
    seeing(see_resync, &seen);
    st_pipewire_profile_report(&profile);
    assert_string_equal(seen.event.device, "alsa_output.card");
    assert_string_equal(seen.event.client, "alsa_output.usb");
    assert_int_equal(seen.event.count_n, 1);
    assert_int_equal(seen.event.kind, ST_EVENT_DEVICE_DROPOUT);
    assert_int_equal(seen.event.place, ST_DROPOUT_AT_RESYNC);
    assert_int_equal(seen.event.lost_ns, 10000000);
    seeing(see_resync, &seen);
    st_pipewire_profile_loads(&profile); /* that of the card is the last one */
    assert_string_equal(seen.event.client, "alsa_output.usb");
    assert_int_equal(seen.load.drift_ppb, 37000);
}

static void a_lower_counter_begins_anew(void **state)
{
    play(1000, 5, 9);
    play(2000, 5, 1);
    assert_int_equal(profile.unreported_n, 0);
    play(3000, 5, 2);
    tells("alsa_output.card/player 0 1; ");
}

static void more_nodes_than_there_is_room_for_are_not_watched(void **state)
{
    for (int round = 0; round < 2; round++) {
        for (int id = 1000; id < 1000 + 2 * ST_PIPEWIRE_PROFILE_NODES_MAX; id++)
            TAKE(1000 + round, 5, {id, "one of many", FINISHED, round});
    }
    assert_int_equal(profile.unreported[0].count_n, ST_PIPEWIRE_PROFILE_NODES_MAX - 3);
}

/* The block's times are 20 us of waiting and 30 us of work. */
static void each_finished_cycle_is_in_the_load_once(void **state)
{
    for (int i = 1; i <= 4; i++) {
        const int status = i == 3 ? AWAKE : FINISHED;
        TAKE(1000 * i, 5, {PLAYER, "player", status, NO_COUNTER},
             {CARD, "card", INACTIVE, NO_COUNTER});
        TAKE(1000 * i, 5, {PLAYER, "player", status, NO_COUNTER},
             {CARD, "card", INACTIVE, NO_COUNTER});
    }
    assert_string_equal(loads(), "alsa_output.card/ 3 1000000 30000 20000; "
                                 "alsa_output.card/player 2 1000000 30000 20000; ");
    assert_string_equal(loads(), "");
}

/* At 32 frames, 4 ms of work in a cycle of 1024 frames were 600 %. */
static void a_load_is_of_one_buffer_size(void **state)
{
    for (int ms = 1; ms <= 6; ms++) {
        cycle_frames = ms <= 3 ? 48 : 24;
        play(1000 * ms, 5, NO_COUNTER);
    }
    cycle_frames = 48;
    assert_string_equal(strstr(loads(), "/player"), "/player 3 500000 30000 20000; ");
}

/* How long the player's thread waits for a CPU in each cycle of the first two seconds and of those
 * after it, as far as that is kept. */
static int64_t first_ns, later_ns;

static void plays_waiting(void *ctx, uint32_t client, struct st_dropout_figures *ret)
{
    ret->measured = ret->end_ns - ret->signal_ns < 2 * ST_NS_PER_S;
    const int64_t cycles_n = (ret->end_ns - ret->signal_ns) / (int64_t)MS;
    ret->cpu_ns = !ret->measured ? 0 : cycles_n * 20 * US;
    ret->queue_ns =
        !ret->measured ? 0 : cycles_n * (ret->end_ns < 2500 * (int64_t)MS ? first_ns : later_ns);
}

static const char *loads_of_ten_seconds(int64_t of_first_ns, int64_t of_later_ns)
{
    (void)begin(NULL);
    profile.ops.plays = plays_waiting;
    first_ns = of_first_ns;
    later_ns = of_later_ns;
    for (int ms = 1; ms < 10000; ms++)
        play(1000 * ms, 5, NO_COUNTER);
    TAKE(10000000, 5, {PLAYER, "player", INACTIVE, NO_COUNTER}); /* not finished in time */
    return strstr(loads(), "/player");
}

/* It usually waits 20 us after its signal, and works 30 us by the clock, 20 us of which by its CPU
 * time. */
static void what_waited_for_a_cpu_has_its_cpu_time_as_load(void **state)
{
    assert_string_equal(loads_of_ten_seconds(29 * US, 29 * US),
                        "/player 9998 1000000 30000 20000; ");
    assert_string_equal(loads_of_ten_seconds(31 * US, 31 * US),
                        "/player 9998 1000000 20000 20000; ");
    assert_string_equal(loads_of_ten_seconds(300 * US, 0), "/player 9998 1000000 20000 20000; ");
    assert_string_equal(loads_of_ten_seconds(0, 100 * US), "/player 9998 1000000 20000 20000; ");
    assert_string_equal(loads_of_ten_seconds(100 * US, 0), "/player 9998 1000000 30000 20000; ");
}

static void the_last_node_of_a_program_says_that_it_has_ended(void **state)
{
    struct st_xrun_seen last;
    st_pipewire_profile_add(&profile, 77, CLIENT, false, false);
    st_pipewire_profile_add(&profile, 78, CLIENT, false, false);
    TAKE(1000, 5, {PLAYER, "player", FINISHED, NO_COUNTER}, {77, "player", FINISHED, NO_COUNTER});
    assert_false(st_pipewire_profile_ends(&profile, PLAYER, &last)); /* it has two streams */
    assert_false(st_pipewire_profile_ends(&profile, 78, &last));     /* it never ran */
    assert_false(st_pipewire_profile_ends(&profile, DRIVER, &last));
    st_pipewire_profile_remove(&profile, PLAYER);
    assert_true(st_pipewire_profile_ends(&profile, 77, &last));
    assert_int_equal(last.kind, ST_XRUN_SEEN_ENDED);
    assert_string_equal(last.event.client, "player");
    assert_string_equal(last.event.device, "alsa_output.card");
}

static void a_node_that_has_gone_makes_room_after_its_last_report(void **state)
{
    play(1000, 5, NO_COUNTER);
    st_pipewire_profile_remove(&profile, PLAYER);
    play(2000, 5, NO_COUNTER); /* reported late */
    assert_string_equal(loads(), "alsa_output.card/ 1 1000000 30000 20000; ");
    for (int id = 1000; id < 3000; id++) {
        st_pipewire_profile_add(&profile, (uint32_t)id, CLIENT, false, false);
        TAKE(1000 * id, 5, {id, "one of many", FINISHED, NO_COUNTER});
        st_pipewire_profile_remove(&profile, (uint32_t)id);
    }
    assert_int_equal(profile.beyond_n, 0);
}

/* 0.3.65 has no room when its main thread gets no CPU for long. Since 0.3.72 each node's counter
 * rises all the same. */
static void cycles_that_are_not_reported_are_an_error(void **state)
{
    play(1000, 5, NO_COUNTER);
    report_number++;
    play(2000, 5, NO_COUNTER);
    report_number += 2;
    play(3000, 5, 4);
    expected = -EOVERFLOW;
    play(4000, 5, NO_COUNTER);
    expected = 0;
    report_number = 3; /* another server */
    play(5000, 5, NO_COUNTER);
}

static int played_n;

static void note_plays(void *ctx, uint32_t client, struct st_dropout_figures *since)
{
    assert_int_equal(client, CLIENT);
    played_n++;
}

static void who_plays_is_said_once_a_second(void **state)
{
    profile.ops.plays = note_plays;
    played_n = 0;
    for (int ms = 1; ms <= 2500; ms++)
        play(1000 * ms, 5, 4);
    assert_int_equal(played_n, 3);
}

static void other_pods_are_malformed(void **state)
{
    uint8_t space[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(space, sizeof(space));
    struct spa_pod_int number = SPA_POD_INIT_Int(7);
    assert_int_equal(st_pipewire_profile_take(&profile, &number.pod), -EBADMSG);
    assert_int_equal(
        st_pipewire_profile_take(&profile, spa_pod_builder_add_struct(&builder, SPA_POD_Int(7))),
        -EBADMSG);
}

/* A counter that is a choice of numbers. */
static void a_block_of_other_values_is_malformed(void **state)
{
    uint8_t space[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(space, sizeof(space));
    struct st_pipewire_block block;
    for (int values = 7; values <= 9; values++) {
        struct spa_pod_frame frame;
        spa_pod_builder_push_struct(&builder, &frame);
        spa_pod_builder_int(&builder, PLAYER);
        spa_pod_builder_string(&builder, "player");
        for (int64_t time = 1; time <= 4; time++)
            spa_pod_builder_long(&builder, time);
        spa_pod_builder_int(&builder, FINISHED);
        if (values > 7)
            spa_pod_builder_fraction(&builder, 1024, 48000);
        if (values > 8)
            spa_pod_builder_add(&builder, SPA_POD_CHOICE_RANGE_Int(1, 0, 2), NULL);
        const struct spa_pod *pod = spa_pod_builder_pop(&builder, &frame);
        assert_int_equal(st_pipewire_cycle_block(pod, &block), values == 8 ? 0 : -EBADMSG);
    }
}

static void the_load_has_each_cycle_and_begins_anew(void **state)
{
    struct st_node_load load = {0};
    struct st_xrun_load told;
    assert_false(st_node_load_take(&load, &told));
    for (int64_t n = 2 * ST_NODE_LOAD_RECENT - 1; n <= 2 * ST_NODE_LOAD_RECENT + 1; n++) {
        for (int64_t i = 1; i <= n; i++)
            st_node_load_add(&load, 10 * i, i);
        st_node_load_add(&load, -1, 5);
        assert_true(st_node_load_take(&load, &told));
        assert_int_equal(told.cycles_n, n);
        assert_int_equal(told.busy_max_ns, 10 * n);
        assert_int_equal(told.wait_median_ns, (n + 1) / 2);
    }
    assert_false(st_node_load_take(&load, &told));
    st_node_load_finish(&load);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(quiet_cycles_tell_nothing, begin),
        cmocka_unit_test_setup(another_buffer_size_is_noticed_until_it_is_reported, begin),
        cmocka_unit_test_setup(xruns_of_the_driver_are_the_devices, begin),
        cmocka_unit_test(a_device_that_ran_dry_and_went_is_counted),
        cmocka_unit_test_setup(what_was_before_the_first_sight_is_not_told, begin),
        cmocka_unit_test_setup(nodes_of_a_client_that_is_left_out_tell_nothing, begin),
        cmocka_unit_test_setup(video_loses_no_sound, begin),
        cmocka_unit_test_setup(without_counters_each_unfinished_cycle_counts_once, begin),
        cmocka_unit_test_setup(lost_cycles_with_next_to_no_sound_between_are_one_dropout, begin),
        cmocka_unit_test_setup(a_lost_cycle_is_no_shorter_than_its_sound, begin),
        cmocka_unit_test_setup(counters_win_over_the_status, begin),
        cmocka_unit_test_setup(a_card_that_runs_dry_says_how_much_was_lost, begin),
        cmocka_unit_test_setup(each_of_many_clients_has_its_dropouts, begin),
        cmocka_unit_test_setup(a_second_card_has_device_dropouts, begin),
        cmocka_unit_test_setup(a_second_card_that_is_put_in_step_is_reported_beside_the_first,
                               begin),
        cmocka_unit_test_setup(a_lower_counter_begins_anew, begin),
        cmocka_unit_test_setup(more_nodes_than_there_is_room_for_are_not_watched, begin),
        cmocka_unit_test_setup(each_finished_cycle_is_in_the_load_once, begin),
        cmocka_unit_test_setup(a_load_is_of_one_buffer_size, begin),
        cmocka_unit_test_setup(what_waited_for_a_cpu_has_its_cpu_time_as_load, begin),
        cmocka_unit_test_setup(the_last_node_of_a_program_says_that_it_has_ended, begin),
        cmocka_unit_test_setup(a_node_that_has_gone_makes_room_after_its_last_report, begin),
        cmocka_unit_test_setup(cycles_that_are_not_reported_are_an_error, begin),
        cmocka_unit_test_setup(who_plays_is_said_once_a_second, begin),
        cmocka_unit_test_setup(other_pods_are_malformed, begin),
        cmocka_unit_test(a_block_of_other_values_is_malformed),
        cmocka_unit_test(the_load_has_each_cycle_and_begins_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
