/* What an event says, and its JSON. */
#include "core/ns.h"
#include "story/event_story.h"
#include "tests/unit/unit.h"

static const struct st_story_beside alone = {0};

static const char *say(const struct st_event *event)
{
    return st_event_story_text(event, &alone);
}

static void words_of_sleeptuned_itself_are_said_as_they_are(void **state)
{
    struct st_event event = st_event_make(0, ST_EVENT_CONFIG_READ, "the settings are in force");
    assert_string_equal(say(&event), "the settings are in force");
    event.count_n = 57;
    event.span_ns = 60 * ST_NS_PER_S;
    assert_string_equal(say(&event), "57 times in 60 s, the last: the settings are in force");
}

static void lost_sound_has_a_length_and_a_place(void **state)
{
    struct st_event a = st_event_make(0, ST_EVENT_CLIENT_DROPOUT, "%s", "");
    ST_PRINT(a.source, "pipewire");
    ST_PRINT(a.client, "paplay");
    a.certainty = ST_CERTAINTY_EXACT;
    a.reason = ST_DROPOUT_STOPPED;
    a.place = ST_DROPOUT_AT_CLIENT_BUFFER;
    a.lost_ns = a.longest_ns = 469 * ST_NS_PER_MS;
    struct st_event b = a;
    b.lost_ns = b.longest_ns = 480 * ST_NS_PER_MS;
    st_event_add(&a, &b);
    assert_string_equal(say(&a),
                        "paplay lost sound 2 times (PipeWire), 949 ms in all (longest 480 ms), on "
                        "the way from the program to PipeWire: it was stopped or frozen");
    /* one that was counted before goes on */
    struct st_event more = a;
    more.count_n = 0;
    more.place = ST_DROPOUT_AT_GRAPH;
    more.cycles_n = 44;
    more.lost_ns = 85 * ST_NS_PER_MS;
    assert_string_equal(say(&more), "the dropout of paplay continued (PipeWire), for 480 ms until "
                                    "then: it was stopped or frozen");
    struct st_event slow = b, cool = b;
    slow.reason = cool.reason = ST_DROPOUT_TOO_SLOW;
    slow.slowed = ST_CAUSE_HEAT;
    st_event_add(&slow, &cool);
    st_event_add(&cool, &slow);
    assert_int_equal(cool.slowed, ST_CAUSE_HEAT);
    assert_has(say(&slow), ": it computed too long; meanwhile the CPU was too hot and slowed "
                           "itself down");
    struct st_event both = b; /* it went on, and then another one began */
    st_event_add(&both, &more);
    both.lost_ns = 21 * ST_NS_PER_MS;
    assert_string_equal(say(&both),
                        "paplay lost sound once (PipeWire), for 21.0 ms: it was stopped or frozen");
    st_event_add(&a, &more);
    assert_int_equal(a.count_n, 2);
    assert_int_equal(a.cycles_n, 44);
    assert_int_equal(a.place, ST_DROPOUT_AT_UNKNOWN);
    struct st_event unknown = b; /* the length of one is not known */
    unknown.lost_ns = unknown.longest_ns = 0;
    struct st_event sum = b;
    st_event_add(&sum, &unknown);
    assert_string_equal(say(&sum), "paplay lost sound 2 times (PipeWire), at least 480 ms in all, "
                                   "on the way from the program to "
                                   "PipeWire: it was stopped or frozen");
    st_event_add(&sum, &b); /* it stays so */
    assert_int_equal(sum.longest_ns, 0);
    assert_int_equal(sum.lost_ns, 960 * ST_NS_PER_MS);
}

static void a_sum_began_before_its_first_end_and_its_longest_loss(void **state)
{
    struct st_event event = st_event_make(100 * ST_NS_PER_S, ST_EVENT_CLIENT_DROPOUT, "%s", "");
    event.longest_ns = 3 * ST_NS_PER_S;
    assert_int_equal(st_event_began_ns(&event), 97 * ST_NS_PER_S);
    event.span_ns = ST_NS_PER_S; /* they overlap */
    assert_int_equal(st_event_began_ns(&event), 97 * ST_NS_PER_S);
    event.span_ns = 9 * ST_NS_PER_S;
    assert_int_equal(st_event_began_ns(&event), 91 * ST_NS_PER_S);
}

static void second_card_was_resynchronised(void **state)
{
    struct st_event event = st_event_make(0, ST_EVENT_DEVICE_DROPOUT, "%s", "");
    ST_PRINT(event.source, "pipewire");
    ST_PRINT(event.client, "alsa_output.usb");
    ST_PRINT(event.device, "alsa_output.pci");
    event.certainty = ST_CERTAINTY_PROBABLE;
    event.place = ST_DROPOUT_AT_RESYNC;
    event.lost_ns = event.longest_ns = 10 * ST_NS_PER_MS;
    assert_string_equal(say(&event),
                        "alsa_output.usb lost sound once (PipeWire, probable), for 10.0 ms: it was "
                        "resynchronised to the clock of alsa_output.pci");
    event.client[0] = '\0'; /* a sum of several */
    event.count_n = 70;
    assert_string_equal(
        say(&event), "a device lost sound 70 times (PipeWire, probable), 10.0 ms in all (longest "
                     "10.0 ms): it was resynchronised to the clock of alsa_output.pci");
    ST_PRINT(event.source, "usb");
    event.device[0] = '\0';
    event.place = ST_DROPOUT_AT_BUS;
    assert_string_equal(say(&event),
                        "a device lost sound 70 times (USB, probable), 10.0 ms in all (longest "
                        "10.0 ms): it lost USB packets");
}

