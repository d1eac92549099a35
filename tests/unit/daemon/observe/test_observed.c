/* A source of other programs' xruns through its life, by a clock and a source that the test
 * scripts. */
#include "core/ns.h"
#include "core/text/text.h"
#include "daemon/observe/observe.h"
#include "tests/fake/fake.h"
#include "tests/unit/shown_json.h"

#define START_NS (100 * ST_NS_PER_S)
#define POLL_NS  (250 * ST_NS_PER_MS)

/* --- the scripted source --- */

static struct st_xrun_seen to_see[64];
static size_t to_see_n;
static int open_result, poll_result;
static unsigned opens_n, polls_n, closes_n;
static int64_t silent_ns, listens_n;
static char server[ST_XRUN_SERVER_BYTES];

static int open_scripted(struct st_xrun_watch *w)
{
    if (open_result < 0)
        return st_xrun_because(w, open_result, "no server");
    memcpy(server, w->setting.server, sizeof(server));
    opens_n++;
    return 0;
}

static int poll_scripted(struct st_xrun_watch *w)
{
    for (size_t i = 0; i < to_see_n; i++)
        w->seen(w->ctx, &to_see[i]);
    to_see_n = 0;
    polls_n++;
    w->silent_ns = silent_ns;
    (void)st_xrun_because(w, poll_result, "%s", poll_result == 0 ? "a server" : "it died");
    w->listens_n = listens_n;
    return poll_result;
}

static void close_scripted(struct st_xrun_watch *w)
{
    closes_n++;
}

static const struct st_xrun_ops ops = {
    .open = open_scripted, .poll = poll_scripted, .close = close_scripted};
static const struct st_xrun_source source = {.name = "jack",
                                             .summary = "scripted",
                                             .poll_ns = POLL_NS,
                                             .ops = &ops,
                                             .counts_device = true,
                                             .terse = "it says no more"};

static struct st_platform *platform;
static struct st_events events;
static struct st_observed o;

static void switch_to(enum st_observed_mode mode, const char *to_server)
{
    struct st_xrun_setting setting = {{0}};
    ST_PRINT(setting.server, "%s", to_server);
    st_observed_set(&o, mode, &setting);
}

static int setup(void **state)
{
    platform = st_fake_new(ST_OS_LINUX, START_NS);
    to_see_n = 0;
    open_result = poll_result = 0;
    opens_n = closes_n = 0;
    silent_ns = listens_n = 0;
    if (platform == NULL || st_events_init(&events, NULL) != 0)
        return 1;
    st_observed_init(&o, platform, &events, &source);
    switch_to(ST_OBSERVED_AUTO, "");
    return 0;
}

static int teardown(void **state)
{
    st_observed_finish(&o);
    st_events_finish(&events);
    st_fake_free(platform);
    return 0;
}

static struct st_event *see(const char *device, const char *client, int64_t xruns_n,
                            int64_t dropouts_n)
{
    assert_true(to_see_n < ST_ARRAY_LEN(to_see));
    struct st_xrun_seen *seen = &to_see[to_see_n++];
    *seen = (struct st_xrun_seen){
        .event = {.kind = xruns_n > 0 ? ST_EVENT_DEVICE_DROPOUT : ST_EVENT_CLIENT_DROPOUT,
                  .certainty = ST_CERTAINTY_EXACT,
                  .count_n = xruns_n + dropouts_n}};
    ST_PRINT(seen->event.device, "%s", device);
    ST_PRINT(seen->event.client, "%s", client);
    return &seen->event;
}

static int64_t now_ns(void)
{
    return st_platform_now_ns(platform);
}

static int64_t wall_ns(void)
{
    return st_platform_wall_ns(platform);
}

static void turn_after(int64_t ns)
{
    st_fake_advance(platform, ns);
    st_observed_turn(&o);
}

static const struct st_event *newest(void)
{
    return &events.events[events.events_n - 1].event;
}

/* What an event says by itself. */
static const char *text_of(size_t i)
{
    const struct st_event *event = &events.events[i].event;
    const struct st_story_beside alone = st_event_story_alone(event);
    return st_event_story_text(event, &alone);
}

/** How many events have this name, and the sum of their counts. */
static int64_t events_of(const char *name, int64_t *ret_count_n)
{
    json_t *list = st_events_json(&events, 0);
    int64_t n = 0;
    size_t i;
    const json_t *event;
    *ret_count_n = 0;
    json_array_foreach(list, i, event)
    {
        if (strcmp(json_string_value(json_object_get(event, "event")), name) != 0)
            continue;
        n++;
        *ret_count_n += json_integer_value(json_object_get(event, "count_n"));
    }
    json_decref(list);
    return n;
}

static void expect_events(const char *name, int64_t wanted_n, int64_t wanted_count_n)
{
    int64_t count_n;
    assert_int_equal(events_of(name, &count_n), wanted_n);
    assert_int_equal(count_n, wanted_count_n);
}

static struct st_event counted[ST_OBSERVED_OPEN_MAX];

/* What who asks sees of those that are not recorded yet. */
static size_t opened(void)
{
    return st_observed_open(&o, counted);
}

static const char *recent(void);

/* Shows what is not as it was, of the source and its records. */
static void look(const char *when)
{
    struct st_observe_view view = {.n = 1};
    json_t *newest_first = st_events_json(&events, 0), *oldest_first = json_array(), *event;
    size_t i;
    view.sources[0] = o.view;
    json_array_foreach(newest_first, i, event) json_array_insert(oldest_first, 0, event);
    json_decref(newest_first);
    (void)lines_of_json(
        json_pack("{s:o, s:o}", "watched", st_observe_json(&view), "records", oldest_first));
    ST_APPEND(json_lines, "opened %u closed %u server '%s' due %jd recent '%s' from %jd\n", opens_n,
              closes_n, server, o.due_ns == INT64_MAX ? -1 : (o.due_ns - now_ns()) / ST_NS_PER_MS,
              recent(), o.view.recent_wall_ns);
    ST_APPEND(json_lines, "played '%s' %jd music %jd\n", o.view.played, o.view.played_ns,
              o.view.music_ns);
    ST_APPEND(json_lines, "again %jd last %jd certainty %d period %jd\n", o.view.again_wall_ns,
              o.view.seen.sum.last_wall_ns, (int)o.view.seen.certainty, o.view.seen.period_ns);
    const size_t n = opened();
    ST_EACH_OF (one, counted, n)
        ST_APPEND(json_lines, "open: %s '%s' '%s' n %jd lost %jd longest %jd span %jd at %jd\n",
                  st_event_kind_name(one->kind), one->device, one->client, one->count_n,
                  one->lost_ns, one->longest_ns, one->span_ns, one->wall_ns);
    show_changes(when, json_lines);
}

