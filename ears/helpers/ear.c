#include "ears/helpers/ear.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/ns.h"
#include "core/text/number.h"
#include "ears/hearing.h"
#include "platform/posix/posix.h"
#include "platform/standard_files.h"
#include "platform/trusted.h"
#include "st_config.h"

/* sound that the ring holds at least: the command may read this late without a loss. At 48 kHz
 * and two channels it just fits into 512 KiB, a power of two */
#define RING_NS (1350 * ST_NS_PER_MS)

static struct st_ear_shared alone; /* state of a program that plays and records in one process */

/* --- options --- */

static void refuse(const char *program, const char *why)
{
    fprintf(stderr, "%s: %s\n", program, why);
    exit(ST_EAR_USAGE);
}

void st_ear_options(struct st_ear *ear, int argc, char **argv)
{
    int option;
    int64_t frames;
    st_standard_files_open();
    st_trusted_environment();
    *ear = (struct st_ear){
        .way = "", .plays = "", .records = "", .shared = &alone, .input = STDIN_FILENO};
    while ((option = getopt(argc, argv, "f:p:r:V:w:")) != -1) {
        if (option == 'V' && strcmp(optarg, ST_VERSION) != 0)
            exit(st_ear_absent(
                "%s has version %s, but sleeptune has %s: install one version of both", argv[0],
                ST_VERSION, optarg));
        else if (option == 'f' && st_number_i64(optarg, 1, ST_EAR_FRAMES_MAX, &frames) == 0)
            ear->frames = (uint32_t)frames;
        else if (option == 'p')
            ear->plays = optarg;
        else if (option == 'r')
            ear->records = optarg;
        else if (option == 'w')
            ear->way = optarg;
        else if (option == 'f')
            refuse(argv[0], "-f: not a buffer size");
        else if (option == '?') /* getopt has printed the reason */
            exit(ST_EAR_USAGE);
    }
    if (optind < argc)
        refuse(argv[0], "takes no argument");
    if (ear->way[0] == '\0' || strlen(ear->way) >= sizeof(ear->head.way))
        refuse(argv[0], "-w: the way to record is missing (see sleeptune listen --help)");
    ST_PRINT(ear->head.way, "%s", ear->way);
    (void)!getentropy(&alone.chance, sizeof(alone.chance));
    (void)signal(SIGPIPE, SIG_IGN);
}

/* --- the two processes --- */

int st_ear_split(struct st_ear *ear)
{
    int line[2]; /* a pipe that ends for the player when this process has ended */
    struct st_ear_shared *shared =
        mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANON, -1, 0);
    if (shared == MAP_FAILED || pipe2(line, O_CLOEXEC) != 0)
        return -errno;
    shared->chance = alone.chance;
    ear->shared = shared;
    ear->pid = fork();
    if (ear->pid < 0)
        return -errno;
    ear->player = ear->pid == 0;
    close(line[ear->player]);
    ear->line = line[1];
    if (ear->player) {
        ear->line = -1;
        ear->input = line[0];
        close(STDOUT_FILENO); /* the player writes nothing */
        st_standard_files_open();
    }
    return 0;
}

bool st_ear_player_ended(struct st_ear *ear)
{
    if (ear->pid > 0 && waitpid(ear->pid, NULL, WNOHANG) == ear->pid)
        ear->pid = -1;
    return ear->pid < 0;
}

void st_ear_end_player(struct st_ear *ear)
{
    const struct timespec nap = {.tv_nsec = ST_EAR_PUMP_NS};
    close(ear->line);
    for (int i = 0; i < 20 && !st_ear_player_ended(ear); i++)
        (void)nanosleep(&nap, NULL);
}

/* --- the signal --- */

int st_ear_prepare(struct st_ear *ear)
{
    const uint64_t rate_hz = ear->head.rate_hz;
    const size_t bytes =
        (size_t)(rate_hz * RING_NS / ST_NS_PER_S) * ear->head.channels * sizeof(float);
    st_signal_init(&ear->signal, ear->head.rate_hz, ear->head.channels);
    st_signal_force(&ear->signal, ear->shared->chance);
    return ear->player ? 0 : st_capture_stream_ring_open(&ear->ring, bytes, ear->head.channels);
}

/* --- the audio thread --- */

#define PART 256 /* frames that are made at once, in an array on the stack */

void st_ear_play(struct st_ear *ear, uint32_t time, float *const *to, size_t stride,
                 uint32_t frames_n)
{
    float part[PART * ST_CAPTURE_CHANNELS_MAX];
    const uint32_t channels = ear->head.channels;
    const uint64_t at = atomic_load_explicit(&ear->shared->played, memory_order_relaxed);
    for (uint32_t begin = 0; begin < frames_n; begin += PART) {
        const uint32_t n = frames_n - begin < PART ? frames_n - begin : PART;
        st_signal_fill(&ear->signal, at + begin, part, n);
        for (uint32_t c = 0; c < channels; c++) {
            for (uint32_t i = 0; to[c] != NULL && i < n; i++)
                to[c][(size_t)(begin + i) * stride] = part[i * channels + c];
        }
    }
    atomic_store_explicit(&ear->shared->offset, (uint32_t)at - time, memory_order_relaxed);
    atomic_store_explicit(&ear->shared->played, at + frames_n, memory_order_release);
}

