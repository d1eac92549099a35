/* The pages that are generated from the rules: complete, up to date, and safe Markdown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "docs/generate/guide.h"
#include "docs/generate/rules_page.h"

static const enum st_os systems[] = {ST_OS_LINUX, ST_OS_FREEBSD};

static char *guide_text(enum st_os os)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    assert_int_equal(st_guide_print(os, out), 0);
    assert_int_equal(fclose(out), 0);
    return text;
}

static int times_in_outline(const struct st_rule *rule)
{
    const struct st_guide *guide = st_guide_of(st_rule_os(rule));
    int n = 0;
    for (const struct st_guide_chapter *chapter = guide->chapters; chapter->title != NULL; chapter++) {
        for (const char *const *id = chapter->ids; *id != NULL; id++)
            n += strcmp(*id, rule->id) == 0;
    }
    return n;
}

static void each_rule_with_advice_is_in_one_chapter(void **state)
{
    (void)state;
    for (size_t i = 0; i < st_rules_n; i++) {
        const int expected = st_rules[i]->worst == ST_STATUS_OK ? 0 : 1, n = times_in_outline(st_rules[i]);
        if (n != expected)
            fail_msg("%s is %d times in the outline, not %d: put its id where it belongs by its effect, in "
                     "docs/generate/guide_chapters.c",
                     st_rules[i]->id, n, expected);
    }
}

static void chapters_name_rules_of_their_system(void **state)
{
    (void)state;
    for (size_t i = 0; i < ST_ARRAY_LEN(systems); i++) {
        const struct st_guide *guide = st_guide_of(systems[i]);
        assert_int_equal(guide->os, systems[i]);
        for (const struct st_guide_chapter *chapter = guide->chapters; chapter->title != NULL; chapter++) {
            for (const char *const *id = chapter->ids; *id != NULL; id++) {
                const struct st_rule *rule = st_rule_find(*id);
                if (rule == NULL || st_rule_os(rule) != systems[i])
                    fail_msg("%s is no rule of this system", *id);
            }
        }
    }
}

static void each_section_says_how_to_fix_check_and_undo(void **state)
{
    (void)state;
    for (size_t i = 0; i < st_rules_n; i++) {
        const struct st_rule_guide *guide = &st_rules[i]->guide;
        if (st_rules[i]->worst == ST_STATUS_OK)
            continue;
        if ((guide->now == NULL && guide->persistent == NULL) || guide->check == NULL || guide->undo == NULL)
            fail_msg("%s: .guide needs now or persistent, check and undo", st_rules[i]->id);
    }
}

static void history_has_a_version_and_a_source_a_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < st_rules_n; i++) {
        const char *line = st_rules[i]->history;
        while (line != NULL && *line != '\0') {
            const size_t bytes = strcspn(line, "\n");
            if (memchr(line, ':', bytes) == NULL || bytes < 4 || line[bytes - 1] != ')')
                fail_msg("%s: \"version: what changed (source)\", not \"%.*s\"", st_rules[i]->id, (int)bytes,
                         line);
            line += bytes + (line[bytes] == '\n');
        }
    }
}

static char *rules_page_text(void)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    st_rules_page_print(out);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void the_pages_in_the_tree_are_up_to_date(void **state)
{
    struct {
        const char *page;
        char *text;
    } rows[] = {
        {"man/sleeptune-rules.7", rules_page_text()},
        {"docs/setup-linux.md", guide_text(ST_OS_LINUX)},
        {"docs/setup-freebsd.md", guide_text(ST_OS_FREEBSD)},
    };
    (void)state;
    for (size_t i = 0; i < ST_ARRAY_LEN(rows); i++) {
        char path[4096];
        snprintf(path, sizeof(path), ST_SOURCE_DIR "/%s", rows[i].page);
        FILE *file = fopen(path, "re");
        if (file == NULL)
            fail_msg("cannot open %s", path);
        char *text = rows[i].text, *copy = calloc(1, strlen(text) + 2);
        assert_non_null(copy);
        const size_t n = fread(copy, 1, strlen(text) + 1, file);
        assert_int_equal(fclose(file), 0);
        if (n != strlen(text) || strcmp(copy, text) != 0)
            fail_msg("%s differs from the rules. Run ninja -C build generate.", rows[i].page);
        free(copy);
        free(text);
    }
}

/** Each link leads to a heading of the page. */
static void links_lead_somewhere(void **state)
{
    (void)state;
    for (size_t i = 0; i < ST_ARRAY_LEN(systems); i++) {
        char *text = guide_text(systems[i]);
        size_t links = 0;
        for (const char *at = text; (at = strstr(at, "](#")) != NULL; links++) {
            at += 3;
            const size_t bytes = strcspn(at, ")");
            bool found = false;
            for (const char *heading = text; !found && (heading = strstr(heading, "\n### ")) != NULL;) {
                heading += 5;
                char anchor[128];
                size_t n = 0;
                for (; *heading != '\n' && n < sizeof(anchor) - 1; heading++) {
                    const char c = *heading;
                    if (c == ' ' || c == '-')
                        anchor[n++] = '-';
                    else if (strchr("()'.:,?=/", c) == NULL)
                        anchor[n++] = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
                }
                anchor[n] = '\0';
                found = n == bytes && strncmp(anchor, at, bytes) == 0;
            }
            if (!found)
                fail_msg("no heading for #%.*s", (int)bytes, at);
        }
        assert_true(links > 20);
        free(text);
    }
}

