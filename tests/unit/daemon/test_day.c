/* A day in the life of sleeptuned by a scripted clock: its parts put together as daemon/service*.c
 * do, at 1024 frames and 48 kHz (4 050 000 periods; at 128 frames it would be eight times as many
 * and show nothing more). Once the machine sleeps for an hour, once somebody sets the clock back,
 * once everything stands still for 200 ms; now and then another thread has the CPU, and a player
 * has an xrun.
 *
 * One thread is loop, drain, observer and main thread in turn: the loop's callback plays the others
 * whenever their time has come. Only the history is written by the thread that always does it.
 * Real clock: only to wait for the thread that writes the history. */
#include <stdatomic.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "core/ns.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "daemon/causes/causes.h"
#include "daemon/causes/tracer.h"
#include "daemon/history/history_writer.h"
#include "daemon/loop/clockwatch.h"
#include "daemon/observe/observed.h"
#include "daemon/service_view.h"
#include "measure/drain.h"
#include "store/history/history_private.h"
#include "tests/fake/fake.h"
#include "tests/unit/cannot.h"
#include "tests/unit/period.h"
#include "tests/unit/unit.h"

#define FRAMES     1024
#define RATE_HZ    48000
#define MINUTES    (24 * 60)
#define SECONDS    (MINUTES * 60)
#define PERIODS    ((uint64_t)SECONDS * RATE_HZ / FRAMES)
#define RING_WORDS 4096

#define START_NS (1000 * ST_NS_PER_S)
#define WALL_NS  (INT64_C(1795190400) * ST_NS_PER_S) /* the wall clock at the start */
#define DRAIN_NS (250 * ST_NS_PER_MS)

#define LATE_EACH    20000                /* cycles; no divisor of the periods of a minute */
#define LATE_NS      (15 * ST_NS_PER_MS)  /* more than half a period, less than one */
#define STALL_CYCLE  1000000              /* in the sixth hour */
#define STALL_NS     (200 * ST_NS_PER_MS) /* 9.375 periods */
#define SUSPEND_AT_S 30000
#define SUSPEND_NS   (3600 * ST_NS_PER_S)
#define BACK_AT_S    40000
#define BACK_NS      (45 * ST_NS_PER_S)
#define XRUN_EACH_S  600

/* Of 23 hours; 2.4 KiB were seen. 12 bytes a minute that are not freed are more. */
#define GROWTH_BYTES (16 * 1024)

static char folder[64];
static struct st_platform *fake;
static int (*plain_sleep)(struct st_platform *platform, int64_t due_ns) ST_NONBLOCKING;
static _Atomic int64_t wall_ahead_ns;
static struct st_config config;
static struct st_events events;
static struct st_causes *causes;
static struct st_tracer_way late_wakes;
static struct st_clockwatch clockwatch;
static struct st_observed observed;
static struct st_history_writer *writer;
static struct st_ring ring;
static struct st_loop loop;
static struct st_drain drain;
static struct st_result result;

/* What is scripted happened so often, counted where it is made. */
static struct {
    uint64_t sleeps_n, callbacks_n, late_n, xruns_n;
    int64_t worst_ns;
} made;

/* What the minutes said, summed. */
static struct {
    uint64_t minutes_n, cycles, misses, skipped_periods, late_wakes, unbalanced_n;
    int64_t worst_ns;
} told;

static int64_t seconds_n, drained_ns;
static struct st_history_minute counts;
static size_t in_use_first_hour, in_use_end;

/* --- the machine --- */

static int64_t wall_by_script(struct st_platform *platform)
{
    return platform->now_ns(platform) + atomic_load(&wall_ahead_ns);
}

static uint64_t next_random(void)
{
    static uint64_t x = 88172645463325252u; /* xorshift64, Marsaglia 2003 */
    x ^= x << 13;
    x ^= x >> 7;
    return x ^= x << 17;
}