/* Shows what a turn after this time changed. */
static void look_after(int64_t ns, const char *when)
{
    turn_after(ns);
    look(when);
}

/* --- the tests --- */

static void device_dropouts_and_dropouts_of_clients_are_counted_apart(void **state)
{
    see("hw:0", "player", 2, 0);
    see("hw:1", "synth", 1, 0);
    see("hw:1", "synth", 0, 4);
    see("", "", 1, 0);
    look_after(0, "");
}

static void xruns_of_one_client_are_summed_for_ten_seconds_and_none_is_lost(void **state)
{
    for (int i = 0; i < 100; i++) {
        see("hw:0", "player", 1, 0);
        turn_after(POLL_NS);
    }
    look("25 s of one xrun in each poll");
    st_observed_finish(&o);
    look("");
}

static void last_of_a_burst_is_told_without_another_xrun(void **state)
{
    see("hw:0", "player", 1, 0);
    turn_after(0);
    see("hw:0", "player", 5, 0);
    look_after(POLL_NS, "");
    look_after(ST_OBSERVED_EVENT_EACH_NS, "");
    see("hw:1", "", 0, 1);
    look_after(0, "");
}

/* Stops of 1 and of 0.5 s, five seconds apart: the first is reported while it goes on. */
static void the_rest_of_a_dropout_is_no_part_of_the_next(void **state)
{
    const int lost_ms[] = {768, 213, 469}, longest_ms[] = {768, 981, 469};
    for (int i = 0; i < 3; i++) {
        struct st_event *event = see("speakers", "player", 0, i != 1);
        event->cycles_n = i == 1;
        event->lost_ns = lost_ms[i] * ST_NS_PER_MS;
        event->longest_ns = longest_ms[i] * ST_NS_PER_MS;
        turn_after(i == 2 ? 5 * ST_NS_PER_S : POLL_NS);
    }
    look("");
}

static void a_loss_that_lasts_is_recorded_when_it_begins_and_when_it_has_ended(void **state)
{
    for (int i = 0; i < 120; i++) {
        struct st_event *event = see("speakers", "player", 0, i == 0);
        event->cycles_n = i > 0;
        event->lost_ns = 250 * ST_NS_PER_MS;
        event->longest_ns = (i + 1) * 250 * ST_NS_PER_MS;
        turn_after(i == 0 ? 0 : 250 * ST_NS_PER_MS);
    }
    look("who asks sees it");
    look_after(3 * ST_NS_PER_S, "");
}

/* A helper program may know of a loss a second later. */
static void an_event_has_the_time_at_which_the_sound_came_back(void **state)
{
    for (int i = 1; i <= 3; i++) {
        st_fake_advance(platform, 3 * ST_NS_PER_S);
        see("speakers", "player", 0, 1)->end_ns = now_ns() - 900 * ST_NS_PER_MS;
        turn_after(0);
    }
    look("the first is recorded at once, the others follow each other by 3 s");
    see("speakers", "player", 0, 1)->end_ns = 1;
    st_fake_advance(platform, ST_NS_PER_S);
    look_after(0, "of another clock");
}

static struct st_event *see_end(int64_t end_ns)
{
    struct st_event *event = see("speakers", "player", 0, 1);
    event->end_ns = end_ns;
    return event;
}

/* A cycle's loss is reported at once, one that was found by listening seconds after it. */
static void ends_are_reported_in_any_order(void **state)
{
    turn_after(0);
    st_fake_advance(platform, 8 * ST_NS_PER_S);
    const int64_t now = now_ns();
    see_end(now - 2 * ST_NS_PER_S);
    turn_after(0); /* recorded at once */
    see_end(now - 4 * ST_NS_PER_S);
    look_after(0, "not the one that is recorded");
    see_end(now - 1 * ST_NS_PER_S);
    see_end(now - 5 * ST_NS_PER_S);
    look_after(0, "");
}

static void the_last_dropout_is_the_one_that_ended_last(void **state)
{
    turn_after(0);
    st_fake_advance(platform, 8 * ST_NS_PER_S);
    const int64_t now = now_ns();
    for (int i = 0; i < 2; i++) {
        struct st_event *event = see_end(now - (2 + 2 * i) * ST_NS_PER_S);
        event->cycle.period_ns = 1000 * (1 + i);
        event->certainty = i == 0 ? ST_CERTAINTY_EXACT : ST_CERTAINTY_PROBABLE;
    }
    look_after(0, "the later one is reported first");
}

static void no_event_is_before_the_watching(void **state)
{
    see_end(now_ns() - 2 * ST_NS_PER_S);
    look_after(0, "in the first turn");
    st_fake_advance(platform, 5 * ST_NS_PER_S);
    see_end(now_ns() - 8 * ST_NS_PER_S);
    look_after(0, "");
    see_end(now_ns() - 3 * ST_NS_PER_S);
    look_after(0, "");
}

/* A question shows what is counted in memory, and neither cuts it nor adds an event. */
static void asking_makes_no_event(void **state)
{
    see("hw:0", "player", 1, 0);
    turn_after(0);
    assert_int_equal(opened(), 0);
    for (int i = 1; i <= 30; i++) {
        see("hw:0", "player", 1, 0);
        turn_after(POLL_NS);
        assert_int_equal(opened(), 1);
        assert_int_equal(counted[0].kind, ST_EVENT_DEVICE_DROPOUT);
        assert_int_equal(counted[0].count_n, i);
        assert_int_equal(counted[0].span_ns, (i - 1) * POLL_NS);
        assert_string_equal(counted[0].device, "hw:0");
        expect_events("device-dropout", 1, 1);
    }
    turn_after(ST_OBSERVED_EVENT_EACH_NS);
    expect_events("device-dropout", 2, 31);
    assert_int_equal(opened(), 0);
}

