/* Recordings: what was told comes back, cut or not, and a full disk takes nothing that was
 * written. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/recording/recording.h"
#include "tests/unit/period.h"
#include "tests/unit/unit.h"

static char path[] = "/tmp/sleeptune-recording-XXXXXX";

/* An empty file before each test. */
static int empty_file(void **state)
{
    return truncate(path, 0);
}

static int remove_file(void **state)
{
    return unlink(path);
}

static struct st_recording_meta meta_of(uint32_t frames, bool has_callback)
{
    struct st_recording_meta meta = {.frames = frames,
                                     .rate_hz = 48000,
                                     .has_callback = has_callback,
                                     .started_wall_ns = 1700000000000000001};
    meta.period = period_of(frames, 48000);
    return meta;
}

#define STORY_MAX 400
static struct st_recording_event story[STORY_MAX];
static size_t story_n;

static int tell(struct st_recording *recording, const struct st_recording_event *event)
{
    switch (event->kind) {
    case ST_RECORDING_SKIPPED:
        return st_recording_skipped(recording, event->period_index, event->n, event->lateness_ns);
    case ST_RECORDING_LOST:
        return st_recording_lost(recording, event->period_index, event->n);
    case ST_RECORDING_CYCLE:
        break;
    }
    return st_recording_cycle(recording, event->period_index, event->lateness_ns,
                              event->callback_ns);
}

static void add_story(enum st_recording_kind kind, uint64_t *k, uint64_t n, int64_t lateness_ns,
                      int64_t callback_ns)
{
    assert_true(story_n < STORY_MAX);
    story[story_n++] = (struct st_recording_event){kind, *k, n, lateness_ns, callback_ns};
    *k += n;
}

/* Cycles with all that may happen between them. */
static void make_story(bool has_callback)
{
    story_n = 0;
    uint64_t k = 0;
    for (int i = 0; i < 120; i++) {
        const int64_t lateness_ns = i == 33   ? -INT64_C(9000000000)
                                    : i == 50 ? INT64_MAX
                                    : i == 51 ? INT64_MIN
                                              : 1500 + i * 37 % 400;
        add_story(ST_RECORDING_CYCLE, &k, 1, lateness_ns, has_callback ? 90000 + i : 0);
        if (i % 20 == 7)
            add_story(ST_RECORDING_SKIPPED, &k, (uint64_t)i, 200000000 + i, 0);
        if (i % 40 == 9)
            add_story(ST_RECORDING_LOST, &k, 5, 0, 0);
        if (i == 27)
            add_story(ST_RECORDING_SKIPPED, &k, 3, 4000000, 0); /* two events at one place */
        if (i == 60)
            k += 12; /* a gap without a reason */
    }
}

/* Writes the story; the first error ends it. */
static int write_story(const struct st_recording_meta *meta, bool interrupted)
{
    struct st_recording *recording;
    int r = st_recording_create(path, meta, &recording);
    if (r < 0)
        return r;
    r = st_recording_text(recording, "kernel: 6.1\npolicy: fifo 70\n");
    if (r == 0)
        r = st_recording_t0(recording, 123456789);
    for (size_t i = 0; r == 0 && i < story_n; i++) {
        r = tell(recording, &story[i]);
        if (r == 0 && i % 5 == 4)
            r = st_recording_flush(recording);
    }
    const int closed = st_recording_close(recording, interrupted);
    assert_true(r == 0 || closed == r);
    return closed;
}

static void assert_same_event(const struct st_recording_event *a,
                              const struct st_recording_event *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->period_index, b->period_index);
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->lateness_ns, b->lateness_ns);
    assert_int_equal(a->callback_ns, b->callback_ns);
}

/* All events are the first ones of the story. @return how many. */
static size_t read_story(struct st_recording_reader *reader)
{
    struct st_recording_event event;
    size_t n = 0;
    int r;
    while ((r = st_recording_next(reader, &event)) == 1) {
        assert_true(n < story_n);
        assert_same_event(&event, &story[n++]);
    }
    assert_int_equal(r, 0);
    return n;
}

