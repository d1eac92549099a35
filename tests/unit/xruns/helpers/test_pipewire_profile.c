/* Profiles as PipeWire makes them, before and since it has a counter for each node. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/cannot.h"
#include "xruns/helpers/node_load.h"
#include "xruns/helpers/pipewire_cycle.h"
#include "xruns/helpers/pipewire_profile.h"

#include <spa/param/param.h>
#include <spa/param/profiler.h>
#include <spa/pod/builder.h>
#include <spa/utils/type.h>

enum { DRIVER = 30, CARD = 31, PLAYER = 40, CLIENT = 50, WAITER = 52 };
enum { FINISHED = 3, AWAKE = 2, TRIGGERED = 1, NOT_TRIGGERED = 0, INACTIVE = 4 };
#define NO_COUNTER (-1) /* before 0.3.72 */

struct follower {
    int id;
    const char *name;
    int status;
    int xruns_n;
};

/* A node's in one cycle; awake and finish 0: 20 and 50 us after the signal. */
struct times {
    int64_t prev_signal_ns, signal_ns, awake_ns, finish_ns;
};

static bool is_async; /* the nodes of one test */
static int64_t report_number;
static int expected; /* what taking a cycle returns */

/* Of one cycle, as module-profiler builds it. */
static void put_block(struct spa_pod_builder *builder, uint32_t key, int id, const char *name,
                      struct times times, int status, int xruns_n)
{
    struct spa_pod_frame frame;
    spa_pod_builder_prop(builder, key, 0);
    spa_pod_builder_push_struct(builder, &frame);
    spa_pod_builder_int(builder, id);
    spa_pod_builder_string(builder, name);
    spa_pod_builder_long(builder, times.prev_signal_ns);
    spa_pod_builder_long(builder, times.signal_ns);
    spa_pod_builder_long(builder, times.awake_ns != 0 ? times.awake_ns : times.signal_ns + 20000);
    spa_pod_builder_long(builder, times.finish_ns != 0 ? times.finish_ns : times.signal_ns + 50000);
    spa_pod_builder_int(builder, status);
    spa_pod_builder_fraction(builder, 1024, 48000);
    if (xruns_n != NO_COUNTER)
        spa_pod_builder_int(builder, xruns_n);
    if (is_async)
        spa_pod_builder_bool(builder, true);
    spa_pod_builder_pop(builder, &frame);
}

static void put_cycle(struct spa_pod_builder *builder, struct times driver, int driver_xruns_n,
                      const struct follower *followers, const struct times *times, size_t followers_n)
{
    struct spa_pod_frame frame;
    const bool counters = followers_n > 0 && followers[0].xruns_n != NO_COUNTER;
    spa_pod_builder_push_object(builder, &frame, SPA_TYPE_OBJECT_Profiler, 0);
    spa_pod_builder_prop(builder, SPA_PROFILER_info, 0);
    spa_pod_builder_add_struct(builder, SPA_POD_Long(report_number), SPA_POD_Float(0.1), SPA_POD_Float(0.1),
                               SPA_POD_Float(0.1), SPA_POD_Int(driver_xruns_n));
    spa_pod_builder_prop(builder, SPA_PROFILER_clock, 0);
    spa_pod_builder_add_struct(
        builder, SPA_POD_Int(0), SPA_POD_Int(1), SPA_POD_String("clock"), SPA_POD_Long(driver.signal_ns),
        SPA_POD_Fraction(&SPA_FRACTION(1, 48000)), SPA_POD_Long(driver.signal_ns), SPA_POD_Long(INT64_C(48)),
        SPA_POD_Long(INT64_C(0)), SPA_POD_Double(1.0), SPA_POD_Long(driver.signal_ns + 1000000));
    put_block(builder, SPA_PROFILER_driverBlock, DRIVER, "alsa_output.card", driver, FINISHED,
              counters ? driver_xruns_n : NO_COUNTER);
    for (size_t i = 0; i < followers_n; i++)
        put_block(builder, SPA_PROFILER_followerBlock, followers[i].id, followers[i].name,
                  times != NULL
                      ? times[i]
                      : (struct times){driver.prev_signal_ns + 30000, driver.signal_ns + 30000, 0, 0},
                  followers[i].status, followers[i].xruns_n);
    spa_pod_builder_pop(builder, &frame);
}

static void take_times(struct st_pipewire_profile *profile, struct times driver, int driver_xruns_n,
                       const struct follower *followers, const struct times *times, size_t followers_n)
{
    static uint8_t space[65536];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(space, sizeof(space));
    struct spa_pod_frame frame;
    spa_pod_builder_push_struct(&builder, &frame);
    put_cycle(&builder, driver, driver_xruns_n, followers, times, followers_n);
    const struct spa_pod *pod = spa_pod_builder_pop(&builder, &frame);
    assert_non_null(pod);
    assert_int_equal(st_pipewire_profile_take(profile, pod), expected);
}

static void take(struct st_pipewire_profile *profile, int64_t prev_signal_ns, int64_t signal_ns,
                 int driver_xruns_n, const struct follower *followers, size_t followers_n)
{
    take_times(profile, (struct times){prev_signal_ns, signal_ns, 0, 0}, driver_xruns_n, followers, NULL,
               followers_n);
}

/* Of the player, in a period of 1 ms (48 frames). */
static void take_player(struct st_pipewire_profile *profile, struct times driver, struct times player,
                        int status, int xruns_n)
{
    take_times(profile, driver, 5, &(struct follower){PLAYER, "player", status, xruns_n}, &player, 1);
}

#define FOLLOWERS(...)                                                                                       \
    (const struct follower[]){__VA_ARGS__},                                                                  \
        sizeof((const struct follower[]){__VA_ARGS__}) / sizeof(struct follower)
#define TAKE(profile, signal_us, driver_xruns_n, ...)                                                        \
    take(profile, INT64_C(1000) * (signal_us)-10, INT64_C(1000) * (signal_us), driver_xruns_n,               \
         FOLLOWERS(__VA_ARGS__))

/* What is reported, as text: "device/client n lost-cycles REASON CULPRIT; ", without a reason that is
 * unknown. The cycle beside it: "client WAIT+BUSY of DEADLINE us, left LEFT; ". */
static int64_t told_busy_ns; /* of the last one */
static char told_cycle[512];

static void write_seen(void *ctx, const struct st_xrun_seen *seen)
{
    char *text = ctx;
    if (seen->deadline_ns > 0) {
        const size_t before = strlen(told_cycle);
        assert_int_equal(seen->dropouts_n + seen->device_xruns_n, 0);
        snprintf(told_cycle + before, sizeof(told_cycle) - before, "%s %d+%d of %d us, left %d; ",
                 seen->client, (int)(seen->cycle.wait_ns / 1000), (int)(seen->cycle.busy_ns / 1000),
                 (int)(seen->deadline_ns / 1000), (int)seen->left_n);
        return;
    }
    told_busy_ns = seen->cycle.busy_ns;
    const size_t len = strlen(text);
    snprintf(text + len, 256 - len, "%s/%s %d %d%s%s%s%s; ", seen->device, seen->client,
             (int)seen->device_xruns_n, (int)seen->cycles_n, seen->reason != ST_DROPOUT_UNKNOWN ? " " : "",
             seen->reason != ST_DROPOUT_UNKNOWN ? st_dropout_reason_name(seen->reason) : "",
             seen->culprit[0] != '\0' ? " " : "", seen->culprit);
}

/* Loads, as text: "device/client cycles period busy wait; ", medians. */
static void write_load(void *ctx, const struct st_xrun_seen *seen)
{
    char *text = ctx;
    const size_t len = strlen(text);
    snprintf(text + len, 256 - len, "%s/%s %d %d %d %d; ", seen->device, seen->client,
             (int)seen->load.cycles_n, (int)seen->load.period_ns, (int)seen->load.busy_median_ns,
             (int)seen->load.wait_median_ns);
}

