/* How much work a text of 64 KiB makes, counted: no time of a machine. Measured beside it: 3.1 us a
 * line of four bytes, whose cost is the tables, so that the worst text below takes 40 ms. */
#include <dirent.h>

#include "advisor/post/post.h"
#include "advisor/post/posted.h"
#include "core/text/text.h"
#include "tests/unit/unit.h"

#define TEXT_BYTES 65536

static size_t patterns_n, bytes_n;

bool __real_st_pattern_match(const char *line, const char *pattern, struct st_pattern_parts *ret);
bool __wrap_st_pattern_match(const char *line, const char *pattern, struct st_pattern_parts *ret);
bool __wrap_st_pattern_match(const char *line, const char *pattern, struct st_pattern_parts *ret)
{
    patterns_n++;
    bytes_n += strlen(line);
    return __real_st_pattern_match(line, pattern, ret);
}

/* The text over and over. Of more than 300 patterns at most 40 are tried on a line (29 as of
 * 2026-11-30). */
static void check_work(const char *name, const char *text, size_t bytes)
{
    static char whole[TEXT_BYTES];
    struct st_facts *facts = NULL;
    size_t lines_n = 1;
    for (size_t i = 0; i < sizeof(whole); i++) {
        whole[i] = text[i % bytes];
        lines_n += whole[i] == '\n';
    }
    patterns_n = bytes_n = 0;
    (void)!st_posted_add(whole, sizeof(whole), "posted.txt", &facts);
    st_facts_free(facts);
    assert_true(patterns_n > 0);
    if (patterns_n > 40 * lines_n || bytes_n > 40 * sizeof(whole))
        fail_msg("%s: %zu patterns on %zu lines, %zu bytes", name, patterns_n, lines_n, bytes_n);
}

static void no_line_takes_more_than_its_length(void **state)
{
    static const char *const lines[] = {
        "a\n",
        "abcd\n",
        "1234\n",
        "[ 1] \n",
        "a b c d e f\n",
        "  [\n {\n",
        "kern.a: 1\n",
        "/sys/a/b:1\n",
        "$ cat /sys/x\n1\n",
        "1 1 FF 9 x\n",
        "pipewire[1]: spa.alsa: hw:0: snd_pcm_avail after recover: Broken\n",
        "it crackles (when I open: the client) with 3 of 5 programs, no idea - why?\n",
        "kernel: usb xhci_hcd pipewire[ client = rtkit-daemon[ pcm " /* one line */};
    ST_EACH (line, lines)
        check_work(*line, *line, strlen(*line));
}

static void what_people_posted_takes_little(void **state)
{
    static char text[TEXT_BYTES];
    DIR *folder = opendir(ST_POSTED_DIR);
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (!st_text_ends(entry->d_name, ".txt"))
            continue;
        FILE *file = fopen(st_text(ST_POSTED_DIR "/%s", entry->d_name), "r");
        assert_non_null(file);
        const size_t bytes = fread(text, 1, sizeof(text), file);
        fclose(file);
        check_work(entry->d_name, text, bytes);
    }
    closedir(folder);
}

static void lines_without_end_are_not_read(void **state)
{
    static char text[5 * 400000];
    struct st_facts *facts = NULL;
    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = "abcd\n"[i % 5];
    memcpy(text, "\nuname -r\n6.1.0\n", 16);
    patterns_n = 0;
    assert_int_equal(st_posted_add(text, sizeof(text), "posted.txt", &facts), 0);
    assert_true(patterns_n < 300000 * 40);
    assert_string_equal(st_facts_text_or(facts, ST_KEYS_SYSTEM_SEEN "00", ""),
                        "Only the first 300000 lines of this text were read");
    st_facts_free(facts);
}

static void texts_from_before_stay(void **state)
{
    static const char line[] = "CONFIG_A=y\n";
    static char text[20000 * (sizeof(line) - 1)];
    struct st_facts *facts = NULL;
    st_text_forget();
    const char *before = st_text("before");
    for (size_t i = 0; i < sizeof(text); i++)
        text[i] = line[i % (sizeof(line) - 1)];
    assert_int_equal(st_posted_add(text, sizeof(text), "posted.txt", &facts), 0);
    assert_string_equal(before, "before");
    st_facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_line_takes_more_than_its_length),
        cmocka_unit_test(what_people_posted_takes_little),
        cmocka_unit_test(lines_without_end_are_not_read),
        cmocka_unit_test(texts_from_before_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
