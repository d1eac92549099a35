/* Which cause of dropouts a notification is about: each one once, and never sleeptune's own
 * streams. */
#include "core/ns.h"
#include "daemon/notify_cause.h"
#include "tests/unit/unit.h"

#define NOW_NS (INT64_C(1700000000) * ST_NS_PER_S)

static struct st_view view;
static struct st_notify_shown shown;

static int begin(void **state)
{
    memset(&view, 0, sizeof(view));
    view.now_wall_ns = NOW_NS;
    memset(&shown, 0, sizeof(shown));
    view.observe.n = 1;
    view.observe.sources[0] = (struct st_observed_view){
        .source = "pipewire", .since_wall_ns = NOW_NS - 600 * ST_NS_PER_S};
    return 0;
}

static struct st_dropout_client *add(const char *name, enum st_dropout_reason reason, uint64_t n)
{
    struct st_dropout_table *seen = &view.observe.sources[0].seen;
    struct st_dropout_client *client = &seen->clients[seen->clients_n++];
    *client = (struct st_dropout_client){.sum = {.n = n, .last_wall_ns = NOW_NS - ST_NS_PER_S},
                                         .rows = {{.reason = reason, .sum.n = n}},
                                         .rows_n = 1};
    ST_PRINT(client->name, "%s", name);
    seen->sum.n += n;
    return client;
}

/* The brief text of the next cause, which is then shown; "" if there is none. */
static const char *next(void)
{
    static struct st_notify_text text;
    if (!st_notify_cause_find(&shown, &view, &text))
        return "";
    st_notify_cause_add(&shown, &text.cause);
    return text.brief;
}

static void counts_what_the_status_counts(void **state)
{
    static struct st_dropout_table recent;
    struct st_notify_text text;
    struct st_observed_view *source = &view.observe.sources[0];
    add("HeavyReverb", ST_DROPOUT_BLOCKED, 12);
    source->seen.sum.last_wall_ns = NOW_NS - ST_NS_PER_S;
    recent = source->seen;
    source->recent = &recent;
    source->recent_wall_ns = NOW_NS - 60 * ST_NS_PER_S;
    add("FunkBass", ST_DROPOUT_TOO_SLOW, 30); /* it has ended before these */
    source->seen.sum.last_wall_ns = NOW_NS - ST_NS_PER_S;
    assert_true(st_notify_cause_find(&shown, &view, &text));
    assert_string_equal(text.brief, "HeavyReverb: 12 dropouts");
    assert_has(text.sentence, "HeavyReverb lost sound 12 times (since ");
}

static void says_what_the_status_says(void **state)
{
    struct st_notify_text text;
    struct st_dropout_client *heavy = add("HeavyReverb", ST_DROPOUT_TOO_SLOW, 12);
    heavy->rows[0].worst.busy_ns = 25000000;
    heavy->rows[0].worst.period_ns = 21333333;
    assert_true(st_notify_cause_find(&shown, &view, &text));
    assert_string_equal(text.brief, "HeavyReverb: 12 dropouts");
    assert_has(text.sentence, "HeavyReverb lost sound 12 times (watched since ");
    assert_has(text.sentence, "): it computed too long");
}

static void each_cause_is_told_once(void **state)
{
    struct st_dropout_client *heavy = add("HeavyReverb", ST_DROPOUT_TOO_SLOW, 12);
    add("mpv", ST_DROPOUT_STOPPED, 3);
    assert_string_equal(next(), "HeavyReverb: 12 dropouts");
    heavy->sum.n += 100;
    assert_string_equal(next(), "mpv: 3 dropouts");
    assert_string_equal(next(), "");
    heavy->rows[0].reason = ST_DROPOUT_STOPPED; /* the same program for another reason */
    assert_string_equal(next(), "HeavyReverb: 112 dropouts");
    assert_string_equal(next(), "");
}

/* As the status has it: the first of the table that has enough, and who lost most time of two
 * servers. */
