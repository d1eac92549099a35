/* A small recording in which everything happens, for the tests of its writer and of its reader. Include after
 * cmocka.h. */
#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/recording/recording.h"

static char path[] = "/tmp/sleeptune-recording-XXXXXX";

/* An empty file before each test. */
static inline int empty_file(void **state)
{
    (void)state;
    return truncate(path, 0);
}

/* The tests with that file around them. */
#define RUN_WITH_FILE(tests)                                                                                 \
    (close(mkstemp(path)) != 0 ? 1 : cmocka_run_group_tests(tests, NULL, remove_file))

static inline int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static inline struct st_recording_meta meta_of(uint32_t frames, bool has_callback)
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

static inline int tell(struct st_recording *recording, const struct st_recording_event *event)
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

static inline void add_story(enum st_recording_kind kind, uint64_t *k, uint64_t n, int64_t lateness_ns,
                             int64_t callback_ns)
{
    assert_true(story_n < STORY_MAX);
    story[story_n++] = (struct st_recording_event){kind, *k, n, lateness_ns, callback_ns};
    *k += n;
}

/* Cycles with all that may happen between them. */
static inline void make_story(bool has_callback)
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
            k += 12; /* a gap that nobody explains */
    }
}

/* Writes the story in blocks of about a fifth of a second (period_ns decides); the first error ends it. */
static inline int write_story(const struct st_recording_meta *meta, bool interrupted)
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

static inline void assert_same_event(const struct st_recording_event *a, const struct st_recording_event *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->period_index, b->period_index);
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->lateness_ns, b->lateness_ns);
    assert_int_equal(a->callback_ns, b->callback_ns);
}

/* All events are the first ones of the story. @return how many. */
static inline size_t read_story(struct st_recording_reader *reader)
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

static inline uint8_t *load(size_t *ret_bytes)
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

static inline uint32_t u32_at(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* The n-th block of this type, from 0; 0 when there is none. `ret_end`: where the last whole block ends. */
static inline size_t find_block(const uint8_t *file, size_t bytes, const char *type, unsigned n,
                                size_t *ret_end)
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
