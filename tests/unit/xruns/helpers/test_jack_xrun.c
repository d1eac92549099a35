/* Whose an xrun of JACK was. */
#include "tests/unit/unit.h"
#include "xruns/helpers/jack_late.h"
#include "xruns/helpers/jack_xrun.h"

#define PERIOD_US 21333

#define LONG_AGO 20000000

/* The xrun after_us after one that left figure `before`, or after watching began with it. @return
 * "device", "client?" ... */
static const char *judged(float before_us, float delayed_us, int64_t after_us, int64_t late_us)
{
    struct st_jack_xrun_judge judge;
    st_jack_xrun_begin(&judge, before_us);
    judge.at_us = judge.device_us = 1000000;
    const struct st_jack_cycle now = {.delayed_us = delayed_us,
                                      .at_us = 1000000 + after_us,
                                      .period_us = PERIOD_US,
                                      .late_us = late_us};
    const struct st_jack_xrun xrun = st_jack_xrun_conclude(&judge, &now);
    return xrun.client     ? xrun.probable ? "client?" : "client"
           : xrun.probable ? "device?"
                           : "device";
}

static void a_figure_that_is_renewed_is_the_devices(void **state)
{
    assert_string_equal(judged(9, 10, 500000, 0), "device");
    assert_string_equal(judged(10, 9, 500000, INT64_MIN), "device");
    assert_string_equal(judged(0, 9, 500000, 30000), "device");
}

static void without_any_xrun_of_the_device_it_is_a_clients(void **state)
{
    assert_string_equal(judged(0, 0, 500000, 0), "client");
    assert_string_equal(judged(0, 0, 100, 30000), "client");
}

static void two_equal_small_figures_of_a_driver_that_is_late_are_two_xruns_of_it(void **state)
{
    assert_string_equal(judged(10, 10, LONG_AGO, 4000), "device?");
    assert_string_equal(judged(10, 10, LONG_AGO, 100), "client?");
    assert_string_equal(judged(10, 10, LONG_AGO, -4000), "client?");
    assert_string_equal(judged(10, 10, LONG_AGO, INT64_MIN), "client?");
    assert_string_equal(judged(10, 10, 54000, 100), "device?"); /* it lately had one */
}

static void two_that_are_told_at_once_share_the_figure_of_the_second(void **state)
{
    assert_string_equal(judged(11, 11, 121, 0), "device?");
    assert_string_equal(judged(600123, 600123, 121, INT64_MIN), "device?");
}

static void a_long_silence_is_not_repeated_to_the_microsecond(void **state)
{
    assert_string_equal(judged(600123, 600123, 500000, 4000), "client");
}

static void what_was_there_before_watching_was_told_to_nobody(void **state)
{
    struct st_jack_xrun_judge judge;
    st_jack_xrun_begin(&judge, 10);
    struct st_jack_cycle now = {.delayed_us = 10, .at_us = 5, .period_us = PERIOD_US, .late_us = 0};
    assert_true(st_jack_xrun_conclude(&judge, &now).client);
    now.at_us += LONG_AGO;
    assert_true(st_jack_xrun_conclude(&judge, &now).client); /* a client's is none of the device */
    now.delayed_us = 11;
    assert_false(st_jack_xrun_conclude(&judge, &now).client);
}

/* jackd 1.9.21 with its dummy driver, 512 frames: stopped for 50 ms, and held up for 60 ms by a
 * client */
static void a_server_that_was_late_itself_accuses_no_client(void **state)
{
    struct st_jack_cycle now = {
        .delayed_us = 28, .at_us = 1000000, .period_us = 10666, .late_us = 0};
    assert_true(st_jack_xrun_is_hasty(&now, 1000015));
    assert_false(st_jack_xrun_is_hasty(&now, 1000000)); /* of a card, too: nothing came behind it */
    assert_false(st_jack_xrun_is_hasty(&now, 1021015)); /* two cycles later they had time */
    now.delayed_us = 60178;
    assert_false(st_jack_xrun_is_hasty(&now, 1000015));
}

