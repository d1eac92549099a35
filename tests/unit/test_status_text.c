/* Status documents as text; they come from a socket, so nothing in them is trusted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/show/status_text.h"
#include "core/base.h"
#include "core/text.h"

static char *render(const char *json, int columns)
{
    json_error_t error;
    json_t *document = json_loads(json, 0, &error);
    if (document == NULL)
        fail_msg("%s", error.text);
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    st_status_text(out, document, "/run/s", columns);
    fclose(out);
    json_decref(document);
    return text;
}

static const char *const full =
    "{\"verdict\": \"Holds 128 frames at 48000 Hz so far: 0 of 20000 periods missed.\", \"version\": \"9\","
    "\"pid\": 7, \"state\": \"degraded\", \"uptime_ns\": 3725000000000,"
    "\"degraded\": [{\"what\": \"loop\", \"why\": \"no right to SCHED_FIFO\"}],"
    "\"loop\": {\"misses\": 0, \"elapsed_periods\": 20000, \"misses_per_hour_max95\": 202.21, "
    "\"skipped_periods\": 0,"
    "  \"period_ns\": {\"num\": 8000000, \"den\": 3},"
    "  \"lateness_ns\": {\"n\": 20000, \"min\": -200, \"median\": 5000, \"p99\": 90000, \"p999\": null, "
    "\"max\": 1500000},"
    "  \"causes\": [{\"text\": \"another thread had the CPU\", \"count\": 3, \"worst_ns\": 1500000}],"
    "  \"circumstances\": {\"policy\": \"other\", \"priority\": 0, \"frames\": 128, \"rate_hz\": 48000, "
    "\"cpu\": null,"
    "    \"os\": \"Linux\", \"kernel_release\": \"6.1\", \"governor\": \"powersave\"}},"
    "\"audio\": {\"backend\": \"alsa\", \"state\": \"waiting\", \"capture\": {\"backend\": \"alsa\","
    "\"state\": \"recording\", \"own_xruns\": 3, \"holes\": 1}}, \"xruns\": {\"simulated\": 1, \"own\": 2},"
    "\"time_ns\": 1700000000000000000,"
    "\"events\": [{\"time_ns\": 1699999999000000000, \"event\": \"late-wake\", \"text\": \"woke 1.5 ms "
    "late\"},"
    "{\"time_ns\": 1690000000000000000, \"event\": \"config-read\", \"text\": \"months ago\"}]}";

static void verdict_is_the_first_line_and_degraded_the_second(void **state)
{
    (void)state;
    char *text = render(full, 100);
    const char *second = strchr(text, '\n') + 1;
    assert_int_equal(strncmp(text, "Holds 128 frames", 16), 0);
    assert_int_equal(strncmp(second, "Degraded   loop: no right to SCHED_FIFO\n", 40), 0);
    free(text);
}

static void figures_have_n_and_circumstances(void **state)
{
    (void)state;
    static const char *const parts[] = {
        "128 frames at 48000 Hz (2.667 ms), other 0, any CPU",
        "0 of 20000 periods, at most 203 per hour (95 %)", /* a bound is rounded up */
        "p99.9 not yet",
        "(n = 20000)",
        "3 late wake-ups: another thread had the CPU, longest 1.500 ms",
        "governor powersave",
        "1 h 02 min 05 s",
        "simulated 1, own 2",
        "Audio      alsa, waiting\n",
        "Capture    alsa, recording, 3 overflows, 1 hole\n",
        "Events     22:13:19 late-wake: woke 1.5 ms late\n", /* today */
        "2023-07-22 04:26:40 config-read: months ago\n",
    };
    char *text = render(full, 200);
    for (size_t i = 0; i < ST_ARRAY_LEN(parts); i++) {
        if (strstr(text, parts[i]) == NULL)
            fail_msg("no \"%s\" in:\n%s", parts[i], text);
    }
    free(text);
}

static void lines_fit_eighty_columns(void **state)
{
    (void)state;
    char *text = render(full, 80);
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
        assert_true(strlen(line) <= 80 + 6); /* a micro sign is two bytes */
    free(text);
}

