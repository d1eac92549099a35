/* A shared object that computes: what a plug-in of stall_pipewire's host is. */
#include <stdint.h>
#include <time.h>

void burst(int64_t ns);

static int64_t cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Computes so long, nearly all of it in this file's own code. */
void burst(int64_t ns)
{
    static volatile double kept;
    const int64_t end_ns = cpu_ns() + ns;
    double x = kept;
    do {
        for (int i = 0; i < 5000; i++)
            x = x * 0.999 + 0.25;
    } while (cpu_ns() < end_ns);
    kept = x;
}