/* As a mark does: what it names does not grow afterwards. */
static void what_comes_after_a_cut_is_another_event(void **state)
{
    for (int i = 0; i < 3; i++) {
        see("hw:0", "player", 1, 0);
        turn_after(POLL_NS);
    }
    st_observed_events_put(&o.made, true);
    look("");
    see("hw:0", "player", 4, 0);
    look_after(POLL_NS, "");
}

static void what_is_counted_is_an_event_when_watching_ends(void **state)
{
    see("hw:0", "player", 1, 0);
    turn_after(0);
    see("hw:0", "player", 2, 0);
    turn_after(POLL_NS);
    st_observed_set(&o, ST_OBSERVED_OFF, &o.setting);
    look("");
}

static void more_clients_than_places_lose_nothing(void **state)
{
    int64_t count_n;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 3 * ST_OBSERVED_PENDING_MAX / 2; i++) {
            char name[16];
            ST_PRINT(name, "client%d", i);
            see(name, name, 1, 0);
        }
        turn_after(POLL_NS);
    }
    st_observed_finish(&o);
    (void)events_of("device-dropout", &count_n);
    assert_int_equal(count_n, 3 * ST_OBSERVED_PENDING_MAX);
    assert_int_equal(o.view.seen.sum.device_n, 3 * ST_OBSERVED_PENDING_MAX);
}

static void see_crowd_of_each_kind(bool clients_first)
{
    const int crowd = 3 * ST_OBSERVED_PENDING_MAX / 2;
    int64_t first_n, second_n;
    for (int round = 0; round < 2;
         round++) { /* the first kind waits in its places when the second one comes */
        for (int i = 0; i < crowd * (round + 1); i++) {
            const bool is_client = (i < crowd) == clients_first;
            char name[16];
            ST_PRINT(name, "name%d", i);
            see(name, name, !is_client, is_client);
        }
        turn_after(POLL_NS);
    }
    st_observed_finish(&o);
    (void)events_of(clients_first ? "client-dropout" : "device-dropout", &first_n);
    assert_int_equal(first_n, 2 * crowd);
    (void)events_of(clients_first ? "device-dropout" : "client-dropout", &second_n);
    assert_int_equal(second_n, crowd);
}

static void each_kind_of_a_crowd_keeps_its_number(void **state)
{
    see_crowd_of_each_kind(false);
}

static void each_kind_of_a_crowd_keeps_its_number_if_clients_come_first(void **state)
{
    see_crowd_of_each_kind(true);
}

static void to_how_many_programs_it_listens_is_no_event(void **state)
{
    listens_n = 1;
    st_observed_turn(&o);
    look("");
    listens_n = 2;
    look_after(POLL_NS, "");
}

static void absent_source_is_tried_again_at_growing_pauses_up_to_15_s(void **state)
{
    static const int64_t pauses_s[] = {1, 2, 4, 8, 15, 15};
    open_result = -ENOENT;
    ST_EACH (pauses_, pauses_s) {
        st_observed_turn(&o);
        assert_int_equal(o.view.state, ST_OBSERVED_ABSENT);
        assert_string_equal(o.view.why, "no server");
        const int64_t pause_ns = o.due_ns - now_ns();
        assert_int_equal(pause_ns, *pauses_ * ST_NS_PER_S);
        st_fake_advance(platform, pause_ns);
    }
    assert_int_equal(o.view.opened_n, 0);
    open_result = 0;
    st_observed_turn(&o);
    assert_int_equal(o.view.state, ST_OBSERVED_WATCHING);
    assert_int_equal(o.due_ns - now_ns(), POLL_NS);
}

static void what_this_system_never_has_is_not_tried_again(void **state)
{
    open_result = -ENOTSUP;
    st_observed_turn(&o);
    look("");
}

/* As when no process can be started. Of poll the same number means: not ready yet. */
static void one_that_cannot_be_started_now_is_absent(void **state)
{
    open_result = -EAGAIN;
    look_after(0, "");
    open_result = 0;
    look_after(POLL_NS, "");
}

static void lost_server_is_an_event_and_counts_go_on_after_it_is_back(void **state)
{
    see("hw:0", "player", 3, 0);
    turn_after(0);
    look_after(POLL_NS, "");
    poll_result = -EPIPE;
    look_after(POLL_NS, "");
    poll_result = 0;
    see("hw:0", "player", 2, 0);
    look_after(ST_NS_PER_S, "of a new program");
}

static void connecting_is_neither_watching_nor_absent(void **state)
{
    poll_result = -EAGAIN;
    look_after(0, "");
    poll_result = 0;
    look_after(POLL_NS, "");
}

static void switching_off_closes_and_keeps_what_was_counted(void **state)
{
    see("hw:0", "player", 3, 0);
    turn_after(0);
    switch_to(ST_OBSERVED_OFF, "");
    look("");
    look_after(ST_NS_PER_S, "");
}

static void another_server_opens_it_again_the_same_does_not(void **state)
{
    turn_after(0);
    switch_to(ST_OBSERVED_ON, "");
    look_after(0, "");
    switch_to(ST_OBSERVED_ON, "other");
    look_after(0, "");
}

static void gap_is_not_watched_and_is_said(void **state)
{
    turn_after(0);
    turn_after(ST_NS_PER_S);
    look_after(ST_NS_PER_S, "");
    poll_result = -EPIPE;
    look_after(4 * ST_NS_PER_S, "stopped between two looks");
    poll_result = 0;
    look_after(2 * ST_NS_PER_S, "");
    /* hung for the last 3 s, as it turns out */
    turn_after(ST_NS_PER_S);
    for (int i = 0; i < 3; i++)
        turn_after(ST_NS_PER_S);
    look("");
    poll_result = -ETIMEDOUT;
    silent_ns = 3 * ST_NS_PER_S;
    look_after(ST_NS_PER_S, "");
    look_after(60 * ST_NS_PER_S, "again: nothing more is taken off");
    poll_result = 0;
    look_after(60 * ST_NS_PER_S, "");
}

static void a_time_in_which_the_program_did_not_run_is_not_watched(void **state)
{
    static const struct st_xrun_source program = {.name = "jack",
                                                  .summary = "scripted",
                                                  .poll_ns = POLL_NS,
                                                  .ops = &ops,
                                                  .program = "a-program"};
    o.source = &program;
    for (int i = 0; i < 9; i++)
        turn_after(ST_NS_PER_S);
    look("");
    silent_ns = 5 * ST_NS_PER_S;
    turn_after(ST_NS_PER_S);
    silent_ns = 0;
    look("");
    look_after(ST_NS_PER_S, "");
}