static void the_one_that_lost_most_sound_is_first(void **state)
{
    struct st_observed_view *sources = view.observe.sources;
    add("once", ST_DROPOUT_STOPPED, 1)->sum.lost_ns = 5 * ST_NS_PER_S;
    add("long", ST_DROPOUT_STOPPED, 3)->sum.lost_ns = 2 * ST_NS_PER_S;
    add("often", ST_DROPOUT_TOO_SLOW, 40)->sum.lost_ns = 40 * ST_NS_PER_MS;
    view.observe.n = 2;
    sources[1] = sources[0];
    memset(&sources[0].seen, 0, sizeof(sources[0].seen));
    add("many", ST_DROPOUT_TOO_SLOW, 50)->sum.lost_ns = ST_NS_PER_S;
    assert_string_equal(next(), "long: 3 dropouts");
    assert_string_equal(next(), "many: 50 dropouts");
    assert_string_equal(next(), "often: 40 dropouts");
    assert_string_equal(next(), "");
    sources[0].seen.clients_n = 0; /* by number, as the length of the last one is not known */
    view.observe.n = 1;
    add("frequent", ST_DROPOUT_TOO_SLOW, 40)->sum.lost_ns = 40 * ST_NS_PER_MS;
    add("longer", ST_DROPOUT_STOPPED, 3)->sum.lost_ns = 2 * ST_NS_PER_S;
    add("unknown", ST_DROPOUT_STOPPED, 3);
    assert_string_equal(next(), "frequent: 40 dropouts");
}

/* `name` lost the CPU n times; chromium is the culprit of own_n dropouts of that reason. */
static void add_taken(const char *name, uint64_t n, enum st_dropout_reason reason, uint64_t own_n)
{
    struct st_dropout_client *client = add(name, ST_DROPOUT_CPU_TAKEN, n);
    ST_PRINT(client->rows[0].culprit, "chromium");
    client->rows[0].culprit_n = own_n;
}

static void who_took_the_cpu_is_one_cause(void **state)
{
    add_taken("Guitarix", 9, ST_DROPOUT_CPU_TAKEN, 9);
    add_taken("Ardour", 5, ST_DROPOUT_CPU_TAKEN, 3);
    assert_string_equal(next(), "Guitarix: 9 dropouts");
    assert_string_equal(next(), "");
}

static void the_culprit_of_another_reason_is_no_cause(void **state)
{
    add_taken("Guitarix", 9, ST_DROPOUT_CPU_TAKEN, 9);
    add_taken("Ardour", 5, ST_DROPOUT_WAITED_FOR_OTHER, 2);
    add_taken("Carla", 4, ST_DROPOUT_CPU_TAKEN, 1);
    assert_string_equal(next(), "Guitarix: 9 dropouts");
    assert_string_equal(next(), "Ardour: 5 dropouts");
    assert_string_equal(next(), "Carla: 4 dropouts");
    assert_string_equal(next(), "");
}

static void few_old_nameless_and_own_ones_are_none(void **state)
{
    add("Firefox", ST_DROPOUT_TOO_SLOW, ST_NOTIFY_DROPOUTS - 1);
    add("", ST_DROPOUT_TOO_SLOW, 50);
    add("sleeptuned", ST_DROPOUT_TOO_SLOW, 50);
    struct st_dropout_client *old = add("Old", ST_DROPOUT_TOO_SLOW, 50);
    old->sum.last_wall_ns = NOW_NS - ST_NOTIFY_RECENT_NS - 1;
    assert_string_equal(next(), "");
    old->sum.last_wall_ns = INT64_MIN;
    assert_string_equal(next(), "");
    old->sum.last_wall_ns = NOW_NS;
    assert_string_equal(next(), "Old: 50 dropouts");
}

static void there_is_an_end_of_causes(void **state)
{
    char name[32];
    struct st_dropout_client *client = add("", ST_DROPOUT_TOO_SLOW, 3);
    for (int i = 0; i < ST_NOTIFY_CAUSES_MAX; i++) {
        ST_PRINT(client->name, "program %d", i);
        ST_PRINT(name, "program %d: 3 dropouts", i);
        assert_string_equal(next(), name);
    }
    ST_PRINT(client->name, "one more");
    assert_string_equal(next(), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(counts_what_the_status_counts, begin),
        cmocka_unit_test_setup(says_what_the_status_says, begin),
        cmocka_unit_test_setup(each_cause_is_told_once, begin),
        cmocka_unit_test_setup(the_one_that_lost_most_sound_is_first, begin),
        cmocka_unit_test_setup(who_took_the_cpu_is_one_cause, begin),
        cmocka_unit_test_setup(the_culprit_of_another_reason_is_no_cause, begin),
        cmocka_unit_test_setup(few_old_nameless_and_own_ones_are_none, begin),
        cmocka_unit_test_setup(there_is_an_end_of_causes, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