/* 5 to 37 us late, as an idle machine is; where it is more, another thread had the CPU. */
static int sleep_by_script(struct st_platform *platform, int64_t due_ns) ST_NONBLOCKING
{
    static struct st_thread_counters counters = {.valid = ST_COUNTER_RUNQ_WAIT};
    const int r = plain_sleep(platform, due_ns);
    int64_t late_ns = 5000 + (int64_t)(next_random() % 32768);
    made.sleeps_n++;
    if (made.sleeps_n % LATE_EACH == 0 || made.sleeps_n == STALL_CYCLE) {
        late_ns = made.sleeps_n == STALL_CYCLE ? STALL_NS : LATE_NS;
        counters.runq_wait_ns += late_ns;
        st_fake_set_counters(platform, &counters);
        made.late_n++;
    }
    if (late_ns > made.worst_ns)
        made.worst_ns = late_ns;
    st_fake_advance(platform, late_ns);
    return r;
}

static int open_player(struct st_xrun_watch *w)
{
    return 0;
}

static int poll_player(struct st_xrun_watch *w)
{
    const struct st_xrun_seen one = {.event = {.kind = ST_EVENT_DEVICE_DROPOUT,
                                               .device = "hw:0",
                                               .client = "mpv",
                                               .certainty = ST_CERTAINTY_EXACT,
                                               .count_n = 1}};
    if (seconds_n / XRUN_EACH_S > (int64_t)made.xruns_n) {
        made.xruns_n++;
        w->seen(w->ctx, &one);
    }
    return 0;
}

static void close_player(struct st_xrun_watch *w) {}

static const struct st_xrun_ops player_ops = {
    .open = open_player, .poll = poll_player, .close = close_player};
static const struct st_xrun_source player = {
    .name = "alsa", .summary = "scripted", .poll_ns = DRAIN_NS, .ops = &player_ops};

/* --- memory --- */

/* Bytes that malloc has given out, but for SQLite's, whose cache grows with the file up to its
 * limit; 0: this malloc does not say (a sanitizer's, which finds leaks by itself). */
static size_t in_use(void)
{
#ifdef __GLIBC__
    const struct mallinfo2 info = mallinfo2();
    const size_t all = info.uordblks + info.hblkhd, sqlite = (size_t)sqlite3_memory_used();
    return all > sqlite ? all - sqlite : 0;
#else
    return 0;
#endif
}

static struct st_history_writer_view look(void)
{
    struct st_history_writer_view view;
    st_history_writer_look(writer, &view);
    return view;
}

/* Until the history's thread has written all minutes; how long it takes says nothing. */
static void wait_for_history(void)
{
    const struct timespec pause = {.tv_nsec = 10 * ST_NS_PER_MS};
    while (look().state != ST_HISTORY_WRITER_FAILING &&
           (look().minutes_n < told.minutes_n ||
            look().waiting_minutes_n + look().waiting_events_n > 0))
        nanosleep(&pause, NULL);
}

/* --- the daemon's threads, in turn --- */

/* As st_service_view_end_minute. */
static void end_minute(void)
{
    struct st_hist lateness;
    struct st_history_minute minute;
    static struct st_cause_sums minute_causes;
    static const struct st_history_watched nothing;
    const struct st_history_minute now =
        st_service_view_minute_so_far(&result, st_platform_now_ns(fake), st_platform_wall_ns(fake));
    assert_int_equal(st_hist_init(&lateness, ST_HISTORY_DIGITS), 0);
    assert_true(st_service_view_minute_take(&counts, &now, &minute));
    st_tracer_way_end_minute(&late_wakes, &lateness);
    assert_int_equal(lateness.total_n, minute.cycles);
    minute.lateness_max_ns = lateness.max_ns;
    st_causes_end_minute(causes, &minute_causes, &minute);
    st_history_writer_add(writer, &minute, &lateness, &minute_causes, &nothing);
    st_hist_finish(&lateness);
    told.minutes_n++;
    told.cycles += minute.cycles;
    told.misses += minute.misses;
    told.skipped_periods += minute.skipped_periods;
    told.late_wakes += minute.late_wakes;
    if (minute.lateness_max_ns > told.worst_ns)
        told.worst_ns = minute.lateness_max_ns;
    told.unbalanced_n +=
        !result.books_balance || result.cycles + result.skipped_periods != result.elapsed_periods;
}