static void programs_are_looked_at_at_the_same_time(void **state)
{
    static const struct st_xrun_source program = {.name = "jack",
                                                  .summary = "scripted",
                                                  .poll_ns = 4 * ST_NS_PER_S,
                                                  .ops = &ops,
                                                  .program = "a"};
    o.source = &program;
    look_after(ST_NS_PER_S, "");
    look_after(ST_NS_PER_S, "a line came: the next look is when it was");
    look_after(2 * ST_NS_PER_S, "");
}

static void what_was_never_watched_has_no_counts(void **state)
{
    struct st_observe_view view = {.n = 1};
    view.sources[0] = o.view;
    json_t *document = st_observe_json(&view);
    const json_t *entry = json_array_get(document, 0);
    assert_true(json_is_null(json_object_get(entry, "device_dropouts")));
    json_decref(document);
    turn_after(0);
    view.sources[0] = o.view;
    document = st_observe_json(&view);
    entry = json_array_get(document, 0);
    assert_int_equal(json_integer_value(json_object_get(entry, "device_dropouts")), 0);
    assert_true(json_is_integer(json_object_get(entry, "device_dropouts")));
    json_decref(document);
}

static void source_that_cannot_see_clients_says_nothing_of_them(void **state)
{
    struct st_xrun_source device_only = source;
    device_only.device_only = true;
    struct st_observed other;
    st_observed_init(&other, platform, &events, &device_only);
    const struct st_xrun_setting setting = {{0}};
    st_observed_set(&other, ST_OBSERVED_AUTO, &setting);
    st_observed_turn(&other);
    struct st_observe_view view = {.n = 1};
    view.sources[0] = other.view;
    json_t *document = st_observe_json(&view);
    const json_t *entry = json_array_get(document, 0);
    assert_true(json_is_integer(json_object_get(entry, "device_dropouts")));
    assert_true(json_is_null(json_object_get(entry, "client_dropouts")));
    json_decref(document);
    st_observed_finish(&other);
}

/* --- clients --- */

static struct st_event *see_not_ready(const char *client, int64_t n, enum st_dropout_reason reason,
                                      int64_t busy_ns)
{
    struct st_event *event = see("card", client, 0, n);
    event->reason = reason;
    event->cycle.busy_ns = busy_ns;
    event->cycle.period_ns = 21333333;
    return event;
}

static struct st_xrun_load *see_load(const char *client, int64_t busy_ns, int64_t frames)
{
    struct st_xrun_seen *seen = &to_see[to_see_n];
    see("card", client, 0, 0);
    seen->kind = ST_XRUN_SEEN_LOAD;
    seen->load = (struct st_xrun_load){.cycles_n = 469,
                                       .busy_median_ns = busy_ns,
                                       .busy_p99_ns = busy_ns,
                                       .busy_max_ns = busy_ns,
                                       .period_ns = 21333333,
                                       .frames = frames,
                                       .rate_hz = 48000};
    return &seen->load;
}

static void see_ended(const char *client)
{
    see("card", client, 0, 0);
    to_see[to_see_n - 1].kind = ST_XRUN_SEEN_ENDED;
}

static void dropouts_of_a_client_are_counted_by_reason_and_sorted_by_harm(void **state)
{
    see_load("", 0, 1024);
    see_load("GoodSynth", 1000, 0);
    see_load("HeavyReverb", 9000, 0);
    see_not_ready("GoodSynth", 1, ST_DROPOUT_WOKEN_LATE, 4000);
    see_not_ready("HeavyReverb", 3, ST_DROPOUT_TOO_SLOW, 24000000);
    see_not_ready("HeavyReverb", 2, ST_DROPOUT_TOO_SLOW, 25000000);
    see_not_ready("HeavyReverb", 1, ST_DROPOUT_WOKEN_LATE, 100);
    look_after(0, "");
    see_not_ready("HeavyReverb", 0, ST_DROPOUT_UNKNOWN, 25000000);
    to_see[0].kind = ST_XRUN_SEEN_CYCLE;
    to_see[0].deadline_ns = 21333333;
    look_after(0, "its times in that cycle");
}

/* The machine is looked at, and was hot up to now or is not. */
static void look_at_machine(bool hot)
{
    struct st_meanwhile meanwhile = events.meanwhile;
    meanwhile.at_ns = wall_ns();
    if (hot)
        meanwhile.slowed_from_ns = meanwhile.slowed_to_ns = meanwhile.at_ns;
    meanwhile.slowed = hot ? ST_CAUSE_HEAT : meanwhile.slowed;
    st_events_set_meanwhile(&events, &meanwhile);
}

static void what_slowed_the_machine_stands_beside_the_client_of_that_moment(void **state)
{
    look_at_machine(true);
    see_not_ready("HeavyReverb", 3, ST_DROPOUT_TOO_SLOW, 24000000);
    see_not_ready("GoodSynth", 1, ST_DROPOUT_WOKEN_LATE, 4000);
    turn_after(0);
    st_fake_advance(platform, 5 * ST_NS_PER_S);
    look_at_machine(false);
    see_not_ready("Looper", 1, ST_DROPOUT_TOO_SLOW, 24000000);
    turn_after(0);
    static const enum st_cause expected[] = {ST_CAUSE_HEAT, ST_CAUSE_UNKNOWN, ST_CAUSE_UNKNOWN};
    static const char *const names[] = {"HeavyReverb", "GoodSynth", "Looper"};
    for (size_t i = 0; i < 3; i++) {
        const size_t at = i < 2 ? i : 3; /* after the event that it is watched */
        assert_string_equal(events.events[at].event.client, names[i]);
        assert_int_equal(events.events[at].event.slowed, expected[i]);
        assert_int_equal(strstr(text_of(at), "; meanwhile the CPU was too hot") != NULL, i == 0);
        assert_string_equal(o.view.seen.clients[i].name, names[i]);
        assert_int_equal(o.view.seen.clients[i].rows[0].slowed, expected[i]);
    }
}