static uint8_t *load(size_t *ret_bytes)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    struct stat stat;
    assert_int_equal(fstat(fileno(file), &stat), 0);
    uint8_t *bytes = malloc((size_t)stat.st_size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, (size_t)stat.st_size, file), stat.st_size);
    fclose(file);
    bytes[stat.st_size] = '\0';
    *ret_bytes = (size_t)stat.st_size;
    return bytes;
}

/* --- write(2) of the code under test: the disk has a number of free bytes, and one write takes a
 * number at most --- */

ssize_t __real_write(int fd, const void *bytes, size_t n);
ssize_t __wrap_write(int fd, const void *bytes, size_t n);

static uint64_t disk_left = UINT64_MAX;
static size_t write_at_most = SIZE_MAX;

ssize_t __wrap_write(int fd, const void *bytes, size_t n)
{
    if (n > write_at_most)
        n = write_at_most;
    if (disk_left == 0) {
        errno = ENOSPC;
        return -1;
    }
    if (n > disk_left)
        n = (size_t)disk_left;
    const ssize_t written = __real_write(fd, bytes, n);
    if (written > 0)
        disk_left -= (uint64_t)written;
    return written;
}

static int set_up(void **state)
{
    disk_left = UINT64_MAX;
    write_at_most = SIZE_MAX;
    return empty_file(state);
}

static void everything_told_comes_back_in_order(void **state)
{
    for (int callback = 0; callback <= 1; callback++) {
        make_story(callback == 1);
        const struct st_recording_meta meta = meta_of(4800, callback == 1);
        assert_int_equal(write_story(&meta, false), 0);
        struct st_recording_reader *reader;
        assert_int_equal(st_recording_open(path, &reader), 0);
        const struct st_recording_meta *back = &st_recording_info(reader)->meta;
        assert_int_equal(back->period.num, meta.period.num);
        assert_int_equal(back->period.den, meta.period.den);
        assert_int_equal(back->frames, 4800);
        assert_int_equal(back->rate_hz, 48000);
        assert_int_equal(back->has_callback, callback);
        assert_int_equal(back->started_wall_ns, 1700000000000000001);
        assert_int_equal(read_story(reader), story_n);
        assert_int_equal(st_recording_info(reader)->end, ST_RECORDING_COMPLETE);
        assert_int_equal(st_recording_info(reader)->totals.cycles, 120);
        assert_int_equal(st_recording_info(reader)->totals.lost_cycles, 15);
        assert_string_equal(st_recording_info(reader)->conditions,
                            "kernel: 6.1\npolicy: fifo 70\n");
        assert_int_equal(st_recording_info(reader)->t0_ns, 123456789);
        st_recording_close_reader(reader);
    }
}

static void an_interrupted_run_says_so(void **state)
{
    make_story(false);
    const struct st_recording_meta meta = meta_of(64, false);
    assert_int_equal(write_story(&meta, true), 0);
    struct st_recording_reader *reader;
    assert_int_equal(st_recording_open(path, &reader), 0);
    assert_int_equal(read_story(reader), story_n);
    assert_int_equal(st_recording_info(reader)->end, ST_RECORDING_INTERRUPTED);
    st_recording_close_reader(reader);
}

static void cut_at_any_byte_it_reads_up_to_the_last_whole_line(void **state)
{
    make_story(true);
    const struct st_recording_meta meta = meta_of(4800, true);
    assert_int_equal(write_story(&meta, false), 0);
    size_t bytes, last_n = 0, opened = 0;
    uint8_t *file = load(&bytes);
    for (size_t cut = 1; cut < bytes; cut++) {
        struct st_recording_reader *reader;
        const int r = st_recording_open_stream(fmemopen(file, cut, "rb"), &reader);
        if (r < 0) {
            assert_int_equal(r, -EBADMSG);
            assert_int_equal(opened, 0); /* only within the first two lines */
            continue;
        }
        opened++;
        const size_t n = read_story(reader);
        assert_int_equal(st_recording_info(reader)->end, ST_RECORDING_CUT);
        assert_in_range(n, last_n, last_n + 1);
        last_n = n;
        st_recording_close_reader(reader);
    }
    assert_int_equal(last_n, story_n); /* all but the end mark */
    memset(file + bytes - 20, 0, 20);  /* as after a power cut */
    struct st_recording_reader *reader;
    assert_int_equal(st_recording_open_stream(fmemopen(file, bytes, "rb"), &reader), 0);
    assert_int_equal(read_story(reader), story_n);
    assert_int_equal(st_recording_info(reader)->end, ST_RECORDING_CUT);
    st_recording_close_reader(reader);
    free(file);
}

