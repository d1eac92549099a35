/* When the helper for USB buses looks, and what it says meanwhile; no bus is open. */
#include <poll.h>
#include <unistd.h>

#include "platform/posix/posix.h"
#include "tests/unit/unit.h"
#include "xruns/helpers/helper_line.h"

static int64_t clock_ns, wanted_ns, said_ns;
static int looks_n, alive_n;

/* Nothing comes on standard input, before it ends. */
static int waits(const struct pollfd *input, int timeout_ms)
{
    assert_int_equal(input->fd, STDIN_FILENO);
    assert_int_equal(timeout_ms, looks_n == 0 ? 40 : 1000);
    wanted_ns = clock_ns + timeout_ms * INT64_C(1000000);
    clock_ns += INT64_C(1000000000);
    return ++looks_n > 61;
}

static void says_alive(void)
{
    assert_int_equal(said_ns, wanted_ns);
    alive_n++;
}

int helper_main(int argc, char **argv);
#define main                         helper_main
#define poll(fds, n, ms)             waits(fds, ms)
#define st_posix_now_ns(ctx)         clock_ns
#define st_helper_line_due(ns)       (said_ns = (ns))
#define st_helper_line_alive()       says_alive()
#define st_helper_line_input_ended() true
#include "xruns/helpers/helper_usb.c"
#undef main

static void it_looks_each_second_and_is_alive_each_twenty(void **state)
{
    assert_int_equal(watch(-1), ST_HELPER_LINE_DONE);
    assert_int_equal(alive_n, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_looks_each_second_and_is_alive_each_twenty)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
