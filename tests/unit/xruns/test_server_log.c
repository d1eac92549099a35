/* Lines of PipeWire's log. */
#include "core/text/text.h"
#include "tests/unit/unit.h"
#include "xruns/server_log.h"

/* The forms of 0.3.65, 1.2 and 1.4 (spa/plugins/alsa/alsa-pcm.c), as journald and a terminal have
 * them. */
static void each_form_is_read(void **state)
{
    static const struct {
        const char *line, *card;
        int64_t n, frames, cycle_frames;
    } rows[] = {
        {"spa.alsa: hw:1: follower delay:2048 target:1024 thr:1024, resync (0 missed)", "hw:1", 1,
         1024, 1024},
        {"hw:1,0: follower delay:12 target:256 thr:256, resync (41 missed)", "hw:1,0", 42, 244,
         256},
        {"[W][09:15:02.123456] spa.alsa     | [       alsa-pcm.c: 2278 alsa_read_sync()] front:2c: "
         "follower "
         "delay:2000 "
         "target:1024 thr:1024 resample:1, resync (3 suppressed)",
         "front:2c", 4, 976, 1024},
        {"host pipewire[1469]: spa.alsa: hw:1: follower delay:8294 target:4224 thr:4096, resync",
         "hw:1", 1, 4070, 4096},
        {"hw:2p: follower avail:100 delay:-5 target:128 thr:128, resync (1 suppressed)", "hw:2p", 2,
         133, 128},
    };
    ST_EACH (row, rows) {
        struct st_resync_log_line line;
        assert_true(st_server_log_resync(row->line, &line));
        assert_string_equal(line.card, row->card);
        assert_int_equal(line.n, row->n);
        assert_int_equal(line.frames, row->frames);
        assert_int_equal(line.cycle_frames, row->cycle_frames);
    }
}

static void other_lines_are_not(void **state)
{
    static const char *const lines[] = {
        "",
        "hw:1: follower:1 match:1 rate:1.000000 bw:0.128 thr:256 del:300 target:256 err:1 max:256",
        "hw:1: follower delay:2048 target:1024 thr:0, resync (0 missed)",
        "hw:1: follower delay:2048 target:1024 thr:1024, resync (-1 missed)",
        "hw:1: follower delay:999999999999 target:1024 thr:1024, resync (0 missed)",
        "hw:1: follower delay: target:1024 thr:1024, resync (0 missed)",
        "hw:1: follower delay:--5 target:1024 thr:1024, resync (0 missed)",
        ": follower delay:2048 target:1024 thr:1024, resync (0 missed)",
        "spa.alsa: : follower delay:2048 target:1024 thr:1024, resync (0 missed)",
    };
    for (size_t i = 0; i < ST_ARRAY_LEN(lines); i++) {
        struct st_resync_log_line line;
        if (st_server_log_resync(lines[i], &line))
            fail_msg("taken: %s", lines[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_form_is_read),
                                       cmocka_unit_test(other_lines_are_not)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
