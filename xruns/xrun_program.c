/* Runs a source of xruns that is a helper program: starts it, reads its lines (xrun_line.h), and
 * ends it. */
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/ns.h"
#include "platform/posix/posix.h"
#include "platform/trusted.h"
#include "st_config.h"
#include "xruns/xrun_line.h"

/* number of naps of 10 ms to wait for the end of a program that has closed its pipe; on a busy
 * machine the end comes later */
#define EXIT_NAPS 20
/* a program that prints no line for this time, or up to a poll interval longer, hangs */
#define SILENT_NS    (36 * ST_NS_PER_S)
#define IDLE_NS      (24 * ST_NS_PER_S) /* nothing seen for this time: nothing plays */
#define IDLE_LOOK_NS (20 * ST_NS_PER_S) /* interval of polls while nothing plays */
/* most bytes that one poll reads; a program that writes more waits, since its pipe is full */
#define READ_BYTES        (16 * 1024)
#define STATUS_NOT_LOADED 127 /* exit status of a program whose libraries are missing */

struct program {
    struct st_posix_piped piped;
    bool ready;                 /* the program has written that it watches */
    bool ending;                /* the program has written that there is nothing to watch */
    int64_t silent_ns, idle_ns; /* sums of intervals between polls, so that a time in which both
                                   processes were stopped does not count */
    size_t len;                 /* length of the incomplete line */
    char line[ST_XRUN_LINE_BYTES];
};

/* --- starting --- */

/** Finds the user that the helper program becomes, if root runs sleeptuned: the owner of the
 * configured server's socket, or else of root's or the system's socket. @param server path of the
 * socket. @return 0 or -ENOENT. */
static int find_owner(struct st_xrun_watch *w, char server[PATH_MAX], uid_t *ret)
{
    const struct st_xrun_source *source = w->source;
    const char *wish = w->setting.server, *runtime = getenv("XDG_RUNTIME_DIR");
    const char *const wished[] = {wish + strlen("unix:") * st_text_begins(wish, "unix:"), NULL};
    struct stat info;
    for (const char *const *place = wish[0] != '\0' ? wished : source->sockets; *place != NULL;
         place++) {
        const char *path = *place;
        if (path[0] != '/')
            path = st_text("%s/%s", st_text_or(runtime, ST_RUN_DIR "/user/0"), path);
        if (realpath(path, server) == NULL || lstat(server, &info) != 0 ||
            !S_ISSOCK(info.st_mode) || !st_trusted_path(server, info.st_uid))
            continue;
        *ret = info.st_uid;
        if (getpwuid(info.st_uid) == NULL)
            return st_xrun_because(w, -ENOENT,
                                   "this system does not know the user with the number %lu",
                                   (unsigned long)info.st_uid);
        return 0;
    }
    if (wish[0] != '\0')
        return st_xrun_because(w, -ENOENT,
                               "observe.%s_server: %.200s is not a socket, or other users than its "
                               "owner can replace it",
                               source->name, wish);
    return st_xrun_because(
        w, -ENOENT,
        "no %s runs for root or the system: set observe.%s_server to watch a user's server",
        source->title, source->name);
}

static int start(struct st_xrun_watch *w, struct program *program, const char *path,
                 const char *server, uid_t uid)
{
    /* root never listens to what users play */
    const bool listens =
        w->machine->os == ST_OS_LINUX && w->setting.listen[0] != '\0' && geteuid() != 0;
    const struct passwd *entry = uid != geteuid() ? getpwuid(uid) : NULL;
    const struct st_run_as as = {
        .switch_user = w->setting.user != 0, .uid = uid, .gid = entry != NULL ? entry->pw_gid : 0};
    if (uid != geteuid() && entry == NULL)
        return -ENOENT;
    const char *argv[9] = {w->source->program, "-V" ST_VERSION};
    size_t n = 2;
    if (w->setting.own_stream)
        argv[n++] = st_text("-p%ld", (long)getpid());
    if (listens)
        argv[n++] = st_text("-l%s", w->setting.listen);
    if (listens && w->setting.listen_except[0] != '\0')
        argv[n++] = st_text("-x%s", w->setting.listen_except);
    if (w->setting.cycles[0] != '\0' && uid == geteuid())
        argv[n++] = st_text("-c%s", w->setting.cycles);
    /* the helper program becomes the user by itself, since sleeptuned does not fork
     * (start_posix.c) */
    if (uid != geteuid() && !as.switch_user)
        argv[n++] = st_text("-u%lu", (unsigned long)uid);
    if (server[0] != '\0')
        argv[n++] = st_text("-e%s=%s", w->source->server_env, server);
    /* a program that becomes another user by itself gets root's environment, since it first runs as
     * root */
    return st_posix_piped_start(&program->piped, path, argv, as);
}

