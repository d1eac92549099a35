#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/crc32c.h"
#include "store/recording.h"

/* --- write(2) of the code under test: a disk with so many bytes left, and writes of at most so many at once
 * --- */

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

/* --- a small recording
 * ----------------------------------------------------------------------------------------- */

static char path[] = "/tmp/sleeptune-recording-XXXXXX";

static int set_up(void **state)
{
    (void)state;
    disk_left = UINT64_MAX;
    write_at_most = SIZE_MAX;
    const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    return fd < 0 ? -1 : close(fd);
}

static struct st_recording_meta meta_of(uint32_t frames, bool has_callback)
{
    struct st_recording_meta meta = {.frames = frames,
                                     .rate_hz = 48000,
                                     .has_callback = has_callback,
                                     .started_wall_ns = 1700000000000000001};
    assert_int_equal(st_period_init(&meta.period, frames, 48000), 0);
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
    return st_recording_cycle(recording, event->period_index, event->lateness_ns, event->callback_ns);
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
                                              : 1500 + i * 37 % 400;
        add_story(ST_RECORDING_CYCLE, &k, 1, lateness_ns, has_callback ? 90000 + i : 0);
        if (i % 20 == 7)
            add_story(ST_RECORDING_SKIPPED, &k, (uint64_t)i, 200000000 + i, 0);
        if (i % 40 == 9)
            add_story(ST_RECORDING_LOST, &k, 5, 0, 0);
        if (i == 27)
            add_story(ST_RECORDING_SKIPPED, &k, 3, 4000000, 0); /* two events at one place */
        if (i == 60)
            k += 12; /* a gap that nobody explains */
    }
}

/* Writes the story in blocks of about a fifth of a second (period_ns decides); the first error ends it. */
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

static void assert_same_event(const struct st_recording_event *a, const struct st_recording_event *b)
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
    *ret_bytes = (size_t)stat.st_size;
    return bytes;
}

