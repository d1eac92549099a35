/* cli/measure/sizes: the rows of check, from runs at several sizes. Real clock: one run of 20
 * ms. */
#include "cli/measure/sizes.h"
#include "core/ns.h"
#include "tests/unit/period.h"
#include "tests/unit/screen.h"
#include "tests/unit/unit.h"

#define RATE_HZ 48000

static struct st_sizes sizes;

/* A run of 7 s at that size, each wake-up late by each_ns, and one of them by stall_ns; 0: none. */
static void add_run(uint32_t frames, int64_t each_ns, int64_t stall_ns)
{
    struct st_predict_run *late = &sizes.late;
    const struct st_period period = period_of(frames, RATE_HZ);
    assert_int_equal(st_predict_begin(late, &period, frames, RATE_HZ), 0);
    sizes.measured = true;
    sizes.result.frames = frames;
    sizes.result.rate_hz = RATE_HZ;
    assert_int_equal(st_result_init(&sizes.result, false), 0);
    for (uint64_t k = 0; k < 7u * RATE_HZ / frames; k++) {
        const int64_t ns = k == 20 && stall_ns > 0 ? stall_ns : each_ns;
        st_predict_add(late, k, ns);
        st_hist_add(&sizes.result.lateness, ns);
        sizes.result.n++;
        late->periods_n++;
    }
}

static int setup(void **state)
{
    memset(&sizes, 0, sizeof(sizes));
    return 0;
}

static int teardown(void **state)
{
    st_sizes_finish(&sizes);
    return 0;
}

static struct st_predict_row row(uint32_t frames)
{
    size_t i = 0;
    while (i < sizes.table.n && sizes.table.rows[i].frames != frames)
        i++;
    assert_true(i < sizes.table.n);
    return sizes.table.rows[i];
}

static void the_shortest_run_answers_for_the_longer_sizes(void **state)
{
    add_run(32, 20000, 3 * ST_NS_PER_MS); /* 128 frames: 2.67 ms; 256: 5.33 ms */
    st_sizes_fill(&sizes, 128);
    assert_int_equal(sizes.table.n, 7);
    assert_int_equal(row(32).episodes_n, 1);
    assert_int_equal(row(128).episodes_n, 1);
    assert_int_equal(row(256).episodes_n, 0);
    assert_int_equal(sizes.table.held->frames, 256);
}

static void the_buffer_in_use_has_a_row_in_its_place(void **state)
{
    add_run(32, 20000, 0);
    st_sizes_fill(&sizes, 480);
    assert_int_equal(sizes.table.n, 8);
    assert_int_equal(sizes.table.rows[4].frames, 480);
    assert_int_equal(sizes.table.rows[7].frames, 2048);
    st_sizes_fill(&sizes, 4096);
    assert_int_equal(sizes.table.n, 8);
    assert_int_equal(sizes.table.rows[7].frames, 4096);
    st_sizes_fill(&sizes, 16);
    assert_false(row(16).known);
    assert_int_equal(sizes.table.held->frames, 32);
}

static void the_table_only_improves_with_the_size(void **state)
{
    add_run(32, 20000, 8 * ST_NS_PER_MS);
    st_sizes_fill(&sizes, 256);
    for (size_t i = 0; i + 1 < sizes.table.n; i++)
        assert_true(sizes.table.rows[i].high >= sizes.table.rows[i + 1].high);
    assert_int_equal(row(256).episodes_n, 1);
    assert_false(st_predict_holds(&sizes.table.rows[2]));
    assert_int_equal(sizes.table.held->frames, 512);
    assert_non_null(strstr(st_predict_text_answer(&sizes.table), "(10.7 ms): no dropout in "));
}

/* The bound of less than 3 s is one episode in each second, whatever was measured. */
static void a_run_that_is_too_short_says_nothing_about_a_size(void **state)
{
    add_run(32, 20000, 0);
    sizes.late.periods_n = 2 * RATE_HZ / 32;
    st_sizes_fill(&sizes, 0);
    assert_string_equal(st_predict_text_answer(&sizes.table),
                        "Which buffer size is enough is unknown: less than 3 seconds were "
                        "measured.");
    sizes.late.periods_n = 3 * RATE_HZ / 32;
    st_sizes_fill(&sizes, 0);
    assert_int_equal(sizes.table.held->frames, 32);
}

static void rows_are(const char *name, const struct st_predict_view *view)
{
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    st_predict_text_rows(&sizes.table, view, out);
    assert_int_equal(fclose(out), 0);
    screen_is(name, text);
    free(text);
}

/* Rows of one measurement have no time of their own, and no tick stands where the music had
 * dropouts. */
static void the_row_in_use_has_the_dropouts_of_the_music(void **state)
{
    const struct st_predict_view view = {.width = 80, .used_frames = 256, .music_n = 38};
    add_run(32, 20000, 0);
    st_sizes_fill(&sizes, 256);
    sizes.table.brief = true;
    rows_are("sizes/music-had-dropouts", &view);
}

static void the_table_is_read_at_each_width_and_in_each_state(void **state)
{
    struct st_predict_view view = {.width = 80, .used_frames = 128};
    add_run(32, 20000, 8 * ST_NS_PER_MS);
    st_sizes_fill(&sizes, 256);
    rows_are("sizes/late", &view);
    view = (struct st_predict_view){.width = 40, .used_frames = 128};
    rows_are("sizes/narrow", &view);
}

static void each_wake_up_that_is_measured_counts(void **state)
{
    const int64_t duration_ns = 20 * ST_NS_PER_MS;
    assert_int_equal(st_sizes_measure(RATE_HZ, 1024, duration_ns, NULL, NULL, NULL, &sizes), 0);
    assert_true(sizes.late.latest_ns > 0);
}

static void the_shortest_size_is_what_was_asked_for_or_32(void **state)
{
    struct st_wish used = {.frames = 1024, .rate_hz = 48000};
    assert_int_equal(st_sizes_shortest(&used, 0), 32);
    assert_int_equal(st_sizes_shortest(&used, 256), 256);
    used.frames = 16;
    assert_int_equal(st_sizes_shortest(&used, 0), 16);
    used = (struct st_wish){.frames = 256,
                            .rate_hz = 768000}; /* 32 frames: 42 us, which no loop runs at */
    assert_int_equal(st_sizes_shortest(&used, 0), 128);
}

int main(void)
{
#define SIZES(test) TEST(test)
    const struct CMUnitTest tests[] = {
        SIZES(the_shortest_run_answers_for_the_longer_sizes),
        SIZES(the_buffer_in_use_has_a_row_in_its_place),
        SIZES(the_table_only_improves_with_the_size),
        SIZES(a_run_that_is_too_short_says_nothing_about_a_size),
        SIZES(the_row_in_use_has_the_dropouts_of_the_music),
        SIZES(the_table_is_read_at_each_width_and_in_each_state),
        SIZES(each_wake_up_that_is_measured_counts),
        cmocka_unit_test(the_shortest_size_is_what_was_asked_for_or_32),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