/* Of a wrong digit only the end mark knows. */
static void a_wrong_byte_anywhere_is_damage(void **state)
{
    make_story(false);
    const struct st_recording_meta meta = meta_of(4800, false);
    assert_int_equal(write_story(&meta, false), 0);
    size_t bytes, damaged_n = 0;
    uint8_t *file = load(&bytes);
    const size_t first = (size_t)((uint8_t *)strstr((char *)file, "start ") - file);
    for (size_t i = 0; i < bytes; i++) {
        file[i] ^= (uint8_t)(1U << i % 8);
        struct st_recording_reader *reader;
        struct st_recording_event event;
        if (st_recording_open_stream(fmemopen(file, bytes, "rb"), &reader) == 0) {
            while (st_recording_next(reader, &event) == 1)
                ;
            const enum st_recording_end end = st_recording_info(reader)->end;
            damaged_n += end == ST_RECORDING_DAMAGED || end == ST_RECORDING_CUT;
            st_recording_close_reader(reader);
        } else {
            assert_true(i < first);
        }
        file[i] ^= (uint8_t)(1U << i % 8);
    }
    /* but for the digits of start, of gaps and of how late skipped periods were, and
     * "interrupted" */
    assert_true(damaged_n + 110 > bytes - first);
    free(file);
}

static void a_line_that_does_not_belong_there_ends_it(void **state)
{
    static const struct {
        const char *lines;
        enum st_recording_end end;
    } rows[] = {
        {"5\n-7\nend 2 0 0 -2 0\n", ST_RECORDING_COMPLETE},
        {"5\n-7\nend 2 0 0 -2 1\n", ST_RECORDING_INTERRUPTED},
        {"5\n-7\nend 2 0 0 -3 0\n", ST_RECORDING_DAMAGED},
        {"5\n-7\nend 1 0 0 -2 0\n", ST_RECORDING_DAMAGED},
        {"5\n-7\nend 2 0 0 -2\n", ST_RECORDING_DAMAGED},
        {"5\n-7\n", ST_RECORDING_CUT},
        {"5\n7", ST_RECORDING_CUT},
        {"5 6\n", ST_RECORDING_DAMAGED}, /* this run has no callback */
        {" 5\n", ST_RECORDING_DAMAGED},
        {"5 \n", ST_RECORDING_DAMAGED},
        {"\n", ST_RECORDING_DAMAGED},
        {"5x\n", ST_RECORDING_DAMAGED},
        {"99999999999999999999\n", ST_RECORDING_DAMAGED},
        {"lost 0\n", ST_RECORDING_DAMAGED},
        {"lost -1\n", ST_RECORDING_DAMAGED},
        {"lost 9223372036854775807\n5\n", ST_RECORDING_DAMAGED}, /* beyond the last index */
        {"skipped 1 2 3 4 5 6 7\n", ST_RECORDING_DAMAGED},
        {"something-longer 1\n", ST_RECORDING_DAMAGED},
        {"run 1333333 1 64 48000 0 1\n", ST_RECORDING_DAMAGED},
    };
    ST_EACH (row, rows) {
        char text[256];
        struct st_recording_reader *reader;
        struct st_recording_event event;
        ST_PRINT(text, "sleeptune-recording 3\nrun 4000000 3 64 48000 0 1\n%s", row->lines);
        assert_int_equal(st_recording_open_stream(fmemopen(text, strlen(text), "rb"), &reader), 0);
        while (st_recording_next(reader, &event) == 1)
            ;
        assert_int_equal(st_recording_info(reader)->end, row->end);
        st_recording_close_reader(reader);
    }
}