/* Somebody looks at the page. */
static void be_looked_at(void)
{
    struct st_causes_now now;
    st_causes_look(causes, &now);
    char *text = st_causes_text(&now);
    json_t *documents[] = {json_loads(text, 0, NULL),
                           st_events_json(&events, st_platform_wall_ns(fake))};
    free(text);
    ST_EACH (document, documents) {
        assert_non_null(*document);
        json_decref(*document);
    }
}

/* As st_service_tick. */
static void second_goes_by(void)
{
    seconds_n++;
    if (seconds_n == SUSPEND_AT_S) {
        st_fake_set_suspended_ns(fake, SUSPEND_NS);
        atomic_fetch_add(&wall_ahead_ns, SUSPEND_NS);
    }
    if (seconds_n == BACK_AT_S)
        atomic_fetch_sub(&wall_ahead_ns, BACK_NS);
    st_clockwatch_tick(&clockwatch, fake, &events);
    st_causes_tick(causes, -1);
    st_events_log(&events, st_platform_wall_ns(fake), false);
    if (seconds_n % 60 != 0)
        return;
    end_minute();
    if (seconds_n % 600 == 0)
        be_looked_at();
    if (seconds_n == 3600) {
        wait_for_history();
        in_use_first_hour = in_use();
    }
}

static void drain_once(void)
{
    st_drain_step(&drain);
    st_drain_baseline(&drain);
    st_observed_turn(&observed);
}

static void others_have_their_turn(void *ctx) ST_NONBLOCKING
{
    made.callbacks_n++;
    const int64_t now_ns = st_platform_now_ns(fake);
    if (now_ns - drained_ns < DRAIN_NS)
        return;
    drained_ns = now_ns;
    drain_once();
    /* the last second is that of the end */
    while (seconds_n < SECONDS - 1 && now_ns - START_NS >= (seconds_n + 1) * ST_NS_PER_S)
        second_goes_by();
}

/* --- the day --- */

static void start_loop(void)
{
    const struct st_cause_machine machine = {.virtualised = 0, .rt_hole_ns = 50 * ST_NS_PER_MS};
    const struct st_thread_counters counters = {.valid = ST_COUNTER_RUNQ_WAIT};
    static struct st_counters_handle handle;
    struct st_session_config wish;
    st_fake_set_counters(fake, &counters);
    st_session_defaults(&wish);
    wish.frames = FRAMES;
    wish.rate_hz = RATE_HZ;
    st_causes_begin(causes, &wish);
    assert_int_equal(st_ring_init(&ring, RING_WORDS), 0);
    loop = (struct st_loop){.platform = fake,
                            .ring = &ring,
                            .callback = others_have_their_turn,
                            .max_periods = PERIODS,
                            .cause_above_ns = st_session_cause_above_ns(&wish),
                            .counters = &handle};
    assert_int_equal(fake->counters_open(fake, &handle), 0);
    loop.period = period_of(FRAMES, RATE_HZ);
    result = (struct st_result){.period = loop.period,
                                .frames = FRAMES,
                                .rate_hz = RATE_HZ,
                                .cpu = -1,
                                .policy = ST_POLICY_FIFO,
                                .priority = 70,
                                .cause_above_ns = loop.cause_above_ns};
    assert_int_equal(st_hist_init(&result.lateness, 3), 0);
    assert_int_equal(st_hist_init(&result.response, 3), 0);
    const struct st_sink sink = st_tracer_way_sink(&late_wakes);
    st_drain_init(&drain, &loop, &result, &sink, &machine);
}

