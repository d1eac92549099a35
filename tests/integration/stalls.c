/* stalls CPU PRIORITY MEAN_US EVERY_MS SECONDS [SHAPE [SEED [APART_MS]]]: a thread of SCHED_FIFO
 * that takes a CPU for times with a generalised Pareto law (shape 0, the default: exponential), at
 * random moments that are APART_MS or more apart (1100: so that none joins the one before to one
 * episode). Prints, as CSV, how many dropouts per hour these times must make at each buffer size,
 * at 48 kHz and two periods:
 *
 *     3600 / T * sum over stalls of min(1, (S - P)+ / P)
 *
 * as a stall of length S that begins at a random moment of the period P leaves a wake-up more than
 * P late with that probability. The lengths are those measured, not those asked for. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RATE_HZ 48000.0

static int64_t now_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static double exponential(double mean)
{
    return -mean * log1p(-drand48());
}

/* shape: below 1, or there is no mean; it is `mean` */
static double pareto(double mean, double shape)
{
    return shape == 0 ? exponential(mean)
                      : mean * (1 - shape) / shape * expm1(shape * exponential(1));
}

int main(int argc, char **argv)
{
    static const int frames[] = {16, 32, 64, 128, 256, 512, 1024, 2048};
    enum { SIZES_N = sizeof(frames) / sizeof(frames[0]) };
    double sum[SIZES_N] = {0};
    if (argc < 6 || argc > 9) {
        fputs("Usage: stalls CPU PRIORITY MEAN_US EVERY_MS SECONDS [SHAPE [SEED]]\n", stderr);
        return 3;
    }
    const double mean_ns = atof(argv[3]) * 1e3, every_ns = atof(argv[4]) * 1e6;
    const double shape = argc > 6 ? atof(argv[6]) : 0,
                 apart_ns = argc > 8 ? atof(argv[8]) * 1e6 : 1.1e9;
    const int64_t begin_ns = now_ns(), length_ns = (int64_t)(atof(argv[5]) * 1e9);
    const struct sched_param param = {.sched_priority = atoi(argv[2])};
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET((size_t)atoi(argv[1]), &cpus);
    if (sched_setaffinity(0, sizeof(cpus), &cpus) != 0 ||
        sched_setscheduler(0, SCHED_FIFO, &param) != 0) {
        fprintf(stderr, "stalls: %s\n", strerror(errno));
        return 4;
    }
    srand48(argc > 7 ? atol(argv[7]) : (long)begin_ns);
    int n = 0;
    while (now_ns() - begin_ns < length_ns) {
        const int64_t pause_ns = (int64_t)(apart_ns + exponential(fmax(1, every_ns - apart_ns)));
        const struct timespec pause = {.tv_sec = (time_t)(pause_ns / 1000000000),
                                       .tv_nsec = (long)(pause_ns % 1000000000)};
        const int64_t stall_ns = (int64_t)pareto(mean_ns, shape);
        nanosleep(&pause, NULL);
        const int64_t from_ns = now_ns();
        int64_t took_ns;
        do
            took_ns = now_ns() - from_ns;
        while (took_ns < stall_ns);
        for (int i = 0; i < SIZES_N; i++) {
            const double period_ns = frames[i] / RATE_HZ * 1e9;
            sum[i] += fmin(1, fmax(0, (double)took_ns - period_ns) / period_ns);
        }
        n++;
    }
    const double hours = (double)(now_ns() - begin_ns) / 3600e9;
    printf("frames,true_per_hour,stalls,seconds\n");
    for (int i = 0; i < SIZES_N; i++)
        printf("%d,%.2f,%d,%.0f\n", frames[i], sum[i] / hours, n, hours * 3600);
    return 0;
}
