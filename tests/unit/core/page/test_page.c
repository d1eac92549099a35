/* The page: complete without scripts, and nothing of others in it but as text. */
#include "core/page/page.h"
#include "tests/unit/unit.h"

#define HOSTILE "<img src=x onerror='alert(1)'>\"&\x01{{verdict}}"
#define ESCAPED "&lt;img src=x onerror=&#39;alert(1)&#39;&gt;&quot;&amp;?{{verdict}}"

static char *page_of(const char *json)
{
    json_t *document = json_loads(json, 0, NULL);
    assert_non_null(document);
    char *page = st_page_text(document, ST_PAGE_SERVED);
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
    char *page = page_of(
        "{\"state\":\"degraded\",\"version\":\"9.8.7\",\"time_ns\":1700000000000000000,\"screen\":{"
        "\"answer\":\"Holds it.\",\"state\":\"bad\",\"next\":\"sleeptune "
        "report\",\"next_why\":\"it helps\","
        "\"sections\":[{\"title\":\"\",\"rows\":[{\"label\":\"Warning\",\"text\":\"loop: no "
        "right\",\"state\":\"bad\"}]},"
        "{\"title\":\"Programs\",\"columns\":[\"Program\",\"Dropouts\",\"Why\"],\"rows\":["
        "{\"cells\":[\"<A>\",\"12\",\"\"]},{\"cells\":[\"B\",\"?\",\"late\"]},"
        "{\"cells\":[\"C\",\"0\",\"\"],\"detail\":true}]},"
        "{\"title\":\"Events\",\"rows\":[{\"label\":\"\",\"text\":\"late-wake: woke "
        "late\",\"state\":\"ok\","
        "\"detail\":true,\"time_ns\":1700000000000000000}]}]},"
        "\"observe\":[{\"cycle\":null},{\"cycle\":{\"time_ns\":1700000000000000000,\"deadline_ns\":"
        "1000,"
        "\"text\":\"Ardour was "
        "late\",\"clients\":[{\"name\":\"<A>\",\"wait_ns\":500,\"busy_ns\":1000}]}}]}");
    static const char *const parts[] = {
        /* in this order: the answer, the next step, its picture, programs, and the rest folded */
        "<title>sleeptune: degraded</title>",
        "<link rel=\"manifest\" href=\"/manifest.webmanifest\">",
        "As of <time datetime=\"2023-11-14T22:13:20Z\">2023-11-14 22:13:20 UTC</time>",
        "<p id=\"answer\" class=\"bad\">Holds it.</p>",
        "<p id=\"next\">Next: <code>sleeptune report</code> <button type=\"button\" "
        "data-command=\"sleeptune "
        "report\">Copy</button> it helps</p>",
        "<figure data-ms=\"1700000000000\"><figcaption>A cycle with a dropout, at <time datetime=",
        "role=\"img\" viewBox=\"0 0 360 74\"",
        "aria-label=\"Ardour was late\">",
        "y=\"15\">&lt;A&gt;</text>",
        "<rect class=\"wait\" fill=\"none\" stroke=\"#2a6fbb\" x=\"8.0\" y=\"20\" width=\"86.0\"",
        "<rect class=\"bar\" fill=\"#2a6fbb\" x=\"94.0\" y=\"20\" width=\"172.0\"",
        "<rect class=\"bar bad\" fill=\"#b42318\" x=\"180.0\" y=\"20\" width=\"86.0\"",
        "<p class=\"note\">Ardour was late</p>",
        "<section id=\"line\" hidden>",
        "<tr class=\"bad\"><th scope=\"row\">Warning</th><td>loop: no right</td></tr>",
        "<th scope=\"col\">Program</th><th scope=\"col\" class=\"number\">Dropouts</th><th "
        "scope=\"col\">Why</th>",
        "<th scope=\"row\">&lt;A&gt;</th><td class=\"number\">12</td><td></td>",
        "<summary>All figures</summary>",
        "<th scope=\"row\">C</th>",
        "<h2>Events</h2>",
        "<td colspan=\"2\"><time datetime=\"2023-11-14T22:13:20Z\">2023-11-14 22:13:20 UTC</time> "
        "late-wake: "
        "woke late</td>",
        "sleeptuned 9.8.7",
    };
    const char *at = page;
    ST_EACH (part, parts) {
        const char *found = strstr(at, *part);
        if (found == NULL)
            fail_msg("not in the page, or too early: %s\n%s", *part, strstr(page, "<main>"));
        at = found;
    }
    assert_lacks(page, "{{");
    free(page);
}

