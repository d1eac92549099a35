#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "tests/unit/recording_story.h"

/* --- write(2) of the code under test: the disk has a number of free bytes, and one write takes a number at
 * most --- */

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

static uint64_t random_next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static void a_full_disk_is_told_and_what_was_written_stays_readable(void **state)
{
    (void)state;
    make_story(false);
    const struct st_recording_meta meta = meta_of(4800, false);
    assert_int_equal(write_story(&meta, false), 0);
    size_t bytes, bytes_now;
    free(load(&bytes));
    for (size_t room = 0; room < bytes; room++) {
        disk_left = room;
        assert_int_equal(write_story(&meta, false), -ENOSPC);
        disk_left = UINT64_MAX;
        if (room < 12 + 12 + 36)
            continue;
        struct st_recording_reader *reader;
        assert_int_equal(st_recording_open(path, &reader), 0);
        read_story(reader);
        assert_int_equal(st_recording_info(reader)->end, ST_RECORDING_CUT);
        struct stat stat_buf;
        assert_int_equal(stat(path, &stat_buf), 0);
        assert_true((size_t)stat_buf.st_size <= room);
        size_t whole;
        uint8_t *file = load(&bytes_now);
        find_block(file, bytes_now, NULL, 0, &whole);
        assert_int_equal(bytes_now, whole); /* the torn block is cut off */
        free(file);
        st_recording_close_reader(reader);
    }
}

static void the_first_error_stays(void **state)
{
    (void)state;
    const struct st_recording_meta meta = meta_of(48000, false);
    struct st_recording *recording;
    assert_int_equal(st_recording_create(path, &meta, &recording), 0);
    assert_int_equal(st_recording_cycle(recording, 0, 1, 0), 0);
    disk_left = 5;
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
    (void)state;
    make_story(true);
    const struct st_recording_meta meta = meta_of(4800, true);
    write_at_most = 3;
    assert_int_equal(write_story(&meta, false), 0);
    struct st_recording_reader *reader;
    assert_int_equal(st_recording_open(path, &reader), 0);
    assert_int_equal(read_story(reader), story_n);
    st_recording_close_reader(reader);
}

static void an_older_recording_is_overwritten_and_another_file_is_not(void **state)
{
    (void)state;
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

    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs("my diary\n", file);
    fclose(file);
    struct st_recording *recording;
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
    (void)state;
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
    (void)state;
    const struct st_recording_meta meta = meta_of(64, false);
    struct st_recording *recording;
    assert_int_equal(st_recording_create(path, &meta, &recording), 0);
    assert_int_equal(st_recording_cycle(recording, 10, 1, 0), 0);
    assert_int_equal(st_recording_cycle(recording, 10, 1, 0), -EINVAL);
    assert_int_equal(st_recording_skipped(recording, 11, UINT64_MAX, 1), -EINVAL);
    assert_int_equal(st_recording_cycle(recording, 11, 1, 0), 0);
    assert_int_equal(st_recording_close(recording, false), 0);
}

static off_t bytes_on_disk(void)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info.st_size;
}

static void a_second_of_periods_is_on_the_disk_after_a_flush(void **state)
{
    (void)state;
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

static void a_sample_takes_at_most_2_4_bytes_within_16_us(void **state)
{
    (void)state;
    static const uint32_t frames[] = {32, 64, 128, 256};
    for (size_t f = 0; f < 4; f++) {
        const struct st_recording_meta meta = meta_of(frames[f], false);
        struct st_recording *recording;
        assert_int_equal(st_recording_create(path, &meta, &recording), 0);
        const uint64_t rate = 48000 / frames[f];
        const uint64_t n = 120 * rate; /* two minutes, drained four times a second */
        uint64_t seed = 31;
        for (uint64_t k = 0; k < n; k++) {
            /* the worst spread that still counts: even over 16 us, one percent beyond on either side */
            int64_t lateness_ns = 1000 + (int64_t)(random_next(&seed) % 16000);
            const uint64_t odd = random_next(&seed) % 100;
            if (odd == 0)
                lateness_ns = 17000 + (int64_t)(random_next(&seed) % 500000);
            else if (odd == 1)
                lateness_ns = -(int64_t)(random_next(&seed) % 100000);
            assert_int_equal(st_recording_cycle(recording, k, lateness_ns, 0), 0);
            if (k % (rate / 4) == 0)
                assert_int_equal(st_recording_flush(recording), 0);
        }
        assert_true((double)bytes_on_disk() <= 2.4 * (double)n);
        print_message("# %u frames: %.3f bytes a sample\n", frames[f], (double)bytes_on_disk() / (double)n);
        assert_int_equal(st_recording_close(recording, false), 0);
    }
}

static void text_cannot_bring_control_characters_or_too_much(void **state)
{
    (void)state;
    const struct st_recording_meta meta = meta_of(64, false);
    struct st_recording *recording;
    assert_int_equal(st_recording_create(path, &meta, &recording), 0);
    char *much = malloc(ST_RECORDING_TEXT_MAX_BYTES + 1);
    assert_non_null(much);
    memset(much, 'a', ST_RECORDING_TEXT_MAX_BYTES);
    much[ST_RECORDING_TEXT_MAX_BYTES] = '\0';
    assert_int_equal(st_recording_text(recording, "a: \x1b[2Jb\x7f\n"), 0);
    assert_int_equal(st_recording_text(recording, much), -E2BIG);
    assert_int_equal(st_recording_text(recording, much + 10), 0);
    assert_int_equal(st_recording_text(recording, "a"), -E2BIG);
    assert_int_equal(st_recording_close(recording, false), 0);
    struct st_recording_reader *reader;
    assert_int_equal(st_recording_open(path, &reader), 0);
    struct st_recording_event event;
    assert_int_equal(st_recording_next(reader, &event), 0);
    assert_int_equal(strlen(st_recording_info(reader)->conditions), ST_RECORDING_TEXT_MAX_BYTES);
    assert_memory_equal(st_recording_info(reader)->conditions, "a: ?[2Jb?\n", 10);
    st_recording_close_reader(reader);
    free(much);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_full_disk_is_told_and_what_was_written_stays_readable, set_up),
        cmocka_unit_test_setup(the_first_error_stays, set_up),
        cmocka_unit_test_setup(short_writes_are_continued, set_up),
        cmocka_unit_test_setup(an_older_recording_is_overwritten_and_another_file_is_not, set_up),
        cmocka_unit_test_setup(two_writers_of_one_file_are_refused, set_up),
        cmocka_unit_test_setup(period_indices_that_go_back_are_refused, set_up),
        cmocka_unit_test_setup(a_second_of_periods_is_on_the_disk_after_a_flush, set_up),
        cmocka_unit_test_setup(a_sample_takes_at_most_2_4_bytes_within_16_us, set_up),
        cmocka_unit_test_setup(text_cannot_bring_control_characters_or_too_much, set_up),
    };
    return RUN_WITH_FILE(tests);
}
