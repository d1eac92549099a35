/* The line of `sleeptune status --line` in each form, with names that try to act on the bar. */
#include "cli/show/status_line.h"
#include "core/text/safe.h"
#include "tests/unit/unit.h"

#define POLYBAR "%{A1:touch /tmp/owned:}Amp%{A}%%{F#f00}"
#define PANGO   "<span size='1'>&amp;</span>\"'\\"
#define ACTS    "\x1b]0;x\x07\n{\"text\":\"owned\"}\xe2\x80\xae\xff"

static const char *line_of(const char *form, const json_t *document)
{
    const struct st_status_line_form *row = st_status_line_forms;
    struct st_status_line line;
    while (strcmp(row->name, form) != 0)
        row++;
    line = st_status_line_of(document, "no sleeptuned is listening on /x<y>.");
    return row->text(&line);
}

static json_t *document_of(const char *name, const char *state)
{
    char brief[512], answer[512];
    ST_PRINT(brief, "%s: 2 dropouts", name);
    ST_PRINT(answer, "%s made 2 of 3 dropouts.", name);
    /* a false daemon sends what it likes; JSON itself is UTF-8 */
    json_t *document = json_pack(
        "{s:{s:s#, s:s#, s:s, s:s, s:s}}", "screen", "brief", brief, (int)strcspn(brief, "\xff"),
        "answer", answer, (int)strcspn(answer, "\xff"), "state", state, "next",
        "pw-metadata -n settings 0 clock.force-quantum 256", "next_why", "a & b");
    assert_non_null(document);
    return document;
}

static void expect(const char *form, const char *name, const char *state, const char *wanted)
{
    json_t *document = document_of(name, state);
    assert_string_equal(line_of(form, document), wanted);
    json_decref(document);
}

static void each_bar_reads_its_own_form(void **state)
{
    expect("waybar", "Amp", "bad",
           "{\"class\":\"problem\",\"text\":\"Amp: 2 dropouts\",\"tooltip\":\"Amp made 2 of 3 "
           "dropouts.\\n"
           "Next: pw-metadata -n settings 0 clock.force-quantum 256 - a &amp; b\"}");
    expect("i3blocks", "Amp", "bad", "Amp: 2 dropouts");
    expect("polybar", "Amp", "ok", "Amp: 2 dropouts");
    expect("plain", "Amp", "bad", "problem: Amp made 2 of 3 dropouts.");
    expect("plain", "Amp", "warn", "warning: Amp made 2 of 3 dropouts.");
    expect("plain", "Amp", "ok", "ok: Amp made 2 of 3 dropouts.");
    expect("plain", "Amp", "unknown", "warning: Amp made 2 of 3 dropouts.");
}

static void a_name_is_no_command_of_polybar(void **state)
{
    expect("polybar", POLYBAR, "bad", "% {A1:touch /tmp/owned:}Amp% {A}%% {F#f00}: 2 dropouts");
    expect("polybar", "%", "bad", "%: 2 dropouts");
    expect("polybar", "%\x1b{A1:x:}", "bad", "%?{A1:x:}: 2 dropouts");
}

static void a_name_is_no_markup_of_pango(void **state)
{
    json_t *document = document_of(PANGO, "bad");
    json_t *line = json_loads(line_of("waybar", document), 0, NULL);
    assert_string_equal(
        json_string_value(json_object_get(line, "text")),
        "&lt;span size=&#39;1&#39;&gt;&amp;amp;&lt;/span&gt;&quot;&#39;\\: 2 dropouts");
    assert_has(json_string_value(json_object_get(line, "tooltip")), "&lt;/span&gt;");
    json_decref(line);
    json_decref(document);
}

static void a_line_stays_one_safe_line_in_each_form(void **state)
{
    for (const struct st_status_line_form *form = st_status_line_forms; form->name != NULL;
         form++) {
        json_t *document = document_of(ACTS, "bad");
        assert_true(st_safe_is(line_of(form->name, document)));
        json_decref(document);
        assert_true(st_safe_is(line_of(form->name, NULL)));
    }
}

static void what_is_missing_is_left_out(void **state)
{
    json_t *document = json_loads("{\"screen\":{\"answer\":5}}", 0, NULL);
    assert_string_equal(line_of("waybar", document),
                        "{\"class\":\"ok\",\"text\":\"\",\"tooltip\":\"\"}");
    json_decref(document);
    assert_string_equal(line_of("polybar", NULL), "no sleeptuned");
    assert_string_equal(line_of("plain", NULL), "warning: no sleeptuned is listening on /x<y>.");
    assert_string_equal(line_of("waybar", NULL),
                        "{\"class\":\"warning\",\"text\":\"no sleeptuned\","
                        "\"tooltip\":\"no sleeptuned is listening on /x&lt;y&gt;.\"}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_bar_reads_its_own_form),
        cmocka_unit_test(a_name_is_no_command_of_polybar),
        cmocka_unit_test(a_name_is_no_markup_of_pango),
        cmocka_unit_test(a_line_stays_one_safe_line_in_each_form),
        cmocka_unit_test(what_is_missing_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
