#include "ears/way.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "core/ns.h"
#include "platform/trusted.h"
#include "st_config.h"

#define CANNOT(fault) (1U << ST_WAY_CANNOT_##fault)
#define NO_SERVER     (CANNOT(CLIENT) | CANNOT(BUFFER) | CANNOT(GRAPH) | CANNOT(SECOND))
#define LINUX         (1U << ST_OS_LINUX)
#define FREEBSD       (1U << ST_OS_FREEBSD)
#define READ_BYTES    65536

const struct st_way_fault_words st_way_faults[ST_WAY_FAULTS_N] = {
#define ROW(fault, name, text) {name, text},
    ST_WAY_FAULTS(ROW)
#undef ROW
};

/* The ways of recording the test signal. docs/results.md has the tests that show which faults each
 * way cannot hear. */
const struct st_way st_ways[ST_WAYS_N] = {
    {
        .name = "jack",
        .systems = LINUX | FREEBSD,
        .program = "sleeptune-listen-jack",
        .title = "inside JACK (port to port)",
        .cannot_hear = CANNOT(GRAPH) | CANNOT(SECOND) | CANNOT(WIRE) | CANNOT(SHAPE),
        .chosen = true,
        .of_user = true,
    },
    {
        .name = "monitor",
        .systems = LINUX | FREEBSD,
        .program = "sleeptune-listen-pipewire",
        .title = "over the monitor of PipeWire's output",
        .cannot_hear = CANNOT(GRAPH) | CANNOT(SECOND) | CANNOT(WIRE) | CANNOT(SHAPE),
        .chosen = true,
        .of_user = true,
    },
    {
        .name = "virtual_oss",
        .systems = FREEBSD,
        .program = "sleeptune-listen-oss",
        .title = "over virtual_oss's loopback device",
        .make = "virtual_oss: start it with a loopback device, -l dsp.loop",
        .cannot_hear = CANNOT(GRAPH) | CANNOT(SECOND) | CANNOT(WIRE),
        .chosen = true,
    },
    {
        .name = "aloop",
        .systems = LINUX,
        .program = "sleeptune-listen-alsa",
        .title = "over a loopback card (snd-aloop)",
        .make = "aloop: run 'modprobe snd-aloop' as root, then add --back aloop",
        .cannot_hear = CANNOT(WIRE),
        .direct = NO_SERVER | CANNOT(SHAPE),
        .chosen = true,
    },
    {
        .name = "cable",
        .systems = LINUX | FREEBSD,
        .program = "sleeptune-listen-jack",
        .title = "over a cable",
        .of_ports = true,
        .of_user = true,
    },
    {
        .name = "cable",
        .systems = LINUX | FREEBSD,
        .program = "sleeptune-listen-pipewire",
        .title = "over a cable",
        .make = "cable: connect an output of the interface to an input, then add --back cable",
        .of_user = true,
    },
    {
        .name = "device", /* devices of the system, without a sound server */
        .systems = LINUX,
        .program = "sleeptune-listen-alsa",
        .title = "over an ALSA device",
        .make = "cable without JACK and PipeWire: add --back hw:N, a card of 'arecord -l'",
        .direct = NO_SERVER,
    },
    {
        .name = "device",
        .systems = FREEBSD,
        .program = "sleeptune-listen-oss",
        .title = "over a device of OSS",
        .make = "cable without JACK and PipeWire: add --back /dev/dspN, a card of /dev/sndstat",
        .direct = NO_SERVER,
    },
};

const struct st_way *st_way_find(const char *name, enum st_os os)
{
    ST_EACH (way, st_ways) {
        if (strcmp(way->name, name) == 0 && (way->systems & 1U << os) != 0)
            return way;
    }
    return NULL;
}

/* --- running a helper program --- */

static int start(struct st_way_run *run, const char *path, const struct st_way_wish *wish)
{
    const char *argv[11] = {run->way->program, "-V" ST_VERSION, "-w", run->way->name};
    size_t n = 4;
    if (wish->plays != NULL) {
        argv[n++] = "-p";
        argv[n++] = wish->plays;
    }
    if (wish->records != NULL) {
        argv[n++] = "-r";
        argv[n++] = wish->records;
    }
    if (wish->frames > 0) {
        argv[n++] = "-f";
        argv[n++] = st_text("%" PRIu32, wish->frames);
    }
    return st_posix_piped_start(&run->program, path, argv, (struct st_run_as){.plays = true});
}

int st_way_open(struct st_way_run *run, struct st_platform *machine, const struct st_way *way,
                const struct st_way_wish *wish)
{
    char path[PATH_MAX];
    *run = (struct st_way_run){.way = way, .program = ST_POSIX_PIPED_NONE};
    if (way->of_user && geteuid() == 0)
        return -EPERM;
    run->reader = calloc(1, sizeof(*run->reader));
    if (run->reader == NULL)
        return -ENOMEM;
    int r = st_trusted_find(machine, "SLEEPTUNE_OBSERVE_DIR", "../ears/helpers", ST_LIBEXEC_DIR,
                            way->program, path);
    if (r == 0)
        r = start(run, path, wish);
    if (r < 0)
        st_way_close(run);
    return r;
}

void st_way_begin(struct st_way_run *run)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction before;
    (void)sigaction(SIGPIPE, &ignore, &before);
    /* an error is ignored: st_way_read reports a program that has ended */
    (void)st_posix_write_fd(run->program.in, "g", 1);
    (void)sigaction(SIGPIPE, &before, NULL);
}

int st_way_read(struct st_way_run *run, const struct st_capture_sink *sink, void *ctx)
{
    unsigned char bytes[READ_BYTES];
    struct pollfd readable = {.fd = run->program.out, .events = POLLIN};
    if (poll(&readable, 1, (int)(ST_WAY_WAIT_NS / ST_NS_PER_MS)) <= 0)
        return -EAGAIN;
    const ssize_t n = read(run->program.out, bytes, sizeof(bytes));
    if (n < 0 && errno == EINTR)
        return -EAGAIN;
    if (n <= 0)
        return st_posix_result(n);
    const int r = st_capture_stream_read(run->reader, bytes, (size_t)n, sink, ctx);
    if (r < 0)
        return r;
    return 1;
}

void st_way_close(struct st_way_run *run)
{
    st_posix_piped_close(&run->program, false);
    free(run->reader);
    *run = (struct st_way_run){.program = ST_POSIX_PIPED_NONE};
}