static void foreign_and_newer_files_are_told_apart(void **state)
{
    static const struct {
        const char *text;
        int r;
    } rows[] = {
        {"this is no recording at all, only text\n", -EBADMSG},
        {"sleeptune-recording 2\nrun 4000000 3 64 48000 0 1\n", -EPROTONOSUPPORT},
        {"sleeptune-recording 30\nrun 4000000 3 64 48000 0 1\n", -EPROTONOSUPPORT},
        {"sleeptune-recording 3\nrun 4000000 3 64 48000 0", -EBADMSG},
        {"sleeptune-recording 3\nrun 4000000 0 64 48000 0 1\n", -EBADMSG},
        {"sleeptune-recording 3\nrun 0 3 64 48000 0 1\n", -EBADMSG},
        {"sleeptune-recording 3\nrun 4000000 3 -64 48000 0 1\n", -EBADMSG},
        {"sleeptune-recording 3\n5\n", -EBADMSG},
    };
    struct st_recording_reader *reader;
    assert_int_equal(st_recording_open(path, &reader), -EBADMSG); /* empty */
    ST_EACH (row, rows)
        assert_int_equal(
            st_recording_open_stream(
                fmemopen((char *)(uintptr_t)row->text, strlen(row->text), "rb"), &reader),
            row->r);
    assert_int_equal(st_recording_open("/nonexistent/x", &reader), -ENOENT);
}

static void many_events_without_flush_come_back(void **state)
{
    const struct st_recording_meta meta = meta_of(64, false);
    struct st_recording *recording;
    assert_int_equal(st_recording_create(path, &meta, &recording), 0);
    const uint64_t pairs = 20000; /* more cycles and more events than a block holds */
    for (uint64_t i = 0; i < pairs; i++) {
        assert_int_equal(st_recording_cycle(recording, 3 * i, (int64_t)i, 0), 0);
        assert_int_equal(st_recording_skipped(recording, 3 * i + 1, 2, INT64_MIN + (int64_t)i), 0);
    }
    assert_int_equal(st_recording_close(recording, false), 0);
    struct st_recording_reader *reader;
    assert_int_equal(st_recording_open(path, &reader), 0);
    struct st_recording_event event;
    for (uint64_t i = 0; i < pairs; i++) {
        assert_int_equal(st_recording_next(reader, &event), 1);
        assert_same_event(
            &event, &(struct st_recording_event){ST_RECORDING_CYCLE, 3 * i, 1, (int64_t)i, 0});
        assert_int_equal(st_recording_next(reader, &event), 1);
        assert_same_event(&event, &(struct st_recording_event){ST_RECORDING_SKIPPED, 3 * i + 1, 2,
                                                               INT64_MIN + (int64_t)i, 0});
    }
    assert_int_equal(st_recording_next(reader, &event), 0);
    assert_int_equal(st_recording_info(reader)->end, ST_RECORDING_COMPLETE);
    st_recording_close_reader(reader);
}

static void a_full_disk_is_told_and_what_was_written_stays_readable(void **state)
{
    make_story(false);
    const struct st_recording_meta meta = meta_of(4800, false);
    assert_int_equal(write_story(&meta, false), 0);
    size_t bytes, created = 0;
    free(load(&bytes));
    for (uint64_t room = 0; room < bytes; room++) {
        assert_int_equal(empty_file(NULL), 0);
        disk_left = room;
        assert_int_equal(write_story(&meta, false), -ENOSPC);
        struct st_recording_reader *reader;
        const int r = st_recording_open(path, &reader);
        if (r < 0) {
            assert_int_equal(r, -EBADMSG);
            assert_int_equal(created, 0);
            continue;
        }
        created++;
        assert_true(read_story(reader) <= story_n);
        assert_int_equal(st_recording_info(reader)->end, ST_RECORDING_CUT);
        st_recording_close_reader(reader);
    }
    assert_true(created > 0);
}

