/* The table of causes; the document comes from a socket, so nothing in it is trusted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/show/history_text.h"

static char *render(const char *rows)
{
    json_error_t error;
    json_t *document =
        json_pack("{s:s, s:o}", "verdict", "One sentence.", "rows", json_loads(rows, 0, &error));
    if (document == NULL)
        fail_msg("%s", error.text);
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    st_history_text_causes(out, document, &(struct st_history_text_look){.columns = 100});
    fclose(out);
    json_decref(document);
    return text;
}

#define ROW(cause, culprit, count, total, worst, explained)                                                  \
    "{\"cause\": \"" cause "\", \"culprit\": " culprit ", \"count\": " #count ", \"total_ns\": " #total      \
    ", \"worst_ns\": " #worst ", \"explained\": " #explained "}"

static void threads_of_one_program_are_one_row_of_a_cause(void **state)
{
    (void)state;
    char *text = render("[" ROW("run-queue", "\"hog/7\"", 1, 5000000, 5000000, 1.0) ","  /**/
                        ROW("run-queue", "\"clang/70\"", 2, 4000000, 3000000, 1.0) ","   /**/
                        ROW("unknown", "\"clang/70\"", 1, 3500000, 3500000, null) ","    /**/
                        ROW("run-queue", "\"clang/71\"", 1, 2000000, 2000000, 0.5) ","   /**/
                        ROW("run-queue", "\"irq/27-hda\"", 1, 1000000, 1000000, 1.0) "," /**/
                        ROW("timer", "null", 3, 900000, 300000, null) "]");
    static const char *const lines[] = {
        "run-queue               clang (2)                             3   6.000 ms   3.000 ms      83 %\n",
        "run-queue               hog/7                                 1   5.000 ms   5.000 ms     100 %\n",
        "unknown                 clang/70                              1   3.500 ms   3.500 ms         -\n",
        "run-queue               irq/27-hda                            1   1.000 ms   1.000 ms     100 %\n",
        "timer                   -                                     3   900.0 µs   300.0 µs         -\n",
    };
    const char *at = text;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        at = strstr(at, lines[i]); /* in this order */
        if (at == NULL)
            fail_msg("'%s' is not in '%s'", lines[i], text);
    }
    free(text);
}

static void hostile_rows_are_shown_without_harm(void **state)
{
    (void)state;
    free(render("[1, null, {}, []]"));
    char *text = render("[" ROW("a\\u001b[2J", "\"/1\"", 1, 1, 1, 9e300) ","                            /**/
                        ROW("run-queue", "\"x/1\"", 9223372036854775807, 9223372036854775807, 1, 1) "," /**/
                        ROW("run-queue", "\"x/2\"", 9223372036854775807, 9223372036854775807, 1, 1) "]");
    assert_null(strchr(text, '\033'));
    assert_non_null(strstr(text, "x (2)"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_of_one_program_are_one_row_of_a_cause),
        cmocka_unit_test(hostile_rows_are_shown_without_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