static void messages_name_the_client(void **state)
{
    char name[ST_JACK_NAME_BYTES];
    char longest[200], line[400];
    bool ran;
    assert_true(st_server_log_jack(
        "JackEngine::XRun: client = Heavy Reverb was not finished, state = Running", name, &ran));
    assert_string_equal(name, "Heavy Reverb");
    assert_true(ran);
    /* jackdbus: time, and colour */
    assert_true(st_server_log_jack(
        "Sun Nov 22 03:37:50 2026: \033[1m\033[31mERROR: JackEngine::XRun: client = a=b "
        "was not finished, state = Triggered\033[0m",
        name, &ran));
    assert_string_equal(name, "a=b");
    assert_false(ran);
    assert_true(
        st_server_log_jack("JackEngine::XRun: client = old was not run: state = 1", name, &ran));
    assert_string_equal(name, "old");
    assert_false(ran);
    assert_true(st_server_log_jack("JackEngine::XRun: client late finished after current callback",
                                   name, &ran));
    assert_string_equal(name, "late");
    assert_true(ran);
    assert_false(st_server_log_jack("JackEngine::XRun: client =  was not finished, state = Running",
                                    name, &ran));
    assert_false(st_server_log_jack("JackEngine::XRun: client = cut off", name, &ran));
    assert_false(
        st_server_log_jack("JackAudioDriver::ProcessGraphAsyncMaster: Process error", name, &ran));
    memset(longest, 'x', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    ST_PRINT(line, "JackEngine::XRun: client = %s was not finished, state = Running", longest);
    assert_false(st_server_log_jack(line, name, &ran));
}

/* --- whose fault it was --- */

/* Messages about a loss: "Bass+ Amp-", + if it ran. */
static struct st_jack_late read_messages(const char *messages)
{
    struct st_jack_late late = {.n = 0};
    char name[16];
    int read_n = 0;
    for (char ran; sscanf(messages, " %15[^+-]%c%n", name, &ran, &read_n) == 2; messages += read_n)
        st_jack_late_take(&late, name, ran == '+');
    return late;
}

/* @return who held the others up, with a space behind each;
 * until the next call. */
static const char *held(const struct st_jack_graph *graph, const char *messages)
{
    static char names[200];
    struct st_jack_late late = read_messages(messages);
    const size_t n = st_jack_late_judge(&late, graph);
    size_t held_n = 0;
    names[0] = '\0';
    for (size_t i = 0; i < late.n; i++) {
        if (!late.clients[i].held)
            continue;
        held_n++;
        snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s ", late.clients[i].name);
    }
    assert_int_equal(n, held_n);
    return names;
}

static void feed(struct st_jack_graph *graph, const char *from, const char *to)
{
    const size_t a = st_jack_late_client(graph, from), b = st_jack_late_client(graph, to);
    graph->feeds[a][b] = true;
}

static void who_ran_held_the_others_up(void **state)
{
    const struct st_jack_graph none = {.n = 0};
    assert_string_equal(held(&none, "Amp- Bass+"), "Bass ");
    assert_string_equal(held(&none, "Bass+ Amp-"), "Bass ");
    /* jackd 1.9.21, the bass busy for 60 ms at periods of 10.7 ms: it is signalled again
     * meanwhile */
    assert_string_equal(held(&none, "Amp- Bass+ Amp- Bass- Amp- Bass-"), "Bass ");
    assert_string_equal(held(&none, "Amp- Bass- Amp- Bass+"), "Bass ");
    assert_string_equal(held(&none, "Amp- Bass+ Amp+"), "Bass "); /* it catches up */
    assert_string_equal(held(&none, "Amp+ Bass+"), "Amp Bass ");
    assert_string_equal(held(&none, ""), "");
}

static void of_those_that_did_not_begin_the_first_did(void **state)
{
    struct st_jack_graph graph = {.n = 0};
    feed(&graph, "Bass", "Amp");
    feed(&graph, "Amp", "Reverb");
    /* the bass is stopped for 1 s; when it goes on, the amplifier has much to do */
    assert_string_equal(held(&graph, "Amp- Bass- Amp- Bass- Amp- Amp- Amp+"), "Bass ");
    assert_string_equal(held(&graph, "Reverb- Bass-"),
                        "Bass "); /* by way of one that is not named */
    assert_string_equal(held(&graph, "Reverb- Amp-"), "Amp ");
    assert_string_equal(held(&graph, "Bass+ Amp+"), "Bass "); /* finished late: both */
    assert_string_equal(held(&graph, "Drums- Bass-"), "Drums Bass ");
    assert_string_equal(held(&graph, "Drums- Bass- Drums+"), "Drums ");
    feed(&graph, "Reverb", "Bass"); /* a circle has no first */
    assert_string_equal(held(&graph, "Reverb- Bass-"), "Reverb Bass ");
}

/* Whether the loss is the rest of one that the bass made until after_us before it. */
static bool continues(const struct st_jack_graph *graph, const char *messages, int64_t after_us)
{
    struct st_jack_late late = read_messages(messages), before = read_messages("Amp- Bass+");
    (void)st_jack_late_judge(&late, graph);
    (void)st_jack_late_judge(&before, graph);
    return st_jack_late_continues(&late, &before, after_us);
}

/* At load 13 the callbacks of a stop of 1 s came in three pieces. */
static void who_did_not_begin_since_made_one_loss(void **state)
{
    struct st_jack_graph graph = {.n = 0};
    feed(&graph, "Bass", "Amp");
    assert_true(continues(&graph, "Amp- Bass-", 100000));
    assert_false(continues(&graph, "Amp- Bass-", 250000));
    assert_false(continues(&graph, "Amp- Bass+", 100000)); /* it began again */
    assert_false(continues(&graph, "Amp-", 100000));
    assert_false(continues(&graph, "Drums- Bass-", 100000));
}

static void who_waited_for_clients_without_room_is_only_probably_to_blame(void **state)
{
    struct st_jack_graph graph = {.n = 0};
    struct st_jack_late late = {.n = 0};
    char name[ST_JACK_NAME_BYTES];
    for (int i = 0; i < ST_JACK_CLIENTS_MAX + 2; i++) {
        ST_PRINT(name, "%d", i);
        assert_int_equal(st_jack_late_client(&graph, name),
                         i < ST_JACK_CLIENTS_MAX ? i : ST_JACK_CLIENTS_MAX);
        assert_int_equal(graph.more, i >= ST_JACK_CLIENTS_MAX);
        if (i == ST_JACK_CLIENTS_MAX - 1) { /* all have room */
            late = read_messages("0- 1-");
            assert_int_equal(st_jack_late_judge(&late, &graph), 2);
            assert_false(late.probable);
        }
    }
    assert_int_equal(st_jack_late_judge(&late, &graph), 2);
    assert_true(late.probable);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_figure_that_is_renewed_is_the_devices),
        cmocka_unit_test(without_any_xrun_of_the_device_it_is_a_clients),
        cmocka_unit_test(two_equal_small_figures_of_a_driver_that_is_late_are_two_xruns_of_it),
        cmocka_unit_test(two_that_are_told_at_once_share_the_figure_of_the_second),
        cmocka_unit_test(a_long_silence_is_not_repeated_to_the_microsecond),
        cmocka_unit_test(what_was_there_before_watching_was_told_to_nobody),
        cmocka_unit_test(a_server_that_was_late_itself_accuses_no_client),
        cmocka_unit_test(messages_name_the_client),
        cmocka_unit_test(who_ran_held_the_others_up),
        cmocka_unit_test(of_those_that_did_not_begin_the_first_did),
        cmocka_unit_test(who_did_not_begin_since_made_one_loss),
        cmocka_unit_test(who_waited_for_clients_without_room_is_only_probably_to_blame),
    };
    return cmocka_run_group_tests_name("observe_jack", tests, NULL, NULL);
}
