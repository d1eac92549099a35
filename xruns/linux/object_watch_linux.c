#include "xruns/helpers/object_watch.h"

#include <linux/perf_event.h>

#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/ns.h"
#include "core/text/text.h"
#include "platform/posix/posix.h"
#include "platform/proc.h"
#include "xruns/helpers/object_share.h"
#include "xruns/helpers/standing.h"

#define SAMPLE_NS                                                                                            \
    997000 /* of CPU time; no multiple of what audio programs compute by. One costs up to 20 us, in a guest  \
            */
#define RING_BYTES (64 * 1024) /* 2700 samples, of seconds: reports are up to one late */
#define RANGES_MAX 1024        /* executable mappings with a file */
#define LINES_MAX  20000
#define SAMPLED_NS (120 * ST_NS_PER_S)
#define AGAIN_NS   (600 * ST_NS_PER_S)
#define IDLE_NS    (30 * ST_NS_PER_S) /* without a cycle for so long, it makes room */
#define RETRY_NS   (10 * ST_NS_PER_S)

struct sampler {
    struct st_object_watch_thread thread; /* tid 0: none */
    int fd;                               /* -1: it pauses */
    struct perf_event_mmap_page *page;
    const char *ring;           /* behind the page */
    int64_t begun_ns, cycle_ns; /* cycle_ns: the end of the latest one */
    struct st_object_share share;
    struct st_xrun_code found;
    uint64_t sum; /* of the text of all ranges */
    size_t ranges_n;
    struct st_proc_mapping ranges[RANGES_MAX]; /* ascending */
};

struct st_object_watch {
    struct sampler *samplers[ST_OBJECT_WATCH_MAX]; /* NULL: none so far */
    int64_t refused_ns;                            /* the kernel refused at that time; 0: never */
    bool filtered;
};

/* --- files --- */

static uint64_t mix(uint64_t sum, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    for (size_t i = 0; i < bytes; i++)
        sum = (sum ^ at[i]) * UINT64_C(0x100000001b3);
    return sum;
}

/* Reads the maps of its process. @return it is not as before. */
static bool read_ranges(struct sampler *sampler)
{
    char line[8192];
    uint64_t sum = 0;
    FILE *file = fopen(ST_TEXT(64, "/proc/%d/maps", (int)sampler->thread.tid), "re");
    sampler->ranges_n = 0;
    for (int i = 0; file != NULL && i < LINES_MAX && fgets(line, sizeof(line), file) != NULL; i++) {
        struct st_proc_mapping *range = &sampler->ranges[sampler->ranges_n];
        if (sampler->ranges_n == RANGES_MAX || st_proc_mapping(line, range) != 0 || !range->executable ||
            range->name[0] == '\0')
            continue;
        sum = mix(mix(sum, &range->start, sizeof(range->start)), range->name, strlen(range->name));
        sampler->ranges_n++;
    }
    if (file != NULL)
        (void)fclose(file);
    const bool changed = sum != sampler->sum;
    sampler->sum = sum;
    return changed;
}