/* It is known up to a second later. */
static void a_client_that_computed_too_long_waits_until_the_machine_was_looked_at(void **state)
{
    static const struct {
        int64_t looked_ms; /* after the dropout; 0: not */
        bool hot;
        int64_t counted_ms;
    } rows[] = {{750, true, 750}, {750, false, 750}, {0, false, 3000}};
    look_at_machine(false);
    turn_after(0);
    ST_EACH (row, rows) {
        const char *name = st_text("Heavy%d", (int)(row - rows));
        const char *after = st_text("After%d", (int)(row - rows));
        look_at_machine(false);
        st_fake_advance(platform, 30 * ST_NS_PER_S);
        const int64_t at_wall_ns = wall_ns();
        see_not_ready(name, 1, ST_DROPOUT_TOO_SLOW, 24000000);
        see_not_ready(after, 1, ST_DROPOUT_STOPPED, 0); /* keeps its place behind it */
        turn_after(0);
        const unsigned before_n = polls_n;
        const size_t events_n = events.events_n;
        for (int64_t ms = 0; ms < row->counted_ms; ms += 250) {
            assert_int_equal(o.view.seen.sum.n, 2 * (row - rows));
            st_fake_advance(platform, POLL_NS);
            if (row->looked_ms == ms + 250)
                look_at_machine(row->hot);
            st_observed_count(&o);
        }
        assert_int_equal(polls_n,
                         before_n); /* a source that is asked more often seems to be silent */
        assert_int_equal(o.view.seen.sum.n, 2 * (row - rows) + 2);
        assert_int_equal(events.events_n, events_n + 2);
        assert_string_equal(events.events[events_n + 1].event.client, after);
        const struct st_event *event = &events.events[events_n].event;
        assert_string_equal(event->client, name);
        assert_int_equal(event->wall_ns, at_wall_ns);
        assert_int_equal(event->slowed, row->hot ? ST_CAUSE_HEAT : ST_CAUSE_UNKNOWN);
    }
    for (int i = 0; i <= ST_OBSERVED_WAITING_MAX; i++)
        see_not_ready("Many", 1, ST_DROPOUT_TOO_SLOW, 24000000);
    turn_after(10 * ST_NS_PER_S);
    assert_int_equal(o.view.seen.sum.n, 6 + 2); /* no room for more */
    switch_to(ST_OBSERVED_OFF, "");
    assert_int_equal(o.view.seen.sum.n, 6 + ST_OBSERVED_WAITING_MAX + 1);
}

/* Its answer has what waits, and what comes later is in another event. */
static void a_mark_cuts_what_waits(void **state)
{
    look_at_machine(false);
    st_fake_advance(platform, POLL_NS);
    see_not_ready("Heavy", 1, ST_DROPOUT_TOO_SLOW, 24000000);
    look_after(0, "");
    st_observed_cut(&o);
    look("");
    st_fake_advance(platform, POLL_NS);
    see_not_ready("Heavy", 5, ST_DROPOUT_TOO_SLOW, 24000000);
    turn_after(0);
    look_at_machine(true);
    st_observed_count(&o);
    look("");
}

/* The text of the newest event. */
static const char *newest_text(void)
{
    return text_of(events.events_n - 1);
}

static void event_of_a_client_says_why_by_its_own_cycle(void **state)
{
    static const struct {
        enum st_dropout_reason reason;
        int64_t busy_ns, wait_ns;
        const char *culprit, *text;
    } rows[] = {
        {ST_DROPOUT_TOO_SLOW, 25000000, 0, "",
         " on card (JACK): it computed too long, 25.0 ms in a buffer of 21.3 ms"},
        {ST_DROPOUT_WOKEN_LATE, 1, 4100000, "kworker/1:0",
         " on card (JACK): it was woken late (by 4.10 ms), kworker/1:0 had the CPU"},
        {ST_DROPOUT_CPU_TAKEN, 1, 0, "ffmpeg", " on card (JACK): it lost the CPU to ffmpeg"},
        {ST_DROPOUT_CPU_TAKEN, 1, 0, "sleeptune-obser",
         " on card (JACK): it lost the CPU to sleeptune itself (sleeptune-obser)"},
        {ST_DROPOUT_CPU_TAKEN, 1, 0, "sleeptune",
         " on card (JACK): it lost the CPU to a test of sleeptune (sleeptune)"},
        {ST_DROPOUT_STOPPED, 0, 0, "", " on card (JACK): it was stopped or frozen"},
        {ST_DROPOUT_WAITED_FOR_OTHER, 0, 0, "Heavy", " on card (JACK): it waited for Heavy"},
        {ST_DROPOUT_UNKNOWN, 0, 0, "", " lost sound 24 times on card (JACK)"},
    };
    turn_after(0);
    ST_EACH (row, rows) {
        char name[24];
        ST_PRINT(name, "client%d", (int)(row - rows));
        struct st_event *lost = see_not_ready(name, 24, row->reason, row->busy_ns);
        lost->cycle.wait_ns = row->wait_ns;
        ST_PRINT(lost->culprit, "%s", row->culprit);
        turn_after(POLL_NS);
        assert_memory_equal(newest_text(), name, strlen(name));
        if (strstr(newest_text(), row->text) == NULL)
            fail_msg("not %s: %s", row->text, newest_text());
        assert_int_equal(newest()->reason, row->reason);
        assert_string_equal(newest()->culprit, row->culprit);
    }
}

static void sum_of_dropouts_has_the_worst_cycle_of_one_reason(void **state)
{
    see_not_ready("Heavy", 1, ST_DROPOUT_TOO_SLOW, 22000000);
    turn_after(0);
    for (int i = 0; i < 3; i++) {
        see_not_ready("Heavy", 8, ST_DROPOUT_TOO_SLOW, i == 1 ? 25000000 : 23000000);
        turn_after(POLL_NS);
    }
    see_not_ready("Heavy", 1, ST_DROPOUT_BLOCKED, 0);
    look_after(ST_OBSERVED_EVENT_EACH_NS, "an event at once");
    bool found = false;
    for (size_t i = 0; i < events.events_n; i++)
        found =
            found || strstr(text_of(i), "Heavy lost sound 24 times on card (JACK): it computed too "
                                        "long, 25.0 ms in a buffer of 21.3 ms") != NULL;
    look("");
}

