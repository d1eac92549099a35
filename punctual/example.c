/* Wakes 750 times a second, on time, and prints how exact that was and what it cost.
 *
 *     cc -o punctual punctual.c $(pkg-config --cflags --libs sleeptune)
 *     ./punctual [CPU_SHARE [WAITS]]        ./punctual 0.02 3000
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sleeptune/punctual.h>

int main(int argc, char **argv)
{
    const double cpu_share = argc > 1 ? strtod(argv[1], NULL) : 0;
    const long waits_n = argc > 2 ? strtol(argv[2], NULL, 10) : 3000;
    const int64_t period_ns = 1333333;
    struct st_punctual *punctual;

    int r = st_punctual_new(cpu_share, &punctual);
    if (r != 0) {
        fprintf(stderr, "punctual: %s: %s\n", argc > 1 ? argv[1] : "0", strerror(-r));
        return 1;
    }
    const int64_t start_ns = st_punctual_now_ns();
    for (long k = 1; k <= waits_n && r == 0; k++) {
        do
            r = st_punctual_wait_until(punctual, start_ns + k * period_ns, NULL);
        while (r == -EINTR);
        /* Put the work of a period here. */
    }

    struct st_punctual_stats stats;
    st_punctual_get_stats(punctual, &stats, sizeof(stats));
    printf("%ju waits, %ju within 100 ns of the due time, the worst %jd ns late\n", stats.waits_n,
           stats.on_time_n, stats.lateness_max_ns);
    printf("%ju waits began too late, after their due time, %ju were interrupted\n", stats.past_n,
           stats.interrupted_n);
    printf("margin %jd ns, spinning %.2f %% of the time\n", stats.margin_ns,
           stats.span_ns > 0 ? 100.0 * (double)stats.spin_ns / (double)stats.span_ns : 0.0);
    st_punctual_free(punctual);
    return r == 0 ? 0 : 1;
}