/* @return the file's name; "": none. */
static const char *file_at(const struct sampler *sampler, uint64_t address)
{
    size_t low = 0, high = sampler->ranges_n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (sampler->ranges[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < sampler->ranges_n && sampler->ranges[low].start <= address ? sampler->ranges[low].name : "";
}

/* --- samples --- */

static void stop(struct sampler *sampler)
{
    if (sampler->fd < 0)
        return;
    (void)munmap(sampler->page, (size_t)sysconf(_SC_PAGESIZE) + RING_BYTES);
    close(sampler->fd);
    sampler->fd = -1;
}

static void begin_anew(struct sampler *sampler, int64_t now)
{
    sampler->share = (struct st_object_share){.sample_ns = SAMPLE_NS};
    sampler->found = (struct st_xrun_code){.state = ST_XRUN_CODE_WATCHED};
    sampler->begun_ns = now;
}

/* @return 0 or a negative errno value. */
static int start(struct sampler *sampler)
{
    struct perf_event_attr event = {.type = PERF_TYPE_SOFTWARE,
                                    .size = sizeof(event),
                                    .config = PERF_COUNT_SW_TASK_CLOCK,
                                    .sample_period = SAMPLE_NS,
                                    .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME,
                                    .exclude_kernel = 1,
                                    .exclude_hv = 1,
                                    .use_clockid = 1,
                                    .clockid = CLOCK_MONOTONIC};
    const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    const int fd =
        (int)syscall(SYS_perf_event_open, &event, sampler->thread.tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0)
        return -errno;
    void *page = mmap(NULL, page_bytes + RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED) {
        const int r = -errno;
        close(fd);
        return r;
    }
    sampler->fd = fd;
    sampler->page = page;
    sampler->ring = (const char *)page + page_bytes;
    return 0;
}

static uint64_t word_at(const struct sampler *sampler, uint64_t at)
{
    uint64_t word;
    memcpy(&word, sampler->ring + (size_t)(at % RING_BYTES), sizeof(word)); /* all are aligned */
    return word;
}

/* Takes the samples up to a time; those before the cycle are in none. @return false: the kernel had no room
 * for some. */
static bool take_samples(struct sampler *sampler, int64_t from_ns, int64_t to_ns)
{
    const _Atomic uint64_t *data_head = (const void *)&sampler->page->data_head; /* the kernel writes it */
    _Atomic uint64_t *data_tail = (void *)&sampler->page->data_tail;
    const uint64_t head = atomic_load_explicit(data_head, memory_order_acquire);
    uint64_t tail = sampler->page->data_tail;
    bool complete = true;
    while (head - tail >= sizeof(struct perf_event_header)) {
        struct perf_event_header header;
        const uint64_t first = word_at(sampler, tail);
        memcpy(&header, &first, sizeof(header));
        if (header.size < sizeof(header) || header.size > head - tail) {
            tail = head;
            complete = false;
            break;
        }
        if (header.type == PERF_RECORD_SAMPLE) {
            const int64_t at_ns = (int64_t)word_at(sampler, tail + 16);
            if (at_ns > to_ns)
                break;
            if (at_ns >= from_ns)
                st_object_share_sample(&sampler->share, file_at(sampler, word_at(sampler, tail + 8)));
        }
        complete = complete && header.type != PERF_RECORD_LOST;
        tail += header.size;
    }
    atomic_store_explicit(data_tail, tail, memory_order_release);
    return complete;
}

/* --- clients --- */

static struct sampler *find(struct st_object_watch *watch, uint32_t node)
{
    ST_EACH (at, watch->samplers) {
        struct sampler *sampler = *at;
        if (sampler != NULL && sampler->thread.tid != 0 && sampler->thread.node == node)
            return sampler;
    }
    return NULL;
}

static struct sampler *find_room(struct st_object_watch *watch, int64_t now)
{
    ST_EACH (at, watch->samplers) {
        struct sampler *sampler = *at;
        if (sampler == NULL) {
            sampler = *at = calloc(1, sizeof(*sampler));
            if (sampler != NULL)
                sampler->fd = -1;
            return sampler;
        }
        if (sampler->thread.tid != 0 && now - sampler->cycle_ns > IDLE_NS) {
            stop(sampler);
            sampler->thread.tid = 0;
        }
        if (sampler->thread.tid == 0)
            return sampler;
    }
    return NULL;
}

/* @return NULL: it is not watched. */
static struct sampler *begin(struct st_object_watch *watch, const struct st_object_watch_thread *thread,
                             int64_t now)
{
    if (thread->tid == 0 || watch->filtered || (watch->refused_ns != 0 && now - watch->refused_ns < RETRY_NS))
        return NULL;
    struct sampler *sampler = find_room(watch, now);
    if (sampler == NULL)
        return NULL;
    sampler->thread = *thread;
    (void)read_ranges(sampler);
    watch->refused_ns = start(sampler) < 0 ? now : 0;
    if (watch->refused_ns != 0) {
        sampler->thread.tid = 0;
        return NULL;
    }
    begin_anew(sampler, now);
    return sampler;
}

void st_object_watch_cycle(struct st_object_watch *watch, const struct st_object_watch_thread *thread,
                           int64_t from_ns, int64_t to_ns, bool is_long)
{
    struct sampler *sampler = find(watch, thread->node);
    if (sampler == NULL)
        sampler = begin(watch, thread, st_posix_now_ns(NULL));
    if (sampler == NULL)
        return;
    sampler->cycle_ns = to_ns;
    if (sampler->fd < 0 || from_ns < sampler->begun_ns)
        return;
    if (take_samples(sampler, from_ns, to_ns))
        st_object_share_cycle(&sampler->share, is_long, to_ns - from_ns);
    else
        begin_anew(sampler, to_ns);
}

void st_object_watch_take(struct st_object_watch *watch, const struct st_object_watch_thread *thread,
                          struct st_xrun_code *ret)
{
    const int64_t now = st_posix_now_ns(NULL);
    struct sampler *sampler = find(watch, thread->node);
    *ret = (struct st_xrun_code){.state = watch->filtered || watch->refused_ns != 0 ? ST_XRUN_CODE_NO_RIGHT
                                                                                    : ST_XRUN_CODE_NO_ROOM};
    if (sampler == NULL)
        return;
    const bool other = thread->tid != 0 && thread->tid != sampler->thread.tid;
    sampler->thread = other ? *thread : sampler->thread;
    const bool changed = read_ranges(sampler) || other;
    if (other)
        stop(sampler);
    if (changed || now - sampler->begun_ns > AGAIN_NS) {
        const bool started = sampler->fd >= 0 || start(sampler) == 0;
        begin_anew(sampler, now);
        if (!started)
            sampler->thread.tid = 0;
    } else if (sampler->fd >= 0) {
        st_object_share_find(&sampler->share, &sampler->found);
    }
    if (now - sampler->begun_ns > SAMPLED_NS)
        stop(sampler);
    *ret = sampler->found;
}

/* A filter of system calls may end who makes one that it does not know. */
static bool is_filtered(void)
{
    char text[4096];
    uint64_t mode = 0;
    return st_standing_read("/proc/self/status", text, sizeof(text)) > 0 &&
           st_proc_line_u64(text, "Seccomp:", &mode) == 0 && mode != 0;
}

struct st_object_watch *st_object_watch_new(void)
{
    struct st_object_watch *watch = calloc(1, sizeof(*watch));
    if (watch != NULL)
        watch->filtered = is_filtered();
    return watch;
}