static const char *loads(struct st_pipewire_profile *profile)
{
    static char text[256];
    text[0] = '\0';
    st_pipewire_profile_loads(profile, write_load, text);
    return text;
}

static const char *told(struct st_pipewire_profile *profile)
{
    static char text[256];
    text[0] = told_cycle[0] = '\0';
    assert_int_equal(profile->pending, true);
    st_pipewire_profile_report(profile, write_seen, text);
    assert_int_equal(profile->pending, false);
    return text;
}

static struct st_pipewire_profile profile;
static int64_t queue_ns; /* how long the client that measure() is asked for waited for a CPU */
static bool process_has_gone;
static uint32_t culprits[2]; /* who had it */
static size_t culprits_n;

static int begin(void **state)
{
    (void)state;
    is_async = false;
    report_number = 7;
    expected = 0;
    st_pipewire_profile_finish(&profile);
    profile = (struct st_pipewire_profile){0};
    queue_ns = 0;
    process_has_gone = false;
    culprits_n = 0;
    st_pipewire_profile_add(&profile, DRIVER, ST_PIPEWIRE_PROFILE_NO_CLIENT, true, false);
    st_pipewire_profile_add(&profile, CARD, ST_PIPEWIRE_PROFILE_NO_CLIENT, true, false);
    st_pipewire_profile_add(&profile, PLAYER, CLIENT, false, false);
    return 0;
}

static void quiet_cycles_tell_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        TAKE(&profile, 1000 + i, 5, {PLAYER, "player", FINISHED, NO_COUNTER},
             {CARD, "card", INACTIVE, NO_COUNTER});
        TAKE(&profile, 1000 + i, 5, {PLAYER, "player", FINISHED, 17}, {CARD, "card", NOT_TRIGGERED, 2});
    }
    assert_false(profile.pending);
}

static void xruns_of_the_driver_are_the_devices(void **state)
{
    (void)state;
    TAKE(&profile, 1000, 5, {PLAYER, "player", FINISHED, NO_COUNTER});
    TAKE(&profile, 2000, 6, {PLAYER, "player", FINISHED, NO_COUNTER});
    TAKE(&profile, 3000, 8, {PLAYER, "player", FINISHED, NO_COUNTER});
    assert_false(profile.pending); /* a client or the server may still be found to be late */
    TAKE(&profile, 4000, 8, {PLAYER, "player", FINISHED, NO_COUNTER});
    assert_string_equal(told(&profile), "alsa_output.card/ 3 0; ");
}

static void what_was_before_the_first_sight_is_not_told(void **state)
{
    (void)state;
    TAKE(&profile, 1000, 500, {PLAYER, "player", FINISHED, 400});
    assert_false(profile.pending);
    st_pipewire_profile_remove(&profile, PLAYER); /* another has its id now */
    st_pipewire_profile_add(&profile, PLAYER, CLIENT, false, false);
    TAKE(&profile, 2000, 500, {PLAYER, "other", FINISHED, 900});
    assert_false(profile.pending);
}

static void nodes_of_a_client_that_is_left_out_tell_nothing(void **state)
{
    (void)state;
    enum { OWN = 41, OWN_CLIENT = 51 };
    st_pipewire_profile_add(&profile, OWN, OWN_CLIENT, false, false);
    TAKE(&profile, 1000, 5, {OWN, "own", FINISHED, 1}, {PLAYER, "player", FINISHED, 1});
    TAKE(&profile, 3000, 5, {OWN, "own", FINISHED, 4}, {PLAYER, "player", FINISHED, 3});
    st_pipewire_profile_leave_out(&profile, OWN_CLIENT); /* it is heard of late */
    TAKE(&profile, 4000, 5, {OWN, "own", FINISHED, 5}, {PLAYER, "player", FINISHED, 3});
    assert_string_equal(told(&profile), "alsa_output.card/player 0 2; ");
    st_pipewire_profile_remove(&profile, OWN);
    st_pipewire_profile_remove(&profile, OWN_CLIENT); /* another client has its id now */
    st_pipewire_profile_add(&profile, OWN, OWN_CLIENT, false, false);
    TAKE(&profile, 5000, 5, {OWN, "other", FINISHED, 1}, {PLAYER, "player", FINISHED, 3});
    TAKE(&profile, 6000, 5, {OWN, "other", FINISHED, 2}, {PLAYER, "player", FINISHED, 3});
    assert_string_equal(told(&profile), "alsa_output.card/other 0 1; ");
}

/* As 0.3.65 does when the next cycle begins: as incomplete, then as ended by the driver, which takes the time
 * of the cycle. */
static void without_counters_each_unfinished_cycle_counts_once(void **state)
{
    (void)state;
    for (int cycle = 1; cycle <= 3; cycle++) {
        const struct follower player = {PLAYER, "player", cycle == 1 ? AWAKE : TRIGGERED, NO_COUNTER};
        take(&profile, 1000 * cycle, 1000 * cycle, 5, &player, 1);
        take(&profile, 1000 * cycle, 1000 * cycle + 1000, 5, &player, 1);
    }
    TAKE(&profile, 5000, 5, {PLAYER, "player", FINISHED, NO_COUNTER});
    assert_string_equal(told(&profile), "alsa_output.card/player 0 3; ");
}

static int64_t told_dropouts_n, told_longest_ns, told_lost_ns;

static void sum_seen(ST_UNUSED void *ctx, const struct st_xrun_seen *seen)
{
    if (seen->deadline_ns > 0)
        return;
    told_dropouts_n += seen->dropouts_n;
    told_lost_ns += seen->lost_ns;
    told_longest_ns = seen->longest_ns > told_longest_ns ? seen->longest_ns : told_longest_ns;
    assert_int_equal(seen->place, ST_DROPOUT_AT_GRAPH);
}

/* In periods of 1 ms: 40 cycles are lost, two are played, two are lost, 30 are played, one is lost. */
static void lost_cycles_with_next_to_no_sound_between_are_one_dropout(void **state)
{
    (void)state;
    int lost_n = 0;
    told_dropouts_n = told_longest_ns = told_lost_ns = 0;
    for (int i = 0; i < 80; i++) {
        const bool lost = i >= 2 && (i < 42 || (i >= 44 && i < 46) || i == 76);
        lost_n += lost;
        TAKE(&profile, 1000000 + 1000 * i, 5, {PLAYER, "player", FINISHED, lost_n});
        if (i % 10 == 9) /* reported meanwhile */
            st_pipewire_profile_report(&profile, sum_seen, NULL);
    }
    assert_int_equal(told_dropouts_n, 2);
    assert_int_equal(told_lost_ns, 43 * INT64_C(1000000));
    assert_int_equal(told_longest_ns,
                     44 * INT64_C(1000000)); /* from the begin of its first cycle to the end of its last */
}

static void counters_win_over_the_status(void **state)
{
    (void)state;
    TAKE(&profile, 1000, 5, {PLAYER, "player", FINISHED, 4});
    TAKE(&profile, 2000, 5, {PLAYER, "player", AWAKE, 4});
    assert_false(profile.pending);
    TAKE(&profile, 4000, 5, {PLAYER, "player", TRIGGERED, 6});
    TAKE(&profile, 5000, 5, {PLAYER, "player", FINISHED, 6}); /* only now it is clear what happened */
    assert_string_equal(told(&profile), "alsa_output.card/player 0 2; ");
    TAKE(&profile, 6000, 5,
         {PLAYER, "player", FINISHED, 9}); /* the client has counted missed wake-ups, too */
    assert_string_equal(told(&profile), "alsa_output.card/player 0 1; ");
}

