/* The table of causes; the document comes from a socket, so nothing in it is trusted. */
#include "cli/show/history_text.h"
#include "platform/platform.h"
#include "tests/unit/unit.h"

static enum st_os os;

static char *show(const json_t *document, int columns)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    st_history_text_causes(
        out, document,
        &(struct st_history_text_look){.columns = columns, .trace = st_os_rows[os].trace});
    fclose(out);
    return text;
}

static char *render(const char *rows, int columns)
{
    json_error_t error;
    json_t *document =
        json_pack("{s:s, s:o}", "verdict", "One sentence.", "rows", json_loads(rows, 0, &error));
    if (document == NULL)
        fail_msg("%s", error.text);
    char *text = show(document, columns);
    json_decref(document);
    return text;
}

#define ROW(cause, culprit, count, total, worst, explained)                                        \
    "{\"text\": \"" cause "\", \"culprit\": " culprit ", \"count\": " #count                       \
    ", \"total_ns\": " #total ", \"worst_ns\": " #worst ", \"explained\": " #explained "}"

#define BUSY "another thread had the CPU"

static void check_table(int columns)
{
    char *text = render("[" ROW(BUSY, "\"clang\"", 3, 6000000, 3000000, 0.83) ","  /**/
                        ROW(BUSY, "\"hog\"", 1, 5000000, 5000000, 1.0) ","         /**/
                        ROW("unknown", "\"clang\"", 1, 3500000, 3500000, null) "," /**/
                        ROW(BUSY, "\"irq/27-hda\"", 1, 1000000, 1000000, 1.0) ","  /**/
                        ROW("a late timer", "null", 3, 900000, 300000, null) "]",
                        columns);
    static const char *const wide[] = {
        "      3   6.000 ms   3.000 ms       83 %  another thread had the CPU: clang\n",
        "      1   5.000 ms   5.000 ms      100 %  another thread had the CPU: hog\n",
        "      1   3.500 ms   3.500 ms          -  unknown: clang\n",
        "      1   1.000 ms   1.000 ms      100 %  another thread had the CPU: irq/27-hda\n",
        "      3   900.0 µs   300.0 µs          -  a late timer\n",
    };
    static const char *const narrow[] = {
        "      3   6.000 ms   3.000 ms       83 %\n    another thread had the CPU: clang\n",
        "      3   900.0 µs   300.0 µs          -\n    a late timer\n",
    };
    const char *at = text;
    const char *const *lines = columns < 65 ? narrow : wide;
    const size_t lines_n = columns < 65 ? ST_ARRAY_LEN(narrow) : ST_ARRAY_LEN(wide);
    for (size_t i = 0; i < lines_n; i++) {
        at = strstr(at, lines[i]); /* in this order */
        if (at == NULL)
            fail_msg("'%s' is not in '%s'", lines[i], text);
    }
    free(text);
}

static void table_has_a_row_for_each_cause_and_program(void **state)
{
    check_table(100);
    check_table(40);
}

static void hostile_rows_are_shown_without_harm(void **state)
{
    free(render("[1, null, {}, []]", 100));
    char *text =
        render("[" ROW("a\\u001b[2J", "\"/1\"", 1, 1, 1, 9e300) "," /**/
               ROW("run-queue", "\"x\"", 9223372036854775807, 9223372036854775807, 1, 1) "]",
               100);
    assert_null(strchr(text, '\033'));
    assert_has(text, "run-queue: x\n");
    free(text);
}

static void without_a_tracer_it_is_said_how_to_name_the_culprit(void **state)
{
    static const char rows[] = "[" ROW(BUSY, "null", 2, 4000000, 3000000, 1.0) "]";
    json_t *document =
        json_pack("{s:s, s:o, s:i, s:s}", "verdict", "One sentence.", "rows",
                  json_loads(rows, 0, NULL), "wakes", 1000, "tracer", "trace.enabled is off");
    char *text = show(document, 80);
    assert_has(text, "\nculprit    which program delayed the timing test is unknown:");
    assert_has(text, "To find out, run sleeptuned as root");
    free(text);
    json_object_set_new(document, "tracer", json_string("it runs in a container. Run it outside"));
    text = show(document, 400);
    assert_has(text, "is unknown: it runs in a container. Run it outside.\n");
    free(text);
    /* o8/d1-causes-hog.txt. At 8b8d5cff, below a row that names hog: "culprit    which program
     * delayed the timing test is not known: sleeptuned traces on Linux only; on FreeBSD it counts
     * interrupts instead. To find out, run sleeptuned as root with trace.enabled = "on": man
     * sleeptuned.conf" */
    os = ST_OS_FREEBSD;
    text = show(document, 80);
    assert_lacks(text, "\nculprit");
    assert_lacks(text, "trace");
    os = ST_OS_LINUX;
    free(text);
    json_object_set_new(document, "rows", json_array());
    text = show(document, 80);
    assert_lacks(text, "culprit");
    free(text);
    json_decref(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_has_a_row_for_each_cause_and_program),
        cmocka_unit_test(hostile_rows_are_shown_without_harm),
        cmocka_unit_test(without_a_tracer_it_is_said_how_to_name_the_culprit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