static void the_first_error_stays(void **state)
{
    const struct st_recording_meta meta = meta_of(48000, false);
    struct st_recording *recording;
    assert_int_equal(st_recording_create(path, &meta, &recording), 0);
    assert_int_equal(st_recording_cycle(recording, 0, 1, 0), 0);
    disk_left = 1;
    assert_int_equal(st_recording_flush(recording), -ENOSPC);
    disk_left = UINT64_MAX;
    assert_int_equal(st_recording_cycle(recording, 1, 1, 0), -ENOSPC);
    assert_int_equal(st_recording_skipped(recording, 2, 1, 1), -ENOSPC);
    assert_int_equal(st_recording_lost(recording, 3, 1), -ENOSPC);
    assert_int_equal(st_recording_text(recording, "x: y\n"), -ENOSPC);
    assert_int_equal(st_recording_t0(recording, 1), -ENOSPC);
    assert_int_equal(st_recording_flush(recording), -ENOSPC);
    assert_int_equal(st_recording_close(recording, false), -ENOSPC);
}

static void short_writes_are_continued(void **state)
{
    make_story(true);
    const struct st_recording_meta meta = meta_of(4800, true);
    write_at_most = 3;
    assert_int_equal(write_story(&meta, false), 0);
    struct st_recording_reader *reader;
    assert_int_equal(st_recording_open(path, &reader), 0);
    assert_int_equal(read_story(reader), story_n);
    st_recording_close_reader(reader);
}

static off_t bytes_on_disk(void)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info.st_size;
}

static void an_older_recording_is_overwritten_and_another_file_is_not(void **state)
{
    make_story(false);
    const struct st_recording_meta meta = meta_of(64, false);
    assert_int_equal(write_story(&meta, false), 0);
    story_n = 3; /* shorter: nothing of the older one may show */
    assert_int_equal(write_story(&meta, false), 0);
    struct st_recording_reader *reader;
    assert_int_equal(st_recording_open(path, &reader), 0);
    assert_int_equal(read_story(reader), 3);
    assert_int_equal(st_recording_info(reader)->end, ST_RECORDING_COMPLETE);
    st_recording_close_reader(reader);
    const off_t before = bytes_on_disk();
    struct st_recording *recording;
    assert_int_equal(st_recording_create(path, &meta, &recording), 0);
    assert_int_equal(st_recording_close(recording, true), 0);
    assert_int_equal(bytes_on_disk(), before); /* nothing was counted: the older one stays */

    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs("my diary\n", file);
    fclose(file);
    assert_int_equal(st_recording_create(path, &meta, &recording), -EEXIST);
    size_t bytes;
    uint8_t *text = load(&bytes);
    assert_int_equal(bytes, 9);
    assert_memory_equal(text, "my diary\n", 9);
    free(text);
    assert_int_equal(st_recording_create("/dev/null", &meta, &recording), -EEXIST);
    assert_int_equal(st_recording_create("/nonexistent/x", &meta, &recording), -ENOENT);
}

static void two_writers_of_one_file_are_refused(void **state)
{
    const struct st_recording_meta meta = meta_of(64, false);
    struct st_recording *first, *second;
    assert_int_equal(st_recording_create(path, &meta, &first), 0);
    assert_int_equal(st_recording_create(path, &meta, &second), -EBUSY);
    assert_int_equal(st_recording_close(first, false), 0);
    assert_int_equal(st_recording_create(path, &meta, &second), 0);
    assert_int_equal(st_recording_close(second, false), 0);
}

static void period_indices_that_go_back_are_refused(void **state)
{
    const struct st_recording_meta meta = meta_of(64, false);
    struct st_recording *recording;
    assert_int_equal(st_recording_create(path, &meta, &recording), 0);
    assert_int_equal(st_recording_cycle(recording, 10, 1, 0), 0);
    assert_int_equal(st_recording_cycle(recording, 10, 1, 0), -EINVAL);
    assert_int_equal(st_recording_skipped(recording, 11, UINT64_MAX, 1), -EINVAL);
    assert_int_equal(st_recording_cycle(recording, 11, 1, 0), 0);
    assert_int_equal(st_recording_close(recording, false), 0);
}

