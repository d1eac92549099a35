/* Which cycles are kept, and which go. */
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text/text.h"
#include "daemon/history/recorder.h"
#include "tests/unit/unit.h"
#include "xruns/cycle_ring.h"

static struct st_recorder recorder;

static void happens(enum st_event_kind kind, enum st_dropout_reason reason, int64_t at_s)
{
    struct st_event event = st_event_make(at_s * ST_NS_PER_S, kind, "x");
    event.reason = reason;
    st_recorder_note(&recorder, &event);
}

static int forget(void **state)
{
    recorder = (struct st_recorder){.wanted = false};
    return 0;
}

static void a_dropout_and_a_mark_are_kept(void **state)
{
    happens(ST_EVENT_LATE_WAKE, ST_DROPOUT_UNKNOWN, 100);
    assert_false(recorder.wanted);
    happens(ST_EVENT_CLIENT_DROPOUT, ST_DROPOUT_STOPPED, 101);
    assert_true(recorder.wanted);
    assert_string_equal(recorder.cause, "stopped");
    happens(ST_EVENT_CLIENT_DROPOUT, ST_DROPOUT_TOO_SLOW, 102); /* in the same cycles */
    assert_string_equal(recorder.cause, "stopped");
    happens(ST_EVENT_HEARD, ST_DROPOUT_UNKNOWN, 103);
    assert_string_equal(recorder.cause, "heard");
    assert_int_equal(recorder.wall_ns, 103 * ST_NS_PER_S);
}

static void the_same_cause_is_kept_once_in_ten_seconds(void **state)
{
    happens(ST_EVENT_CLIENT_DROPOUT, ST_DROPOUT_STOPPED, 101);
    recorder.wanted = false; /* it was made */
    happens(ST_EVENT_CLIENT_DROPOUT, ST_DROPOUT_STOPPED, 110);
    assert_false(recorder.wanted);
    happens(ST_EVENT_CLIENT_DROPOUT, ST_DROPOUT_TOO_SLOW, 110);
    assert_true(recorder.wanted);
    recorder.wanted = false;
    happens(ST_EVENT_CLIENT_DROPOUT, ST_DROPOUT_TOO_SLOW, 121);
    assert_true(recorder.wanted);
}

static size_t count(const char *folder)
{
    char command[200];
    size_t n = 0;
    ST_PRINT(command, "ls %s | wc -l", folder);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_int_equal(fscanf(pipe, "%zu", &n), 1);
    pclose(pipe);
    return n;
}

static void copies_stay_within_their_room(void **state)
{
    char folder[] = "/tmp/sleeptune-recorder-XXXXXX";
    struct st_cycle_ring *ring;
    struct stat status;
    assert_non_null(mkdtemp(folder));
    ST_PRINT(recorder.from, "%s/ring", folder);
    const char *history = st_text("%s/history.db", folder), *traces = st_text("%s/traces", folder);
    recorder.wall_ns = 1;
    ST_PRINT(recorder.cause, "stopped");
    assert_int_equal(st_recorder_keep(&recorder, history, 64000000),
                     -2); /* ENOENT: nothing is known */
    recorder.levels = calloc(1, sizeof(*recorder.levels));
    assert_non_null(recorder.levels);
    recorder.levels->written = 1;
    assert_int_equal(st_recorder_keep(&recorder, history, 0), 0);
    assert_int_equal(stat(traces, &status), -1);
    assert_int_equal(st_recorder_keep(&recorder, history, 64000000), 0); /* no ring, but a level */
    assert_int_equal(stat(st_text("%s/0000000000000000001-stopped.cycles", traces), &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    const int64_t each = status.st_size;
    assert_int_equal(st_cycle_ring_open(recorder.from, &ring), 0);
    for (int64_t i = 2; i <= 6; i++) {
        recorder.wall_ns = i;
        assert_int_equal(st_recorder_keep(&recorder, history, 3 * each + each / 2), 0);
    }
    assert_int_equal(count(traces), 3);
    assert_int_equal(stat(st_text("%s/0000000000000000001-stopped.cycles", traces), &status), -1);
    assert_int_equal(stat(st_text("%s/0000000000000000006-stopped.cycles", traces), &status), 0);
    recorder.wall_ns = 3;
    ST_PRINT(recorder.cause, "heard");
    for (int64_t i = 0; i < 2; i++, recorder.wall_ns = 7) { /* the oldest, and of a mark */
        assert_int_equal(st_recorder_keep(&recorder, history, 3 * each + each / 2), 0);
        ST_PRINT(recorder.cause, "stopped");
    }
    assert_int_equal(stat(st_text("%s/0000000000000000003-heard.cycles", traces), &status), 0);
    assert_int_equal(stat(st_text("%s/0000000000000000005-stopped.cycles", traces), &status), -1);
    for (int64_t i = 8; i <= 11; i++) { /* also where only marks are left */
        recorder.wall_ns = i;
        ST_PRINT(recorder.cause, i < 11 ? "heard" : "stopped");
        assert_int_equal(st_recorder_keep(&recorder, history, 3 * each + each / 2), 0);
    }
    assert_int_equal(stat(st_text("%s/0000000000000000011-stopped.cycles", traces), &status), 0);
    recorder.wall_ns = 12;
    assert_int_equal(st_recorder_keep(&recorder, history, each / 2),
                     -27); /* EFBIG: the others stay */
    assert_int_equal(count(traces), 3);
    free(recorder.levels);
    st_recorder_trim(history, 0);
    assert_int_equal(count(traces), 0);
    munmap(ring, sizeof(*ring));
    assert_int_equal(system(st_text("rm -r %s", folder)), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_dropout_and_a_mark_are_kept, forget),
        cmocka_unit_test_setup(the_same_cause_is_kept_once_in_ten_seconds, forget),
        cmocka_unit_test_setup(copies_stay_within_their_room, forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