static void a_second_card_has_device_xruns(void **state)
{
    (void)state;
    TAKE(&profile, 1000, 5, {CARD, "card", FINISHED, 1}, {PLAYER, "player", FINISHED, 1});
    TAKE(&profile, 2000, 5, {CARD, "card", FINISHED, 2}, {PLAYER, "player", FINISHED, 2});
    assert_string_equal(told(&profile), "card/ 1 0; alsa_output.card/player 0 1; ");
}

/* Its cycle of 1 ms, in which it plays what lasts 1 ms. */
static void take_card(int64_t cycle, int64_t delay, double rate)
{
    static uint8_t space[4096];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(space, sizeof(space));
    struct spa_pod_frame frame, object;
    const struct times at = {cycle * 1000000 - 1000000, cycle * 1000000, 0, 0};
    spa_pod_builder_push_struct(&builder, &frame);
    spa_pod_builder_push_object(&builder, &object, SPA_TYPE_OBJECT_Profiler, 0);
    spa_pod_builder_prop(&builder, SPA_PROFILER_info, 0);
    spa_pod_builder_add_struct(&builder, SPA_POD_Long(cycle), SPA_POD_Float(0.1), SPA_POD_Float(0.1),
                               SPA_POD_Float(0.1), SPA_POD_Int(0));
    spa_pod_builder_prop(&builder, SPA_PROFILER_clock, 0);
    spa_pod_builder_add_struct(&builder, SPA_POD_Int(0), SPA_POD_Int(1), SPA_POD_String("clock"),
                               SPA_POD_Long(cycle), SPA_POD_Fraction(&SPA_FRACTION(1, 48000)),
                               SPA_POD_Long(cycle), SPA_POD_Long(INT64_C(48)));
    put_block(&builder, SPA_PROFILER_driverBlock, DRIVER, "alsa_output.card", at, FINISHED, 0);
    put_block(&builder, SPA_PROFILER_followerBlock, CARD, "alsa_output.usb", at, FINISHED, 0);
    spa_pod_builder_prop(&builder, SPA_PROFILER_followerBlock + 1, 0);
    spa_pod_builder_add_struct(&builder, SPA_POD_Int(9), SPA_POD_String("api.alsa.1"),
                               SPA_POD_Long(cycle * 1000000), SPA_POD_Fraction(&SPA_FRACTION(1, 48000)),
                               SPA_POD_Long(cycle * 48), SPA_POD_Long(INT64_C(48)), SPA_POD_Long(delay),
                               SPA_POD_Double(rate), SPA_POD_Long(cycle * 1000000), SPA_POD_Long(INT64_C(0)));
    spa_pod_builder_pop(&builder, &object);
    assert_int_equal(st_pipewire_profile_take(&profile, spa_pod_builder_pop(&builder, &frame)), 0);
}

static void see_resync(void *ctx, const struct st_xrun_seen *seen)
{
    *(struct st_xrun_seen *)ctx = *seen;
}

static void a_second_card_that_is_put_in_step_is_reported_beside_the_first(void **state)
{
    (void)state;
    struct st_xrun_seen seen = {0};
    int64_t cycle = 1;
    for (; cycle < 12000; cycle++)
        take_card(cycle, 100, 1.000037);
    assert_false(profile.pending);
    take_card(cycle++, 580, 1.000034);
    take_card(cycle++, 100, 0.9999999);
    assert_true(profile.pending);
    st_pipewire_profile_report(&profile, see_resync, &seen);
    assert_string_equal(seen.device, "alsa_output.card");
    assert_string_equal(seen.client, "alsa_output.usb");
    assert_int_equal(seen.device_xruns_n, 1);
    assert_int_equal(seen.dropouts_n, 0);
    assert_int_equal(seen.place, ST_DROPOUT_AT_RESYNC);
    assert_int_equal(seen.lost_ns, 10000000);
    st_pipewire_profile_loads(&profile, see_resync, &seen); /* that of the card is the last one */
    assert_string_equal(seen.client, "alsa_output.usb");
    assert_int_equal(seen.load.drift_ppb, 37000);
}

static void sum_resyncs(void *ctx, const struct st_xrun_seen *seen)
{
    struct st_xrun_seen *sum = ctx;
    const int64_t n = sum->device_xruns_n + seen->device_xruns_n, lost_ns = sum->lost_ns + seen->lost_ns;
    *sum = *seen;
    sum->device_xruns_n = n;
    sum->lost_ns = lost_ns;
}

static void the_log_of_older_versions_is_of_the_card_that_follows_now(void **state)
{
    (void)state;
    enum { OTHER = 29 };
    const struct st_resync_log_line line = {"hw:1", 3, 24, 48};
    struct st_xrun_seen seen = {0};
    st_pipewire_profile_add(&profile, OTHER, ST_PIPEWIRE_PROFILE_NO_CLIENT, true, false);
    profile.nodes[3].drives = true; /* it did, and has no cycles since */
    snprintf(profile.nodes[3].name, sizeof(profile.nodes[3].name), "alsa_output.hdmi");
    for (int i = 0; i < 3; i++)
        TAKE(&profile, 1000 * i, 5, {CARD, "card", FINISHED, NO_COUNTER});
    st_pipewire_profile_resync(&profile, &line, sum_resyncs, &seen);
    assert_string_equal(seen.device, "alsa_output.card");
    assert_string_equal(seen.client, "hw:1");
    assert_int_equal(seen.device_xruns_n, 3);
    assert_int_equal(seen.lost_ns, 500000); /* of one of them; how long the others were is not known */
    assert_int_equal(seen.longest_ns, 0);
}

static void a_lower_counter_begins_anew(void **state)
{
    (void)state;
    TAKE(&profile, 1000, 5, {PLAYER, "player", FINISHED, 9});
    TAKE(&profile, 2000, 5, {PLAYER, "player", FINISHED, 1});
    assert_false(profile.pending);
    TAKE(&profile, 3000, 5, {PLAYER, "player", FINISHED, 2});
    assert_string_equal(told(&profile), "alsa_output.card/player 0 1; ");
}

static void more_nodes_than_there_is_room_for_are_not_watched(void **state)
{
    (void)state;
    for (int round = 0; round < 2; round++) {
        for (int id = 1000; id < 1000 + 2 * ST_PIPEWIRE_PROFILE_NODES_MAX; id++)
            TAKE(&profile, 1000 + round, 5, {id, "one of many", FINISHED, round});
    }
    int seen_n = 0;
    for (int i = 0; i < ST_PIPEWIRE_PROFILE_NODES_MAX; i++)
        seen_n += profile.nodes[i].reasons[ST_DROPOUT_UNKNOWN].n == 1;
    assert_int_equal(seen_n, ST_PIPEWIRE_PROFILE_NODES_MAX - 3);
}

/* The block's times are 20 us of waiting and 30 us of work. */
static void each_finished_cycle_is_in_the_load_once(void **state)
{
    (void)state;
    for (int i = 1; i <= 4; i++) {
        const int status = i == 3 ? AWAKE : FINISHED;
        TAKE(&profile, 1000 * i, 5, {PLAYER, "player", status, NO_COUNTER},
             {CARD, "card", INACTIVE, NO_COUNTER});
        TAKE(&profile, 1000 * i, 5, {PLAYER, "player", status, NO_COUNTER},
             {CARD, "card", INACTIVE, NO_COUNTER});
    }
    assert_string_equal(loads(&profile), "alsa_output.card/ 3 1000000 30000 20000; "
                                         "alsa_output.card/player 2 1000000 30000 20000; ");
    assert_string_equal(loads(&profile), "");
}