static void start_all(void)
{
    const struct st_xrun_setting setting = {{0}};
    ST_PRINT(folder, "/tmp/test_day.XXXXXX");
    assert_non_null(mkdtemp(folder));
    assert_int_equal(setenv("STATE_DIRECTORY", folder, 1), 0);
    st_config_defaults(&config);
    fake = st_fake_new(ST_OS_LINUX, START_NS);
    assert_non_null(fake);
    plain_sleep = fake->sleep_until_ns;
    fake->sleep_until_ns = sleep_by_script;
    fake->wall_ns = wall_by_script;
    atomic_store(&wall_ahead_ns, WALL_NS - START_NS);
    assert_int_equal(st_events_init(&events, NULL), 0);
    assert_int_equal(st_causes_new(fake, &events, &causes), 0);
    assert_int_equal(st_tracer_way_init(&late_wakes, causes), 0);
    assert_int_equal(st_history_writer_start(fake, &config, &events, &writer), 0);
    st_observed_init(&observed, fake, &events, &player);
    st_observed_set(&observed, ST_OBSERVED_ON, &setting);
    drained_ns = START_NS;
    st_clockwatch_tick(&clockwatch, fake, &events);
    start_loop();
}

static int the_day_goes_by(void **state)
{
    start_all();
    assert_int_equal(st_loop_run(&loop), 0);
    drain_once();
    st_drain_finish(&drain);
    st_fake_advance(fake, START_NS + SECONDS * ST_NS_PER_S - st_platform_now_ns(fake));
    second_goes_by();
    wait_for_history();
    in_use_end = in_use();
    st_observed_finish(&observed);
    st_events_log(&events, st_platform_wall_ns(fake), true);
    wait_for_history();
    return 0;
}

static int clean_up(void **state)
{
    char command[128];
    st_history_writer_stop(writer);
    st_tracer_way_finish(&late_wakes);
    st_causes_free(causes);
    st_events_finish(&events);
    st_ring_finish(&ring);
    st_result_finish(&result);
    st_fake_free(fake);
    ST_PRINT(command, "rm -rf '%s'", folder);
    return system(command);
}

/* --- what is to be seen of it --- */

static void the_books_balance_each_minute_and_at_the_end(void **state)
{
    assert_int_equal(told.minutes_n, MINUTES);
    assert_int_equal(told.unbalanced_n, 0);
    assert_true(result.books_balance);
    assert_int_equal(result.records_lost, 0);
    /* the clock says how many periods a day has; each cycle was called once; the stall of 9.375
     * periods skipped 8 of them and was late for the ninth, too */
    assert_int_equal(result.elapsed_periods, PERIODS);
    assert_int_equal(result.cycles, made.callbacks_n);
    assert_int_equal(result.skipped_periods, 8);
    assert_int_equal(result.cycles, PERIODS - 8);
}

static void minutes_sum_up_to_the_whole(void **state)
{
    assert_int_equal(told.cycles, result.cycles);
    assert_int_equal(told.misses, result.misses);
    assert_int_equal(told.skipped_periods, result.skipped_periods);
    assert_int_equal(told.worst_ns, result.lateness.max_ns);
    assert_int_equal(told.worst_ns, made.worst_ns);
    assert_int_equal(told.late_wakes, result.cause_late_n);
    assert_int_equal(told.late_wakes, made.late_n);
    assert_int_equal(observed.view.seen.sum.device_n, made.xruns_n);
    assert_true(made.xruns_n >= SECONDS / XRUN_EACH_S - 1);
}

static void what_happened_is_seen_as_what_it_was(void **state)
{
    assert_int_equal(result.misses, 9);
    assert_int_equal(result.suspends, 1);
    assert_int_equal(result.causes[ST_CAUSE_RUN_QUEUE].n, made.late_n);
    /* a drain may come between a late wake-up and its record: what was waited then is the next
     * one's baseline */
    assert_true(result.causes[ST_CAUSE_RUN_QUEUE].explained_ns >=
                result.causes[ST_CAUSE_RUN_QUEUE].total_ns / 100 * 95);
}

