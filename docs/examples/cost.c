/* Measures what a call costs: the time between two reads of the clock, once with nothing and once
 * with the call in between. For systems on which sleeptune cannot be built, such as guests with
 * OpenBSD. Prints two columns, in ns: the clock alone, and the call.
 *
 *     cc -std=c99 -O2 -o cost cost.c    (with a C library before glibc 2.17: -lrt)
 *     ./cost 500 >guest.txt             500 times in one process
 *     for i in $(seq 500); do ./cost 1; done >fresh.txt
 * Then, on a computer that has sleeptune:
 *     sleeptune-lab plot guest.txt:1 guest.txt:2 fresh.txt:1 -k box --unit ns -o guest.svg
 *     sleeptune-lab analyse guest.txt:1 guest.txt:2 fresh.txt:1 */
#define _POSIX_C_SOURCE 200112L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static long long now_ns(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) {
        perror("CLOCK_MONOTONIC");
        exit(1);
    }
    return (long long)now.tv_sec * 1000000000 + now.tv_nsec;
}

int main(int argc, char **argv)
{
    const int count = argc > 1 ? atoi(argv[1]) : 500;
    if (count < 1) {
        fputs("usage: cost [COUNT]\n", stderr);
        return 2;
    }
    for (int i = 0; i < count; i++) {
        const long long a = now_ns(), b = now_ns();
        (void)getppid(); /* the call that is measured; any other can stand here */
        const long long c = now_ns();
        if (printf("%lld,%lld\n", b - a, c - b) < 0 || fflush(stdout) != 0)
            return 1;
    }
    return 0;
}