static void a_node_that_has_gone_makes_room_after_its_last_report(void **state)
{
    (void)state;
    TAKE(&profile, 1000, 5, {PLAYER, "player", FINISHED, NO_COUNTER});
    st_pipewire_profile_remove(&profile, PLAYER);
    TAKE(&profile, 2000, 5, {PLAYER, "player", FINISHED, NO_COUNTER}); /* reported late */
    assert_string_equal(loads(&profile), "alsa_output.card/ 1 1000000 30000 20000; ");
    for (int id = 1000; id < 3000; id++) {
        st_pipewire_profile_add(&profile, (uint32_t)id, CLIENT, false, false);
        TAKE(&profile, 1000 * id, 5, {id, "one of many", FINISHED, NO_COUNTER});
        st_pipewire_profile_remove(&profile, (uint32_t)id);
    }
    assert_int_equal(profile.beyond_n, 0);
}

static struct st_dropout_figures figures; /* what measure() was asked for */

/* It had the CPU the rest of the time. */
static void measure(void *ctx, uint32_t client, struct st_dropout_figures *ret)
{
    (void)ctx;
    if (client == ST_DROPOUT_SERVER)
        return;
    if (client == WAITER) { /* it ran for 60 us, and waited for the CPU else */
        ret->measured = true;
        ret->cpu_ns = 60000;
        ret->queue_ns = ret->end_ns - ret->signal_ns - ret->cpu_ns;
        return;
    }
    assert_int_equal(client, CLIENT);
    figures = *ret;
    ret->measured = true;
    ret->exited = process_has_gone;
    ret->queue_ns = queue_ns;
    snprintf(ret->culprit, sizeof(ret->culprit), "amp");
    memcpy(ret->culprits, culprits, sizeof(culprits));
    ret->culprits_n = culprits_n;
    ret->cpu_ns = ret->end_ns - ret->signal_ns - queue_ns;
}

enum { MS = 1000000, US = 1000 };

static int64_t computed_n, long_from_ns, long_to_ns; /* cycles that were reported, and the latest long one */

static void computed(void *ctx, uint32_t node, uint32_t client, int64_t from_ns, int64_t to_ns, bool is_long)
{
    assert_null(ctx);
    assert_true(node == PLAYER && client == CLIENT);
    computed_n++;
    long_from_ns = is_long ? from_ns : long_from_ns;
    long_to_ns = is_long ? to_ns : long_to_ns;
}

static void code(void *ctx, uint32_t node, uint32_t client, struct st_xrun_code *ret)
{
    assert_null(ctx);
    assert_true(node == PLAYER && client == CLIENT);
    *ret = (struct st_xrun_code){.state = ST_XRUN_CODE_WATCHED, .file = "libreverb.so"};
}

static void write_code(void *ctx, const struct st_xrun_seen *seen)
{
    int64_t *state = ctx;
    *state = seen->client[0] != '\0' ? seen->load.code.state : *state;
}

/* Who computes too long: the code of this and of its later cycles is asked for, for a minute. */
static void cycles_of_who_computes_too_long_are_passed_on(void **state)
{
    (void)state;
    int64_t asked = -1;
    profile.measure = measure;
    profile.computed = computed;
    profile.code = code;
    computed_n = queue_ns = 0;
    for (int64_t at = 10 * MS; at < 100000 * (int64_t)MS; at += at < 60 * MS ? MS : 5000 * (int64_t)MS) {
        const bool slow = at == 20 * MS || at == 50 * MS;
        const struct times player = {at - MS, at, at + 20 * US, at + (slow ? 1400 : 300) * US};
        take_player(&profile, (struct times){at - MS, at, at + 500 * US, at + 510 * US}, player,
                    slow ? AWAKE : FINISHED, 4);
        if (slow) {
            const struct times late = {at, at + MS, at + 20 * US, at + 1400 * US};
            take_player(&profile, (struct times){at, at + MS, at + 1500 * US, at + 1510 * US}, late, FINISHED,
                        5);
            assert_string_equal(told(&profile), at == 20 * MS
                                                    ? "alsa_output.card/player 0 1 too-slow; "
                                                    : "alsa_output.card/player 0 1 too-slow libreverb.so; ");
            assert_int_equal(long_to_ns, at + 1400 * US);
            assert_int_equal(long_from_ns, at + 20 * US);
        }
        if (at == 19 * MS || at > 30 * MS)
            st_pipewire_profile_loads(&profile, write_code, &asked);
        assert_int_equal(computed_n > 0, at >= 20 * MS);
        assert_int_equal(asked, at < 19 * MS ? -1 : at <= 30 * MS || at > 60000 * (int64_t)MS ? 0 : 1);
    }
    profile.computed = NULL;
    profile.code = NULL;
}

struct rhythm_and_code {
    int64_t block, state;
};

static void write_rhythm(void *ctx, const struct st_xrun_seen *seen)
{
    if (seen->client[0] != '\0')
        *(struct rhythm_and_code *)ctx =
            (struct rhythm_and_code){seen->load.block_frames, seen->load.code.state};
}

/* A rhythm that is found now: its code is looked at from now on, and asked for at the next look. */
static void code_is_not_asked_for_before_it_is_looked_at(void **state)
{
    (void)state;
    struct rhythm_and_code found = {0, -1};
    profile.computed = computed;
    profile.code = code;
    computed_n = 0;
    for (int i = 10; i < 2010; i++) {
        const int64_t at = (int64_t)i * MS, position = (int64_t)i * 48;
        const bool is_long = position / 1024 != (position + 48) / 1024;
        take_player(&profile, (struct times){at - MS, at, at + 950 * US, at + 960 * US},
                    (struct times){at - MS, at, at + 20 * US, at + (is_long ? 700 : 300) * US}, FINISHED, 0);
        if (i % 1000 != 9)
            continue;
        assert_int_equal(computed_n, i < 1010 ? 0 : 1000);
        st_pipewire_profile_loads(&profile, write_rhythm, &found);
        assert_int_equal(found.block, 1024);
        assert_int_equal(found.state, i < 1010 ? ST_XRUN_CODE_UNASKED : ST_XRUN_CODE_WATCHED);
    }
    profile.computed = NULL;
    profile.code = NULL;
}

/* As 0.3.65 reports a cycle of 1 ms that begins at 5 ms, in which the player computes for 1.5 ms: as
 * incomplete, with the driver's times of the cycle before, as ended by the driver at 6 ms, and as ended too
 * early when the player finishes. The server has written a time of awaking of its own by then. */
static void a_late_cycle_is_followed_to_its_end(void **state)
{
    (void)state;
    profile.measure = measure;
    queue_ns = 300 * US;
    take_player(&profile, (struct times){3 * MS, 4 * MS, 4 * MS + 90 * US, 4 * MS + 95 * US},
                (struct times){4 * MS, 4 * MS + 5 * US, 4 * MS + 20 * US, 4 * MS + 80 * US}, FINISHED,
                NO_COUNTER);
    const struct times late = {5 * MS, 5 * MS + 5 * US, 5 * MS + 20 * US, 4 * MS + 80 * US};
    take_player(&profile, (struct times){4 * MS, 4 * MS, 4 * MS + 90 * US, 5 * MS}, late, AWAKE, NO_COUNTER);
    take_player(&profile, (struct times){4 * MS, 5 * MS, 6 * MS, 6 * MS + 5 * US}, late, AWAKE, NO_COUNTER);
    assert_false(profile.pending); /* nothing is decided before it ends */
    take_player(&profile, (struct times){5 * MS, 6 * MS, 6 * MS + 530 * US, 6 * MS + 540 * US},
                (struct times){6 * MS, 6 * MS + 5 * US, 6 * MS + 3 * US, 6 * MS + 520 * US}, FINISHED,
                NO_COUNTER);
    assert_int_equal(figures.cycle_ns, 5 * MS);
    assert_int_equal(figures.deadline_ns, 6 * MS);
    assert_int_equal(figures.awake_ns - figures.signal_ns, 15 * US);
    assert_int_equal(figures.end_ns - figures.awake_ns, 1500 * US);
    assert_string_equal(told(&profile), "alsa_output.card/player 0 1 too-slow; ");
    assert_int_equal(told_busy_ns, 1215 * US); /* what it waited for a CPU is not its own work */
    assert_string_equal(told_cycle, "player 305+1215 of 1000 us, left 0; ");
}

