/* Measures how late a system wakes a program that sleeps until one due time after the other. For
 * systems on which sleeptune cannot be built (OpenBSD, DragonFly, macOS, old kernels). Prints one
 * lateness a line, in seconds.
 *
 *     cc -std=c99 -o late late.c        (with a C library before glibc 2.17: -lrt)
 *     ./late 900 1 >other.txt           900 times, each second: 15 minutes
 * Then, on a computer that has sleeptune, with the same period:
 *     sleeptune-lab analyse other.txt --every 1s
 *     sleeptune-lab plot other.txt --every 1s -o other.svg */
#define _POSIX_C_SOURCE 200112L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_s(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) {
        perror("CLOCK_MONOTONIC");
        exit(1);
    }
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    const int count = argc > 1 ? atoi(argv[1]) : 900;
    const double every_s = argc > 2 ? atof(argv[2]) : 1, start_s = now_s();
    if (count < 1 || !(every_s > 0 && every_s <= 3600)) {
        fputs("usage: late [COUNT [SECONDS]]\n", stderr);
        return 2;
    }
    for (int i = 1; i <= count; i++) {
        const double due_s = start_s + i * every_s;
        double left_s; /* computed again after a signal, or if a sleep ended too early */
        while ((left_s = due_s - now_s()) > 0) {
            const struct timespec left = {(time_t)left_s,
                                          (long)((left_s - (double)(time_t)left_s) * 1e9)};
            nanosleep(&left, NULL);
        }
        if (printf("%.9f\n", now_s() - due_s) < 0 ||
            fflush(stdout) != 0) /* flushed: Ctrl-C loses no line */
            return 1;
    }
    return 0;
}
