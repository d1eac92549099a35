/* The page: complete without scripts, and nothing of others in it but as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "daemon/page/page.h"

#define HOSTILE "<img src=x onerror='alert(1)'>\"&\x01{{verdict}}"
#define ESCAPED "&lt;img src=x onerror=&#39;alert(1)&#39;&gt;&quot;&amp;?{{verdict}}"

static char *page_of(const char *json)
{
    json_t *document = json_loads(json, 0, NULL);
    assert_non_null(document);
    char *page = st_page_text(document);
    json_decref(document);
    assert_non_null(page);
    return page;
}

static size_t count(const char *text, const char *what)
{
    size_t n = 0;
    while ((text = strstr(text, what)) != NULL) {
        n++;
        text += strlen(what);
    }
    return n;
}

static void every_figure_is_there_without_a_script(void **state)
{
    (void)state;
    char *page = page_of(
        "{\"state\":\"degraded\",\"verdict\":\"Holds "
        "it.\",\"version\":\"9.8.7\",\"time_ns\":1700000000000000000,"
        "\"degraded\":[{\"what\":\"loop\",\"why\":\"no right\"}],"
        "\"loop\":{\"frames\":128,\"rate_hz\":48000,\"period_ns\":2666667,\"policy\":\"fifo\",\"priority\":"
        "70,"
        "\"cpu\":3,\"load_percent\":2.5},"
        "\"lateness_ns\":{\"n\":1000,\"min\":-5,\"median\":31600,\"p99\":80500,\"p999\":null,\"max\":5070000}"
        ","
        "\"histogram\":{\"bounds_ns\":[1000,100000],\"counts\":[0,998,2]},"
        "\"misses\":{\"count\":7,\"periods\":1003,\"skipped_periods\":3,\"records_lost\":11},"
        "\"xruns\":[{\"source\":\"own\",\"watched\":true,\"count\":4,\"starved\":null},{\"source\":\"alsa\","
        "\"watched\":false,"
        "\"count\":3,\"starved\":1},{\"source\":\"jack\",\"count\":null}],"
        "\"late_wakes\":1,\"late_threshold_ns\":1333333,"
        "\"causes\":[{\"text\":\"page fault\",\"count\":1,\"total_ns\":2000000,\"worst_ns\":2000000}],"
        "\"events\":[{\"time_ns\":1700000000000000000,\"event\":\"late-wake\",\"text\":\"woke late\"}]}");
    static const char *const parts[] = {
        "<title>sleeptuned: degraded</title>",
        "<p id=\"verdict\">Holds it.</p>",
        "<li>Degraded, loop: no right</li>",
        "As of <time>2023-11-14 22:13:20 UTC</time>",
        "128 frames at 48000 Hz (2.667 ms), fifo 70, CPU 3, load 2.5 %",
        "<tr><td>median</td><td>31.6 \xc2\xb5s</td></tr>",
        "<tr><td>99.9 %</td><td>not yet</td></tr>",
        "<tr><td>missed periods</td><td>7 of 1003</td></tr>",
        "<tr><td>records lost</td><td>11</td></tr>",
        "<tr><td>xruns, own</td><td>4</td></tr>",
        "<tr><td>xruns, alsa</td><td>3, 1 starved client (not watched now)</td></tr>",
        "<tr><td>xruns, jack</td><td>not watched</td></tr>",
        "1 wake-up later than 1.333 ms.",
        "<tr><td>page fault</td><td>1</td><td>2.000 ms</td><td>2.000 ms</td></tr>",
        "late-wake: woke late",
        "<tr><td>100.0 \xc2\xb5s</td><td>998</td></tr><tr><td>more</td><td>2</td></tr>",
        "sleeptuned 9.8.7",
    };
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (strstr(page, parts[i]) == NULL)
            fail_msg("not in the page: %s", parts[i]);
    }
    assert_null(strstr(page, "{{"));
    free(page);
}

static void text_of_others_is_escaped_everywhere(void **state)
{
    (void)state;
    json_t *text = json_string(HOSTILE);
    json_t *document = json_pack(
        "{s:O, s:O, s:O, s:[{s:O, s:O}], s:{s:O}, s:[{s:O, s:i}], s:[{s:O}], s:[{s:O, s:O}]}", "state", text,
        "verdict", text, "version", text, "degraded", "what", text, "why", text, "loop", "policy", text,
        "xruns", "source", text, "count", 1, "causes", "text", text, "events", "event", text, "text", text);
    assert_non_null(document);
    char *page = st_page_text(document), *plain = page_of("{}");
    assert_int_equal(count(page, ESCAPED), 11); /* the state stands there twice */
    assert_int_equal(count(page, "<img"), 0);
    assert_int_equal(count(page, "\x01"), 0);
    assert_int_equal(count(page, "<script"), count(plain, "<script"));
    assert_int_equal(count(page, "onerror='"), count(plain, "onerror='"));
    free(plain);
    free(page);
    json_decref(document);
    json_decref(text);
}

static void empty_document_makes_a_page_that_claims_nothing(void **state)
{
    (void)state;
    char *page = page_of("{}");
    assert_non_null(strstr(page, "The loop has not begun."));
    assert_non_null(strstr(page, "<table id=\"counts\"><tbody></tbody></table>"));
    assert_null(strstr(page, "{{"));
    free(page);
}

static void policy_lets_nothing_in_but_the_page_itself(void **state)
{
    (void)state;
    assert_int_equal(strncmp(st_page_policy, "default-src 'none'; style-src 'sha256-", 38), 0);
    assert_int_equal(count(st_page_policy, "'sha256-"), 2);
    assert_null(strstr(st_page_policy, "unsafe"));
    assert_null(strstr(st_page_policy, "http"));
    assert_null(strstr(st_page_template, "src="));
    assert_null(strstr(st_page_template, "https:"));
    assert_null(strstr(st_page_template, "style=\""));
    assert_null(strstr(st_page_template, "innerHTML"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_figure_is_there_without_a_script),
        cmocka_unit_test(text_of_others_is_escaped_everywhere),
        cmocka_unit_test(empty_document_makes_a_page_that_claims_nothing),
        cmocka_unit_test(policy_lets_nothing_in_but_the_page_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