/* Who listens may have room for some only. */
static void the_one_that_was_late_is_told_first(void **state)
{
    (void)state;
    const struct follower finished[] = {{PLAYER, "player", FINISHED, NO_COUNTER},
                                        {41, "synth", FINISHED, NO_COUNTER}};
    const struct follower both[] = {finished[0], {41, "synth", AWAKE, NO_COUNTER}};
    const struct times usual[] = {{4 * MS, 4 * MS + 5 * US, 4 * MS + 20 * US, 4 * MS + 100 * US},
                                  {4 * MS, 4 * MS + 109 * US, 4 * MS + 120 * US, 4 * MS + 400 * US}};
    const struct times late[] = {{5 * MS, 5 * MS + 5 * US, 5 * MS + 20 * US, 5 * MS + 100 * US},
                                 {5 * MS, 5 * MS + 109 * US, 5 * MS + 120 * US, 4 * MS + 400 * US}};
    const struct times next[] = {{6 * MS, 6 * MS + 5 * US, 6 * MS + 20 * US, 6 * MS + 100 * US},
                                 {6 * MS, 6 * MS + 109 * US, 5 * MS + 120 * US, 6 * MS + 120 * US}};
    profile.measure = measure;
    st_pipewire_profile_add(&profile, 41, CLIENT, false, false);
    take_times(&profile, (struct times){3 * MS, 4 * MS, 4 * MS + 410 * US, 4 * MS + 420 * US}, 5, finished,
               usual, 2);
    take_times(&profile, (struct times){4 * MS, 4 * MS, 4 * MS + 410 * US, 5 * MS}, 5, both, late, 2);
    take_times(&profile, (struct times){4 * MS, 5 * MS, 6 * MS, 6 * MS + 5 * US}, 5, both, late, 2);
    take_times(&profile, (struct times){5 * MS, 6 * MS, 6 * MS + 130 * US, 6 * MS + 135 * US}, 5, finished,
               next, 2);
    assert_string_equal(told(&profile), "alsa_output.card/synth 0 1 too-slow; ");
    assert_string_equal(told_cycle, "synth 120+1000 of 1000 us, left 1; player 20+80 of 1000 us, left 0; ");
}

static void awake_in_a_cycle_that_ended_too_early_is_no_dropout(void **state)
{
    (void)state;
    take_player(&profile, (struct times){5 * MS, 6 * MS, 6 * MS + 530 * US, 6 * MS + 540 * US},
                (struct times){6 * MS, 6 * MS + 5 * US, 6 * MS + 525 * US, 6 * MS + 520 * US}, AWAKE,
                NO_COUNTER);
    take_player(&profile, (struct times){6 * MS, 7 * MS, 7 * MS + 90 * US, 7 * MS + 95 * US},
                (struct times){7 * MS, 7 * MS + 5 * US, 7 * MS + 20 * US, 7 * MS + 80 * US}, FINISHED,
                NO_COUNTER);
    assert_false(profile.pending);
}

/* 0.3.65 signals the next client 9 us after the end of the one before, 1.4 has one time for both. */
static void the_client_that_another_waited_for_is_named(void **state)
{
    (void)state;
    for (int64_t us = 0; us < 10; us += 9) {
        const struct follower synth = {41, "synth", FINISHED, NO_COUNTER};
        const struct follower both[] = {synth, {PLAYER, "player", AWAKE, NO_COUNTER}};
        const struct follower finished[] = {synth, {PLAYER, "player", FINISHED, NO_COUNTER}};
        const int64_t signal_ns = 5 * MS + (800 + us) * US;
        const struct times usual[] = {{4 * MS, 4 * MS + 5 * US, 4 * MS + 20 * US, 4 * MS + 100 * US},
                                      {4 * MS, 4 * MS + 109 * US, 4 * MS + 120 * US, 4 * MS + 400 * US}};
        const struct times late[] = {{5 * MS, 5 * MS + 5 * US, 5 * MS + 20 * US, 5 * MS + 800 * US},
                                     {5 * MS, signal_ns, signal_ns + 20 * US, 4 * MS + 400 * US}};
        const struct times next[] = {{6 * MS, 6 * MS + 5 * US, 6 * MS + 20 * US, 6 * MS + 100 * US},
                                     {6 * MS, 6 * MS + 5 * US, 5 * MS + 820 * US, 6 * MS + 120 * US}};
        begin(NULL);
        profile.measure = measure;
        take_times(&profile, (struct times){3 * MS, 4 * MS, 4 * MS + 410 * US, 4 * MS + 420 * US}, 5,
                   finished, usual, 2);
        take_times(&profile, (struct times){4 * MS, 4 * MS, 4 * MS + 410 * US, 5 * MS}, 5, both, late, 2);
        take_times(&profile, (struct times){4 * MS, 5 * MS, 6 * MS, 6 * MS + 5 * US}, 5, both, late, 2);
        take_times(&profile, (struct times){5 * MS, 6 * MS, 6 * MS + 130 * US, 6 * MS + 135 * US}, 5,
                   finished, next, 2);
        assert_string_equal(told(&profile), "alsa_output.card/player 0 1 waited-for-other synth; ");
        assert_string_equal(told_cycle,
                            us == 0 ? "player 820+300 of 1000 us, left 1; synth 20+780 of 1000 us, left 0; "
                                    : "player 829+291 of 1000 us, left 1; synth 20+780 of 1000 us, left 0; ");
    }
}

/* 0.3.65 with a server that comes 0.97 ms after its cycle of 1 ms should have begun: it begins the next one
 * 30 us later, in which the player had no time. Both are seen at 8.12 s of a real run, rounded. */
static void a_cycle_that_the_server_cuts_short_is_no_clients_dropout(void **state)
{
    (void)state;
    profile.measure = measure;
    const struct times short_one = {7 * MS, 7 * MS + 5 * US, 7 * MS + 4 * US, 5 * MS + 80 * US};
    const struct times next = {7 * MS + 30 * US, 7 * MS + 35 * US, 7 * MS + 50 * US, 7 * MS + 330 * US};
    take_player(&profile, (struct times){4 * MS, 5 * MS, 5 * MS + 90 * US, 5 * MS + 95 * US},
                (struct times){5 * MS, 5 * MS + 5 * US, 5 * MS + 20 * US, 5 * MS + 80 * US}, FINISHED,
                NO_COUNTER);
    take_player(&profile, (struct times){5 * MS, 5 * MS, 5 * MS + 90 * US, 7 * MS}, short_one, TRIGGERED,
                NO_COUNTER);
    take_player(&profile, (struct times){5 * MS, 7 * MS, 7 * MS + 30 * US, 7 * MS + 30 * US}, short_one,
                TRIGGERED, NO_COUNTER);
    take_player(&profile, (struct times){7 * MS, 7 * MS + 30 * US, 7 * MS + 340 * US, 7 * MS + 350 * US},
                next, FINISHED, NO_COUNTER);
    assert_string_equal(told(&profile), "alsa_output.card/PipeWire 0 1 woken-late; ");
    assert_string_equal(told_cycle, ""); /* it would show a client that had no time */
}

/* The same with the counters of 1.4, a cycle later, and a player that no whole period would have been enough
 * for. */
