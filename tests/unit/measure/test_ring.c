/* The ring between the loop and the drain thread. */
#include <pthread.h>
#include <sched.h>

#include "measure/ring.h"
#include "tests/unit/unit.h"

static void size_is_rounded_up_to_a_power_of_two(void **state)
{
    struct st_ring ring;
    assert_int_equal(st_ring_init(&ring, 65), 0);
    assert_int_equal(ring.mask, 127);
    st_ring_finish(&ring);
    assert_int_equal(st_ring_init(&ring, UINT64_MAX), -ERANGE);
}

static void words_come_out_in_order_over_the_wrap(void **state)
{
    struct st_ring ring;
    int32_t out[64];
    assert_int_equal(st_ring_init(&ring, 64), 0);
    int32_t put = 0, taken = 0;
    for (int round = 0; round < 100; round++) {
        for (int i = 0; i < 37 && st_ring_has_room(&ring, 1); i++)
            st_ring_put(&ring, put++);
        st_ring_publish(&ring);
        const uint64_t n = st_ring_take(&ring, out, 29);
        for (uint64_t i = 0; i < n; i++)
            assert_int_equal(out[i], taken++);
    }
    assert_true(taken > 2000);
    st_ring_finish(&ring);
}

static void full_ring_has_no_room_until_something_is_taken(void **state)
{
    struct st_ring ring;
    int32_t out[64];
    assert_int_equal(st_ring_init(&ring, 64), 0);
    for (int i = 0; i < 64; i++) {
        assert_true(st_ring_has_room(&ring, 1));
        st_ring_put(&ring, i);
    }
    assert_false(st_ring_has_room(&ring, 1));
    st_ring_publish(&ring);
    assert_int_equal(st_ring_take(&ring, out, 3), 3);
    assert_true(st_ring_has_room(&ring, 3));
    assert_false(st_ring_has_room(&ring, 4));
    st_ring_finish(&ring);
}

static void what_is_not_published_is_not_seen(void **state)
{
    struct st_ring ring;
    int32_t out[64];
    assert_int_equal(st_ring_init(&ring, 64), 0);
    st_ring_put(&ring, 1);
    assert_int_equal(st_ring_take(&ring, out, 64), 0);
    st_ring_publish(&ring);
    assert_int_equal(st_ring_take(&ring, out, 64), 1);
    st_ring_finish(&ring);
}

#define TRANSFER 200000

static void *produce(void *arg)
{
    struct st_ring *ring = arg;
    for (int32_t i = 0; i < TRANSFER; i++) {
        while (!st_ring_has_room(ring, 1))
            sched_yield();
        st_ring_put(ring, i);
        st_ring_publish(ring);
    }
    return NULL;
}

static void two_threads_lose_and_swap_nothing(void **state)
{
    struct st_ring ring;
    int32_t out[100], want = 0;
    assert_int_equal(st_ring_init(&ring, 256), 0);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, produce, &ring), 0);
    while (want < TRANSFER) {
        const uint64_t n = st_ring_take(&ring, out, 100);
        if (n == 0)
            sched_yield();
        for (uint64_t i = 0; i < n; i++)
            assert_int_equal(out[i], want++);
    }
    pthread_join(thread, NULL);
    st_ring_finish(&ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(size_is_rounded_up_to_a_power_of_two),
        cmocka_unit_test(words_come_out_in_order_over_the_wrap),
        cmocka_unit_test(full_ring_has_no_room_until_something_is_taken),
        cmocka_unit_test(what_is_not_published_is_not_seen),
        cmocka_unit_test(two_threads_lose_and_swap_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
