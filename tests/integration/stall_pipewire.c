/* stall_pipewire STALL_MS [NAME [BASE PEAK EVERY LOG [CPU
 * [self|filter|exits|pages|sleeps|helped]]]]: a stream NAME ("stall") to the default sink of
 * PipeWire. It plays silence, prints "playing", then for each newline on standard input sleeps
 * STALL_MS in one process callback, prints "stalled N" after it, and ends with its input.
 *
 * With BASE it computes in each cycle: BASE % of the period, in each EVERYth cycle PEAK %, as CPU
 * time; EVERY below 0: in each cycle that completes a block of -EVERY samples. At the end it writes
 * a line for each cycle into LOG: when PipeWire began it, when the callback began and ended
 * (CLOCK_MONOTONIC), its CPU time and the period, all in ns. It runs on CPU only (-1: anywhere).
 * "self": the PEAK is computed by another thread of its own, of higher priority, on that CPU.
 * "filter": it is no stream, but has the ports NAME:in and NAME:out, which others link. "exits": it
 * ends at the end of its first PEAK, in its 40th cycle or later. "pages": the PEAK is time in which
 * it reads pages of a mapped file, LOG.pages, that are on the disk only. "sleeps": it sleeps for
 * the PEAK. "helped": another thread computes it, in real time where it may, and it waits for that.
 * $STALL_CLAIMS: the process that the stream says is its own; $STALL_LEVEL: it plays this level,
 * not silence, which a recording tells from the silence of a loss. */
#include <spa/pod/pod.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <pipewire/filter.h>
#include <pipewire/pipewire.h>
#include <spa/param/audio/format-utils.h>

static struct pw_stream *stream;
static long stall_ms;
static float level;
static atomic_long asked, stalled, cycles;

/* --- computing --- */

#define CYCLES_MAX (1 << 20)

struct cycle {
    int64_t start_ns, begin_ns, end_ns, cpu_ns, period_ns;
};

static struct cycle *log_of;
static long base, peak, every, cpu = -1, n, played;
static bool by_itself, is_filter, exits, sleeps, is_helped;
static int paged_fd = -1;
static volatile char *paged;
static const char *log_path;
static sem_t own_hog, done;
static _Atomic int64_t own_hog_ns;
static struct spa_io_position *position;

