/* section COUNT EVERY_MS: has the kernel copy 2 MiB into one huge page, again and again:
 * MADV_COLLAPSE (Linux 6.1). A kernel that is not fully preemptible does that in one go, whoever is
 * to run meanwhile. Prints how long each call took, in ns, by CLOCK_MONOTONIC. */
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif
#define HUGE_BYTES ((size_t)2 << 20)

static int64_t now_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static int collapse(void)
{
    char *map =
        mmap(NULL, 2 * HUGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
        return -errno;
    char *huge = map + (HUGE_BYTES - (uintptr_t)map % HUGE_BYTES);
    int r = madvise(huge, HUGE_BYTES, MADV_NOHUGEPAGE);
    memset(huge, 1, HUGE_BYTES);
    if (r == 0)
        r = madvise(huge, HUGE_BYTES, MADV_HUGEPAGE);
    const int64_t begin_ns = now_ns();
    if (r == 0)
        r = madvise(huge, HUGE_BYTES, MADV_COLLAPSE);
    if (r != 0)
        r = -errno;
    else
        printf("%jd\n", now_ns() - begin_ns);
    munmap(map, 2 * HUGE_BYTES);
    return r;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fputs("Usage: section COUNT EVERY_MS\n", stderr);
        return 3;
    }
    const int every_ms = atoi(argv[2]);
    const struct timespec pause = {.tv_sec = every_ms / 1000,
                                   .tv_nsec = (long)(every_ms % 1000) * 1000000};
    for (int i = 0; i < atoi(argv[1]); i++) {
        nanosleep(&pause, NULL);
        const int r = collapse();
        if (r != 0) {
            fprintf(stderr, "section: %s\n", strerror(-r));
            return 4;
        }
    }
    return 0;
}