static uint32_t u32_at(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* The n-th block of this type, from 0; 0 when there is none. `ret_end`: where the last whole block ends. */
static size_t find_block(const uint8_t *file, size_t bytes, const char *type, unsigned n, size_t *ret_end)
{
    size_t at = 12;
    while (bytes - at >= 12 && u32_at(file + at + 4) <= bytes - at - 12) {
        if (type != NULL && memcmp(file + at, type, 4) == 0 && n-- == 0)
            return at;
        at += 12 + u32_at(file + at + 4);
    }
    if (ret_end != NULL)
        *ret_end = at;
    return 0;
}

/* Changes one byte of a block's payload and gives it the CRC of what it says then. @return how the reading
 * ends. */
static enum st_recording_end end_with_lie(uint8_t *file, size_t bytes, size_t block, size_t at, uint8_t value)
{
    file[block + 12 + at] = value;
    uint32_t crc = st_crc32c(0, file + block, 8);
    crc = st_crc32c(crc, file + block + 12, u32_at(file + block + 4));
    for (size_t i = 0; i < 4; i++)
        file[block + 8 + i] = (uint8_t)(crc >> (8 * i));
    struct st_recording_reader *reader;
    assert_int_equal(st_recording_open_stream(fmemopen(file, bytes, "rb"), &reader), 0);
    assert_true(read_story(reader) <= story_n);
    const enum st_recording_end end = st_recording_ended(reader);
    st_recording_close_reader(reader);
    return end;
}

static void a_block_that_contradicts_the_others_is_damage(void **state)
{
    (void)state;
    make_story(false);
    const struct st_recording_meta meta = meta_of(4800, false);
    assert_int_equal(write_story(&meta, false), 0);
    size_t bytes;
    uint8_t *file = load(&bytes);
    /* the first three numbers of the end mark */
    const size_t end = find_block(file, bytes, "END.", 0, NULL);
    assert_true(end > 0);
    for (size_t at = 0; at < 24; at += 8) {
        const uint8_t truth = file[end + 12 + at];
        assert_int_equal(end_with_lie(file, bytes, end, at, truth ^ 1), ST_RECORDING_DAMAGED);
        assert_int_equal(end_with_lie(file, bytes, end, at, truth), ST_RECORDING_COMPLETE);
    }
    /* the second data block starts before the first one ends */
    const size_t data = find_block(file, bytes, "DATA", 1, NULL);
    assert_true(data > 0 && file[data + 12] > 0);
    assert_int_equal(end_with_lie(file, bytes, data, 0, 0), ST_RECORDING_DAMAGED);
    free(file);
}

static void everything_told_comes_back_in_order(void **state)
{
    (void)state;
    for (int callback = 0; callback <= 1; callback++) {
        make_story(callback == 1);
        const struct st_recording_meta meta = meta_of(4800, callback == 1);
        assert_int_equal(write_story(&meta, false), 0);
        struct st_recording_reader *reader;
        assert_int_equal(st_recording_open(path, &reader), 0);
        const struct st_recording_meta *back = st_recording_meta(reader);
        assert_int_equal(back->period.num, meta.period.num);
        assert_int_equal(back->period.den, meta.period.den);
        assert_int_equal(back->frames, 4800);
        assert_int_equal(back->rate_hz, 48000);
        assert_int_equal(back->has_callback, callback);
        assert_int_equal(back->started_wall_ns, 1700000000000000001);
        for (int pass = 0; pass < 2; pass++) {
            assert_int_equal(read_story(reader), story_n);
            assert_int_equal(st_recording_ended(reader), ST_RECORDING_COMPLETE);
            assert_int_equal(st_recording_totals(reader).cycles, 120);
            assert_int_equal(st_recording_totals(reader).lost_cycles, 15);
            assert_string_equal(st_recording_circumstances(reader), "kernel: 6.1\npolicy: fifo 70\n");
            assert_int_equal(st_recording_t0_ns(reader), 123456789);
            assert_int_equal(st_recording_rewind(reader), 0);
        }
        st_recording_close_reader(reader);
    }
}

static void an_interrupted_run_says_so(void **state)
{
    (void)state;
    make_story(false);
    const struct st_recording_meta meta = meta_of(64, false);
    assert_int_equal(write_story(&meta, true), 0);
    struct st_recording_reader *reader;
    assert_int_equal(st_recording_open(path, &reader), 0);
    assert_int_equal(read_story(reader), story_n);
    assert_int_equal(st_recording_ended(reader), ST_RECORDING_INTERRUPTED);
    st_recording_close_reader(reader);
}

static void cut_at_any_byte_it_reads_up_to_the_last_complete_block(void **state)
{
    (void)state;
    make_story(true);
    const struct st_recording_meta meta = meta_of(4800, true);
    assert_int_equal(write_story(&meta, false), 0);
    size_t bytes;
    uint8_t *file = load(&bytes);
    size_t last_n = 0, steps = 0, opened = 0;
    for (size_t cut = 1; cut < bytes; cut++) {
        struct st_recording_reader *reader;
        const int r = st_recording_open_stream(fmemopen(file, cut, "rb"), &reader);
        if (r < 0) {
            assert_int_equal(r, -EBADMSG);
            assert_int_equal(opened, 0); /* only within magic, version and META */
            continue;
        }
        opened++;
        const size_t n = read_story(reader);
        assert_int_equal(st_recording_ended(reader), ST_RECORDING_CUT);
        assert_true(n >= last_n);
        steps += n > last_n;
        last_n = n;
        st_recording_close_reader(reader);
    }
    assert_int_equal(opened, bytes - (12 + 12 + 36)); /* from the end of META on */
    assert_int_equal(last_n, story_n);                /* all but the end mark */
    assert_in_range(steps, 10, 60);                   /* block by block */
    free(file);
}

static void zeros_that_a_power_cut_left_are_no_damage(void **state)
{
    (void)state;
    make_story(false);
    const struct st_recording_meta meta = meta_of(4800, false);
    assert_int_equal(write_story(&meta, false), 0);
    size_t bytes;
    uint8_t *file = load(&bytes);
    const size_t end_bytes = 12 + 28;
    memset(file + bytes - end_bytes, 0, end_bytes);
    struct st_recording_reader *reader;
    assert_int_equal(st_recording_open_stream(fmemopen(file, bytes, "rb"), &reader), 0);
    assert_int_equal(read_story(reader), story_n);
    assert_int_equal(st_recording_ended(reader), ST_RECORDING_CUT);
    st_recording_close_reader(reader);
    free(file);
}

static void a_wrong_byte_anywhere_never_gives_a_wrong_event(void **state)
{
    (void)state;
    make_story(false);
    const struct st_recording_meta meta = meta_of(4800, false);
    assert_int_equal(write_story(&meta, false), 0);
    size_t bytes;
    uint8_t *file = load(&bytes);
    for (size_t i = 0; i < bytes; i++) {
        file[i] ^= (uint8_t)(1U << i % 8);
        struct st_recording_reader *reader;
        const int r = st_recording_open_stream(fmemopen(file, bytes, "rb"), &reader);
        if (r == 0) {
            assert_true(read_story(reader) <= story_n);
            assert_in_range(st_recording_ended(reader), ST_RECORDING_CUT, ST_RECORDING_DAMAGED);
            st_recording_close_reader(reader);
        }
        file[i] ^= (uint8_t)(1U << i % 8);
    }
    free(file);
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
        assert_int_equal(st_recording_ended(reader), ST_RECORDING_CUT);
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
    assert_int_equal(st_recording_ended(reader), ST_RECORDING_COMPLETE);
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

static void foreign_and_newer_files_are_told_apart(void **state)
{
    (void)state;
    struct st_recording_reader *reader;
    assert_int_equal(st_recording_open(path, &reader), -EBADMSG); /* empty */
    char text[] = "this is no recording at all, only text";
    assert_int_equal(st_recording_open_stream(fmemopen(text, sizeof(text), "rb"), &reader), -EBADMSG);
    story_n = 0;
    const struct st_recording_meta meta = meta_of(64, false);
    assert_int_equal(write_story(&meta, false), 0);
    size_t bytes;
    uint8_t *file = load(&bytes);
    file[8] = ST_RECORDING_VERSION + 1;
    assert_int_equal(st_recording_open_stream(fmemopen(file, bytes, "rb"), &reader), -EPROTONOSUPPORT);
    free(file);
    assert_int_equal(st_recording_open("/nonexistent/x", &reader), -ENOENT);
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

static void a_second_of_periods_is_on_the_disk_after_a_flush(void **state)
{
    (void)state;
    const struct st_recording_meta meta = meta_of(4800, false); /* ten a second */
    struct st_recording *recording;
    assert_int_equal(st_recording_create(path, &meta, &recording), 0);
    const uint64_t start = st_recording_bytes(recording);
    for (uint64_t k = 0; k < 9; k++) {
        assert_int_equal(st_recording_cycle(recording, k, 1, 0), 0);
        assert_int_equal(st_recording_flush(recording), 0);
    }
    assert_int_equal(st_recording_bytes(recording), start);
    assert_int_equal(st_recording_cycle(recording, 9, 1, 0), 0);
    assert_int_equal(st_recording_flush(recording), 0);
    struct stat stat_buf;
    assert_int_equal(stat(path, &stat_buf), 0);
    assert_true((uint64_t)stat_buf.st_size > start);
    assert_int_equal(stat_buf.st_size, st_recording_bytes(recording));
    assert_int_equal(st_recording_close(recording, false), 0);
}

static void many_events_without_flush_come_back(void **state)
{
    (void)state;
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
        assert_same_event(&event, &(struct st_recording_event){ST_RECORDING_CYCLE, 3 * i, 1, (int64_t)i, 0});
        assert_int_equal(st_recording_next(reader, &event), 1);
        assert_same_event(&event, &(struct st_recording_event){ST_RECORDING_SKIPPED, 3 * i + 1, 2,
                                                               INT64_MIN + (int64_t)i, 0});
    }
    assert_int_equal(st_recording_next(reader, &event), 0);
    assert_int_equal(st_recording_ended(reader), ST_RECORDING_COMPLETE);
    st_recording_close_reader(reader);
}

static uint64_t random_next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static void a_sample_takes_at_most_2_1_bytes_within_16_us(void **state)
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
        assert_true((double)st_recording_bytes(recording) <= 2.1 * (double)n);
        print_message("# %u frames: %.3f bytes a sample\n", frames[f],
                      (double)st_recording_bytes(recording) / (double)n);
        assert_int_equal(st_recording_close(recording, false), 0);
    }
}

