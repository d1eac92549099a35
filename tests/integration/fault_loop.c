/* To be preloaded: the cycle loop wakes on time and then has to wait for pages of the file
 * FAULT_FILE, which are read from disk, for some 8 ms: four times, as a program that is swapped out
 * does. At the end the file FAULT_TOLD has a line for each: how long it took in ns by
 * CLOCK_MONOTONIC, and how many major faults the kernel counted. CLOCK_NANOSLEEP is the number of
 * the system call, set by meson. */
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "next_syscall.h"

#define TIMES     4
#define EVERY     300 /* sleeps */
#define LENGTH_NS 8000000

static volatile const char *pages; /* NULL: there is no file */
static size_t bytes, used;
static struct {
    int64_t took_ns;
    long faults_n;
} told[TIMES];
static int told_n;
static const char *told_name; /* read before main, which forgets it as root */

static __attribute__((constructor)) void begin(void)
{
    const char *name = getenv("FAULT_FILE");
    told_name = getenv("FAULT_TOLD");
    const int fd = name != NULL ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    struct stat of;
    if (fd < 0 || fstat(fd, &of) != 0)
        return;
    bytes = (size_t)of.st_size;
    (void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    void *at = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    if (at == MAP_FAILED ||
        madvise(at, bytes, MADV_RANDOM) != 0) /* random: a page at a time is read */
        return;
    pages = at;
}

static __attribute__((destructor)) void end(void)
{
    FILE *file = told_n > 0 && told_name != NULL ? fopen(told_name, "w") : NULL;
    if (file == NULL)
        return;
    for (int i = 0; i < told_n; i++)
        fprintf(file, "%jd %ld\n", told[i].took_ns, told[i].faults_n);
    fclose(file);
}

static int64_t now_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static long faults_n(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_majflt : 0;
}

/* Pages that nobody had so far. */
static void fault(void)
{
    const long before_n = faults_n();
    const int64_t begin_ns = now_ns();
    int64_t took_ns = 0;
    for (; took_ns < LENGTH_NS && used < bytes; used += 4096) {
        (void)pages[used];
        took_ns = now_ns() - begin_ns;
    }
    told[told_n].took_ns = took_ns;
    told[told_n++].faults_n = faults_n() - before_n;
}

static void slept(void)
{
    static __thread int sleeps_n;
    char name[16] = "";
    if (pages != NULL && told_n < TIMES && ++sleeps_n % EVERY == 0 &&
        pthread_getname_np(pthread_self(), name, sizeof(name)) == 0 && strcmp(name, "st-loop") == 0)
        fault();
}

long syscall(long number, ...)
{
    va_list args;
    va_start(args, number);
    long values[6];
    for (int i = 0; i < 6; i++)
        values[i] = va_arg(args, long);
    va_end(args);
    const long result = next_syscall(number, values);
    if (number == CLOCK_NANOSLEEP && result == 0)
        slept();
    return result;
}