static void late_wake_explains_a_dropout_only_if_it_is_as_long_as_the_missing_time(void **state)
{
    turn_after(0);
    see_not_ready("Heavy", 1, ST_DROPOUT_UNKNOWN, 25000000);
    turn_after(0);
    show("missing %jd", st_event_missing_ns(newest()));
    see_not_ready("Light", 1, ST_DROPOUT_UNKNOWN, 0)->spare_ns = 21333333 - 5000000;
    turn_after(0);
    show("missing %jd", st_event_missing_ns(newest()));
    see_not_ready("Other", 1, ST_DROPOUT_UNKNOWN, 0);
    turn_after(0);
    show("missing %jd", st_event_missing_ns(newest()));
}

static void worst_cycle_is_one_of_the_most_frequent_reason(void **state)
{
    see_not_ready("Heavy", 1, ST_DROPOUT_CPU_TAKEN, 90000000);
    look_after(0, "");
    see_not_ready("Heavy", 2, ST_DROPOUT_TOO_SLOW, 24000000);
    look_after(POLL_NS, "");
    see_not_ready("Heavy", 1, ST_DROPOUT_TOO_SLOW, 25000000);
    see_not_ready("Heavy", 1, ST_DROPOUT_TOO_SLOW, 22000000);
    see_not_ready("Heavy", 1, ST_DROPOUT_CPU_TAKEN, 99000000);
    look_after(POLL_NS, "");
}

static void culprit_is_who_was_it_most_often(void **state)
{
    static const char *const culprits[] = {"meson",  "ffmpeg", "ffmpeg", "cc1",
                                           "ffmpeg", "ffmpeg", "cc1"};
    turn_after(0);
    for (size_t i = 0; i < ST_ARRAY_LEN(culprits); i++) {
        ST_PRINT(see_not_ready("mpv", 1, ST_DROPOUT_CPU_TAKEN, 0)->culprit, "%s", culprits[i]);
        turn_after(POLL_NS);
        if (i == 0)
            assert_has(newest_text(), "it lost the CPU to meson");
    }
    look("");
    look_after(ST_OBSERVED_EVENT_EACH_NS, "2 is few");
}

static void client_without_two_loads_has_gone_and_keeps_its_dropouts(void **state)
{
    see_load("", 0, 1024);
    see_load("GoodSynth", 1000, 0);
    see_load("HeavyReverb", 9000, 0);
    see_not_ready("HeavyReverb", 1, ST_DROPOUT_BLOCKED, 0);
    turn_after(0);
    look_after(20 * ST_NS_PER_S, "one load line was left out, and the next one is due");
    look_after(ST_DROPOUT_GONE_NS - 20 * ST_NS_PER_S, "");
    look_after(1, "");
}

static const char *recent(void)
{
    static char text[200];
    text[0] = '\0';
    ST_EACH_OF (client, o.recent.clients, o.recent.clients_n)
        st_text_join(text, sizeof(text), ", ", "%s %llu", client->name,
                     (unsigned long long)client->sum.n);
    return text;
}

/* What is none of the music, or goes on, or is of another device, begins nothing. */
static void recent_dropouts_begin_with_one_after_a_change_alone(void **state)
{
    see_load("", 0, 256);
    see_load("HeavyReverb", 9000, 0);
    see_not_ready("HeavyReverb", 24, ST_DROPOUT_TOO_SLOW, 9000);
    turn_after(0);
    see_load("", 0, 128)->period_ns = 2666667;

    see_not_ready(ST_DROPOUT_TEST_CLIENT, 3, ST_DROPOUT_TOO_SLOW, 0);
    see_not_ready("HeavyReverb", 0, ST_DROPOUT_TOO_SLOW, 0)->cycles_n = 4;
    look_after(POLL_NS, "");
    see_not_ready("HeavyReverb", 1, ST_DROPOUT_TOO_SLOW, 0);
    look_after(POLL_NS, "");
    see_load("", 0, 64)->period_ns = 1333333;

    ST_PRINT(to_see[0].event.device, "USB");
    see_not_ready("HeavyReverb", 2, ST_DROPOUT_TOO_SLOW, 0);
    look_after(POLL_NS, "a second card");
    see_ended("HeavyReverb");
    turn_after(POLL_NS);
    see_not_ready("GoodSynth", 1, ST_DROPOUT_WOKEN_LATE, 0);
    look_after(POLL_NS, "it has ended, and others have a dropout by that");
}

static void client_that_says_that_it_has_ended_has(void **state)
{
    see_load("GoodSynth", 1000, 0);
    see_load("HeavyReverb", 9000, 0);
    see_not_ready("HeavyReverb", 1, ST_DROPOUT_BLOCKED, 0);
    turn_after(0);
    see_ended("GoodSynth");
    see_ended("HeavyReverb");
    see_ended("NeverSeen");
    look_after(POLL_NS, "");
}

/* Also where there was none at the other size. */
static void recent_dropouts_begin_again_after_each_change_of_the_buffer(void **state)
{
    see_load("", 0, 256)->period_ns = 5333333;

    see_not_ready("HeavyReverb", 24, ST_DROPOUT_TOO_SLOW, 9000);
    turn_after(0);
    see_load("", 0, 1024);
    turn_after(POLL_NS);
    see_load("", 0, 256)->period_ns = 5333333;

    look_after(POLL_NS, "");
    see_not_ready("HeavyReverb", 6, ST_DROPOUT_TOO_SLOW, 9000);
    look_after(POLL_NS, "");
}

/* Who lost most is still there, and what others lose now is not hidden by that. */
static void what_others_lose_leads_when_the_worst_had_none_for_a_minute(void **state)
{
    see_not_ready("GoodSynth", 9, ST_DROPOUT_STOPPED, 0);
    turn_after(0);
    for (int i = 0; i < 6; i++) {
        see_load("GoodSynth", 1000, 0);
        see_not_ready("HeavyReverb", 1, ST_DROPOUT_TOO_SLOW, 9000);
        turn_after(10 * ST_NS_PER_S);
    }
    look("");
    see_load("GoodSynth", 1000, 0);
    see_not_ready("HeavyReverb", 1, ST_DROPOUT_TOO_SLOW, 9000);
    look_after(10 * ST_NS_PER_S, "none is forgotten");
}

