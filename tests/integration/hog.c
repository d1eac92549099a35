/* hog CPU PRIORITY LENGTH_US COUNT [EVERY_MS]: a thread of SCHED_FIFO that takes a CPU for a known
 * time, again and again. "late by" is known then: who waits for the CPU meanwhile waits as long.
 * Prints for each burst its length by CLOCK_MONOTONIC and, from one sleep to the next, how long the
 * thread ran by the kernel's schedstat, in ns, and how often it got the CPU: more than once when it
 * was preempted. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static sem_t begin, done;
static int64_t length_ns, burst_ns;
static int count, every_ms, schedstat;

static int64_t now_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

struct ran {
    int64_t ns, waited_ns, times_n;
};

/* The kernel brings the figures of a thread up to date when it leaves the CPU and at ticks, not
 * when they are read: they are exact while the thread sleeps. */
static struct ran look(void)
{
    char text[100] = "";
    struct ran ran = {.ns = 0};
    const struct timespec pause = {.tv_sec = every_ms / 1000,
                                   .tv_nsec = (long)(every_ms % 1000) * 1000000};
    nanosleep(&pause, NULL);
    if (pread(schedstat, text, sizeof(text) - 1, 0) <= 0 ||
        sscanf(text, "%" SCNd64 " %" SCNd64 " %" SCNd64, &ran.ns, &ran.waited_ns, &ran.times_n) !=
            3)
        fputs("hog: no schedstat\n", stderr);
    return ran;
}

/* A normal thread, on any CPU: it may be late. */
static void *look_on(void *ctx)
{
    struct ran before = look();
    for (int i = 0; i < count; i++) {
        sem_post(&begin);
        sem_wait(&done);
        const int64_t length = burst_ns;
        const struct ran after = look();
        printf("%jd %jd %jd\n", length, after.ns - before.ns, after.times_n - before.times_n);
        before = after;
    }
    return ctx;
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fputs("Usage: hog CPU PRIORITY LENGTH_US COUNT [EVERY_MS]\n", stderr);
        return 3;
    }
    length_ns = (int64_t)atoi(argv[3]) * 1000;
    count = atoi(argv[4]);
    every_ms = argc > 5 ? atoi(argv[5]) : 100;
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET((size_t)atoi(argv[1]), &cpus);
    const struct sched_param param = {.sched_priority = atoi(argv[2])};
    pthread_t thread;
    schedstat = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    if (schedstat < 0 || sem_init(&begin, 0, 0) != 0 || sem_init(&done, 0, 0) != 0 ||
        (errno = pthread_create(&thread, NULL, look_on, NULL)) != 0 ||
        sched_setaffinity(0, sizeof(cpus), &cpus) != 0 ||
        sched_setscheduler(0, SCHED_FIFO, &param) != 0) {
        fprintf(stderr, "hog: %s\n", strerror(errno));
        return 4;
    }
    for (int i = 0; i < count; i++) {
        sem_wait(&begin);
        const int64_t begin_ns = now_ns();
        do
            burst_ns = now_ns() - begin_ns;
        while (burst_ns < length_ns);
        sem_post(&done);
    }
    pthread_join(thread, NULL);
    return 0;
}
