/* The cycles that stand beside the answer. */
#include "core/ns.h"
#include "story/dropout_sentence.h"
#include "tests/unit/unit.h"

#define PERIOD_NS INT64_C(5333333)

static struct st_dropout_table table;

static void compute(const char *client, int64_t busy_ns, enum st_cause slowed)
{
    struct st_event event = {.kind = ST_EVENT_CLIENT_DROPOUT,
                             .reason = ST_DROPOUT_TOO_SLOW,
                             .count_n = 1,
                             .lost_ns = PERIOD_NS,
                             .longest_ns = PERIOD_NS,
                             .cycle = {.busy_ns = busy_ns, .period_ns = PERIOD_NS},
                             .slowed = slowed};
    ST_PRINT(event.client, "%s", client);
    st_dropout_table_take_event(&table, &event, 0);
}

static void lose(const char *client)
{
    compute(client, 0, ST_CAUSE_UNKNOWN);
}

static void cycle(const char *client, int64_t busy_ns, int64_t left_n, int64_t wall_ns)
{
    struct st_xrun_seen seen = {
        .kind = ST_XRUN_SEEN_CYCLE, .deadline_ns = PERIOD_NS, .left_n = left_n};
    seen.event.cycle.busy_ns = busy_ns;
    ST_PRINT(seen.event.client, "%s", client);
    st_dropout_table_take(&table, &seen, 0, wall_ns);
}

static void the_cycle_is_of_who_lost_most(ST_UNUSED void **state)
{
    cycle("synth", 9000000, 1, 10);
    assert_int_equal(table.cycle.n, 0); /* it is not complete */
    cycle("reverb", 1000000, 0, 10);
    assert_int_equal(table.cycle.n, 2);
    lose("reverb");
    lose("reverb");
    lose("synth");
    cycle("synth", 9000000, 1, 20); /* of reverb there is none yet */
    cycle("reverb", 1000000, 0, 20);
    assert_int_equal(table.cycle.wall_ns, 20);
    cycle("synth", 1000000, 1, 30);
    cycle("reverb", 9000000, 0, 30);
    cycle("synth", 9000000, 0, 40);
    assert_int_equal(table.cycle.wall_ns, 30);
    assert_string_equal(table.cycle.clients[1].event.client, "reverb");
    st_dropout_table_begin_again(&table);
    assert_int_equal(table.cycle.n, 2);
    lose("synth");
    cycle("synth", 9000000, 0, 50);
    assert_int_equal(table.cycle.wall_ns, 50);
}

static void a_cycle_says_less_while_the_machine_was_slower(ST_UNUSED void **state)
{
    static const struct {
        int64_t busy_ns;
        enum st_cause slowed;
        int64_t worst_ns; /* then */
    } rows[] = {
        {21000000, ST_CAUSE_HEAT, 21000000},  {22000000, ST_CAUSE_HEAT, 22000000},
        {6800000, ST_CAUSE_UNKNOWN, 6800000}, {23000000, ST_CAUSE_HEAT, 6800000},
        {6900000, ST_CAUSE_UNKNOWN, 6900000}, {6700000, ST_CAUSE_UNKNOWN, 6900000},
    };
    table = (struct st_dropout_table){0};
    ST_EACH (row, rows) {
        compute("reverb", row->busy_ns, row->slowed);
        const struct st_dropout_row *row_of = table.clients[0].rows;
        assert_int_equal(row_of->worst.busy_ns, row->worst_ns);
        assert_int_equal(row_of->slowed == ST_CAUSE_UNKNOWN, row->worst_ns < 10000000);
    }
}

static void a_lost_stream_is_told_from_one_that_plays(ST_UNUSED void **state)
{
    struct st_xrun_seen seen = {
        .event = {.kind = ST_EVENT_DEVICE_DROPOUT, .client = "jackd", .count_n = 1}};
    table = (struct st_dropout_table){0};
    ST_PRINT(seen.event.device, "hw:0,0,0 capture");
    st_dropout_table_take(&table, &seen, 0, 0);
    seen.kind = ST_XRUN_SEEN_LOAD;
    ST_PRINT(seen.event.device, "hw:0,0,0 playback");
    st_dropout_table_take(&table, &seen, 0, 0);
    assert_string_equal(st_dropout_sentence_why(table.clients, table.clients[0].rows, false),
                        "let its stream overflow");
}

static void the_least_reserve_can_be_nothing(ST_UNUSED void **state)
{
    struct st_xrun_seen seen = {
        .kind = ST_XRUN_SEEN_LOAD, .event.client = "organ", .load.reserve_ns = 5 * ST_NS_PER_MS};
    table = (struct st_dropout_table){0};
    st_dropout_table_take(&table, &seen, 0, 0);
    seen.load.reserve_ns = 1; /* nothing was left */
    st_dropout_table_take(&table, &seen, 0, 0);
    assert_int_equal(table.clients[0].reserve_ns, 1);
}

static void who_had_the_cpu_is_no_reason_to_name_an_old_loss(ST_UNUSED void **state)
{
    const struct st_event old = {.kind = ST_EVENT_CLIENT_DROPOUT,
                                 .reason = ST_DROPOUT_CPU_TAKEN,
                                 .count_n = 1,
                                 .culprit_n = 1,
                                 .client = "old",
                                 .culprit = "cc1"};
    table = (struct st_dropout_table){0};
    st_dropout_table_take_event(&table, &old, 0);
    st_dropout_table_take_event(
        &table,
        &(struct st_event){.kind = old.kind, .reason = old.reason, .count_n = 2, .wall_ns = 10},
        10);
    assert_string_equal(st_dropout_table_worst(&table, 10)->name, "old");
    assert_string_equal(st_dropout_table_worst(&table, 9)->name, "");
    st_dropout_table_take_event(&table, &old, 20); /* the clock was set back */
    assert_int_equal(table.sum.last_wall_ns, old.wall_ns);
}