static void would_be_lateness_of_skipped_periods_is_exact(void **state)
{
    (void)state;
    struct st_period period;
    assert_int_equal(st_period_init(&period, 64, 48000), 0);
    const int64_t done_ns = 777 + st_period_due_ns(&period, 0, 150);
    const struct st_recording_event event = {ST_RECORDING_SKIPPED, 2, 148,
                                             done_ns - st_period_due_ns(&period, 0, 2), 0};
    for (uint64_t i = 0; i < event.n; i++)
        assert_int_equal(st_recording_skipped_lateness_ns(&period, &event, i),
                         done_ns - st_period_due_ns(&period, 0, 2 + i));
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
    assert_int_equal(strlen(st_recording_circumstances(reader)), ST_RECORDING_TEXT_MAX_BYTES);
    assert_memory_equal(st_recording_circumstances(reader), "a: ?[2Jb?\n", 10);
    st_recording_close_reader(reader);
    free(much);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(everything_told_comes_back_in_order, set_up),
        cmocka_unit_test_setup(an_interrupted_run_says_so, set_up),
        cmocka_unit_test_setup(cut_at_any_byte_it_reads_up_to_the_last_complete_block, set_up),
        cmocka_unit_test_setup(a_block_that_contradicts_the_others_is_damage, set_up),
        cmocka_unit_test_setup(zeros_that_a_power_cut_left_are_no_damage, set_up),
        cmocka_unit_test_setup(a_wrong_byte_anywhere_never_gives_a_wrong_event, set_up),
        cmocka_unit_test_setup(a_full_disk_is_told_and_what_was_written_stays_readable, set_up),
        cmocka_unit_test_setup(the_first_error_stays, set_up),
        cmocka_unit_test_setup(short_writes_are_continued, set_up),
        cmocka_unit_test_setup(an_older_recording_is_overwritten_and_another_file_is_not, set_up),
        cmocka_unit_test_setup(two_writers_of_one_file_are_refused, set_up),
        cmocka_unit_test_setup(foreign_and_newer_files_are_told_apart, set_up),
        cmocka_unit_test_setup(period_indices_that_go_back_are_refused, set_up),
        cmocka_unit_test_setup(a_second_of_periods_is_on_the_disk_after_a_flush, set_up),
        cmocka_unit_test_setup(many_events_without_flush_come_back, set_up),
        cmocka_unit_test_setup(a_sample_takes_at_most_2_1_bytes_within_16_us, set_up),
        cmocka_unit_test_setup(would_be_lateness_of_skipped_periods_is_exact, set_up),
        cmocka_unit_test_setup(text_cannot_bring_control_characters_or_too_much, set_up),
    };
    const int fd = mkstemp(path);
    if (fd < 0)
        return 1;
    close(fd);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