static void one_that_is_too_slow_for_a_whole_period_is_to_blame_for_a_short_one(void **state)
{
    (void)state;
    profile.measure = measure;
    for (int64_t late_us = 300; late_us <= 1300; late_us += 1000) {
        const int64_t at = (10 + late_us) * MS, end_ns = at + late_us * US;
        const struct times player = {at, at + 5 * US, at + 20 * US, at - 900 * US};
        take_player(&profile, (struct times){at - 2 * MS, at - MS, at - 500 * US, at - 490 * US},
                    (struct times){at - 2 * MS, at - MS, at - MS + 20 * US, at - 900 * US}, FINISHED, 4);
        take_player(&profile, (struct times){at - MS, at, at + 200 * US, at + 210 * US}, player, AWAKE, 4);
        take_player(&profile, (struct times){at, at + 200 * US, at + 1400 * US, at + 1410 * US},
                    (struct times){at, at + 205 * US, at + 20 * US, end_ns}, FINISHED, 5);
        assert_string_equal(told(&profile), late_us < 1000 ? "alsa_output.card/PipeWire 0 1 woken-late; "
                                                           : "alsa_output.card/player 0 1 too-slow; ");
        begin(NULL);
        profile.measure = measure;
    }
}

/* A stopped client: the server writes a time of awaking in each cycle, just before it signals. */
static void a_time_of_awaking_before_the_signal_is_not_the_clients(void **state)
{
    (void)state;
    profile.measure = measure;
    for (int64_t ms = 5; ms < 9; ms++) {
        const struct times stopped = {ms * MS, ms * MS + 5 * US, ms * MS + 3 * US, 4 * MS + 80 * US};
        take_player(&profile, (struct times){(ms - 1) * MS, (ms - 1) * MS, (ms - 1) * MS + 90 * US, ms * MS},
                    stopped, AWAKE, NO_COUNTER);
        take_player(&profile, (struct times){(ms - 1) * MS, ms * MS, (ms + 1) * MS, (ms + 1) * MS + 5 * US},
                    stopped, AWAKE, NO_COUNTER);
    }
    assert_false(profile.pending);
    take_player(&profile, (struct times){8 * MS, 9 * MS, 9 * MS + 90 * US, 9 * MS + 95 * US},
                (struct times){9 * MS, 9 * MS + 5 * US, 9 * MS + 20 * US, 9 * MS + 80 * US}, FINISHED,
                NO_COUNTER);
    assert_int_equal(figures.signal_ns, 5 * MS + 5 * US);
    assert_int_equal(figures.awake_ns, 9 * MS + 20 * US);
    assert_int_equal(figures.end_ns, 9 * MS + 80 * US);
    assert_string_equal(told(&profile), "alsa_output.card/player 0 4 too-slow; ");
}

/* Late in a cycle of 1 ms that begins at `ms`; it computes for 1.5 ms. */
static void be_late(int64_t ms)
{
    const int64_t at = ms * MS;
    const struct times late = {at, at + 5 * US, at + 20 * US, at - 920 * US};
    take_player(&profile, (struct times){at - MS, at - MS, at - 910 * US, at}, late, AWAKE, NO_COUNTER);
    take_player(&profile, (struct times){at - MS, at, at + MS, at + MS + 5 * US}, late, AWAKE, NO_COUNTER);
    take_player(&profile, (struct times){at, at + MS, at + 1530 * US, at + 1540 * US},
                (struct times){at + MS, at + MS + 5 * US, at + MS + 3 * US, at + 1520 * US}, FINISHED,
                NO_COUNTER);
}

static void the_end_of_a_client_is_no_dropout(void **state)
{
    (void)state;
    const struct times late = {5 * MS, 5 * MS + 5 * US, 5 * MS + 20 * US, 4 * MS + 80 * US};
    take_player(&profile, (struct times){4 * MS, 4 * MS, 4 * MS + 90 * US, 5 * MS}, late, AWAKE, NO_COUNTER);
    take_player(&profile, (struct times){4 * MS, 5 * MS, 6 * MS, 6 * MS + 5 * US}, late, AWAKE, NO_COUNTER);
    st_pipewire_profile_remove(&profile, PLAYER);
    assert_false(profile.pending);
    take_player(&profile, (struct times){5 * MS, 5 * MS, 5 * MS + 90 * US, 6 * MS}, late, AWAKE, NO_COUNTER);
    assert_false(profile.pending); /* a report that is late */
    begin(NULL);
    profile.measure = measure;
    process_has_gone = true; /* its node goes later */
    be_late(5);
    assert_false(profile.pending);
}

static void the_beginning_of_a_client_is_no_dropout(void **state)
{
    (void)state;
    profile.measure = measure;
    profile.listed = true; /* what comes now is new */
    st_pipewire_profile_add(&profile, PLAYER, CLIENT, false, false);
    be_late(5);
    be_late(900);
    assert_false(profile.pending);
    be_late(1100);
    assert_string_equal(told(&profile), "alsa_output.card/player 0 1 too-slow; ");
    be_late(5000); /* after a pause */
    assert_false(profile.pending);
}

/* 0.3.65 on one CPU, server and client at the same real-time priority, rounded: the client computes from 8
 * to 16.2 ms, the server begins the cycles of 9 ms and later at 16.21 ms, and the clients' cycles of 8 to
 * 16 ms are never reported. */
static void who_computes_while_the_server_waits_is_to_blame(void **state)
{
    (void)state;
    static struct st_cycle_ring ring;
    profile.measure = measure;
    for (int64_t cpu = 2; cpu >= 0; cpu -= 2) {
        const int64_t at = 16210 * US;
        profile.ring = &ring;
        ring.written = 0;
        queue_ns = cpu == 0 ? 8 * MS : 100 * US; /* 0: it had to wait for the CPU, too */
        take_player(&profile, (struct times){6 * MS, 7 * MS, 7 * MS + 90 * US, 7 * MS + 95 * US},
                    (struct times){6 * MS, 7 * MS + 5 * US, 7 * MS + 20 * US, 7 * MS + 80 * US}, FINISHED,
                    NO_COUNTER);
        const struct times short_one = {at, at + US, at, at - 10 * US};
        take_player(&profile, (struct times){at, at, at + 20 * US, at + 20 * US}, short_one, TRIGGERED,
                    NO_COUNTER);
        take_player(&profile, (struct times){at, at + 20 * US, at + 40 * US, at + 40 * US}, short_one,
                    TRIGGERED, NO_COUNTER);
        take_player(&profile, (struct times){at + 20 * US, at + 40 * US, at + 340 * US, at + 350 * US},
                    (struct times){at, at + 40 * US, at + 50 * US, at + 330 * US}, FINISHED, NO_COUNTER);
        assert_string_equal(told(&profile), cpu > 0 ? "alsa_output.card/player 0 1 too-slow; "
                                                    : "alsa_output.card/PipeWire 0 1 woken-late; ");
        if (cpu > 0) {
            assert_int_equal(told_busy_ns, 8100 * US);
            struct st_xrun_load load;
            assert_true(st_node_load_take(&profile.nodes[2].load, &load));
            assert_int_equal(load.busy_max_ns, 8100 * US);
        }
        const struct st_cycle_row *held = st_cycle_ring_at(&ring, 4); /* behind those of two cycles */
        assert_int_equal(st_cycle_ring_n(&ring), cpu > 0 ? 9 : 8);
        assert_int_equal(held->signal_ns, cpu > 0 ? 8 * MS : at + 20 * US);
        if (cpu > 0)
            assert_int_equal(held->wait_ns + held->busy_ns, 8200 * US);
        begin(NULL);
        profile.measure = measure;
    }
}

/* 0.3.65 on one CPU with a card, server and client at the same real-time priority: the client computes
 * for 1.5 periods from 8 ms on, no cycle is cut short, and the card runs dry. Seen in a guest, rounded. */
