/* Which callbacks of JACK are one loss of sound, and how it is reported. */
#include "core/ns.h"
#include "tests/unit/unit.h"
#include "xruns/helpers/jack_loss.h"

#define START_US  INT64_C(5000000)
#define PERIOD_US 21333
#define AHEAD_NS  INT64_C(77000000000) /* of the one clock before the other */

static struct st_jack_losses losses;
static int64_t now_us, last_line_us, longest_pause_us;
static int64_t device_n, went_on_n, lines_n;
static char clients[400]; /* of each dropout, with its certainty and place */
static struct st_xrun_seen last;
static bool log_is_read, is_probable;
static struct st_jack_graph graph;

static void on_seen(void *ctx, const struct st_xrun_seen *seen)
{
    last = *seen;
    lines_n++;
    device_n += seen->event.kind == ST_EVENT_DEVICE_DROPOUT;
    went_on_n += seen->event.count_n == 0 && seen->event.cycles_n > 0;
    assert_int_equal(seen->event.count_n + seen->event.cycles_n, 1); /* else it says two things */
    if (seen->event.kind == ST_EVENT_CLIENT_DROPOUT && seen->event.count_n > 0)
        snprintf(clients + strlen(clients), sizeof(clients) - strlen(clients), "%s%s%s ",
                 seen->event.client, seen->event.certainty == ST_CERTAINTY_PROBABLE ? "?" : "",
                 seen->event.place == ST_DROPOUT_AT_DEVICE_BUFFER ? "!" : "");
    longest_pause_us = last_line_us > 0 ? ST_MAX(now_us - last_line_us, longest_pause_us) : 0;
    last_line_us = now_us;
}

static int begin(void **state)
{
    losses = (struct st_jack_losses){.n = 0};
    now_us = START_US;
    last_line_us = longest_pause_us = device_n = went_on_n = lines_n = 0;
    clients[0] = '\0';
    log_is_read = true;
    graph = (struct st_jack_graph){.n = 0};
    const size_t bass = st_jack_late_client(&graph, "Bass"),
                 amp = st_jack_late_client(&graph, "Amp");
    graph.feeds[bass][amp] = true;
    (void)st_jack_late_client(&graph, "JACK");
    return 0;
}

static void look(void)
{
    st_jack_loss_say(&losses, (struct st_jack_now){now_us, now_us * ST_NS_PER_US + AHEAD_NS},
                     log_is_read, false, on_seen, NULL);
}

/* The helper looks each 100 ms while there is a loss. */
static void wait_ms(int64_t ms)
{
    for (; ms > 0; ms -= 10) {
        now_us += 10000;
        if (now_us % 100000 == 0)
            look();
    }
}

static void call_back(bool client, float delayed_us, const char *message)
{
    const struct st_jack_cycle now = {
        .delayed_us = delayed_us, .at_us = now_us, .period_us = PERIOD_US};
    struct st_jack_loss *begins = st_jack_loss_take(
        &losses, &now, (struct st_jack_xrun){.client = client, .probable = is_probable});
    if (begins != NULL)
        begins->graph = graph;
    if (message != NULL)
        st_jack_loss_name(&losses, message, true);
}

static void overload(int64_t seconds, const char *client)
{
    for (int64_t i = 0; i < seconds * 25; i++) {
        call_back(true, 0, client);
        wait_ms(40);
    }
}

static void a_loss_that_goes_on_is_one_and_is_said_each_second(void **state)
{
    overload(3600, "Bass");
    wait_ms(1000);
    assert_string_equal(clients, "Bass ");
    assert_in_range(went_on_n, 3200, 3700);
    assert_true(longest_pause_us <= 1200000);
    assert_int_equal(losses.n, 0);
}

static void so_it_is_if_no_client_is_known(void **state)
{
    log_is_read = false;
    overload(60, NULL);
    assert_string_equal(clients, " ");
    assert_in_range(went_on_n, 50, 62);
    assert_true(longest_pause_us <= 1200000);
}

static void another_client_that_goes_on_with_it_is_named_after_a_while(void **state)
{
    overload(15, "Bass");
    overload(30, "JACK");
    assert_string_equal(clients, "Bass JACK ");
}

