/* Sums of causes, what is told of them, and xruns of others at the same time. */
#include "core/ns.h"
#include "daemon/causes/tracer.h"
#include "tests/fake/fake.h"
#include "tests/unit/shown_json.h"

#define START_NS (1000 * ST_NS_PER_S)

static struct st_platform *fake;
static struct st_events events;
static struct st_causes *causes;
static struct st_tracer_way late_wakes;
static struct st_cause_sums ended;
static struct st_history_minute minute;
static struct st_session_config config;

static int setup(void **state)
{
    fake = st_fake_new(ST_OS_LINUX, START_NS);
    st_session_defaults(&config);
    if (fake == NULL || st_events_init(&events, NULL) != 0 ||
        st_causes_new(fake, &events, &causes) != 0)
        return -1;
    st_causes_begin(causes, &config);
    return st_tracer_way_init(&late_wakes, causes);
}

static int teardown(void **state)
{
    st_tracer_way_finish(&late_wakes);
    st_causes_free(causes);
    st_events_finish(&events);
    st_fake_free(fake);
    return 0;
}

static struct st_cause_event late(enum st_cause cause, int64_t lateness_ns, int64_t explained_ns)
{
    return (struct st_cause_event){.cause = cause,
                                   .at_ns = st_platform_now_ns(fake),
                                   .lateness_ns = lateness_ns,
                                   .explained_ns = explained_ns,
                                   .together_n = 1};
}

static void take_late(const struct st_cause_event *event)
{
    const struct st_sink sink = st_tracer_way_sink(&late_wakes);
    sink.late(sink.ctx, event);
}

static void add(enum st_cause cause, int64_t lateness_ns, int64_t explained_ns)
{
    const struct st_cause_event event = late(cause, lateness_ns, explained_ns);
    take_late(&event);
}

/* After the late wake-ups of the running quarter of a second were put. */
static const struct st_event *newest(void)
{
    st_causes_tick(causes, 0);
    assert_true(events.events_n > 0);
    return &events.events[events.events_n - 1].event;
}

/* What status says of the newest event: the member, "" if it is not there. */
static const char *said(const char *key)
{
    static char buf[512];
    st_causes_tick(causes, 0);
    json_t *list = st_events_json(&events, st_platform_wall_ns(fake));
    const char *text = json_string_value(json_object_get(json_array_get(list, 0), key));
    ST_PRINT(buf, "%s", text != NULL ? text : "");
    json_decref(list);
    return buf;
}

static void minute_passes(void)
{
    st_fake_advance(fake, 60 * ST_NS_PER_S);
    st_causes_end_minute(causes, &ended, &minute);
}

/* Of the minute that goes on. */
static json_t *sums(void)
{
    struct st_causes_now now;
    st_causes_look(causes, &now);
    char *text = st_causes_text(&now);
    json_t *document = json_loads(text, 0, NULL);
    free(text);
    assert_non_null(document);
    return document;
}

/* Shows what is not as it was: the sums, and what status says of the events. */
static void look(const char *when)
{
    st_causes_tick(causes, 0);
    json_t *newest_first = st_events_json(&events, st_platform_wall_ns(fake)),
           *oldest_first = json_array(), *event;
    size_t i;
    json_array_foreach(newest_first, i, event) json_array_insert(oldest_first, 0, event);
    json_decref(newest_first);
    show_changes(when,
                 lines_of_json(json_pack("{s:o, s:o}", "sums", sums(), "events", oldest_first)));
}