static void a_card_that_runs_dry_is_the_dropout_of_who_held_up_the_server(void **state)
{
    (void)state;
    profile.measure = measure;
    for (int by_client = 1; by_client >= 0; by_client--) {
        const int64_t at = 9510 * US, end_ns = by_client ? at - 10 * US : 8 * MS + 80 * US;
        take_player(&profile, (struct times){6 * MS, 7 * MS, 7 * MS + 90 * US, 7 * MS + 95 * US},
                    (struct times){6 * MS, 7 * MS + 5 * US, 7 * MS + 20 * US, 7 * MS + 80 * US}, FINISHED,
                    NO_COUNTER);
        take_player(&profile, (struct times){7 * MS, 8 * MS, end_ns + 5 * US, end_ns + 8 * US},
                    (struct times){7 * MS, 8 * MS + 5 * US, 8 * MS + 20 * US, end_ns}, FINISHED, NO_COUNTER);
        take_times(&profile, (struct times){8 * MS, at, at + 90 * US, at + 95 * US}, 6,
                   &(struct follower){PLAYER, "player", FINISHED, NO_COUNTER},
                   &(struct times){8 * MS, at + 5 * US, at + 20 * US, at + 80 * US}, 1);
        assert_string_equal(told(&profile), by_client ? "alsa_output.card/player 0 1 too-slow; "
                                                      : "alsa_output.card/PipeWire 0 1 woken-late; ");
        begin(NULL);
        profile.measure = measure;
    }
}

/* A card that runs dry while a client computes: one dropout, not two. */
static void a_card_that_runs_dry_for_a_late_client_is_that_clients_dropout(void **state)
{
    (void)state;
    profile.measure = measure;
    const struct times late = {5 * MS, 5 * MS + 5 * US, 5 * MS + 20 * US, 4 * MS + 80 * US};
    take_player(&profile, (struct times){4 * MS, 4 * MS, 4 * MS + 90 * US, 5 * MS}, late, AWAKE, NO_COUNTER);
    take_times(&profile, (struct times){4 * MS, 5 * MS, 6 * MS, 6 * MS + 5 * US}, 6,
               &(struct follower){PLAYER, "player", AWAKE, NO_COUNTER}, &late, 1);
    take_times(&profile, (struct times){5 * MS, 6 * MS, 6 * MS + 530 * US, 6 * MS + 540 * US}, 6,
               &(struct follower){PLAYER, "player", FINISHED, NO_COUNTER},
               &(struct times){6 * MS, 6 * MS + 5 * US, 6 * MS + 3 * US, 6 * MS + 520 * US}, 1);
    assert_string_equal(told(&profile), "alsa_output.card/player 0 1 too-slow; ");
}

/* A client that had to wait for the same CPU finishes between the one that held it and the server. */
static void who_only_waited_behind_the_culprit_is_not_to_blame(void **state)
{
    (void)state;
    const int64_t at = 16210 * US;
    const struct follower finished[] = {{PLAYER, "player", FINISHED, NO_COUNTER},
                                        {41, "synth", FINISHED, NO_COUNTER}};
    const struct follower late[] = {{PLAYER, "player", TRIGGERED, NO_COUNTER},
                                    {41, "synth", FINISHED, NO_COUNTER}};
    const struct times usual[] = {{6 * MS, 7 * MS + 5 * US, 7 * MS + 20 * US, 7 * MS + 80 * US},
                                  {6 * MS, 7 * MS + 5 * US, 7 * MS + 90 * US, 7 * MS + 140 * US}};
    const struct times held[] = {{at, at + US, at, at - 70 * US}, {at, at + US, at, at - 10 * US}};
    const struct times next[] = {{at, at + 40 * US, at + 50 * US, at + 330 * US},
                                 {at, at + 40 * US, at + 340 * US, at + 400 * US}};
    profile.measure = measure;
    st_pipewire_profile_add(&profile, 41, WAITER, false, false);
    take_times(&profile, (struct times){6 * MS, 7 * MS, 7 * MS + 150 * US, 7 * MS + 160 * US}, 5, finished,
               usual, 2);
    take_times(&profile, (struct times){at, at, at + 20 * US, at + 20 * US}, 5, late, held, 2);
    take_times(&profile, (struct times){at + 20 * US, at + 40 * US, at + 410 * US, at + 420 * US}, 5,
               finished, next, 2);
    assert_string_equal(told(&profile), "alsa_output.card/player 0 1 too-slow; ");
    assert_int_equal(told_busy_ns, 8140 * US);
}

/* PipeWire 1.4 reports that cycle: the client's end is that of the next one's beginning. */
static void who_held_up_the_server_in_a_cycle_that_is_reported_is_to_blame(void **state)
{
    (void)state;
    profile.measure = measure;
    const int64_t at = 16210 * US;
    take_player(&profile, (struct times){6 * MS, 7 * MS, 7 * MS + 90 * US, 7 * MS + 95 * US},
                (struct times){6 * MS, 7 * MS + 5 * US, 7 * MS + 20 * US, 7 * MS + 80 * US}, FINISHED, 4);
    take_player(&profile, (struct times){7 * MS, 8 * MS, at - US, at},
                (struct times){7 * MS, 8 * MS + 5 * US, 8 * MS + 20 * US, at - 10 * US}, FINISHED, 4);
    take_player(&profile, (struct times){8 * MS, at, at + 20 * US, at + 20 * US},
                (struct times){8 * MS, at + 5 * US, at + 15 * US, at - 10 * US}, AWAKE, 5);
    take_player(&profile, (struct times){at, at + 20 * US, at + 340 * US, at + 350 * US},
                (struct times){at, at + 25 * US, at + 50 * US, at + 330 * US}, FINISHED, 5);
    assert_string_equal(told(&profile), "alsa_output.card/player 0 1 too-slow; ");
    assert_int_equal(told_busy_ns, 8200 * US);
}

static void a_culprit_is_called_as_its_client(void **state)
{
    (void)state;
    static const char *const names[] = {"amp", "player", "player or synth", "synth or PipeWire"};
    for (size_t i = 0; i < 4; i++) {
        begin(NULL);
        profile.measure = measure;
        st_pipewire_profile_add(&profile, 41, 51, false, false);
        TAKE(&profile, 1000, 5, {PLAYER, "player", FINISHED, NO_COUNTER},
             {41, "synth", FINISHED, NO_COUNTER});
        queue_ns = 1400 * US;
        culprits[0] = i < 3 ? CLIENT : 51;
        culprits[1] = i < 3 ? 51 : ST_DROPOUT_SERVER;
        culprits_n = i < 2 ? i : 2;
        be_late(5);
        char wanted[96];
        snprintf(wanted, sizeof(wanted), "alsa_output.card/player 0 1 cpu-taken %s; ", names[i]);
        assert_string_equal(told(&profile), wanted);
    }
}

/* 1.4: its counter rises, because it had not finished when the next cycle began; its data is for the one
 * after. */
static void asynchronous_nodes_are_never_not_ready(void **state)
{
    is_async = *state == NULL; /* else by its times only */
    for (int64_t ms = 5; ms < 9; ms++)
        take_player(
            &profile, (struct times){(ms - 1) * MS, ms * MS, ms * MS + 5 * US, ms * MS + 9 * US},
            (struct times){(ms - 1) * MS, (ms - 1) * MS, (ms - 1) * MS + 20 * US, (ms - 1) * MS + 80 * US},
            AWAKE, (int)ms);
    assert_false(profile.pending);
    assert_string_equal(
        loads(&profile),
        "alsa_output.card/ 3 1000000 4000 5000; alsa_output.card/player 3 1000000 60000 20000; ");
}