static void good_sound_between_makes_it_two(void **state)
{
    call_back(true, 0, "Bass");
    wait_ms(60); /* each third cycle */
    call_back(true, 0, "Bass");
    wait_ms(100);
    call_back(true, 0, "Bass");
    wait_ms(1000);
    assert_string_equal(clients, "Bass Bass ");
    assert_int_equal(went_on_n, 0);
}

/* It is not woken once each 200 ms, and plays between. */
static void a_chain_of_pieces_has_an_end(void **state)
{
    for (int i = 0; i < 50; i++) {
        call_back(true, 0, NULL);
        st_jack_loss_name(&losses, "Bass", false);
        wait_ms(200);
    }
    wait_ms(1000);
    assert_string_equal(clients, "Bass Bass Bass Bass Bass Bass Bass Bass Bass Bass ");
    assert_int_equal(went_on_n, 40);
}

static void of_the_device_there_is_a_new_one_each_second(void **state)
{
    for (int i = 0; i < 25 * 5; i++) {
        call_back(false, 60000, NULL);
        wait_ms(40);
    }
    wait_ms(1000);
    assert_int_equal(device_n, 5);
    assert_string_equal(clients, "");
    assert_int_equal(went_on_n, 0);
}

static void a_client_that_goes_on_after_the_device_is_named(void **state)
{
    for (int i = 0; i < 25 * 5; i++) {
        call_back(false, 60000, NULL);
        wait_ms(40);
    }
    overload(3, "Bass");
    assert_string_equal(clients, "Bass ");
}

static void a_short_xrun_alone_is_the_devices(void **state)
{
    call_back(false, 300, NULL);
    wait_ms(1000);
    assert_int_equal(device_n, 1);
    assert_int_equal(last.event.certainty, ST_CERTAINTY_EXACT);
    assert_int_equal(last.event.place, ST_DROPOUT_AT_UNKNOWN);
    is_probable = true;
    call_back(false, 300, NULL);
    wait_ms(1000);
    assert_int_equal(last.event.certainty, ST_CERTAINTY_PROBABLE);
    is_probable = false;
    call_back(false, 300, NULL); /* its clients got no time */
    now_us += 15;
    call_back(true, 300, "Bass");
    now_us -= 15;
    wait_ms(1000);
    assert_int_equal(device_n, 2);
    assert_string_equal(clients, "JACK?! ");
    assert_int_equal(last.event.reason, ST_DROPOUT_WOKEN_LATE);
}

static void a_client_may_be_called_as_the_server_is(void **state)
{
    call_back(true, 0, "JACK");
    wait_ms(1000);
    assert_string_equal(clients, "JACK ");
    assert_int_equal(last.event.reason, ST_DROPOUT_UNKNOWN);
}

/* Nor is it known who waited for it. */
static void who_is_not_in_the_graph_is_probable(void **state)
{
    call_back(true, 0, NULL);
    st_jack_loss_name(&losses, "Gone", false);
    st_jack_loss_name(&losses, "Amp", false);
    wait_ms(1000);
    assert_string_equal(clients, "Gone? Amp? ");
}

static void a_line_has_the_time_of_the_last_callback(void **state)
{
    call_back(false, 60000, NULL);
    const int64_t then_ns = now_us * ST_NS_PER_US + AHEAD_NS;
    wait_ms(1000);
    assert_int_equal(lines_n, 1);
    assert_int_equal(last.event.end_ns, then_ns);
    assert_true(last_line_us - START_US > 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_loss_that_goes_on_is_one_and_is_said_each_second, begin),
        cmocka_unit_test_setup(so_it_is_if_no_client_is_known, begin),
        cmocka_unit_test_setup(another_client_that_goes_on_with_it_is_named_after_a_while, begin),
        cmocka_unit_test_setup(good_sound_between_makes_it_two, begin),
        cmocka_unit_test_setup(a_chain_of_pieces_has_an_end, begin),
        cmocka_unit_test_setup(of_the_device_there_is_a_new_one_each_second, begin),
        cmocka_unit_test_setup(a_client_that_goes_on_after_the_device_is_named, begin),
        cmocka_unit_test_setup(a_short_xrun_alone_is_the_devices, begin),
        cmocka_unit_test_setup(a_client_may_be_called_as_the_server_is, begin),
        cmocka_unit_test_setup(who_is_not_in_the_graph_is_probable, begin),
        cmocka_unit_test_setup(a_line_has_the_time_of_the_last_callback, begin),
    };
    return cmocka_run_group_tests_name("jack_loss", tests, NULL, NULL);
}
