/* Whether the thread of a process that computes is a real-time thread.
 * Real clock: threads of this process, of which the kernel counts how often each one ran. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "core/base.h"
#include "tests/unit/cannot.h"
#include "tests/unit/unit.h"
#include "xruns/helpers/process_watch.h"

#define MANY 70 /* more threads than are read of one process */

static pthread_mutex_t end = PTHREAD_MUTEX_INITIALIZER;
static atomic_int slept_n;

static void *sleep_often(void *ctx)
{
    const struct timespec moment = {.tv_nsec = 1000};
    for (int i = 0; i < 50; i++)
        (void)nanosleep(&moment, NULL);
    atomic_fetch_add(&slept_n, 1);
    pthread_mutex_lock(&end);
    pthread_mutex_unlock(&end);
    return ctx;
}

/* Of two clients of this process, whose threads cannot be told apart. */
static int64_t priority(void)
{
    struct st_process_watch *watch = st_process_watch_new();
    st_process_watch_add(watch, 1, getpid());
    st_process_watch_add(watch, 2, getpid());
    (void)st_process_watch_sample(watch);
    const int64_t ret = st_process_watch_priority(watch, 1);
    free(watch);
    return ret;
}

static void a_process_is_normal_if_all_its_threads_were_read(void **state)
{
    pthread_t threads[MANY];
    if (access("/proc/self/schedstat", R_OK) != 0)
        ST_CANNOT("this kernel does not count how often a thread ran");
    pthread_mutex_lock(&end);
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, sleep_often, NULL), 0);
        while (atomic_load(&slept_n) <= i)
            usleep(1000);
        if (i == 3)
            assert_int_equal(priority(), 0);
    }
    assert_int_equal(priority(), -1);
    pthread_mutex_unlock(&end);
    ST_EACH (thread, threads)
        pthread_join(*thread, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_is_normal_if_all_its_threads_were_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