void st_ear_event(struct st_ear *ear, enum st_capture_event_kind kind, uint64_t frames,
                  int64_t time_ns)
{
    const struct st_capture_event event = {
        .kind = kind, .at_frame = ear->recorded, .frames = frames, .time_ns = time_ns};
    st_capture_stream_ring_event(&ear->ring, &event);
}

/* Reports frames of the server's time that passed without this process (missed) or without the
 * player, whose signal is then behind. */
static void say_late(struct st_ear *ear, uint32_t time, uint32_t offset,
                     int64_t time_ns) ST_NONBLOCKING
{
    const uint32_t missed = time - ear->time, behind = ear->offset - offset;
    if (missed != 0) /* a difference from 2^31 on comes from a change of the server's clock: report
                        0 frames, unknown */
        st_ear_event(ear, ST_CAPTURE_RECORDER, missed < UINT32_MAX / 2 ? missed : 0, time_ns);
    if (behind != 0)
        st_ear_event(ear, ST_CAPTURE_PLAYER, behind < UINT32_MAX / 2 ? behind : 0, time_ns);
}

void st_ear_record(struct st_ear *ear, uint32_t time, int64_t time_ns, const float *const *from,
                   size_t stride, uint32_t frames_n)
{
    const uint64_t played = atomic_load_explicit(&ear->shared->played, memory_order_acquire);
    const uint32_t offset = atomic_load_explicit(&ear->shared->offset, memory_order_relaxed);
    if (ear->pid != 0 && played == 0) /* the player's first cycle is still to come */
        return;
    if (ear->recorded > 0 && ear->pid != 0)
        say_late(ear, time, offset, time_ns);
    const int64_t now = (int64_t)played + (int32_t)(time + offset - (uint32_t)played);
    st_capture_stream_ring_put(&ear->ring,
                               &(struct st_capture_packet){.recorded = ear->recorded,
                                                           .played = now > 0 ? (uint64_t)now : 0,
                                                           .time_ns = time_ns,
                                                           .frames_n = frames_n},
                               from, stride);
    ear->offset = offset;
    ear->time = time + frames_n;
    ear->recorded += frames_n;
}

/* --- the main thread --- */

static void keep(struct st_ear *ear, int r)
{
    ear->shut |= r < 0;
}

void st_ear_begin(struct st_ear *ear)
{
    keep(ear, st_capture_stream_write_head(STDOUT_FILENO, &ear->head));
}

static void say_forced(struct st_ear *ear)
{
    const uint64_t played = atomic_load_explicit(&ear->shared->played, memory_order_acquire);
    for (; ear->forced_n < ear->signal.glitches_n; ear->forced_n++) {
        const struct st_glitch *glitch = &ear->signal.glitches[ear->forced_n];
        struct st_capture_event event = {
            .kind = ST_CAPTURE_FORCED, .at_frame = glitch->at_frame, .frames = glitch->frames};
        if (played <= glitch->at_frame + glitch->frames)
            return;
        ST_PRINT(event.text, "%s", st_signal_loss_name(glitch->kind));
        keep(ear, st_capture_stream_write_event(STDOUT_FILENO, &event));
    }
}

void st_ear_pump(struct st_ear *ear)
{
    keep(ear, st_capture_stream_ring_write(&ear->ring, STDOUT_FILENO));
    say_forced(ear);
}

void st_ear_say(struct st_ear *ear, enum st_capture_event_kind kind, const char *text)
{
    struct st_capture_event event = {.kind = kind, .time_ns = st_posix_now_ns(NULL)};
    ST_PRINT(event.text, "%s", text);
    keep(ear, st_capture_stream_write_event(STDOUT_FILENO, &event));
}

bool st_ear_input(struct st_ear *ear)
{
    char bytes[64];
    const ssize_t n = read(ear->input, bytes, sizeof(bytes));
    ear->go |= n > 0;
    return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

void st_ear_run(struct st_ear *ear, bool (*look)(void *ctx), void *ctx)
{
    struct pollfd input = {.fd = ear->input, .events = POLLIN};
    bool more = true;
    while (more && !ear->shut) {
        const int n = poll(&input, 1, ST_EAR_PUMP_MS);
        more = (n <= 0 || st_ear_input(ear)) && look(ctx);
        if (!ear->player)
            st_ear_pump(ear);
    }
}

int st_ear_absent(const char *format, ...)
{
    struct st_capture_event event = {.kind = ST_CAPTURE_ABSENT};
    ST_PRINT_REST(event.text, sizeof(event.text), format);
    return st_capture_stream_write_event(STDOUT_FILENO, &event) == 0 ? ST_EAR_ABSENT
                                                                     : ST_EAR_FAILED;
}