static int64_t number(struct st_sql *sql, const char *statement)
{
    return st_sql_number(sql, INT64_MIN, statement, "");
}

static void the_history_has_all_of_it(void **state)
{
    char path[96];
    const char *error;
    struct st_history_reader *reader;
    json_t *document;
    assert_int_equal(look().state, ST_HISTORY_WRITER_WRITING);
    assert_int_equal(look().minutes_n, MINUTES);
    assert_int_equal(look().lost_minutes_n + look().lost_events_n, 0);
    ST_PRINT(path, "%s/history.db", folder);
    assert_int_equal(st_history_read_open(path, &reader, &error), 0);
    struct st_sql *sql = &reader->sql;
    assert_int_equal(number(sql, "SELECT count(*) FROM span WHERE level = 60"), MINUTES);
    assert_int_equal(number(sql, "SELECT sum(cycles) FROM span WHERE level = 60"), result.cycles);
    assert_int_equal(number(sql, "SELECT sum(measured_ns) FROM span WHERE level = 60"),
                     SECONDS * ST_NS_PER_S);
    const struct {
        const char *name;
        int64_t n;
    } rows[] = {{"suspend", 1},
                {"clock-jump", 1},
                {"pause", 0},
                {"history-aside", 0},
                {"device-dropout", (int64_t)made.xruns_n}};
    for (size_t i = 0; i < ST_ARRAY_LEN(rows); i++)
        assert_int_equal(
            number(sql, st_text("SELECT count(*) FROM event WHERE kind = '%s'", rows[i].name)),
            rows[i].n);
    assert_int_equal(
        number(sql,
               "SELECT count(*) FROM event WHERE kind = 'clock-jump' AND detail LIKE '%back%'"),
        1);
    assert_int_equal(number(sql, "SELECT count(*) FROM event WHERE kind = 'late-wake'"),
                     made.late_n);
    /* the same as an answer, over the hour that the machine slept and the clock that was set
     * back */
    document = st_history_read_steps(reader, WALL_NS, WALL_NS + 25 * 3600 * ST_NS_PER_S,
                                     600 * ST_NS_PER_S);
    assert_int_equal(st_history_read_result(reader), 0);
    int64_t cycles = 0, misses = 0;
    size_t i;
    const json_t *row;
    json_array_foreach(json_object_get(document, "rows"), i, row)
    {
        cycles += st_json_integer(row, "cycles");
        misses += st_json_integer(row, "misses");
    }
    json_decref(document);
    st_history_read_close(reader);
    assert_int_equal(cycles, result.cycles);
    assert_int_equal(misses, result.misses);
}

static void nothing_grows(void **state)
{
    if (in_use_first_hour == 0)
        ST_CANNOT("a sanitizer's allocator does not say what is in use");
    print_message("# in use after 1 h: %zu bytes, after 24 h: %zu\n", in_use_first_hour,
                  in_use_end);
    assert_true(in_use_end <= in_use_first_hour + GROWTH_BYTES);
}

int main(ST_UNUSED int argc, char **argv)
{
    /* what a thread keeps for its next call of malloc would count as in use: 40 KiB more each day
     * with glibc 2.36, 70 with 2.43 */
    if (getenv("GLIBC_TUNABLES") == NULL &&
        setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0", 1) == 0)
        (void)execv(argv[0], argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_books_balance_each_minute_and_at_the_end),
        cmocka_unit_test(minutes_sum_up_to_the_whole),
        cmocka_unit_test(what_happened_is_seen_as_what_it_was),
        cmocka_unit_test(the_history_has_all_of_it),
        cmocka_unit_test(nothing_grows),
    };
    return cmocka_run_group_tests(tests, the_day_goes_by, clean_up);
}
