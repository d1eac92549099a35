/* cli/measure/listen_sizes: the table of listen --sizes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/measure/listen_sizes.h"

static struct st_listen_sizes sizes;

static void add(uint32_t asked_frames, uint32_t frames, bool valid, size_t losses_n)
{
    sizes.rows[sizes.n++] = (struct st_listen_size){.asked_frames = asked_frames,
                                                    .frames = frames,
                                                    .rate_hz = 48000,
                                                    .valid = valid,
                                                    .latency_known = valid,
                                                    .latency_frames = frames * 2,
                                                    .losses_n = losses_n,
                                                    .lost_frames = losses_n * 48,
                                                    .heard_s = 9.9,
                                                    .per_hour_max95 = valid ? 1100 : (double)INFINITY};
}

static char *screen(void)
{
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    st_listen_sizes_screen(&sizes, out, 80);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void begin(uint32_t used_frames)
{
    sizes = (struct st_listen_sizes){.title = "over a cable", .used_frames = used_frames};
}

/* A row between that lost sound, is invalid or was refused ends what holds. */
static void test_held(void **state)
{
    (void)state;
    begin(128);
    assert_null(st_listen_sizes_held(&sizes));
    assert_int_equal(st_listen_sizes_status(&sizes), ST_EXIT_BOOKS);
    add(32, 32, true, 0);
    add(64, 64, true, 3);
    add(128, 128, true, 0);
    add(256, 256, true, 0);
    assert_int_equal(st_listen_sizes_held(&sizes)->asked_frames, 128);
    assert_int_equal(st_listen_sizes_status(&sizes), ST_EXIT_FINDINGS);
    sizes.rows[2].frames = 256;
    assert_int_equal(st_listen_sizes_held(&sizes)->asked_frames, 256);
    sizes.rows[3].valid = false;
    assert_null(st_listen_sizes_held(&sizes));
}

static void test_screen(void **state)
{
    (void)state;
    begin(128);
    add(32, 128, true, 0);
    add(64, 64, false, 0);
    add(128, 128, true, 3);
    add(256, 256, true, 0);
    char *text = screen();
    assert_non_null(strstr(text, "From 256 frames on nothing was lost"));
    assert_non_null(strstr(text, "    32      0.7 ms  256 frames, 5.3 ms      refused: it stayed at 128\n"));
    assert_non_null(strstr(text, "    64      1.3 ms  not known               invalid: see --frames 64\n"));
    assert_non_null(strstr(text, "   128      2.7 ms  256 frames, 5.3 ms      3, 3 ms in all, in use\n"));
    assert_non_null(strstr(text, "   256      5.3 ms  512 frames, 10.7 ms     none\n"));
    assert_null(strstr(text, "sleeptune listen"));
    free(text);
    sizes.used_frames = 256;
    sizes.wish = (struct st_listen_wish){.back = "cable"};
    text = screen();
    assert_non_null(strstr(text, "sleeptune listen --back cable -d 3h, which can"));
    free(text);
    json_t *list = st_listen_sizes_json(&sizes);
    assert_int_equal(json_array_size(list), 4);
    assert_true(json_is_null(json_object_get(json_array_get(list, 1), "per_hour_max95")));
    json_decref(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_held),
        cmocka_unit_test(test_screen),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
