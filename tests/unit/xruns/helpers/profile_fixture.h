/* Profiles as PipeWire makes them, before and since it has a counter for each node, and what is
 * reported from them. */
#pragma once

#include "tests/unit/cannot.h"
#include "tests/unit/unit.h"
#include "tests/unit/xruns/helpers/profile_ops.h"

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

enum { MS = 1000000, US = 1000 };

/* A node's in one cycle, in us; awake and finish 0: 20 and 50 us after the signal. */
struct times {
    int64_t prev_signal, signal, awake, finish;
};

static struct st_pipewire_profile profile;

static bool is_async; /* the nodes of one test */
static int64_t report_number;
static int64_t driver_lost_frames = -1; /* as its clock has it; -1: before 1.3.81 */
static int64_t cycle_frames = 48;
static int expected; /* what taking a cycle returns */

/* Of one cycle, as module-profiler builds it. */
static inline void put_block(struct spa_pod_builder *builder, uint32_t key, int id,
                             const char *name, struct times times, int status, int xruns_n)
{
    struct spa_pod_frame frame;
    spa_pod_builder_prop(builder, key, 0);
    spa_pod_builder_push_struct(builder, &frame);
    spa_pod_builder_int(builder, id);
    spa_pod_builder_string(builder, name);
    const int64_t four[] = {times.prev_signal, times.signal,
                            times.awake != 0 ? times.awake : times.signal + 20,
                            times.finish != 0 ? times.finish : times.signal + 50};
    ST_EACH (us, four)
        spa_pod_builder_long(builder, *us * US);
    spa_pod_builder_int(builder, status);
    spa_pod_builder_fraction(builder, 1024, 48000);
    if (xruns_n != NO_COUNTER)
        spa_pod_builder_int(builder, xruns_n);
    if (is_async)
        spa_pod_builder_bool(builder, true);
    spa_pod_builder_pop(builder, &frame);
}

static inline void put_cycle(struct spa_pod_builder *builder, struct times driver,
                             int driver_xruns_n, const struct follower *followers,
                             const struct times *times, size_t followers_n)
{
    struct spa_pod_frame frame, clock;
    const bool counters = followers_n > 0 && followers[0].xruns_n != NO_COUNTER;
    spa_pod_builder_push_object(builder, &frame, SPA_TYPE_OBJECT_Profiler, 0);
    spa_pod_builder_prop(builder, SPA_PROFILER_info, 0);
    spa_pod_builder_add_struct(builder, SPA_POD_Long(report_number), SPA_POD_Float(0.1),
                               SPA_POD_Float(0.1), SPA_POD_Float(0.1), SPA_POD_Int(driver_xruns_n));
    spa_pod_builder_prop(builder, SPA_PROFILER_clock, 0);
    spa_pod_builder_push_struct(builder, &clock);
    spa_pod_builder_add(builder, SPA_POD_Int(0), SPA_POD_Int(1), SPA_POD_String("clock"),
                        SPA_POD_Long(driver.signal * US), SPA_POD_Fraction(&SPA_FRACTION(1, 48000)),
                        SPA_POD_Long(driver.signal * US), SPA_POD_Long(cycle_frames),
                        SPA_POD_Long(INT64_C(0)), SPA_POD_Double(1.0),
                        SPA_POD_Long(driver.signal * US + MS), NULL);
    if (driver_lost_frames >= 0) /* since 1.3.81 */
        spa_pod_builder_add(builder, SPA_POD_Int(0), SPA_POD_Int(0),
                            SPA_POD_Long(driver_lost_frames), NULL);
    spa_pod_builder_pop(builder, &clock);
    put_block(builder, SPA_PROFILER_driverBlock, DRIVER, "alsa_output.card", driver, FINISHED,
              counters ? driver_xruns_n : NO_COUNTER);
    for (size_t i = 0; i < followers_n; i++)
        put_block(builder, SPA_PROFILER_followerBlock, followers[i].id, followers[i].name,
                  times != NULL ? times[i]
                                : (struct times){driver.prev_signal + 30, driver.signal + 30},
                  followers[i].status, followers[i].xruns_n);
    spa_pod_builder_pop(builder, &frame);
}

static inline void take_times(struct times driver, int driver_xruns_n,
                              const struct follower *followers, const struct times *times,
                              size_t followers_n)
{
    static uint8_t space[65536];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(space, sizeof(space));
    struct spa_pod_frame frame;
    spa_pod_builder_push_struct(&builder, &frame);
    put_cycle(&builder, driver, driver_xruns_n, followers, times, followers_n);
    const struct spa_pod *pod = spa_pod_builder_pop(&builder, &frame);
    assert_non_null(pod);
    assert_int_equal(st_pipewire_profile_take(&profile, pod), expected);
}

/* Of the player, in a period of 1 ms (48 frames). */
static inline void take_player(struct times driver, struct times player, int status, int xruns_n)
{
    take_times(driver, 5, &(struct follower){PLAYER, "player", status, xruns_n}, &player, 1);
}

#define FOLLOWERS(...)                                                                             \
    (const struct follower[]){__VA_ARGS__}, NULL,                                                  \
        sizeof((const struct follower[]){__VA_ARGS__}) / sizeof(struct follower)
#define TAKE(signal_us, driver_xruns_n, ...)                                                       \
    take_times((struct times){(signal_us)-1, signal_us}, driver_xruns_n, FOLLOWERS(__VA_ARGS__))