/* --- ending --- */

static void close_program(struct st_xrun_watch *w)
{
    struct program *program = w->state;
    st_posix_piped_close(&program->piped, true);
    free(program);
}

/** The program's output has ended: sets the reason from its exit status. */
static int note_end(struct st_xrun_watch *w)
{
    struct program *program = w->state;
    int status = 0;
    const bool gone = st_posix_piped_ended(&program->piped, EXIT_NAPS, &status);
    if (program->ending)
        return -ENOENT; /* the program has written the reason */
    if (!gone)
        return st_xrun_because(w, -EPIPE, "the helper program %s stopped reporting",
                               w->source->program);
    if (WIFSIGNALED(status))
        return st_xrun_because(w, -EPIPE, "signal %d ended the helper program %s", WTERMSIG(status),
                               w->source->program);
    if (WEXITSTATUS(status) == STATUS_NOT_LOADED)
        return st_xrun_because(
            w, -ENOENT,
            "the helper program %s cannot be loaded: a library that it needs is not installed",
            w->source->program);
    return st_xrun_because(w, -EPIPE, "the helper program %s ended with exit status %d",
                           w->source->program, WEXITSTATUS(status));
}

/* --- while the program runs --- */

static int open_program(struct st_xrun_watch *w)
{
    char path[PATH_MAX], server[PATH_MAX];
    const char *name = w->source->program;
    if (w->source->root_why != NULL && geteuid() != 0)
        return st_xrun_because(w, -ENOTSUP, "%s", w->source->root_why);
    int r = st_trusted_find(w->machine, "SLEEPTUNE_OBSERVE_DIR", "../xruns/helpers", ST_LIBEXEC_DIR,
                            name, path);
    if (r < 0)
        return st_xrun_because(w, r, "%s", path);
    uid_t uid = w->setting.user != 0 ? w->setting.user : geteuid();
    ST_PRINT(server, "%s", w->setting.server);
    if (uid == 0 && w->source->sockets[0] != NULL && find_owner(w, server, &uid) != 0)
        return -ENOENT;
    struct program *program = calloc(1, sizeof(*program));
    if (program == NULL)
        return st_xrun_because(w, -ENOMEM, "out of memory");
    program->piped = ST_POSIX_PIPED_NONE;
    r = start(w, program, path, server, uid);
    if (r < 0) {
        free(program);
        return st_xrun_because(w, r, "cannot start %s: %s", name, strerror(-r));
    }
    w->state = program;
    w->fd = program->piped.out;
    return 0;
}

static int take_line(struct st_xrun_watch *w, const char *text)
{
    struct program *program = w->state;
    struct st_xrun_line line;
    if (st_xrun_line_parse(text, &line) != 0)
        return st_xrun_because(
            w, -EBADMSG,
            "the helper program %s printed a line that sleeptuned does not know: \"%.60s\"",
            w->source->program, text);
    switch (line.kind) {
    case ST_XRUN_LINE_READY:
    case ST_XRUN_LINE_ABSENT:
        program->ready |= line.kind == ST_XRUN_LINE_READY;
        program->ending |= line.kind == ST_XRUN_LINE_ABSENT;
        st_xrun_because(w, 0, "%s", line.text);
        w->facts = line.facts;
        w->listens_n = line.listens_n;
        break;
    case ST_XRUN_LINE_ALIVE:
        w->silent_ns += line.late_ns;
        break;
    case ST_XRUN_LINE_SEEN:
        program->idle_ns = 0;
        w->seen(w->ctx, &line.seen);
        break;
    }
    return 0;
}

/** Takes the complete lines of what was read. */
static int take_bytes(struct st_xrun_watch *w, const char *bytes, ssize_t n)
{
    struct program *program = w->state;
    for (ssize_t i = 0; i < n; i++) {
        if (bytes[i] == '\n') {
            program->line[program->len] = '\0';
            program->len = 0;
            const int r = take_line(w, program->line);
            if (r < 0)
                return r;
            continue;
        }
        program->line[program->len] = bytes[i];
        if (bytes[i] == '\0')
            program->line[program->len] = '?';
        if (++program->len == sizeof(program->line))
            return st_xrun_because(w, -EBADMSG,
                                   "the helper program %s printed a line that is too long",
                                   w->source->program);
    }
    return 0;
}

