/* Xruns of other programs on ALSA's devices, each one and for certain: the kernel's event snd_pcm:xrun. It is
 * in kernels with CONFIG_SND_PCM_XRUN_DEBUG only (sound/core/pcm_lib.c), which needs CONFIG_SND_DEBUG;
 * distributions have both off.
 *
 * It goes to an instance of tracefs of our own, by plain files: what others trace is not touched. Whoever
 * turns on any event makes the kernel check at each switch between threads whether to keep a name
 * (record-cmd, which an instance cannot turn off).
 *
 * The thread in a line is the one that was interrupted. Whose stream it is, is asked of /proc/asound, at the
 * poll: a program that has closed it by then has no name.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/ns.h"
#include "platform/kernel_trace.h"
#include "platform/linux/linux.h"

#define POLL_NS        (250 * ST_NS_PER_MS)
#define POLLS_A_SWITCH 8    /* to see that the event is still there, and on */
#define READS_MAX      16   /* a poll: some hundred xruns */
#define BUFFER_KB      "64" /* of the kernel, for each CPU: some hundred xruns between two polls */
#define PATH_BYTES     400
#define STATUS_BYTES   1024

#define INSTANCE "/instances/" ST_TRACE_INSTANCE_XRUNS
#define EVENT    "/events/snd_pcm/xrun/enable"

struct trace {
    char tracefs[PATH_BYTES - 80], proc[PATH_BYTES - 80];
    int fd; /* of trace_pipe; -1: none */
    bool made;
    unsigned polls_left; /* to the next look at the switch */
    char text[4096];     /* the first len bytes: a line that has not ended */
    size_t len;
};

static const char *path_of(const struct trace *trace, const char *name, char buf[PATH_BYTES])
{
    snprintf(buf, PATH_BYTES, "%s%s", trace->tracefs, name);
    return buf;
}

/** @return 0, or why not, said. */
static int put(struct st_xrun_watch *w, const char *name, const char *text)
{
    const struct trace *trace = w->state;
    char path[PATH_BYTES];
    const int fd = open(path_of(trace, name, path), O_WRONLY | O_TRUNC | O_CLOEXEC);
    const bool done = fd >= 0 && write(fd, text, strlen(text)) >= 0;
    const int error = errno;
    if (fd >= 0)
        close(fd);
    return done ? 0 : st_xrun_because(w, -error, "cannot write %s: %s", path, strerror(error));
}

/** @return 0: there is such an event; or why not, said. */
static int find_event(struct st_xrun_watch *w)
{
    const struct trace *trace = w->state;
    char path[PATH_BYTES];
    if (access(path_of(trace, "/instances", path), F_OK) != 0)
        return errno == ENOENT
                   ? st_xrun_because(w, -ENOENT, "tracefs is not mounted on %s", trace->tracefs)
                   : st_xrun_because(w, -errno, "no right to %s: %s", trace->tracefs, strerror(errno));
    if (access(path_of(trace, EVENT, path), F_OK) == 0)
        return 0;
    if (errno != ENOENT)
        return st_xrun_because(w, -errno, "no right to %s: %s", path, strerror(errno));
    snprintf(path, sizeof(path), "%s/asound/pcm", trace->proc);
    if (access(path, F_OK) != 0) /* the event comes with snd_pcm */
        return st_xrun_because(w, -ENOENT, "no ALSA on this system: %s does not exist", path);
    return st_xrun_because(w, -ENOTSUP,
                           "this kernel has no event snd_pcm:xrun (CONFIG_SND_PCM_XRUN_DEBUG is off)");
}