/* What is over outvotes nothing: another buffer, a program that ended, ten minutes of peace. */
static void recent_dropouts_are_counted_apart(void **state)
{
    see_load("", 0, 256)->period_ns = 5333333;

    see_load("GoodSynth", 1000, 0);
    see_load("HeavyReverb", 9000, 0);
    see_not_ready("HeavyReverb", 24, ST_DROPOUT_TOO_SLOW, 9000);
    see_not_ready("GoodSynth", 1, ST_DROPOUT_STOPPED, 0);
    look_after(0, "");
    see_load("", 0, 1024);
    look_after(POLL_NS, "until one comes at the other size");
    see_not_ready("GoodSynth", 2, ST_DROPOUT_CPU_TAKEN, 0);
    see_not_ready("HeavyReverb", 5, ST_DROPOUT_TOO_SLOW, 0);
    look_after(POLL_NS, "");
    for (int i = 0; i < 3; i++) {
        see_load("", 0, 1024);
        see_load("GoodSynth", 1000, 0);
        turn_after(10 * ST_NS_PER_S);
    }
    look("HeavyReverb has ended");
    see_not_ready("GoodSynth", 3, ST_DROPOUT_STOPPED, 0);
    look_after(POLL_NS, "");
    for (int i = 0; i < 61; i++) {
        see_load("GoodSynth", 1000, 0);
        turn_after(10 * ST_NS_PER_S);
    }
    see_not_ready("GoodSynth", 1, ST_DROPOUT_STOPPED, 0);
    look_after(POLL_NS, "all are in the counters");
}

static void server_that_ends_takes_loads_along(void **state)
{
    see_load("", 0, 1024);
    see_load("GoodSynth", 1000, 0);
    turn_after(0);
    poll_result = -EPIPE;
    look_after(POLL_NS, "");
}

static void a_crowd_of_clients_does_not_push_out_the_one_that_clicks(void **state)
{
    see_not_ready("HeavyReverb", 407, ST_DROPOUT_TOO_SLOW, 25000000);
    turn_after(0);
    for (int i = 0; i < 500; i++) { /* each plays, clicks once or not at all, and goes */
        char name[16];
        ST_PRINT(name, "crowd%d", i);
        see_load(name, 1000, 0);
        if (i % 2 == 0)
            see_not_ready(name, 1, ST_DROPOUT_BLOCKED, 0);
        turn_after(POLL_NS);
        assert_string_equal(o.view.seen.clients[0].name, "HeavyReverb");
    }
    assert_int_equal(o.view.seen.clients_n, ST_DROPOUT_CLIENTS_MAX);
    uint64_t n = o.view.seen.others_dropouts_n;
    for (size_t i = 0; i < o.view.seen.clients_n; i++)
        n += o.view.seen.clients[i].sum.n;
    assert_int_equal(n, 407 + 250);
    assert_int_equal(o.view.seen.sum.n, n);
    see_not_ready("Latecomer", 1, ST_DROPOUT_TOO_SLOW,
                  25000000); /* all places are taken, and it clicks */
    turn_after(POLL_NS);
    bool listed = false;
    for (size_t i = 0; i < o.view.seen.clients_n; i++)
        listed = listed || strcmp(o.view.seen.clients[i].name, "Latecomer") == 0;
    assert_true(listed);
}

static void
absent_source_is_tried_less_often_while_nothing_plays_and_at_once_when_something_does(void **state)
{
    open_result = -ENOENT;
    st_observed_quiet(&o, true);
    for (int i = 0; i < 10; i++) {
        st_observed_turn(&o);
        st_fake_advance(platform, o.due_ns - now_ns());
    }
    st_observed_turn(&o);
    assert_int_equal(o.due_ns - now_ns(), ST_OBSERVED_RETRY_QUIET_NS);
    st_observed_quiet(&o, false);
    assert_int_equal(o.due_ns, now_ns());
    open_result = 0;
    see("hw:0", "mpv", 1, 0);
    turn_after(ST_NS_PER_S);
    assert_int_equal(o.view.played_ns, now_ns());
    assert_string_equal(o.view.played, "mpv");
}

static void what_the_server_counts_is_not_counted_again_by_the_card(void **state)
{
    static const struct st_xrun_source card = {.name = "alsa",
                                               .summary = "scripted",
                                               .poll_ns = POLL_NS,
                                               .device_only = true,
                                               .ops = &ops};
    struct st_observed all[2] = {{.source = &source, .view = {.state = ST_OBSERVED_WATCHING}}};
    st_observed_init(&o, platform, &events, &card);
    o.beside = all;
    o.beside_n = 1;
    switch_to(ST_OBSERVED_AUTO, "");
    see("hw:0,0,0 playback", "jackd", 1, 0);
    see("hw:1,0,0 playback", "mpv", 1, 0);
    look_after(POLL_NS, "");
    all[0].view.state = ST_OBSERVED_ABSENT;
    see("hw:0,0,0 playback", "jackd", 1, 0);
    look_after(POLL_NS, "");
}

static void see_at(enum st_dropout_place place, const char *device, const char *client)
{
    see(device, client, 1, 0)->place = place;
}

static void see_late_server(const char *client)
{
    see("default", client, 0, 1)->place = ST_DROPOUT_AT_DEVICE_BUFFER;
}

static void a_server_that_was_late_itself_plays_no_music(void **state)
{
    const char *servers[] = {"JACK", "PipeWire"};
    ST_EACH (name, servers) {
        see_late_server(*name);
        turn_after(POLL_NS);
        assert_int_equal(o.view.music_ns, INT64_MIN);
        assert_string_equal(o.view.played, "default");
    }
    see("default", "JACK", 0, 1)->place = ST_DROPOUT_AT_GRAPH;
    look_after(POLL_NS, "a client of this name");
}

/* The bus counts alone, also if another card ran dry; with the card that it carries it is one
 * dropout. */