static void text_of_others_is_escaped_everywhere(void **state)
{
    json_t *text = json_string(HOSTILE);
    json_t *document = json_pack(
        "{s:O, s:O, s:{s:O, s:O, s:O, s:O, s:[{s:O, s:[{s:O, s:O, s:O}]}, {s:O, s:[O], s:[{s:[O, "
        "O]}]}]}}",
        "state", text, "version", text, "screen", "answer", text, "state", text, "next", text,
        "next_why", text, "sections", "title", text, "rows", "label", text, "text", text, "state",
        text, "title", text, "columns", text, "rows", "cells", text, text);
    assert_non_null(document);
    char *page = st_page_text(document, ST_PAGE_SERVED), *plain = page_of("{}");
    assert_int_equal(count(page, ESCAPED), 14); /* the state and the next step stand there twice */
    assert_int_equal(count(page, "<img"), 0);
    assert_int_equal(count(page, "\x01"), 0);
    assert_int_equal(count(page, "<script"), count(plain, "<script"));
    assert_int_equal(count(page, "onerror='"), count(plain, "onerror='"));
    free(plain);
    free(page);
    page = st_page_text(document, ST_PAGE_SHELL);
    assert_int_equal(count(page, "manifest"),
                     count(st_page_policy, "manifest")); /* not to be installed */
    free(page);
    json_decref(document);
    json_decref(text);
}

static void empty_document_makes_a_page_that_claims_nothing(void **state)
{
    char *page = page_of("{}");
    assert_has(page, "<p id=\"answer\"></p>");
    assert_lacks(page, "<td>");
    assert_lacks(page, "{{");
    free(page);
}

static void a_cycle_of_before_is_among_all_figures(void **state)
{
    char *page = page_of("{\"screen\":{\"answer\":\"No "
                         "dropout.\",\"state\":\"ok\"},\"observe\":[{\"cycle\":{\"time_ns\":1,"
                         "\"deadline_ns\":1000,\"text\":\"x\",\"clients\":[]}}]}");
    assert_int_equal(count(page, "<figure"), 1);
    assert_true(strstr(page, "<figure") > strstr(page, "<summary>"));
    free(page);
}

static void policy_lets_nothing_in_but_the_page_itself(void **state)
{
    assert_int_equal(strncmp(st_page_policy, "default-src 'none'; style-src 'sha256-", 38), 0);
    assert_int_equal(count(st_page_policy, "'sha256-"), 2);
    assert_lacks(st_page_policy, "unsafe");
    assert_lacks(st_page_policy, "http");
    assert_lacks(st_page_template, "src=");
    /* the viewer of traces, which a button opens in a tab of its own */
    assert_int_equal(count(st_page_template, "https:"), 1);
    assert_has(st_page_template, "VIEWER = \"https://ui.perfetto.dev\"");
    assert_lacks(st_page_template, "style=\"");
    assert_lacks(st_page_template, "innerHTML");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_figure_is_there_without_a_script),
        cmocka_unit_test(text_of_others_is_escaped_everywhere),
        cmocka_unit_test(empty_document_makes_a_page_that_claims_nothing),
        cmocka_unit_test(a_cycle_of_before_is_among_all_figures),
        cmocka_unit_test(policy_lets_nothing_in_but_the_page_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