static int64_t now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void compute(int64_t ns)
{
    const int64_t end_ns = now_ns(CLOCK_THREAD_CPUTIME_ID) + ns;
    while (now_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
        ;
}

static void *run_own_hog(void *ctx)
{
    (void)ctx;
    while (sem_wait(&own_hog) == 0) {
        compute(own_hog_ns);
        sem_post(&done);
    }
    return NULL;
}

static int begin_own_hog(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    const struct sched_param param = {.sched_priority = is_helped ? 1 : 95};
    sem_init(&own_hog, 0, 0);
    sem_init(&done, 0, 0);
    pthread_attr_init(&attributes);
    pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
    pthread_attr_setschedparam(&attributes, &param);
    const int r = pthread_create(&thread, &attributes, run_own_hog, NULL);
    return r == EPERM && is_helped ? pthread_create(&thread, NULL, run_own_hog, NULL) : r;
}

/* --- reading a file --- */

#define PAGED_BYTES (32 * 1024 * 1024)

static int begin_pages(void)
{
    char path[4096];
    static char block[1024 * 1024];
    snprintf(path, sizeof(path), "%s.pages", log_path);
    paged_fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    for (int i = 0; i < PAGED_BYTES / (int)sizeof(block); i++) {
        if (write(paged_fd, block, sizeof(block)) != (ssize_t)sizeof(block))
            return -1;
    }
    paged = mmap(NULL, PAGED_BYTES, PROT_READ, MAP_SHARED, paged_fd, 0);
    if (paged == MAP_FAILED || fsync(paged_fd) != 0) /* what is to be written cannot be dropped */
        return -1;
    return madvise((void *)paged, PAGED_BYTES, MADV_RANDOM); /* else the kernel reads ahead */
}

static void read_pages(int64_t ns)
{
    const int64_t end_ns = now_ns(CLOCK_MONOTONIC) + ns;
    for (size_t at = 0; now_ns(CLOCK_MONOTONIC) < end_ns; at = (at + 4096) % PAGED_BYTES) {
        if (at == 0) {
            madvise((void *)paged, PAGED_BYTES, MADV_DONTNEED);
            posix_fadvise(paged_fd, 0, PAGED_BYTES, POSIX_FADV_DONTNEED);
        }
        (void)paged[at];
    }
}

static int write_log(void)
{
    FILE *file = fopen(log_path, "w");
    for (long i = 0; file != NULL && i < n; i++)
        fprintf(file, "%lld %lld %lld %lld %lld\n", (long long)log_of[i].start_ns,
                (long long)log_of[i].begin_ns, (long long)log_of[i].end_ns,
                (long long)log_of[i].cpu_ns, (long long)log_of[i].period_ns);
    return file == NULL || fclose(file) != 0;
}

static void work(void)
{
    if (position == NULL || n == CYCLES_MAX)
        return;
    struct cycle *cycle = &log_of[n++];
    cycle->begin_ns = now_ns(CLOCK_MONOTONIC);
    cycle->cpu_ns = -now_ns(CLOCK_THREAD_CPUTIME_ID);
    cycle->start_ns = (int64_t)position->clock.nsec;
    cycle->period_ns = (int64_t)position->clock.duration * 1000000000 * position->clock.rate.num /
                       position->clock.rate.denom;
    const long before = played;
    played += (long)position->clock.duration;
    const bool due = every > 0 ? n % every == 0 : played / -every != before / -every;
    const bool at_peak = due && n > (exits ? 39 : 20);
    const int64_t peak_ns = cycle->period_ns * peak / 100;
    const struct timespec pause = {.tv_sec = (time_t)(peak_ns / 1000000000),
                                   .tv_nsec = (long)(peak_ns % 1000000000)};
    if (at_peak && (by_itself || is_helped)) {
        own_hog_ns = peak_ns;
        sem_post(&own_hog);
    }
    if (at_peak && is_helped)
        sem_wait(&done);
    else if (at_peak && sleeps)
        nanosleep(&pause, NULL);
    else if (at_peak && paged != NULL)
        read_pages(peak_ns);
    else
        compute(at_peak && !by_itself ? peak_ns : cycle->period_ns * base / 100);
    cycle->cpu_ns += now_ns(CLOCK_THREAD_CPUTIME_ID);
    cycle->end_ns = now_ns(CLOCK_MONOTONIC);
    if (exits && at_peak)
        _exit(write_log());
}

static void on_io(void *ctx, uint32_t id, void *area, uint32_t size)
{
    (void)ctx;
    if (id == SPA_IO_Position)
        position = size >= sizeof(*position) ? area : NULL;
}

/* --- playing --- */

static void on_process(void *ctx)
{
    (void)ctx;
    if (log_of != NULL)
        work();
    struct pw_buffer *buffer = pw_stream_dequeue_buffer(stream);
    if (buffer == NULL)
        return;
    struct spa_data *data = &buffer->buffer->datas[0];
    const uint32_t wanted =
        position != NULL ? (uint32_t)position->clock.duration * 8 : 4096; /* one cycle's */
    const uint32_t bytes = data->maxsize < wanted ? data->maxsize : wanted;
    for (uint32_t i = 0; i < bytes / sizeof(level); i++)
        ((float *)data->data)[i] = level;
    data->chunk->offset = 0;
    data->chunk->stride = 8;
    data->chunk->size = bytes;
    pw_stream_queue_buffer(stream, buffer);
    atomic_fetch_add(&cycles, 1);
    if (atomic_load(&stalled) < atomic_load(&asked)) {
        usleep((useconds_t)stall_ms * 1000);
        atomic_fetch_add(&stalled, 1);
    }
}

static void on_filter(void *ctx, struct spa_io_position *now)
{
    (void)ctx;
    position = now;
    work();
    atomic_fetch_add(&cycles, 1);
}

static const struct pw_filter_events filter_events = {PW_VERSION_FILTER_EVENTS,
                                                      .process = on_filter};

static int begin_filter(struct pw_loop *loop, const char *name)
{
    struct pw_filter *filter = pw_filter_new_simple(
        loop, name, pw_properties_new(PW_KEY_NODE_NAME, name, NULL), &filter_events, NULL);
    for (int i = 0; i < 2 && filter != NULL; i++)
        pw_filter_add_port(filter, i == 0 ? PW_DIRECTION_INPUT : PW_DIRECTION_OUTPUT,
                           PW_FILTER_PORT_FLAG_MAP_BUFFERS, 1,
                           pw_properties_new(PW_KEY_FORMAT_DSP, "32 bit float mono audio",
                                             PW_KEY_PORT_NAME, i == 0 ? "in" : "out", NULL),
                           NULL, 0);
    return filter == NULL || pw_filter_connect(filter, PW_FILTER_FLAG_RT_PROCESS, NULL, 0) < 0;
}

static const struct pw_stream_events events = {PW_VERSION_STREAM_EVENTS, .io_changed = on_io,
                                               .process = on_process};

static int begin_stream(struct pw_loop *loop, const char *name)
{
    uint8_t space[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(space, sizeof(space));
    struct pw_properties *props =
        pw_properties_new(PW_KEY_NODE_NAME, name, PW_KEY_MEDIA_TYPE, "Audio", PW_KEY_MEDIA_CATEGORY,
                          "Playback", NULL);
    if (getenv("STALL_LEVEL") != NULL)
        level = (float)strtod(getenv("STALL_LEVEL"), NULL);
    if (getenv("STALL_CLAIMS") != NULL)
        pw_properties_set(props, PW_KEY_APP_PROCESS_ID, getenv("STALL_CLAIMS"));
    stream = pw_stream_new_simple(loop, name, props, &events, NULL);
    const struct spa_pod *format = spa_format_audio_raw_build(
        &builder, SPA_PARAM_EnumFormat,
        &SPA_AUDIO_INFO_RAW_INIT(.format = SPA_AUDIO_FORMAT_F32, .rate = 48000, .channels = 2));
    return stream == NULL ||
           pw_stream_connect(stream, PW_DIRECTION_OUTPUT, PW_ID_ANY,
                             PW_STREAM_FLAG_AUTOCONNECT | PW_STREAM_FLAG_MAP_BUFFERS |
                                 PW_STREAM_FLAG_RT_PROCESS,
                             &format, 1) < 0;
}

int main(int argc, char **argv)
{
    char line[16];
    stall_ms = argc > 1 ? atol(argv[1]) : 100;
    const char *name = argc > 2 ? argv[2] : "stall";
    if (argc > 6) {
        base = atol(argv[3]);
        peak = atol(argv[4]);
        every = atol(argv[5]);
        cpu = argc > 7 ? atol(argv[7]) : -1;
        const char *mode = argc > 8 ? argv[8] : "";
        by_itself = strcmp(mode, "self") == 0;
        is_filter = strcmp(mode, "filter") == 0;
        exits = strcmp(mode, "exits") == 0;
        sleeps = strcmp(mode, "sleeps") == 0;
        is_helped = strcmp(mode, "helped") == 0;
        log_path = argv[6];
        log_of = calloc(CYCLES_MAX, sizeof(*log_of));
        if (log_of == NULL || every == 0)
            return 1;
        if (cpu >= 0) {
            cpu_set_t set;
            CPU_ZERO(&set);
            CPU_SET((size_t)cpu, &set);
            if (sched_setaffinity(0, sizeof(set), &set) != 0)
                return 1;
        }
        if ((by_itself || is_helped) && begin_own_hog() != 0)
            return 77; /* no right to real-time priority */
        if (strcmp(mode, "pages") == 0 && begin_pages() != 0)
            return 1;
    }
    pw_init(NULL, NULL);
    struct pw_thread_loop *loop = pw_thread_loop_new("stall", NULL);
    if (loop == NULL)
        return 1;
    if (is_filter ? begin_filter(pw_thread_loop_get_loop(loop), name)
                  : begin_stream(pw_thread_loop_get_loop(loop), name))
        return 1;
    pw_thread_loop_start(loop);
    while (atomic_load(&cycles) < 10)
        usleep(1000);
    puts("playing");
    fflush(stdout);
    while (fgets(line, sizeof(line), stdin) != NULL) {
        const long number = atomic_fetch_add(&asked, 1) + 1;
        while (atomic_load(&stalled) < number)
            usleep(1000);
        const long then = atomic_load(&cycles);
        while (atomic_load(&cycles) < then + 10) /* it goes on */
            usleep(1000);
        printf("stalled %ld\n", number);
        fflush(stdout);
    }
    pw_thread_loop_stop(loop);
    return log_of != NULL ? write_log() : 0;
}
