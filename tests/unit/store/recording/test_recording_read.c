#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "core/stats/random.h"
#include "store/recording/bytes.h"
#include "tests/unit/recording_story.h"

/* Changes one byte of a block's payload and gives it the CRC of what it says then. @return how the reading
 * ends. */
static enum st_recording_end end_with_lie(uint8_t *file, size_t bytes, size_t block, size_t at, uint8_t value)
{
    file[block + 12 + at] = value;
    uint32_t crc = st_bytes_crc32c(0, file + block, 8);
    crc = st_bytes_crc32c(crc, file + block + 12, u32_at(file + block + 4));
    for (size_t i = 0; i < 4; i++)
        file[block + 8 + i] = (uint8_t)(crc >> (8 * i));
    struct st_recording_reader *reader;
    assert_int_equal(st_recording_open_stream(fmemopen(file, bytes, "rb"), &reader), 0);
    assert_true(read_story(reader) <= story_n);
    const enum st_recording_end end = st_recording_info(reader)->end;
    st_recording_close_reader(reader);
    return end;
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
        assert_string_equal(st_recording_info(reader)->conditions, "kernel: 6.1\npolicy: fifo 70\n");
        assert_int_equal(st_recording_info(reader)->t0_ns, 123456789);
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
    assert_int_equal(st_recording_info(reader)->end, ST_RECORDING_INTERRUPTED);
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
        assert_int_equal(st_recording_info(reader)->end, ST_RECORDING_CUT);
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
    assert_int_equal(st_recording_info(reader)->end, ST_RECORDING_CUT);
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
            assert_in_range(st_recording_info(reader)->end, ST_RECORDING_CUT, ST_RECORDING_DAMAGED);
            st_recording_close_reader(reader);
        }
        file[i] ^= (uint8_t)(1U << i % 8);
    }
    free(file);
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
    for (int i = -1; i <= 1; i += 2) {
        file[8] = (uint8_t)(ST_RECORDING_VERSION + i);
        assert_int_equal(st_recording_open_stream(fmemopen(file, bytes, "rb"), &reader), -EPROTONOSUPPORT);
    }
    free(file);
    assert_int_equal(st_recording_open("/nonexistent/x", &reader), -ENOENT);
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
    assert_int_equal(st_recording_info(reader)->end, ST_RECORDING_COMPLETE);
    st_recording_close_reader(reader);
}

/* Next to each other, cycles are one event; nothing else is, and no order of asking changes what comes. */
static void runs_are_the_cycles_one_by_one(void **state)
{
    (void)state;
    make_story(true);
    const struct st_recording_meta meta = meta_of(4800, true);
    assert_int_equal(write_story(&meta, false), 0);
    for (unsigned one_by_one = 0; one_by_one < 4; one_by_one++) { /* so many between two runs */
        struct st_recording_reader *reader;
        struct st_recording_event event;
        const int64_t *lateness_ns = NULL, *callback_ns = NULL;
        size_t n = 0, runs = 0;
        assert_int_equal(st_recording_open(path, &reader), 0);
        for (;;) {
            for (unsigned i = 0; i < one_by_one && st_recording_next(reader, &event) == 1; i++)
                assert_same_event(&event, &story[n++]);
            const int r = st_recording_next_run(reader, &event, &lateness_ns, &callback_ns);
            if (r == 0)
                break;
            assert_int_equal(r, 1);
            runs++;
            if (event.kind != ST_RECORDING_CYCLE) {
                assert_same_event(&event, &story[n++]);
                continue;
            }
            for (uint64_t i = 0; i < event.n; i++) {
                const struct st_recording_event cycle = {ST_RECORDING_CYCLE, event.period_index + i, 1,
                                                         lateness_ns[i], callback_ns[i]};
                assert_same_event(&cycle, &story[n++]);
            }
        }
        assert_int_equal(n, story_n);
        assert_true(one_by_one > 0 || runs < story_n / 2);
        assert_int_equal(st_recording_info(reader)->totals.cycles, 120);
        assert_int_equal(st_recording_info(reader)->end, ST_RECORDING_COMPLETE);
        st_recording_close_reader(reader);
    }
}

/* Cycles in the whole DATA blocks of a file's first bytes, by the format's own words. */
static uint64_t cycles_of_whole_blocks(const uint8_t *file, size_t bytes)
{
    uint64_t cycles = 0;
    size_t at = 12;
    while (bytes - at >= 12 && u32_at(file + at + 4) <= bytes - at - 12) {
        if (memcmp(file + at, "DATA", 4) == 0) {
            struct st_bytes_in in = {.at = file + at + 12 + 8, .end = file + bytes};
            cycles += st_bytes_get_varint(&in);
        }
        at += 12 + u32_at(file + at + 4);
    }
    return cycles;
}

static void a_long_one_cut_at_a_thousand_places_is_read_to_its_last_block(void **state)
{
    (void)state;
    const struct st_recording_meta meta = meta_of(32, false);
    struct st_recording *recording;
    struct st_random random = {.state = 9};
    const uint64_t samples_n = 400000;
    assert_int_equal(st_recording_create(path, &meta, &recording), 0);
    for (uint64_t k = 0; k < samples_n; k++) {
        assert_int_equal(st_recording_cycle(recording, k, (int64_t)st_random_below(&random, 16000), 0), 0);
        if (k % 700 == 0)
            assert_int_equal(st_recording_flush(recording), 0);
    }
    assert_int_equal(st_recording_close(recording, false), 0);
    size_t bytes;
    uint8_t *file = load(&bytes);
    assert_true(bytes * 10 <= samples_n * 24); /* p99 - p1 is 15.7 us */
    for (int i = 0; i < 1000; i++) {
        struct st_recording_reader *reader;
        struct st_recording_event event;
        const int64_t *lateness_ns, *callback_ns;
        const size_t cut =
            60 + (size_t)st_random_below(&random, bytes - 60); /* behind META, before the end */
        assert_int_equal(st_recording_open_stream(fmemopen(file, cut, "rb"), &reader), 0);
        while (st_recording_next_run(reader, &event, &lateness_ns, &callback_ns) == 1)
            ;
        assert_int_equal(st_recording_info(reader)->end, ST_RECORDING_CUT);
        assert_int_equal(st_recording_info(reader)->totals.cycles, cycles_of_whole_blocks(file, cut));
        st_recording_close_reader(reader);
    }
    assert_int_equal(cycles_of_whole_blocks(file, bytes), samples_n);
    free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(everything_told_comes_back_in_order, empty_file),
        cmocka_unit_test_setup(an_interrupted_run_says_so, empty_file),
        cmocka_unit_test_setup(cut_at_any_byte_it_reads_up_to_the_last_complete_block, empty_file),
        cmocka_unit_test_setup(a_block_that_contradicts_the_others_is_damage, empty_file),
        cmocka_unit_test_setup(zeros_that_a_power_cut_left_are_no_damage, empty_file),
        cmocka_unit_test_setup(a_wrong_byte_anywhere_never_gives_a_wrong_event, empty_file),
        cmocka_unit_test_setup(foreign_and_newer_files_are_told_apart, empty_file),
        cmocka_unit_test_setup(many_events_without_flush_come_back, empty_file),
        cmocka_unit_test_setup(runs_are_the_cycles_one_by_one, empty_file),
        cmocka_unit_test_setup(a_long_one_cut_at_a_thousand_places_is_read_to_its_last_block, empty_file),
    };
    return RUN_WITH_FILE(tests);
}
