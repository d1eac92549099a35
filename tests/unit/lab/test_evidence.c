/* One rule: the same data has the same verdict in `compare` and in `verify`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/change/before_after.h"
#include "cli/command.h"
#include "evidence/verdict.h"
#include "lab/compare/compare.h"
#include "store/recording/recording.h"
#include "tests/unit/noise.h"

enum { BLOCKS = 48, BLOCK_VALUES = 250, VALUES = BLOCKS * BLOCK_VALUES };

/* What distinguishes B from A. */
struct kind {
    const char *name;
    double shift_ns, climb_ns,
        common_climb_ns; /* of all values; from the first to the last one, of B, of both */
    size_t stall_n;      /* cycles in a row that miss their period */
    size_t blocks_n, block_values_n;
    enum st_verdict wanted[ST_FIGURES]; /* missed: of periods */
};

#define T ST_VERDICT_TOO_SHORT
#define N ST_VERDICT_NONE
#define D ST_VERDICT_DRIFTING
#define B ST_VERDICT_BETTER
#define W ST_VERDICT_WORSE
static const struct kind kinds[] = {
    {"better", -3000, 0, 0, 0, BLOCKS, BLOCK_VALUES, {B, B, B, N}},
    {"worse", 3000, 0, 0, 0, BLOCKS, BLOCK_VALUES, {W, W, W, N}},
    {"same", 0, 0, 0, 0, BLOCKS, BLOCK_VALUES, {N, N, N, N}},
    {"drifting", 0, 10000, 0, 0, BLOCKS, BLOCK_VALUES, {D, W, W, N}},
    {"short", -3000, 0, 0, 0, 7, 2, {T, T, T, N}},
    {"bursty", 0, 0, 0, 30, BLOCKS, BLOCK_VALUES, {N, N, N, N}},
};
#undef T
#undef N
#undef D
#undef B
#undef W

/* Lateness of both runs: neighbours are alike, as load comes and goes, in both at the same time. */
static void generate(const struct kind *kind, uint64_t seed, int64_t *values_ns[2])
{
    struct st_random random = {.state = seed};
    const size_t n = kind->blocks_n * kind->block_values_n;
    double wave_ns = 0;
    for (size_t i = 0; i < n; i++) {
        const double at = (double)i / (double)n;
        if (i % 50 == 0)
            wave_ns = 1000 * noise_normal(&random);
        for (size_t side = 0; side < 2; side++) {
            double value_ns = 20000 + wave_ns + 1500 * noise_normal(&random) + kind->common_climb_ns * at;
            if (side == 1)
                value_ns += kind->shift_ns + kind->climb_ns * at;
            const bool stalled = side == 1 && i >= n / 3 && i < n / 3 + kind->stall_n;
            values_ns[side][i] = (int64_t)value_ns + (stalled ? 2000000 : 0);
        }
    }
}

static const char *const conditions = "policy: fifo\npriority: 70\n";

static void write_recording(const char *path, const int64_t *values_ns, size_t n)
{
    struct st_recording_meta meta = {.frames = 64, .rate_hz = 48000, .started_wall_ns = 1700000000000000000};
    struct st_recording *recording;
    assert_int_equal(st_period_init(&meta.period, 64, 48000), 0);
    assert_int_equal(st_recording_create(path, &meta, &recording), 0);
    assert_int_equal(st_recording_text(recording, conditions), 0);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(st_recording_cycle(recording, i, values_ns[i], 0), 0);
    assert_int_equal(st_recording_close(recording, false), 0);
}

static void by_compare(const char *const paths[2], enum st_verdict *ret)
{
    struct st_compare_result result = {0};
    const struct st_series_options options = {0};
    for (size_t side = 0; side < 2; side++)
        assert_int_equal(st_compare_read(paths[side], &options, &result.files[side]), ST_EXIT_DONE);
    assert_int_equal(st_compare_make(&result), ST_EXIT_DONE);
    for (int id = 0; id < ST_FIGURES; id++)
        ret[id] = result.figures[id].verdict;
    st_compare_finish(&result);
}

static void by_verify(const char *const paths[2], enum st_verdict *ret)
{
    struct st_before_after done = {0};
    assert_int_equal(st_recording_input_read(paths[0], &done.before), 0);
    assert_int_equal(st_recording_input_read(paths[1], &done.now), 0);
    st_before_after_compare(&done);
    assert_true(done.compared);
    bool worse = false;
    for (int id = 0; id < ST_FIGURES; id++) {
        ret[id] = done.figures[id].verdict;
        worse |= ret[id] == ST_VERDICT_WORSE;
    }
    assert_int_equal(st_before_after_is_worse(&done), worse);
    st_before_after_finish(&done);
}

/* Six kinds of pairs. */
static void the_same_data_has_the_same_verdict_everywhere(void **state)
{
    (void)state;
    enum { COMPARE, VERIFY, CALLERS };
    static const char *const callers[CALLERS] = {"compare", "verify"};
    int64_t *values_ns[2] = {calloc(VALUES, sizeof(int64_t)), calloc(VALUES, sizeof(int64_t))};
    char a[] = "/tmp/sleeptune-evidence-a-XXXXXX", b[] = "/tmp/sleeptune-evidence-b-XXXXXX";
    const char *const paths[2] = {a, b};
    close(mkstemp(a));
    close(mkstemp(b));
    for (size_t row = 0; row < ST_ARRAY_LEN(kinds); row++) {
        enum st_verdict got[CALLERS][ST_FIGURES];
        const struct kind *kind = &kinds[row];
        generate(kind, row, values_ns);
        for (size_t side = 0; side < 2; side++)
            write_recording(paths[side], values_ns[side], kind->blocks_n * kind->block_values_n);
        by_compare(paths, got[COMPARE]);
        by_verify(paths, got[VERIFY]);
        for (int caller = 0; caller < CALLERS; caller++) {
            for (int id = 0; id < ST_FIGURES; id++) {
                if (got[caller][id] != kind->wanted[id])
                    fail_msg("%s, %s of %s: %s, wanted %s", callers[caller], st_figure_names[id], kind->name,
                             st_verdict_name(got[caller][id]), st_verdict_name(kind->wanted[id]));
            }
        }
    }
    unlink(a);
    unlink(b);
    free(values_ns[0]);
    free(values_ns[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_data_has_the_same_verdict_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