static void a_second_of_periods_is_on_the_disk_after_a_flush(void **state)
{
    const struct st_recording_meta meta = meta_of(4800, false); /* ten a second */
    struct st_recording *recording;
    assert_int_equal(st_recording_create(path, &meta, &recording), 0);
    const off_t start = bytes_on_disk();
    for (uint64_t k = 0; k < 9; k++) {
        assert_int_equal(st_recording_cycle(recording, k, 1, 0), 0);
        assert_int_equal(st_recording_flush(recording), 0);
    }
    assert_int_equal(bytes_on_disk(), start);
    assert_int_equal(st_recording_cycle(recording, 9, 1, 0), 0);
    assert_int_equal(st_recording_flush(recording), 0);
    assert_true(bytes_on_disk() > start);
    assert_int_equal(st_recording_close(recording, false), 0);
}

static void text_cannot_bring_control_characters_or_too_much(void **state)
{
    const struct st_recording_meta meta = meta_of(64, false);
    struct st_recording *recording;
    assert_int_equal(st_recording_create(path, &meta, &recording), 0);
    char *much = malloc(ST_RECORDING_TEXT_MAX_BYTES + 1);
    assert_non_null(much);
    memset(much, 'a', ST_RECORDING_TEXT_MAX_BYTES);
    much[ST_RECORDING_TEXT_MAX_BYTES] = '\0';
    assert_int_equal(st_recording_cycle(recording, 0, 1, 0), 0);
    assert_int_equal(st_recording_text(recording, "a: \x1b[2Jb\x7f\n"), 0);
    assert_int_equal(st_recording_text(recording, much), -E2BIG);
    assert_int_equal(st_recording_text(recording, much + 10), 0);
    assert_int_equal(st_recording_text(recording, "a"), -E2BIG);
    assert_int_equal(st_recording_close(recording, false), 0);
    struct st_recording_reader *reader;
    assert_int_equal(st_recording_open(path, &reader), 0);
    struct st_recording_event event;
    assert_true(st_recording_next(reader, &event) == 1 && st_recording_next(reader, &event) == 0);
    assert_int_equal(strlen(st_recording_info(reader)->conditions), ST_RECORDING_TEXT_MAX_BYTES);
    assert_memory_equal(st_recording_info(reader)->conditions, "a: ?[2Jb?\n", 10);
    st_recording_close_reader(reader);
    free(much);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(everything_told_comes_back_in_order, set_up),
        cmocka_unit_test_setup(an_interrupted_run_says_so, set_up),
        cmocka_unit_test_setup(cut_at_any_byte_it_reads_up_to_the_last_whole_line, set_up),
        cmocka_unit_test_setup(a_wrong_byte_anywhere_is_damage, set_up),
        cmocka_unit_test_setup(a_line_that_does_not_belong_there_ends_it, set_up),
        cmocka_unit_test_setup(foreign_and_newer_files_are_told_apart, set_up),
        cmocka_unit_test_setup(many_events_without_flush_come_back, set_up),
        cmocka_unit_test_setup(a_full_disk_is_told_and_what_was_written_stays_readable, set_up),
        cmocka_unit_test_setup(the_first_error_stays, set_up),
        cmocka_unit_test_setup(short_writes_are_continued, set_up),
        cmocka_unit_test_setup(an_older_recording_is_overwritten_and_another_file_is_not, set_up),
        cmocka_unit_test_setup(two_writers_of_one_file_are_refused, set_up),
        cmocka_unit_test_setup(period_indices_that_go_back_are_refused, set_up),
        cmocka_unit_test_setup(a_second_of_periods_is_on_the_disk_after_a_flush, set_up),
        cmocka_unit_test_setup(text_cannot_bring_control_characters_or_too_much, set_up),
    };
    return close(mkstemp(path)) != 0 ? 1 : cmocka_run_group_tests(tests, NULL, remove_file);
}