static int set_up(struct st_xrun_watch *w)
{
    struct trace *trace = w->state;
    char path[PATH_BYTES];
    int r = find_event(w);
    if (r < 0)
        return r;
    path_of(trace, INSTANCE, path);
    if (rmdir(path) != 0 && errno == EBUSY) /* one that a killed run left goes; not one that is read */
        return st_xrun_because(w, -EBUSY, "another sleeptuned uses %s", path);
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return st_xrun_because(w, -errno, "cannot create %s: %s", path, strerror(errno));
    trace->made = true;
    r = put(w, INSTANCE "/buffer_size_kb", BUFFER_KB);
    if (r < 0)
        return r;
    trace->fd = open(path_of(trace, INSTANCE "/trace_pipe", path), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (trace->fd < 0)
        return st_xrun_because(w, -errno, "cannot open %s: %s", path, strerror(errno));
    return put(w, INSTANCE EVENT, "1");
}

static void close_trace(struct st_xrun_watch *w)
{
    struct trace *trace = w->state;
    char path[PATH_BYTES];
    if (trace->fd >= 0)
        close(trace->fd);
    if (trace->made)
        (void)rmdir(path_of(trace, INSTANCE, path)); /* its event goes off with it */
    free(trace);
}

static int open_trace(struct st_xrun_watch *w)
{
    struct trace *trace = calloc(1, sizeof(*trace));
    if (trace == NULL)
        return st_xrun_because(w, -ENOMEM, "out of memory");
    snprintf(trace->tracefs, sizeof(trace->tracefs), "%s" ST_TRACEFS, w->setting.server);
    snprintf(trace->proc, sizeof(trace->proc), "%s/proc", w->setting.server);
    trace->fd = -1;
    trace->polls_left = POLLS_A_SWITCH;
    w->state = trace;
    const int r = set_up(w);
    if (r < 0)
        close_trace(w);
    return r;
}

/* --- what it tells --- */

/** Thread that has the substream open; 0: none any more. */
static int64_t owner_of(struct st_xrun_watch *w, const struct st_alsa_substream *of)
{
    const struct trace *trace = w->state;
    char path[PATH_BYTES], text[STATUS_BYTES];
    size_t len;
    struct st_alsa_status status;
    st_linux_alsa_status_path(trace->proc, of, path, sizeof(path));
    return w->platform->read_text(w->platform, path, text, sizeof(text), &len) == 0 &&
                   st_alsa_status_parse(text, &status) == 0
               ? status.owner_tid
               : 0;
}

/** @return false: in no form that is known. */
static bool take_line(struct st_xrun_watch *w, const char *line, st_xrun_seen_fn seen, void *ctx)
{
    const struct trace *trace = w->state;
    struct st_alsa_trace xrun;
    bool hidden;
    if (st_alsa_trace_parse(line, &xrun) != 0)
        return false;
    const struct st_xrun_seen sighting = {
        .certainty = xrun.exact ? ST_CERTAINTY_EXACT : ST_CERTAINTY_PROBABLE, .device_xruns_n = xrun.xruns_n};
    if (xrun.lost)
        seen(ctx, &sighting);
    else
        st_linux_alsa_tell(w->platform, trace->proc, &xrun.of, owner_of(w, &xrun.of), sighting, seen, ctx,
                           &hidden);
    return true;
}

static int poll_trace(struct st_xrun_watch *w, st_xrun_seen_fn seen, void *ctx)
{
    struct trace *trace = w->state;
    size_t known_n = 0, unknown_n = 0;
    if (trace->polls_left-- == 0) {
        const int r = put(w, INSTANCE EVENT, "1");
        if (r < 0)
            return r;
        trace->polls_left = POLLS_A_SWITCH;
    }
    for (int i = 0; i < READS_MAX; i++) {
        const ssize_t n = read(trace->fd, trace->text + trace->len, sizeof(trace->text) - trace->len);
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            return st_xrun_because(w, -errno, "cannot read %s" INSTANCE "/trace_pipe: %s", trace->tracefs,
                                   strerror(errno));
        if (n <= 0)
            break;
        trace->len += (size_t)n;
        char *line = trace->text, *end;
        while ((end = memchr(line, '\n', trace->len)) != NULL) {
            *end = '\0';
            const bool known = take_line(w, line, seen, ctx);
            known_n += known;
            unknown_n += !known;
            trace->len -= (size_t)(end + 1 - line);
            line = end + 1;
        }
        memmove(trace->text, line, trace->len);
        if (trace->len == sizeof(trace->text)) { /* no line of the kernel's is so long */
            unknown_n++;
            trace->len = 0;
        }
    }
    if (unknown_n > 0 &&
        known_n == 0) /* some beside known ones: a stack or the like, by an option of others */
        return st_xrun_because(w, -EBADMSG, "the text of %s" INSTANCE "/trace_pipe has an unknown format",
                               trace->tracefs);
    return st_xrun_because(w, 0, "the kernel's event snd_pcm:xrun");
}

static const struct st_xrun_ops ops = {.open = open_trace, .poll = poll_trace, .close = close_trace};

const struct st_xrun_source st_xrun_alsa_trace = {
    .name = "alsa_trace",
    .summary =
        "the kernel's event snd_pcm:xrun: each xrun of ALSA's streams; only kernels for debugging have it",
    .replaces = "alsa",
    .device_only = true,
    .poll_ns = POLL_NS,
    .ops = &ops,
};