/** Is the program stopped (SIGSTOP)? WNOWAIT leaves the answer for the next call. */
static bool is_stopped(const struct program *program)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)program->piped.pid, &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid != 0;
}

static int poll_program(struct st_xrun_watch *w)
{
    struct program *program = w->state;
    const int64_t pause_ns = w->poll_ns > 0 ? w->poll_ns : w->source->poll_ns;
    char bytes[READ_BYTES];
    const ssize_t n = read(program->piped.out, bytes, sizeof(bytes));
    if (n == 0)
        return note_end(w);
    if (n < 0 && errno != EAGAIN && errno != EINTR)
        return st_xrun_because(w, -errno, "cannot read the output of the helper program %s: %s",
                               w->source->program, strerror(errno));
    if (n < 0 && is_stopped(program))
        return st_xrun_because(w, -EPIPE, "the helper program %s was stopped (SIGSTOP)",
                               w->source->program);
    if (n < 0 && program->silent_ns >= SILENT_NS) {
        w->silent_ns = program->silent_ns;
        return st_xrun_because(w, -ETIMEDOUT,
                               "the helper program %s hangs: it printed nothing for %.0f s",
                               w->source->program, st_ns_seconds(program->silent_ns + pause_ns));
    }
    program->silent_ns = (program->silent_ns + pause_ns) * (n < 0);
    program->idle_ns += pause_ns;
    const int r = take_bytes(w, bytes, n);
    if (r < 0)
        return r;
    w->poll_ns = IDLE_LOOK_NS * (program->ready && program->idle_ns >= IDLE_NS);
    if (program->ready && !program->ending)
        return 0;
    return -EAGAIN; /* the program is not ready yet; or its last line has arrived, and it ends
                     * next */
}

const struct st_xrun_ops st_xrun_program_ops = {
    .open = open_program,
    .poll = poll_program,
    .close = close_program,
};

/* --- the sources that are helper programs, the same on all systems --- */

/* Interval of polls while something plays, to notice that a helper program was stopped or hangs.
 * Its lines are read as soon as they arrive; it prints one at least every 20 s. */
#define LOOK_NS (4 * ST_NS_PER_S)

const struct st_xrun_source st_xrun_pipewire = {
    .name = "pipewire",
    .title = "PipeWire",
    .summary = "PipeWire's timing reports (profiler): xruns of its devices, and cycles in which a "
               "program was not ready",
    .poll_ns = LOOK_NS,
    .tells_playing = true,
    .ops = &st_xrun_program_ops,
    .program = "sleeptune-observe-pipewire",
    .server_env = "PIPEWIRE_REMOTE",
    .sockets = {"pipewire-0", ST_RUN_DIR "/pipewire/pipewire-0"},
    .daemons = {"pipewire"},
    .counts_device = true,
    .sees_cycles = true,
    .set_frames = "pw-metadata -n settings 0 clock.force-quantum",
    .set_by_force = true,
    .keep_frames = "linux-pipewire-quantum",
};

const struct st_xrun_source st_xrun_jack = {
    .name = "jack",
    .title = "JACK",
    .summary =
        "the xruns that a JACK server reports, and its log, which names the program that was late",
    .poll_ns = LOOK_NS,
    .tells_playing = true,
    .ops = &st_xrun_program_ops,
    .program = "sleeptune-observe-jack",
    .server_env = "JACK_DEFAULT_SERVER",
    .daemons = {"jackd", "jackdbus"},
    .counts_device = true,
    .terse = "JACK does not name the program",
    .set_frames = "jack_bufsize",
    .frames_hint = "this buffer size was set when JACK started (-p), or later by a program",
};

const struct st_xrun_source st_xrun_pulseaudio = {
    .name = "pulseaudio",
    .title = "PulseAudio",
    .summary = "how much sound PulseAudio's streams have ready, read four times a second: shorter "
               "gaps, and xruns of the sound card itself, are not seen",
    .poll_ns = LOOK_NS,
    .tells_playing = true,
    .ops = &st_xrun_program_ops,
    .program = "sleeptune-observe-pulseaudio",
    .server_env = "PULSE_SERVER",
    .sockets = {"pulse/native", ST_RUN_DIR "/pulse/native"},
    .daemons = {"pulseaudio"},
    .usual_ns = 20 * ST_NS_PER_MS, /* PulseAudio wakes up this long before the ring is empty:
                                      DEFAULT_TSCHED_WATERMARK_USEC of alsa-sink.c */
};