static json_int_t number(const json_t *document, const char *key)
{
    const json_t *value = json_object_get(document, key);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

static void sums_are_by_cause_the_longest_total_first(void **state)
{
    st_causes_wakes(causes, 1000);
    add(ST_CAUSE_RUN_QUEUE, 2 * ST_NS_PER_MS, 1900000);
    add(ST_CAUSE_TIMER, 3 * ST_NS_PER_MS, INT64_MIN);
    add(ST_CAUSE_RUN_QUEUE, 4 * ST_NS_PER_MS, 4000000);
    look("said by exclusion");
}

static void take(enum st_cause cause, const char *culprit_name, int64_t ns)
{
    struct st_trace_culprit culprit = {.ns = ns, .explains = true};
    const struct st_cause_event one = late(cause, ns, ns);
    ST_PRINT(culprit.name, "%s", culprit_name);
    st_causes_take(causes, &one, culprit_name[0] != '\0' ? &culprit : NULL);
}

static void sentence_sums_by_cause_then_names_the_worst_culprit_of_it(void **state)
{
    st_causes_wakes(causes, 1000);
    take(ST_CAUSE_TIMER, "", 8 * ST_NS_PER_MS); /* the longest row, not the longest cause */
    take(ST_CAUSE_RUN_QUEUE, "hog/7", 5 * ST_NS_PER_MS);
    take(ST_CAUSE_RUN_QUEUE, "clang/70", 3 * ST_NS_PER_MS);
    take(ST_CAUSE_RUN_QUEUE, "clang/71", 3 * ST_NS_PER_MS);
    take(ST_CAUSE_RUN_QUEUE, "", 1 * ST_NS_PER_MS);
    look("threads of a program are one");
    take(ST_CAUSE_TIMER, "irq/27-hda", 30 * ST_NS_PER_MS);
    look("");
}

static void culprit_of_a_part_of_the_wait_leaves_the_wait_explained(void **state)
{
    const struct st_cause_event one = late(ST_CAUSE_RUN_QUEUE, 2000000, 1900000);
    struct st_trace_culprit culprit = {.name = "hog/7", .ns = 600000, .explains = true};
    st_causes_take(causes, &one, &culprit);
    look("others had the rest");
    culprit.ns = 2100000;
    st_causes_take(causes, &one, &culprit);
    look("");
}

static void culprit_whose_part_of_the_wait_is_not_known_explains_no_more(void **state)
{
    const struct st_cause_event one = late(ST_CAUSE_RUN_QUEUE, 2000000, 1100000);
    const struct st_trace_culprit culprit = {.name = "hog/7", .ns = 2000000};
    st_causes_take(causes, &one, &culprit);
    look("");
}

static void interrupt_that_was_counted_is_named_without_a_tracer(void **state)
{
    struct st_cause_event event = late(ST_CAUSE_KERNEL, 3 * ST_NS_PER_MS, 2900000);
    ST_PRINT(event.culprit, "irq22: hdac0");
    st_causes_wakes(causes, 1000);
    take_late(&event);
    look("");
}

static void nothing_late_and_nothing_measured_are_told_apart(void **state)
{
    look("");
    st_causes_wakes(causes, 3000000);
    look("");
}

static void minute_has_what_was_late_in_it_and_the_next_begins_anew(void **state)
{
    for (int i = 0; i < 5; i++) {
        st_causes_wakes(causes, 100);
        for (int n = 0; n <= i; n++)
            add(ST_CAUSE_RUN_QUEUE, 2 * ST_NS_PER_MS, 0);
        minute_passes();
        assert_int_equal(minute.late_wakes, i + 1);
        assert_int_equal(minute.late_above_ns, 1333333);
        assert_int_equal(ended.n, 1);
        assert_int_equal(ended.rows[0].n, i + 1);
    }
    json_t *document = sums();
    assert_int_equal(number(document, "wakes"), 0);
    assert_int_equal(number(document, "from_ns"), START_NS + 5 * 60 * ST_NS_PER_S);
    json_decref(document);
}

static void flood_of_culprits_ends_in_other_and_sums_stay_complete(void **state)
{
    for (int i = 0; i < 500; i++) {
        struct st_trace_culprit culprit = {.ns = ST_NS_PER_MS, .explains = true};
        const struct st_cause_event one =
            late(i % 2 ? ST_CAUSE_TIMER : ST_CAUSE_RUN_QUEUE, 2 * ST_NS_PER_MS, INT64_MIN);
        ST_PRINT(culprit.name, "program%d/7", i);
        st_causes_take(causes, &one, &culprit);
    }
    st_causes_wakes(causes, 500);
    look("");
    /* with a tracer, what is said by exclusion has a figure: how long its culprit had the CPU */
    look("");
}

static void loop_with_another_period_begins_its_sums_anew(void **state)
{
    st_causes_wakes(causes, 100);
    st_causes_begin(causes, &config); /* the same one: they go on */
    look("");
    config.frames = 64;
    st_causes_begin(causes, &config);
    look("");
}

static void quarter_of_a_second_has_one_event_of_its_worst_late_wake(void **state)
{
    for (int i = 0; i < 100; i++) {
        add(i == 70 ? ST_CAUSE_TIMER : ST_CAUSE_RUN_QUEUE, (i == 70 ? 9 : 3) * ST_NS_PER_MS,
            2900000);
        st_fake_advance(fake, 2 * ST_NS_PER_MS);
    }
    assert_int_equal(events.events_n, 0);
    assert_int_equal(newest()->count_n, 100);
    assert_int_equal(events.events_n, 1);
    assert_int_equal(newest()->cause, ST_CAUSE_TIMER);
    assert_int_equal(newest()->lateness_ns, 9 * ST_NS_PER_MS);
    assert_int_equal(newest()->wall_ns, START_NS + 140 * ST_NS_PER_MS);
    assert_string_equal(
        said("text"),
        "the timing test woke up late 100 times, at worst by 9.000 ms: a late timer, an "
        "interrupt, or the time to wake an idle CPU");
}

/* The loop wakes, and the drain looks, four times a second. */
static void time_goes_by(int64_t ns)
{
    for (; ns > 0; ns -= 250 * ST_NS_PER_MS) {
        st_fake_advance(fake, 250 * ST_NS_PER_MS);
        st_causes_wakes(causes, 94);
    }
}

static void observe_by(enum st_event_kind kind, int64_t span_ns, const char *backend)
{
    struct st_event event = st_event_make(st_platform_wall_ns(fake), kind, "%s", backend);
    ST_PRINT(event.source, kind == ST_EVENT_OWN_DROPOUT ? "own" : "pipewire");
    event.certainty = ST_CERTAINTY_EXACT;
    event.span_ns = span_ns;
    st_events_put(&events, ST_LOG_WARN, &event);
}

static void observe(enum st_event_kind kind, int64_t span_ns)
{
    observe_by(kind, span_ns, "");
}

static void others_xrun_has_the_cause_of_a_late_wake_at_the_same_time(void **state)
{
    static const enum st_event_kind kinds[] = {ST_EVENT_DEVICE_DROPOUT, ST_EVENT_OWN_DROPOUT,
                                               ST_EVENT_CLIENT_DROPOUT};
    ST_EACH (kind, kinds) {
        add(ST_CAUSE_RUN_QUEUE, 3 * ST_NS_PER_MS, 2900000);
        st_fake_advance(fake, 100 * ST_NS_PER_MS);
        observe(*kind, 0);
        look("");
        st_fake_advance(fake, 10 * ST_NS_PER_S);
    }
}

/* A client's dropout, span_ns long, with a late wake-up of 3 ms of ours at the same time. */
static void not_ready(enum st_dropout_reason reason, int64_t spare_ns, int64_t span_ns)
{
    time_goes_by(12 * ST_NS_PER_S);
    add(ST_CAUSE_RUN_QUEUE, 3 * ST_NS_PER_MS, 2900000);
    st_causes_tick(causes, 0);
    struct st_event event =
        st_event_make(st_platform_wall_ns(fake), ST_EVENT_CLIENT_DROPOUT, "%s", "");
    ST_PRINT(event.source, "pipewire");
    ST_PRINT(event.client, "mpv");
    event.certainty = ST_CERTAINTY_EXACT;
    event.reason = reason;
    event.spare_ns = spare_ns;
    event.span_ns = span_ns;
    st_events_put(&events, ST_LOG_WARN, &event);
    time_goes_by(4 * ST_NS_PER_S);
}

static void clients_own_cycle_decides_about_its_dropout(void **state)
{
    not_ready(ST_DROPOUT_TOO_SLOW, 1, 0);
    look("");
    not_ready(ST_DROPOUT_WOKEN_LATE, 2 * ST_NS_PER_MS, 0);
    look("");
    not_ready(ST_DROPOUT_WOKEN_LATE, 4 * ST_NS_PER_MS, 0);
    look("");
    not_ready(ST_DROPOUT_UNKNOWN, 2 * ST_NS_PER_MS, 0);
    look("");
    not_ready(ST_DROPOUT_UNKNOWN, 4 * ST_NS_PER_MS, 0);
    look("");
}

/* "total" of /proc/pressure/memory, then a second passes. */
static void memory_is_waited_for_until(int us)
{
    char text[96];
    ST_PRINT(text, "some avg10=0.00 avg60=0.00 avg300=0.00 total=%d\n", us);
    assert_int_equal(st_fake_set_file(fake, "/proc/pressure/memory", text, 0), 0);
    st_fake_advance(fake, ST_NS_PER_S);
    st_causes_tick(causes, 0);
}

static void swapped_out(int64_t span_ns)
{
    struct st_event event =
        st_event_make(st_platform_wall_ns(fake), ST_EVENT_CLIENT_DROPOUT, "%s", "");
    ST_PRINT(event.source, "pipewire");
    ST_PRINT(event.client, "mpv");
    event.certainty = ST_CERTAINTY_EXACT;
    event.reason = ST_DROPOUT_SWAPPED_OUT;
    event.span_ns = span_ns;
    st_events_put(&events, ST_LOG_WARN, &event);
}

static void who_waited_for_its_memory_is_told_whether_memory_was_short(void **state)
{
    swapped_out(0);
    look("it is not known");
    memory_is_waited_for_until(7);
    memory_is_waited_for_until(7);
    swapped_out(0);
    look("");
    memory_is_waited_for_until(120007);
    memory_is_waited_for_until(120007); /* a report comes late */
    swapped_out(0);
    look("");
    memory_is_waited_for_until(240007);
    swapped_out(9 * ST_NS_PER_S);
    look("it was read of the last two seconds only");
}

static void sum_over_seconds_has_the_worst_late_wake_of_them(void **state)
{
    add(ST_CAUSE_TIMER, 30 * ST_NS_PER_MS, INT64_MIN); /* before them */
    time_goes_by(4 * ST_NS_PER_S);
    for (int i = 0; i < 40; i++) { /* all in one quarter of a second, and in many */
        add(ST_CAUSE_RUN_QUEUE, (i == 20 ? 9 : 3) * ST_NS_PER_MS, 2900000);
        st_fake_advance(fake, i < 30 ? ST_NS_PER_MS : 300 * ST_NS_PER_MS);
    }
    st_fake_advance(fake, 5 * ST_NS_PER_S);
    st_causes_tick(causes, 0);
    observe(ST_EVENT_DEVICE_DROPOUT, 9 * ST_NS_PER_S);
    look("");
}

static void late_wake_that_was_under_way_at_the_xrun_is_its_cause(void **state)
{
    observe(ST_EVENT_CLIENT_DROPOUT, 0);
    st_fake_advance(fake, 900 * ST_NS_PER_MS);
    look("it may become known yet");
    add(ST_CAUSE_STOPPED, 1000 * ST_NS_PER_MS, 1000 * ST_NS_PER_MS);
    st_causes_tick(causes, 0);
    look("");
}

static void others_xrun_while_the_loop_was_on_time_is_said_to_be_theirs(void **state)
{
    config.cpu = 3;
    st_causes_begin(causes, &config);
    add(ST_CAUSE_RUN_QUEUE, 3 * ST_NS_PER_MS, 2900000); /* too long ago */
    time_goes_by(12 * ST_NS_PER_S);
    static const struct {
        enum st_event_kind kind;
        int64_t span_ns;
        const char *backend;
    } rows[] = {{ST_EVENT_CLIENT_DROPOUT, 0, ""},
                {ST_EVENT_DEVICE_DROPOUT, 9 * ST_NS_PER_S, ""},
                {ST_EVENT_OWN_DROPOUT, 0, "alsa"},
                {ST_EVENT_OWN_DROPOUT, 0, "dummy"}};
    ST_EACH (row, rows) {
        st_causes_tick(causes, 0);
        observe_by(row->kind, row->span_ns, row->backend);
        look("it may be late yet");
        time_goes_by(4 * ST_NS_PER_S);
        look("");
    }
}

static void loop_that_did_not_run_was_not_on_time(void **state)
{
    observe(ST_EVENT_DEVICE_DROPOUT, 0); /* before there was any */
    st_fake_advance(fake, 5 * ST_NS_PER_S);
    look("");

    time_goes_by(5 * ST_NS_PER_S);
    st_causes_tick(causes, 0);
    observe(ST_EVENT_DEVICE_DROPOUT, 9 * ST_NS_PER_S); /* it has the first seconds not */
    time_goes_by(4 * ST_NS_PER_S);
    look("");

    st_causes_tick(causes, 0);
    observe(ST_EVENT_DEVICE_DROPOUT, 0); /* it ends */
    st_fake_advance(fake, 5 * ST_NS_PER_S);
    look("");

    st_fake_advance(fake, 5 * ST_NS_PER_S); /* and begins anew */
    time_goes_by(ST_NS_PER_S);
    st_causes_tick(causes, 0);
    observe(ST_EVENT_DEVICE_DROPOUT, 4 * ST_NS_PER_S);
    time_goes_by(4 * ST_NS_PER_S);
    look("");
    observe(ST_EVENT_DEVICE_DROPOUT, 0);
    time_goes_by(4 * ST_NS_PER_S);
    look("");
}

/* The list has room for so many: what has left it may have been late. */
static void late_wakes_that_left_the_list_make_no_one_on_time(void **state)
{
    time_goes_by(3 * ST_NS_PER_S);
    st_causes_tick(causes, 0);
    observe(ST_EVENT_DEVICE_DROPOUT, 0);
    for (int i = 0; i < ST_EVENTS_MAX + 5; i++) {
        time_goes_by(250 * ST_NS_PER_MS);
        add(ST_CAUSE_RUN_QUEUE, ST_NS_PER_MS, 900000);
    }
    st_causes_tick(causes, 0);
    json_t *list = st_events_json(&events, st_platform_wall_ns(fake));
    const json_t *event = json_array_get(list, json_array_size(list) - 1);
    assert_string_equal(json_string_value(json_object_get(event, "event")), "device-dropout");
    assert_null(json_object_get(event, "cause"));
    json_decref(list);
}

static void machine_was_slower_in_the_seconds_of_it_and_no_other(void **state)
{
    struct st_meanwhile meanwhile = events.meanwhile;
    const int64_t from_ns = st_platform_wall_ns(fake), to_ns = from_ns + 3 * ST_NS_PER_S;
    enum st_cause slowed;
    assert_true(st_events_slowed(&events, from_ns, &slowed)); /* no one looks at the machine */
    assert_int_equal(slowed, ST_CAUSE_UNKNOWN);
    meanwhile.slowed = ST_CAUSE_HEAT;
    meanwhile.slowed_from_ns = from_ns;
    meanwhile.slowed_to_ns = meanwhile.at_ns = to_ns;
    st_events_set_meanwhile(&events, &meanwhile);
    const struct {
        int64_t at_ns;
        enum st_cause slowed;
        bool known;
    } rows[] = {{from_ns, ST_CAUSE_HEAT, true},
                {to_ns + 900 * ST_NS_PER_MS, ST_CAUSE_HEAT, true}, /* seen later */
                {to_ns + 1100 * ST_NS_PER_MS, ST_CAUSE_UNKNOWN, false},
                {from_ns - 1100 * ST_NS_PER_MS, ST_CAUSE_UNKNOWN, true}};
    ST_EACH (row, rows) {
        assert_int_equal(st_events_slowed(&events, row->at_ns, &slowed), row->known);
        assert_int_equal(slowed, row->slowed);
    }
}

int main(void)
{
    (void)setenv("TZ", "UTC", 1);
    const struct CMUnitTest tests[] = {
        TEST(sums_are_by_cause_the_longest_total_first),
        TEST(sentence_sums_by_cause_then_names_the_worst_culprit_of_it),
        TEST(culprit_of_a_part_of_the_wait_leaves_the_wait_explained),
        TEST(culprit_whose_part_of_the_wait_is_not_known_explains_no_more),
        TEST(interrupt_that_was_counted_is_named_without_a_tracer),
        TEST(nothing_late_and_nothing_measured_are_told_apart),
        TEST(minute_has_what_was_late_in_it_and_the_next_begins_anew),
        TEST(flood_of_culprits_ends_in_other_and_sums_stay_complete),
        TEST(loop_with_another_period_begins_its_sums_anew),
        TEST(quarter_of_a_second_has_one_event_of_its_worst_late_wake),
        TEST(others_xrun_has_the_cause_of_a_late_wake_at_the_same_time),
        TEST(clients_own_cycle_decides_about_its_dropout),
        TEST(who_waited_for_its_memory_is_told_whether_memory_was_short),
        TEST(sum_over_seconds_has_the_worst_late_wake_of_them),
        TEST(late_wake_that_was_under_way_at_the_xrun_is_its_cause),
        TEST(others_xrun_while_the_loop_was_on_time_is_said_to_be_theirs),
        TEST(loop_that_did_not_run_was_not_on_time),
        TEST(late_wakes_that_left_the_list_make_no_one_on_time),
        TEST(machine_was_slower_in_the_seconds_of_it_and_no_other),
    };
    return shown_run(tests);
}