static void prose_becomes_markdown(void **state)
{
    static const struct {
        const char *text, *markdown;
    } rows[] = {
        {"kern.hz is 1000, e.g. on 15.0", "`kern.hz` is 1000, e.g. on 15.0"},
        {"in /etc/rc.conf (SCHED_FIFO).", "in `/etc/rc.conf` (`SCHED_FIFO`)."},
        {"see sound(4), hz * 2, and/or a*b", "see sound(4), hz * 2, and/or a\\*b"},
        {"<b>bold</b> `x` [y]", "\\<b\\>bold\\</b\\> \\`x\\` \\[y\\]"},
        {"take -s away; -p 128 -n 3", "take `-s` away; `-p 128 -n 3`"},
        {"delete it; sudo sysctl a.bcd=1, the default", "delete it; `sudo sysctl a.bcd=1`, the default"},
        {"run sudo update-grub and restart", "run `sudo update-grub` and restart"},
        {"set eq.on=\"1\" there", "set `eq.on=\"1\"` there"},
        {"no sysctl here", "no sysctl here"},
        {"see linux-swap.", "see [Swap on disk](#swap-on-disk)."},
        {"see freebsd-swap", "see freebsd-swap"},
        {"see linux-smt", "see `linux-smt`"},
        {"", ""},
    };
    (void)state;
    for (size_t i = 0; i < ST_ARRAY_LEN(rows); i++) {
        char *text = NULL;
        size_t bytes;
        FILE *out = open_memstream(&text, &bytes);
        assert_non_null(out);
        st_guide_put_prose(out, st_guide_of(ST_OS_LINUX), rows[i].text);
        assert_int_equal(fclose(out), 0);
        assert_string_equal(text, rows[i].markdown);
        free(text);
    }
}

static void blocks_are_closed(void **state)
{
    (void)state;
    for (size_t i = 0; i < ST_ARRAY_LEN(systems); i++) {
        char *text = guide_text(systems[i]);
        size_t fences = 0;
        for (const char *at = text; (at = strstr(at, "\n```")) != NULL; at += 4)
            fences++;
        assert_true(fences > 0 && fences % 2 == 0);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_rule_with_advice_is_in_one_chapter),
        cmocka_unit_test(chapters_name_rules_of_their_system),
        cmocka_unit_test(each_section_says_how_to_fix_check_and_undo),
        cmocka_unit_test(history_has_a_version_and_a_source_a_line),
        cmocka_unit_test(the_pages_in_the_tree_are_up_to_date),
        cmocka_unit_test(links_lead_somewhere),
        cmocka_unit_test(prose_becomes_markdown),
        cmocka_unit_test(blocks_are_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