static void nothing_bounds_the_misses_of_no_period(void **state)
{
    (void)state;
    char *text = render("{\"loop\": {\"misses\": 0, \"elapsed_periods\": 0, \"skipped_periods\": 0, "
                        "\"misses_per_hour_max95\": null}}",
                        80);
    assert_non_null(strstr(text, "0 of 0 periods, a bound per hour not yet; 0 skipped periods"));
    assert_null(strstr(text, "at most"));
    free(text);
}

static void foreign_documents_are_survived(void **state)
{
    (void)state;
    static const char *const documents[] = {
        "{}",
        "{\"verdict\": 7, \"loop\": [], \"audio\": 3, \"events\": {}, \"degraded\": \"x\"}",
        "{\"loop\": {\"period_ns\": {\"num\": 1, \"den\": 0}, \"causes\": [1]}}",
        "{\"loop\": {\"lateness_ns\": {\"n\": \"x\", \"max\": true}, \"causes\": [1]}}",
        "{\"loop\": {\"misses_per_hour_max95\": -1, \"period_ns\": null}, \"events\": [null, 1, \"x\"]}",
        "{\"uptime_ns\": -9223372036854775807, \"events\": [{\"time_ns\": 9223372036854775807}]}",
    };
    for (size_t i = 0; i < ST_ARRAY_LEN(documents); i++) {
        char *text = render(documents[i], 80);
        assert_non_null(strstr(text, "Daemon"));
        free(text);
    }
}

static void control_characters_do_not_reach_the_terminal(void **state)
{
    (void)state;
    char *text = render("{\"verdict\": \"a\\u001b[2Jb\\u0007\", \"version\": \"\\r\\nx\"}", 80);
    assert_null(strchr(text, '\x1b'));
    assert_null(strchr(text, '\a'));
    assert_null(strchr(text, '\r'));
    free(text);
}

static void text_longer_than_a_line_is_cut_not_overrun(void **state)
{
    (void)state;
    char *json = calloc(1, 20000);
    strcpy(json, "{\"version\": \"");
    memset(json + strlen(json), 'x', 10000);
    strcat(json, "\"}");
    free(render(json, 80));
    free(json);
}

static void line_is_cut_between_characters(void **state)
{
    (void)state;
    char text[] = "12 \xc2\xb5s late";
    assert_string_equal(st_text_clip(text, 100), "12 \xc2\xb5s late");
    assert_string_equal(st_text_clip(text, 10), "12 \xc2\xb5s late");
    assert_string_equal(st_text_clip(text, 9), "12 \xc2\xb5s lat");
    assert_string_equal(st_text_clip(text, 4), "12 \xc2\xb5");
    assert_string_equal(st_text_clip(text, 0), "");
}

static void history_says_what_waits_and_what_was_put_aside(void **state)
{
    (void)state;
    char *text =
        render("{\"verdict\": \"v\", \"history\": {\"state\": \"failing\", \"why\": \"disk full\", \"path\": "
               "\"/h.db\","
               " \"bytes\": 2500000, \"waiting_minutes\": 3, \"waiting_events\": 0, \"lost_events\": 4,"
               " \"put_aside\": \"/h.db.aside-1\"}}",
               200);
    assert_non_null(strstr(
        text, "History    failing /h.db, 2.5 MB: disk full; 3 minutes and 0 events waiting in memory"));
    assert_non_null(strstr(text, "; 0 minutes and 4 events lost"));
    assert_non_null(strstr(text, "what was there before is now /h.db.aside-1"));
    free(text);
}

int main(void)
{
    (void)setenv("TZ", "UTC", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdict_is_the_first_line_and_degraded_the_second),
        cmocka_unit_test(figures_have_n_and_circumstances),
        cmocka_unit_test(lines_fit_eighty_columns),
        cmocka_unit_test(nothing_bounds_the_misses_of_no_period),
        cmocka_unit_test(foreign_documents_are_survived),
        cmocka_unit_test(control_characters_do_not_reach_the_terminal),
        cmocka_unit_test(line_is_cut_between_characters),
        cmocka_unit_test(text_longer_than_a_line_is_cut_not_overrun),
        cmocka_unit_test(history_says_what_waits_and_what_was_put_aside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
