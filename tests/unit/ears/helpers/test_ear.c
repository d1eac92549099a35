/* What a cycle of the server that was missed is for the recorder of music: frames that it leaves out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "ears/helpers/ear.h"

#define RATE   48000
#define PERIOD 256

static void missed_cycles_are_left_out_and_another_clock_is_no_time(void **state)
{
    (void)state;
    static const struct {
        uint32_t jump;
        uint64_t left_out;
    } cases[] = {{0, 0},  {PERIOD, PERIOD}, {60 * RATE, 60 * RATE}, {60 * RATE + 1, 1}, {UINT32_MAX / 3, 1},
                 {-1U, 1}};
    ST_EACH (row, cases) {
        static struct st_ear_shared shared;
        const float *from[4] = {NULL};
        struct st_ear ear = {.music = true, .shared = &shared};
        ear.head.rate_hz = RATE;
        ear.head.channels = 4;
        assert_int_equal(st_ear_prepare(&ear), 0);
        st_ear_record(&ear, 1000, 1, from, 1, PERIOD);
        st_ear_record(&ear, 1000 + PERIOD + row->jump, 2, from, 1, PERIOD);
        assert_int_equal(ear.recorded, 2 * PERIOD + row->left_out);
        atomic_store(&ear.relinked, true);
        st_ear_record(&ear, ear.time + row->jump, 3, from, 1, PERIOD);
        assert_int_equal(ear.left_out, RATE / 5 - PERIOD);
        assert_int_equal(ear.recorded, 3 * PERIOD + 2 * row->left_out);
        st_capture_stream_ring_close(&ear.ring);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missed_cycles_are_left_out_and_another_clock_is_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