/* A real server's: tests/fixtures/profiles/README.md. */
static void a_captured_cycle_has_each_clients_times(void **state)
{
    static _Alignas(8) uint8_t pods[65536];
    FILE *file = fopen(ST_PROFILES_DIR "/pipewire-0.3.65-waited", "rb");
    (void)state;
    assert_non_null(file);
    const size_t bytes = fread(pods, 1, sizeof(pods), file);
    fclose(file);
    if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
        ST_CANNOT("the capture has the low byte first");
    const struct spa_pod *pod = (const struct spa_pod *)pods;
    assert_int_equal(bytes, sizeof(*pod) + pod->size);
    assert_int_equal(st_pipewire_profile_take(&profile, pod), 0);
    assert_string_equal(told(&profile), "nul/good 0 1 waited-for-other bad; ");
    assert_string_equal(told_cycle,
                        "good 18315+5346 of 21343 us, left 1; bad 58+18143 of 21343 us, left 0; ");
}

/* More than a second later another one makes room for it. */
static void a_cycle_that_is_never_judged_does_not_stay(void **state)
{
    (void)state;
    for (int64_t ms = 5; ms < 3000; ms += 1500) { /* not judged: no later cycle has its end */
        const struct times late = {(ms - 1) * MS, ms * MS + 5 * US, ms * MS + 20 * US, (ms - 1) * MS};
        st_pipewire_profile_add(&profile, PLAYER, CLIENT, false, false); /* another one */
        take_player(&profile, (struct times){(ms - 1) * MS, (ms - 1) * MS, (ms - 1) * MS + 90 * US, ms * MS},
                    late, AWAKE, NO_COUNTER);
        take_player(&profile, (struct times){(ms - 1) * MS, ms * MS, (ms + 1) * MS, (ms + 1) * MS + 5 * US},
                    late, AWAKE, NO_COUNTER);
        assert_int_equal(profile.kept_ns, ms * MS);
    }
}

/* 0.3.65 has no room when its main thread gets no CPU for long. Since 0.3.72 each node's counter rises all
 * the same. */
static void cycles_that_are_not_reported_are_an_error(void **state)
{
    (void)state;
    TAKE(&profile, 1000, 5, {PLAYER, "player", FINISHED, NO_COUNTER});
    report_number++;
    TAKE(&profile, 2000, 5, {PLAYER, "player", FINISHED, NO_COUNTER});
    report_number += 2;
    TAKE(&profile, 3000, 5, {PLAYER, "player", FINISHED, 4});
    expected = -EOVERFLOW;
    TAKE(&profile, 4000, 5, {PLAYER, "player", FINISHED, NO_COUNTER});
    expected = 0;
    report_number = 3; /* another server */
    TAKE(&profile, 5000, 5, {PLAYER, "player", FINISHED, NO_COUNTER});
}

static int played_n;

static int32_t note_plays(void *ctx, uint32_t client)
{
    (void)ctx;
    assert_int_equal(client, CLIENT);
    played_n++;
    return 0;
}

static void who_plays_is_said_once_a_second(void **state)
{
    (void)state;
    profile.plays = note_plays;
    played_n = 0;
    for (int ms = 1; ms <= 2500; ms++)
        TAKE(&profile, 1000 * ms, 5, {PLAYER, "player", FINISHED, 4});
    assert_int_equal(played_n, 3);
}

static void other_pods_are_malformed(void **state)
{
    uint8_t space[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(space, sizeof(space));
    (void)state;
    struct spa_pod_int number = SPA_POD_INIT_Int(7);
    assert_int_equal(st_pipewire_profile_take(&profile, &number.pod), -EBADMSG);
    assert_int_equal(st_pipewire_profile_take(&profile, spa_pod_builder_add_struct(&builder, SPA_POD_Int(7))),
                     -EBADMSG);
}

/* A counter that is a choice of numbers. */
static void a_block_of_other_values_is_malformed(void **state)
{
    uint8_t space[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(space, sizeof(space));
    struct st_pipewire_block block;
    (void)state;
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
    (void)state;
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
        cmocka_unit_test_setup(xruns_of_the_driver_are_the_devices, begin),
        cmocka_unit_test_setup(what_was_before_the_first_sight_is_not_told, begin),
        cmocka_unit_test_setup(nodes_of_a_client_that_is_left_out_tell_nothing, begin),
        cmocka_unit_test_setup(without_counters_each_unfinished_cycle_counts_once, begin),
        cmocka_unit_test_setup(lost_cycles_with_next_to_no_sound_between_are_one_dropout, begin),
        cmocka_unit_test_setup(counters_win_over_the_status, begin),
        cmocka_unit_test_setup(a_second_card_has_device_xruns, begin),
        cmocka_unit_test_setup(a_second_card_that_is_put_in_step_is_reported_beside_the_first, begin),
        cmocka_unit_test_setup(the_log_of_older_versions_is_of_the_card_that_follows_now, begin),
        cmocka_unit_test_setup(a_lower_counter_begins_anew, begin),
        cmocka_unit_test_setup(more_nodes_than_there_is_room_for_are_not_watched, begin),
        cmocka_unit_test_setup(each_finished_cycle_is_in_the_load_once, begin),
        cmocka_unit_test_setup(a_node_that_has_gone_makes_room_after_its_last_report, begin),
        cmocka_unit_test_setup(cycles_of_who_computes_too_long_are_passed_on, begin),
        cmocka_unit_test_setup(code_is_not_asked_for_before_it_is_looked_at, begin),
        cmocka_unit_test_setup(a_late_cycle_is_followed_to_its_end, begin),
        cmocka_unit_test_setup(the_one_that_was_late_is_told_first, begin),
        cmocka_unit_test_setup(awake_in_a_cycle_that_ended_too_early_is_no_dropout, begin),
        cmocka_unit_test_setup(a_time_of_awaking_before_the_signal_is_not_the_clients, begin),
        cmocka_unit_test_setup(the_end_of_a_client_is_no_dropout, begin),
        cmocka_unit_test_setup(the_beginning_of_a_client_is_no_dropout, begin),
        cmocka_unit_test_setup(who_computes_while_the_server_waits_is_to_blame, begin),
        cmocka_unit_test_setup(a_card_that_runs_dry_is_the_dropout_of_who_held_up_the_server, begin),
        cmocka_unit_test_setup(a_card_that_runs_dry_for_a_late_client_is_that_clients_dropout, begin),
        cmocka_unit_test_setup(who_only_waited_behind_the_culprit_is_not_to_blame, begin),
        cmocka_unit_test_setup(who_held_up_the_server_in_a_cycle_that_is_reported_is_to_blame, begin),
        cmocka_unit_test_setup(a_culprit_is_called_as_its_client, begin),
        cmocka_unit_test_setup(the_client_that_another_waited_for_is_named, begin),
        cmocka_unit_test_setup(a_cycle_that_the_server_cuts_short_is_no_clients_dropout, begin),
        cmocka_unit_test_setup(one_that_is_too_slow_for_a_whole_period_is_to_blame_for_a_short_one, begin),
        cmocka_unit_test_setup(asynchronous_nodes_are_never_not_ready, begin),
        cmocka_unit_test_prestate_setup_teardown(asynchronous_nodes_are_never_not_ready, begin, NULL,
                                                 (void *)"1.4.2"),
        cmocka_unit_test_setup(a_captured_cycle_has_each_clients_times, begin),
        cmocka_unit_test_setup(a_cycle_that_is_never_judged_does_not_stay, begin),
        cmocka_unit_test_setup(cycles_that_are_not_reported_are_an_error, begin),
        cmocka_unit_test_setup(who_plays_is_said_once_a_second, begin),
        cmocka_unit_test_setup(other_pods_are_malformed, begin),
        cmocka_unit_test(a_block_of_other_values_is_malformed),
        cmocka_unit_test(the_load_has_each_cycle_and_begins_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