/* The player's cycle, finished in time. */
static inline void play(int64_t signal_us, int driver_xruns_n, int xruns_n)
{
    TAKE(signal_us, driver_xruns_n, {PLAYER, "player", FINISHED, xruns_n});
}

/* Its cycles, each ms, without counters. */
static inline void play_from(int64_t from_us, int64_t to_us, int driver_xruns_n)
{
    for (int64_t us = from_us; us <= to_us; us += 1000)
        play(us, driver_xruns_n, NO_COUNTER);
}

/* What is reported, as text: "device/client n lost-cycles REASON CULPRIT; ", without a reason that
 * is unknown. The cycle beside it: "client WAIT+BUSY of DEADLINE us, left LEFT; ". */
static int64_t told_busy_ns, told_spare_ns, told_period_ns,
    told_culprit_plays; /* of the last one */
static char told_cycle[512];

static inline void write_seen(void *ctx, const struct st_xrun_seen *seen)
{
    char *text = ctx;
    if (seen->kind == ST_XRUN_SEEN_CYCLE) {
        const size_t before = strlen(told_cycle);
        assert_int_equal(seen->event.count_n, 0);
        snprintf(told_cycle + before, sizeof(told_cycle) - before, "%s %d+%d of %d us, left %d; ",
                 seen->event.client, (int)(seen->event.cycle.wait_ns / 1000),
                 (int)(seen->event.cycle.busy_ns / 1000), (int)(seen->deadline_ns / 1000),
                 (int)seen->left_n);
        return;
    }
    told_busy_ns = seen->event.cycle.busy_ns;
    told_culprit_plays = seen->event.culprit_plays;
    told_spare_ns = seen->event.spare_ns;
    told_period_ns = seen->event.cycle.period_ns;
    const size_t len = strlen(text);
    snprintf(text + len, 256 - len, "%s/%s %d %d%s%s%s%s; ", seen->event.device, seen->event.client,
             (int)(seen->event.kind == ST_EVENT_DEVICE_DROPOUT ? seen->event.count_n : 0),
             (int)seen->event.cycles_n, seen->event.reason != ST_DROPOUT_UNKNOWN ? " " : "",
             seen->event.reason != ST_DROPOUT_UNKNOWN ? st_dropout_reason_name(seen->event.reason)
                                                      : "",
             seen->event.culprit[0] != '\0' ? " " : "", seen->event.culprit);
}

/* Where reports go. */
static inline void seeing(st_xrun_seen_fn seen, void *ctx)
{
    profile.ops.seen = seen;
    profile.ctx = ctx;
}

/* Loads, as text: "device/client cycles period busy wait; ", medians. */
static inline void write_load(void *ctx, const struct st_xrun_seen *seen)
{
    char *text = ctx;
    const size_t len = strlen(text);
    snprintf(text + len, 256 - len, "%s/%s %d %d %d %d; ", seen->event.device, seen->event.client,
             (int)seen->load.cycles_n, (int)seen->load.period_ns, (int)seen->load.busy_median_ns,
             (int)seen->load.wait_median_ns);
}

static inline const char *loads(void)
{
    static char text[256];
    text[0] = '\0';
    seeing(write_load, text);
    st_pipewire_profile_loads(&profile);
    return text;
}

static inline void tells(const char *expected_text)
{
    char text[256] = "";
    told_cycle[0] = '\0';
    assert_true(profile.unreported_n > 0);
    seeing(write_seen, text);
    st_pipewire_profile_report(&profile);
    assert_int_equal(profile.unreported_n, 0);
    assert_string_equal(text, expected_text);
}

/* Once, at this time of the driver's clock. */
static inline bool starved(int64_t at_ms, bool counts)
{
    return st_pipewire_profile_starved(&profile, at_ms * MS, counts);
}

static int64_t queue_ns; /* how long the client that measure() is asked for waited for a CPU */
static bool process_has_gone, was_stopped, is_of_server;
static uint32_t culprits[2]; /* who had it */
static size_t culprits_n;

static inline int begin(void **state)
{
    is_async = false;
    report_number = 7;
    expected = 0;
    finish_profile(&profile);
    profile = (struct st_pipewire_profile){.ops = nothing_watched};
    queue_ns = 0;
    process_has_gone = was_stopped = is_of_server = false;
    culprits_n = 0;
    st_pipewire_profile_add(&profile, DRIVER, ST_PIPEWIRE_PROFILE_NO_CLIENT, true, false);
    st_pipewire_profile_add(&profile, CARD, ST_PIPEWIRE_PROFILE_NO_CLIENT, true, false);
    st_pipewire_profile_add(&profile, PLAYER, CLIENT, false, false);
    return 0;
}

static struct st_dropout_figures figures; /* what measure() was asked for */

/* It had the CPU the rest of the time. */
static inline void measure(void *ctx, uint32_t client, struct st_dropout_figures *ret)
{
    ret->stopped = was_stopped;
    if (client == ST_DROPOUT_SERVER) {
        ret->measured = was_stopped;
        return;
    }
    ret->of_server = is_of_server;
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
    ST_PRINT(ret->culprit, "amp");
    memcpy(ret->culprits, culprits, sizeof(culprits));
    ret->culprits_n = culprits_n;
    ret->cpu_ns = ret->end_ns - ret->signal_ns - queue_ns;
}

static inline int begin_measured(void **state)
{
    begin(state);
    profile.ops.measure = measure;
    return 0;
}