static void losses_on_the_bus_of_a_card_that_ran_dry_are_that_dropout(void **state)
{
    static const struct st_xrun_source bus = {.name = "usb",
                                              .poll_ns = 4 * ST_NS_PER_S,
                                              .ops = &ops},
                                       alsa = {.name = "alsa", .poll_ns = POLL_NS, .ops = &ops};
    static const struct {
        const struct st_xrun_source *source;
        const char *device;
        int64_t later_ms, bus_n; /* that the card ran dry; of the bus */
        bool itself;             /* as the server's own, which was late */
        int64_t mark_ms;         /* 0: none */
    } rows[] = {{&alsa, "hw:1,0,0 playback", 1000, 0},
                {&alsa, "hw:1,0,0 playback", -1000, 0},
                {&alsa, "hw:1,0,0 playback", -2000, 1},
                {&alsa, "hw:10,0,0 playback", 0, 1},
                {&source, "default", 200, 0}, /* JACK */
                {&source, "default", 200, 0, true},
                {&alsa, "hw:1,0,0 playback", 1200, 0, false, 900},
                {&alsa, "alsa_output.usb-ACME_Box_2-00.analog-stereo", 500, 0},
                {&alsa, "alsa_output.pci-0000_00_1f.3.analog-stereo", 500, 1}};
    ST_EACH (row, rows) {
        struct st_observed all[2];
        st_observed_init(&all[0], platform, &events, &bus);
        st_observed_init(&all[1], platform, &events, row->source);
        all[0].beside = all[1].beside = all;
        all[0].beside_n = all[1].beside_n = 2;
        for (size_t i = 0; i < 2; i++)
            st_observed_set(&all[i], ST_OBSERVED_AUTO, &(struct st_xrun_setting){{0}});
        for (int64_t ms = -2000; ms <= 2000; ms += 100) {
            if (ms == row->later_ms && row->itself)
                see_late_server("JACK");
            else if (ms == row->later_ms)
                see_at(row->source == &alsa ? ST_DROPOUT_AT_DEVICE_BUFFER : ST_DROPOUT_AT_UNKNOWN,
                       row->device, "player");
            st_observed_turn(&all[1]);
            if (ms == 0)
                see_at(ST_DROPOUT_AT_BUS, "hw:1 playback, USB bus 3", "ACME Box 2");
            if (ms == 0)
                st_observed_turn(&all[0]);
            st_observed_count(&all[0]);
            if (ms != 0 && ms == row->mark_ms)
                st_observed_cut(&all[0]);
            st_fake_advance(platform, 100 * ST_NS_PER_MS);
        }
        assert_int_equal(all[1].view.seen.sum.device_n, !row->itself);
        assert_int_equal(all[0].view.seen.sum.device_n, row->bus_n);
        see_at(ST_DROPOUT_AT_BUS, "hw:2 playback, USB bus 3", "Other");
        st_observed_turn(&all[0]);
        st_observed_finish(&all[0]); /* it loses nothing that waits */
        assert_int_equal(all[0].view.seen.sum.device_n, row->bus_n + 1);
        st_observed_finish(&all[1]);
    }
}

int main(void)
{
    (void)setenv("TZ", "UTC", 1);
    const struct CMUnitTest tests[] = {
        TEST(what_the_server_counts_is_not_counted_again_by_the_card),
        TEST(a_server_that_was_late_itself_plays_no_music),
        TEST(losses_on_the_bus_of_a_card_that_ran_dry_are_that_dropout),
        TEST(device_dropouts_and_dropouts_of_clients_are_counted_apart),
        TEST(xruns_of_one_client_are_summed_for_ten_seconds_and_none_is_lost),
        TEST(last_of_a_burst_is_told_without_another_xrun),
        TEST(the_rest_of_a_dropout_is_no_part_of_the_next),
        TEST(a_loss_that_lasts_is_recorded_when_it_begins_and_when_it_has_ended),
        TEST(an_event_has_the_time_at_which_the_sound_came_back),
        TEST(ends_are_reported_in_any_order),
        TEST(the_last_dropout_is_the_one_that_ended_last),
        TEST(no_event_is_before_the_watching),
        TEST(asking_makes_no_event),
        TEST(what_comes_after_a_cut_is_another_event),
        TEST(what_is_counted_is_an_event_when_watching_ends),
        TEST(more_clients_than_places_lose_nothing),
        TEST(each_kind_of_a_crowd_keeps_its_number),
        TEST(each_kind_of_a_crowd_keeps_its_number_if_clients_come_first),
        TEST(a_mark_cuts_what_waits),
        TEST(a_client_that_computed_too_long_waits_until_the_machine_was_looked_at),
        TEST(what_slowed_the_machine_stands_beside_the_client_of_that_moment),
        TEST(dropouts_of_a_client_are_counted_by_reason_and_sorted_by_harm),
        TEST(event_of_a_client_says_why_by_its_own_cycle),
        TEST(sum_of_dropouts_has_the_worst_cycle_of_one_reason),
        TEST(late_wake_explains_a_dropout_only_if_it_is_as_long_as_the_missing_time),
        TEST(culprit_is_who_was_it_most_often),
        TEST(worst_cycle_is_one_of_the_most_frequent_reason),
        TEST(client_without_two_loads_has_gone_and_keeps_its_dropouts),
        TEST(recent_dropouts_begin_again_after_each_change_of_the_buffer),
        TEST(what_others_lose_leads_when_the_worst_had_none_for_a_minute),
        TEST(recent_dropouts_are_counted_apart),
        TEST(recent_dropouts_begin_with_one_after_a_change_alone),
        TEST(client_that_says_that_it_has_ended_has),
        TEST(server_that_ends_takes_loads_along),
        TEST(a_crowd_of_clients_does_not_push_out_the_one_that_clicks),
        TEST(to_how_many_programs_it_listens_is_no_event),
        TEST(absent_source_is_tried_again_at_growing_pauses_up_to_15_s),
        TEST(what_this_system_never_has_is_not_tried_again),
        TEST(one_that_cannot_be_started_now_is_absent),
        TEST(lost_server_is_an_event_and_counts_go_on_after_it_is_back),
        TEST(gap_is_not_watched_and_is_said),
        TEST(a_time_in_which_the_program_did_not_run_is_not_watched),
        TEST(programs_are_looked_at_at_the_same_time),
        TEST(connecting_is_neither_watching_nor_absent),
        TEST(switching_off_closes_and_keeps_what_was_counted),
        TEST(another_server_opens_it_again_the_same_does_not),
        TEST(what_was_never_watched_has_no_counts),
        TEST(source_that_cannot_see_clients_says_nothing_of_them),
        TEST(absent_source_is_tried_less_often_while_nothing_plays_and_at_once_when_something_does),
    };
    return shown_run(tests);
}