static void reasons_without_a_row_have_one_together(ST_UNUSED void **state)
{
    uint64_t n = 0, others_n = 0;
    table = (struct st_dropout_table){0};
    for (unsigned i = 0; i < (unsigned)ST_DROPOUT_REASONS * ST_DROPOUT_PLACES; i++) {
        const struct st_event event = {.kind = ST_EVENT_CLIENT_DROPOUT,
                                       .reason = i % ST_DROPOUT_REASONS,
                                       .place = i % ST_DROPOUT_PLACES,
                                       .count_n = 1};
        st_dropout_table_take_event(&table, &event, 0);
    }
    ST_EACH (row, table.clients[0].rows) {
        n += row->sum.n;
        others_n += row->reason == ST_DROPOUT_UNKNOWN && row->place == ST_DROPOUT_AT_UNKNOWN;
    }
    assert_int_equal(n, table.sum.n);
    assert_int_equal(others_n, 1);
}

/* What sleeptuned records of a client that loses sound every 853 ms: an event in 10.1 s. */
static void losses_that_were_added_up_have_no_rhythm(ST_UNUSED void **state)
{
    table = (struct st_dropout_table){0};
    struct st_event event = {.kind = ST_EVENT_CLIENT_DROPOUT,
                             .reason = ST_DROPOUT_TOO_SLOW,
                             .client = "FuzzBass",
                             .count_n = 1,
                             .wall_ns = 1};
    int64_t lost_ns = 1, due_ns = 1;
    while (lost_ns < 24 * ST_NS_PER_MINUTE) {
        const int64_t began_ns = lost_ns;
        for (event.count_n = 0; event.count_n == 0 || lost_ns < due_ns; event.count_n++) {
            event.wall_ns = lost_ns;
            event.span_ns = lost_ns - began_ns;
            lost_ns += 853333333;
        }
        due_ns = ST_MAX(due_ns, event.wall_ns) + 10100 * ST_NS_PER_MS;
        st_dropout_table_take_event(&table, &event, event.wall_ns);
    }
    st_dropout_table_age(&table, event.wall_ns, true);
    assert_true(table.sum.n > 1600);
    assert_int_equal(table.clients[0].rhythm.each_ns, 0);
}

/* Makes each_n losses within a second, of lasts_s each, and the next ones each_s later. @return the
 * interval in s. */
static int rhythm_of(int each_s, int each_n, int lasts_s)
{
    table = (struct st_dropout_table){0};
    for (int i = 0; i < 20 * each_n; i++) {
        struct st_event event = {.kind = ST_EVENT_CLIENT_DROPOUT, .count_n = 1};
        event.wall_ns = (1 + i / each_n * each_s) * ST_NS_PER_S + i % each_n * ST_NS_PER_S / each_n;
        st_dropout_table_take_event(&table, &event, event.wall_ns);
        event.count_n = 0; /* it goes on */
        for (int s = 0; s < lasts_s; s++) {
            event.wall_ns += ST_NS_PER_S;
            st_dropout_table_take_event(&table, &event, event.wall_ns);
        }
    }
    st_dropout_table_age(&table, 0, true);
    return (int)(table.clients[0].rhythm.each_ns / ST_NS_PER_S);
}

static void losses_within_a_second_are_one_beat(ST_UNUSED void **state)
{
    assert_int_equal(rhythm_of(60, 1, 0), 60);
    assert_int_equal(rhythm_of(60, 2, 0), 60);
    assert_int_equal(rhythm_of(60, 1, 20), 60);
}

/* The longest loss may have another reason than the one that is named. */
static void the_reason_has_its_own_number(ST_UNUSED void **state)
{
    table = (struct st_dropout_table){0};
    for (int i = 0; i < 19; i++)
        compute("synth", 2 * PERIOD_NS, ST_CAUSE_UNKNOWN);
    st_dropout_table_take_event(&table,
                                &(struct st_event){.kind = ST_EVENT_CLIENT_DROPOUT,
                                                   .reason = ST_DROPOUT_CPU_TAKEN,
                                                   .client = "synth",
                                                   .count_n = 1,
                                                   .lost_ns = 3 * PERIOD_NS,
                                                   .longest_ns = 3 * PERIOD_NS},
                                0);
    assert_string_equal(st_dropout_sentence_of(table.clients, "pipewire", ""),
                        "synth lost sound 20 times, 117 ms in all (longest 16.0 ms); 19 times: it "
                        "computed too long, 10.7 ms in a buffer of 5.33 ms.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cycle_is_of_who_lost_most),
        cmocka_unit_test(a_cycle_says_less_while_the_machine_was_slower),
        cmocka_unit_test(a_lost_stream_is_told_from_one_that_plays),
        cmocka_unit_test(the_least_reserve_can_be_nothing),
        cmocka_unit_test(who_had_the_cpu_is_no_reason_to_name_an_old_loss),
        cmocka_unit_test(reasons_without_a_row_have_one_together),
        cmocka_unit_test(losses_that_were_added_up_have_no_rhythm),
        cmocka_unit_test(losses_within_a_second_are_one_beat),
        cmocka_unit_test(the_reason_has_its_own_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
