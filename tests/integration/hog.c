/* hog CPU PRIORITY LENGTH_US COUNT [EVERY_MS]: a thread of SCHED_FIFO that takes a CPU for a known time,
 * again and again. "late by" is known then: who waits for the CPU meanwhile waits as long. Prints each
 * length, in ns, by CLOCK_MONOTONIC. */
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int64_t now_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fputs("Usage: hog CPU PRIORITY LENGTH_US COUNT [EVERY_MS]\n", stderr);
        return 3;
    }
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET((size_t)atoi(argv[1]), &cpus);
    const struct sched_param param = {.sched_priority = atoi(argv[2])};
    const int64_t length_ns = (int64_t)atoi(argv[3]) * 1000, every_ms = argc > 5 ? atoi(argv[5]) : 100;
    if (sched_setaffinity(0, sizeof(cpus), &cpus) != 0 || sched_setscheduler(0, SCHED_FIFO, &param) != 0) {
        fprintf(stderr, "hog: %s\n", strerror(errno));
        return 4;
    }
    for (int i = 0; i < atoi(argv[4]); i++) {
        const struct timespec pause = {.tv_sec = every_ms / 1000,
                                       .tv_nsec = (long)(every_ms % 1000) * 1000000};
        nanosleep(&pause, NULL);
        const int64_t begin_ns = now_ns();
        int64_t end_ns;
        do
            end_ns = now_ns();
        while (end_ns - begin_ns < length_ns);
        printf("%" PRId64 "\n", end_ns - begin_ns);
    }
    return 0;
}
