/* The last state over an end of any kind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/status/saved_state.h"

static char folder[] = "/tmp/sleeptune-test-XXXXXX";
static char path[64], text[512];

static int teardown(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

static void put(const char *content)
{
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(content, out);
    fclose(out);
}

static void clean_end_is_no_news(void **state)
{
    (void)state;
    json_t *document = json_pack("{s:s, s:I}", "state", "ended", "time_ns", (json_int_t)1700000000000000000);
    assert_int_equal(st_saved_state_write(path, document), 0);
    json_decref(document);
    assert_string_equal(st_saved_state_previous(path, text, sizeof(text)), "");
}

static void daemon_that_was_killed_is_told_with_the_time_of_its_state(void **state)
{
    (void)state;
    json_t *document =
        json_pack("{s:s, s:I}", "state", "running", "time_ns", (json_int_t)1700000000000000000);
    assert_int_equal(st_saved_state_write(path, document), 0);
    json_decref(document);
    assert_non_null(strstr(st_saved_state_previous(path, text, sizeof(text)), "2023-11-14 22:13:20 UTC"));
    assert_non_null(strstr(text, "did not end cleanly"));
}

static void failed_loop_is_told_as_such(void **state)
{
    (void)state;
    put("{\"state\": \"failed\", \"pid\": 1}");
    assert_non_null(
        strstr(st_saved_state_previous(path, text, sizeof(text)), "the loop of the previous run failed"));
}

static void state_of_a_process_that_still_runs_is_no_unclean_end(void **state)
{
    (void)state;
    const int fd = st_saved_state_hold(path);
    assert_true(fd >= 0);
    assert_int_equal(st_saved_state_hold(path), -EBUSY);
    put("{\"state\": \"running\", \"pid\": 1}"); /* init */
    assert_non_null(
        strstr(st_saved_state_previous(path, text, sizeof(text)), "process 1, which stored its state"));
    put("{\"state\": \"running\", \"pid\": -1}"); /* kill(-1) would be everybody */
    assert_non_null(strstr(st_saved_state_previous(path, text, sizeof(text)), "did not end cleanly"));
    close(fd);
}

static void number_that_another_process_has_after_a_boot_is_an_unclean_end(void **state)
{
    (void)state;
    put("{\"state\": \"running\", \"pid\": 1}");
    assert_non_null(strstr(st_saved_state_previous(path, text, sizeof(text)), "did not end cleanly"));
}

static void missing_file_is_no_news(void **state)
{
    (void)state;
    assert_string_equal(st_saved_state_previous(path, text, sizeof(text)), "");
}

static void damaged_file_is_told_and_not_followed(void **state)
{
    (void)state;
    static const char *const damaged[] = {
        "", "{", "[]", "{\"state\": 7}", "\x01\x02", "{\"state\":\"ended\""};
    for (size_t i = 0; i < ST_ARRAY_LEN(damaged); i++) {
        put(damaged[i]);
        if (st_saved_state_previous(path, text, sizeof(text))[0] == '\0')
            fail_msg("taken for a clean end: %s", damaged[i]);
    }
}

static void fifo_in_place_of_the_file_does_not_hang(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_non_null(strstr(st_saved_state_previous(path, text, sizeof(text)), "cannot read the state"));
}

static void failed_write_leaves_the_old_state_and_no_rubbish(void **state)
{
    (void)state;
    put("old");
    char temporary[80];
    snprintf(temporary, sizeof(temporary), "%s.tmp", path);
    assert_int_equal(mkdir(temporary, 0700), 0);
    json_t *document = json_object();
    assert_true(st_saved_state_write(path, document) < 0);
    json_decref(document);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_size, 3);
    assert_int_equal(rmdir(temporary), 0);
}

static void folder_comes_from_systemd_and_must_be_there(void **state)
{
    (void)state;
    char chosen[ST_SAVED_STATE_PATH_BYTES], two[200];
    snprintf(two, sizeof(two), "%s:/other", folder);
    setenv("STATE_DIRECTORY", two, 1);
    assert_true(st_saved_state_path(chosen, sizeof(chosen)));
    assert_string_equal(chosen, path);
    setenv("STATE_DIRECTORY", "/no/such/folder", 1);
    assert_false(st_saved_state_path(chosen, sizeof(chosen)));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_teardown(f, teardown)
    const struct CMUnitTest tests[] = {
        TEST(clean_end_is_no_news),
        TEST(daemon_that_was_killed_is_told_with_the_time_of_its_state),
        TEST(failed_loop_is_told_as_such),
        TEST(state_of_a_process_that_still_runs_is_no_unclean_end),
        TEST(number_that_another_process_has_after_a_boot_is_an_unclean_end),
        TEST(missing_file_is_no_news),
        TEST(damaged_file_is_told_and_not_followed),
        TEST(fifo_in_place_of_the_file_does_not_hang),
        TEST(failed_write_leaves_the_old_state_and_no_rubbish),
        TEST(folder_comes_from_systemd_and_must_be_there),
    };
    if (mkdtemp(folder) == NULL)
        return 1;
    snprintf(path, sizeof(path), "%s/last.json", folder);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