static void sum_of_several_clients_names_none(void **state)
{
    struct st_event a = st_event_make(0, ST_EVENT_CLIENT_DROPOUT, "%s", ""), b = a;
    ST_PRINT(a.source, "pipewire");
    ST_PRINT(b.source, "pipewire");
    ST_PRINT(a.client, "HeavyReverb");
    ST_PRINT(b.client, "Guitarix");
    a.certainty = b.certainty = ST_CERTAINTY_EXACT;
    a.reason = b.reason = ST_DROPOUT_TOO_SLOW;
    a.cycle.busy_ns = 25000000;
    b.cycle.busy_ns = 30000000;
    a.cycle.period_ns = b.cycle.period_ns = 21333333;
    st_event_add(&a, &b);
    a.span_ns = 10 * ST_NS_PER_S;
    assert_string_equal(say(&a),
                        "a program lost sound 2 times in 10 s (PipeWire): it computed too long, "
                        "30.0 ms in a buffer of 21.3 ms");
    b.reason = ST_DROPOUT_STOPPED;
    st_event_add(&a, &b);
    assert_int_equal(a.count_n, 3);
    a.loop_cpu = 0; /* it was on time, and no one's fault is not the program's of all of them */
    assert_string_equal(say(&a),
                        "a program lost sound 3 times in 10 s (PipeWire), for several reasons");
    json_t *document = st_event_story_json(&a, &alone);
    assert_null(json_object_get(document, "cause"));
    json_decref(document);
}

static void culprit_of_a_sum_is_who_was_it_most_often(void **state)
{
    struct st_event sum = st_event_make(0, ST_EVENT_CLIENT_DROPOUT, "%s", ""), one = sum;
    sum.reason = one.reason = ST_DROPOUT_CPU_TAKEN;
    sum.count_n = 0;
    static const char *const culprits[] = {"cc1", "ffmpeg", "ffmpeg", "", "ffmpeg", "ffmpeg"};
    ST_EACH (culprit, culprits) {
        ST_PRINT(one.culprit, "%s", *culprit);
        one.culprit_n = (*culprit)[0] != '\0';
        st_event_add(&sum, &one);
    }
    assert_string_equal(sum.culprit, "ffmpeg");
    assert_int_equal(sum.culprit_n, 3);
    assert_has(say(&sum), ": it lost the CPU to another program, at least 3 times ffmpeg");
    sum.culprit_n = 6;
    assert_has(say(&sum), ": it lost the CPU to ffmpeg");
}

/* PipeWire's server for PulseAudio was stopped; or a client of its name was late, and nothing
 * stopped it. */
static void the_server_that_a_client_waited_for_did_not_answer(void **state)
{
    struct st_event event = st_event_make(0, ST_EVENT_CLIENT_DROPOUT, "%s", "");
    event.reason = ST_DROPOUT_WAITED_FOR_OTHER;
    event.culprit_n = 1;
    ST_PRINT(event.culprit, "pipewire-pulse");
    assert_has(say(&event), ": it waited for pipewire-pulse, which did not answer");
    assert_lacks(say(&event), "stopped");
}

static void schema_has_each_field(void **state)
{
    char path[4096];
    ST_PRINT(path, "%s/docs/schema/sleeptune-events-1.json", getenv("SLEEPTUNE_SRC"));
    json_t *schema = json_load_file(path, 0, NULL);
    assert_non_null(schema);
    const json_t *events = json_object_get(json_object_get(schema, "properties"), "events");
    const json_t *fields = json_object_get(json_object_get(events, "items"), "properties");
    ST_EACH_OF (field, st_event_record.fields, st_event_record.n) {
        if ((field->in & ST_FIELD_JSON) != 0 && json_object_get(fields, field->name) == NULL)
            fail_msg("no %s in %s", field->name, path);
    }
    json_decref(schema);
}

static void event_has_what_is_known_and_nothing_else(void **state)
{
    struct st_event event = st_event_make(0, ST_EVENT_LATE_WAKE, "%s", "");
    event.lateness_ns = 3000000;
    json_t *document = st_event_story_json(&event, &alone);
    assert_null(json_object_get(document, "temperature_mc"));
    assert_null(json_object_get(document, "busy_ns"));
    assert_null(json_object_get(document, "explained_ns"));
    json_decref(document);
    event.pressure.temperature_mc = 45500;
    document = st_event_story_json(&event, &alone);
    assert_int_equal(json_integer_value(json_object_get(document, "temperature_mc")), 45500);
    assert_null(json_object_get(document, "cpu_khz"));
    json_decref(document);
}

static void names_of_others_are_made_safe_in_json(void **state)
{
    struct st_event event = st_event_make(0, ST_EVENT_DEVICE_DROPOUT, "%s", "");
    ST_PRINT(event.device, "hw:\xff");
    json_t *document = st_event_story_json(&event, &alone);
    assert_string_equal(json_string_value(json_object_get(document, "device")), "hw:?");
    assert_has(json_string_value(json_object_get(document, "text")), "hw:? lost sound once");
    json_decref(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_sleeptuned_itself_are_said_as_they_are),
        cmocka_unit_test(lost_sound_has_a_length_and_a_place),
        cmocka_unit_test(a_sum_began_before_its_first_end_and_its_longest_loss),
        cmocka_unit_test(second_card_was_resynchronised),
        cmocka_unit_test(sum_of_several_clients_names_none),
        cmocka_unit_test(culprit_of_a_sum_is_who_was_it_most_often),
        cmocka_unit_test(the_server_that_a_client_waited_for_did_not_answer),
        cmocka_unit_test(schema_has_each_field),
        cmocka_unit_test(event_has_what_is_known_and_nothing_else),
        cmocka_unit_test(names_of_others_are_made_safe_in_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
