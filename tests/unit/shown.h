/* What a test of shown_run() shows, one screen after the other, is a section `== TEST` of the file
 * in tests/screens/unit/ that has the name of its program: TAP_SCREENS=write writes it anew
 * (scripts/test --screens). */
#pragma once

#include "core/text/text.h"
#include "tests/unit/unit.h"

static char shown_text[1 << 16];
static char shown_last[1 << 16],
    shown_first[1 << 16]; /* lines: of show_changes(), at the begin of a section */

/** Adds a line; nothing in it may be of this machine, or of this moment. */
ST_PRINTF(1, 2) static void show(const char *format, ...)
{
    const size_t n = strlen(shown_text);
    va_list args;
    va_start(args, format);
    const int more = vsnprintf(shown_text + n, sizeof(shown_text) - n, format, args);
    va_end(args);
    assert_in_range(more, 1, sizeof(shown_text) - n - 2);
    strcat(shown_text, "\n");
}

/** Shows each of the lines that is not as it was at the last call, or where each section begins. */
static inline void show_changes(const char *when, const char *lines)
{
    static char now[sizeof(shown_last)], parts[sizeof(shown_last)];
    assert_in_range(snprintf(now, sizeof(now), "\n%s", lines), 1, sizeof(now) - 1);
    show(when[0] != '\0' ? "# %s" : "#", when);
    memcpy(parts, now, sizeof(parts));
    ST_TEXT_EACH (line, parts, "\n") {
        char *whole = st_text("\n%s\n", line);
        if (strstr(shown_last, whole) == NULL)
            show("%s", line);
    }
    memcpy(shown_last, now, sizeof(shown_last));
}

/** What is shown now is where each section begins. */
static inline void shown_begins(void)
{
    memcpy(shown_first, shown_last, sizeof(shown_first));
}

/** What was shown is this section, or nothing was shown and there is none; begins anew. */
static void shown_is(const char *section)
{
    static bool begun;
    static char wanted[1 << 18];
    const char *src = getenv("SLEEPTUNE_SRC"), *how = getenv("TAP_SCREENS");
    const char *name = strrchr(__BASE_FILE__, '/') + 1 + strlen("test_");
    const bool writes = how != NULL && strcmp(how, "write") == 0;
    char file_path[4096], head[256];
    assert_non_null(src);
    ST_PRINT(file_path, "%s/tests/screens/unit/%.*s.txt", src, (int)strcspn(name, "."), name);
    ST_PRINT(head, "== %s\n", section);
    FILE *file = fopen(file_path, !writes ? "r" : begun ? "a" : "w");
    assert_non_null(file);
    begun = true;
    if (writes && shown_text[0] != '\0')
        assert_true(fprintf(file, "%s%s", head, shown_text) > 0);
    else if (!writes)
        wanted[fread(wanted, 1, sizeof(wanted) - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
    char *at = writes ? NULL : strstr(wanted, head);
    if (!writes && at == NULL && shown_text[0] != '\0')
        fail_msg("no %s in %s", section, file_path);
    if (at != NULL) {
        at += strlen(head);
        char *end = strstr(at, "\n== ");
        if (end != NULL)
            end[1] = '\0';
        size_t same = 0; /* in lines */
        for (size_t i = 0; shown_text[i] == at[i] && at[i] != '\0'; i++)
            same = at[i] == '\n' ? i + 1 : same;
        if (strcmp(shown_text, at) != 0)
            fail_msg("%s in %s (scripts/test --screens writes it): \"%.*s\", not \"%.*s\"", section,
                     file_path, (int)strcspn(shown_text + same, "\n"), shown_text + same,
                     (int)strcspn(at + same, "\n"), at + same);
    }
    shown_text[0] = '\0';
    memcpy(shown_last, shown_first, sizeof(shown_last));
}

/** At the end of a test. @param state the test as it was given to shown_run(). */
static inline int shown_teardown(void **state)
{
    const struct CMUnitTest *test = *state;
    const int r = test->teardown_func != NULL ? test->teardown_func(state) : 0;
    shown_is(test->name);
    return r;
}

/** Runs tests; what each of them shows is a section of its name. */
#define shown_run(tests) shown_run_n(tests, ST_ARRAY_LEN(tests))
static inline int shown_run_n(const struct CMUnitTest *tests, size_t n)
{
    static struct CMUnitTest given[64], all[ST_ARRAY_LEN(given)];
    assert_in_range(n, 1, ST_ARRAY_LEN(given));
    for (size_t i = 0; i < n; i++) {
        all[i] = given[i] = tests[i];
        all[i].teardown_func = shown_teardown;
        all[i].initial_state = &given[i];
    }
    return _cmocka_run_group_tests("tests", all, n, NULL, NULL);
}
