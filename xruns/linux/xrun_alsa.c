/* Xruns of other programs on ALSA's devices, from /proc/asound. It has no counter of xruns, so the
 * state of each substream is polled. An xrun is concluded in three cases:
 *
 * - the state is XRUN (for microseconds only, if the program recovers at once);
 * - the state was and is RUNNING for the same program, but the stream was started in between and
 * counts its frames from 0: the program recovered from an xrun, or restarted the stream, for
 * example to seek. After a pause frames do not begin at 0, so that is no xrun.
 *
 * - the device ran past a program that told the kernel never to stop its stream (alsa.h).
 *
 * So each report is at least one xrun, with the certainty "probable". The second of two xruns
 * between two polls is missed, and so is a recovery if the stream had run for less time before it
 * than since. A poll makes the kernel ask the device for its position, as the program's own period
 * interrupt does. */
#include <fcntl.h>
#include <signal.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "core/ns.h"
#include "core/text/safe.h"
#include "platform/proc.h"
#include "platform/tree.h"
#include "xruns/alsa.h"
#include "xruns/xrun.h"

#define POLL_NS      (250 * ST_NS_PER_MS)
#define OPEN_POLL_NS ST_NS_PER_S /* poll interval while streams are open and none runs */
/* poll interval while all streams are closed; inotify reports at once that one is opened */
#define CLOSED_POLL_NS   (10 * ST_NS_PER_S)
#define FIRST_LOAD_LOOKS 4                  /* polls of a new stream before its first load report */
#define LOAD_NS          (10 * ST_NS_PER_S) /* interval of load reports of a running stream */
#define POLLS_A_SCAN     8 /* polls between two scans for cards that came or went */
/* further streams are not watched; the text of the source says how many */
#define SUBSTREAMS_MAX 128
#define STATUS_BYTES   1024
#define PCM_BYTES      16384

/** One stream of a sound card, ALSA's hw:CARD,DEVICE,NUMBER, in one direction. */
struct place {
    unsigned card, device, number;
    bool capture;
};

struct substream {
    struct place is;
    int fd;     /* descriptor of the stream's status file */
    bool known; /* last is set */
    struct st_alsa_status last;
    /* the next members are about the current run of the stream, from its last start on: */
    bool own;                        /* a stream of this process, which counts its own dropouts */
    char client[ST_XRUN_NAME_BYTES]; /* program that opened the stream */
    struct st_alsa_params params;    /* rate_hz 0: not known */
    struct st_alsa_room room;
    /* least sound left in the buffer since the last load report; INT64_MAX: not known */
    int64_t least_frames;
    unsigned looks_left; /* polls until the next load report */
};

struct alsa {
    char proc[ST_XRUN_SERVER_BYTES]; /* where procfs is mounted, usually "/proc" */
    struct substream substreams[SUBSTREAMS_MAX];
    size_t n;
    unsigned left_out_n;
    int open_error; /* error of opening the status of a listed stream at the last scan; 0: none */
    bool no_names;  /* /proc hides a running program from this process */
    unsigned polls_left; /* polls until the next scan */
    char pcm[PCM_BYTES]; /* /proc/asound/pcm as scanned last */
};

/* --- which substreams there are --- */

static bool is_open(const struct alsa *alsa, const struct place *of)
{
    ST_EACH_OF (substream, alsa->substreams, alsa->n) {
        const struct place *is = &substream->is;
        if (is->card == of->card && is->device == of->device && is->number == of->number &&
            is->capture == of->capture)
            return true;
    }
    return false;
}

static void drop(struct alsa *alsa, struct substream *s)
{
    close(s->fd);
    *s = alsa->substreams[--alsa->n];
}

static const char *path_of(const struct st_xrun_watch *w, const struct place *of, const char *file)
{
    const struct alsa *alsa = w->state;
    return st_text("%s/asound/card%u/pcm%u%c/sub%u/%s", alsa->proc, of->card, of->device,
                   of->capture ? 'c' : 'p', of->number, file);
}

static void add(const struct st_xrun_watch *w, struct place of)
{
    struct alsa *alsa = w->state;
    if (is_open(alsa, &of))
        return;
    if (alsa->n == SUBSTREAMS_MAX) {
        alsa->left_out_n++;
        return;
    }
    const int fd = open(path_of(w, &of, "status"), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0)
        alsa->substreams[alsa->n++] = (struct substream){.is = of, .fd = fd};
    else
        alsa->open_error = -errno;
}

/** Opens the status of new substreams. @return 0, or an error if there are none. */
static int scan(struct st_xrun_watch *w)
{
    struct alsa *alsa = w->state;
    char text[PCM_BYTES];
    size_t len;
    const char *path = st_text("%s/asound/pcm", alsa->proc);
    const int r = w->machine->read_text(w->machine, path, text, sizeof(text), &len);
    alsa->polls_left = POLLS_A_SCAN;
    if (r == -ENOENT)
        return st_xrun_because(w, -ENOENT, "no ALSA on this system: %s does not exist", path);
    if (r < 0 && r != -EFBIG)
        return st_xrun_because(w, r, "cannot read %s: %s", path, strerror(-r));
    if (alsa->n > 0 && strcmp(text, alsa->pcm) == 0)
        return 0;
    memcpy(alsa->pcm, text, len + 1);
    alsa->left_out_n = 0;
    alsa->open_error = 0;
    struct st_alsa_pcm pcm;
    unsigned listed_n = 0;
    const char *at = text;
    for (int next; (next = st_alsa_pcm_next(&at, &pcm)) != -ENODATA;) {
        if (next != 0)
            continue;
        listed_n += pcm.playback_n + pcm.capture_n;
        for (unsigned i = 0; i < pcm.playback_n + pcm.capture_n; i++)
            add(w, (struct place){.card = pcm.card,
                                  .device = pcm.device,
                                  .capture = i >= pcm.playback_n,
                                  .number = i < pcm.playback_n ? i : i - pcm.playback_n});
    }
    if (alsa->open_error != 0) { /* the kernel lists a new card before it makes the files of its
                                    streams: scan again at the next poll */
        alsa->pcm[0] = '\0';
        alsa->polls_left = 0;
    }
    if (listed_n == 0)
        return st_xrun_because(w, -ENOENT, "no sound card that plays or records (%s is empty)",
                               path);
    if (alsa->n == 0 && alsa->open_error == -ENOENT)
        return st_xrun_because(w, -ENOENT,
                               "this kernel does not show whether sound cards play "
                               "(CONFIG_SND_VERBOSE_PROCFS is off)");
    if (alsa->n == 0)
        return st_xrun_because(w, alsa->open_error, "cannot open the streams in %s/asound: %s",
                               alsa->proc, strerror(-alsa->open_error));
    return 0;
}

/* --- states of substreams --- */

/** Finds the name of the program that opened the stream; "" if the program has ended, or is hidden
 * from this process. @return its PID; 0: not known. */
static int64_t program_of(struct st_xrun_watch *w, int64_t tid, char ret[ST_XRUN_NAME_BYTES])
{
    struct alsa *alsa = w->state;
    struct st_platform *machine = w->machine;
    uint64_t pid;
    const char *text = st_tree_text(machine, st_text("%s/%jd/status", alsa->proc, tid));
    if (st_proc_line_u64(text, "Tgid:", &pid) != 0) {
        if (tid > 0 && tid <= INT_MAX && (kill((pid_t)tid, 0) == 0 || errno == EPERM))
            alsa->no_names = true;
        return 0;
    }
    st_proc_name(st_tree_text(machine, st_text("%s/%ju/comm", alsa->proc, pid)),
                 st_tree_text(machine, st_text("%s/%ju/cmdline", alsa->proc, pid)), ret,
                 ST_XRUN_NAME_BYTES);
    return (int64_t)pid;
}

static int64_t frames_ns(const struct substream *s, int64_t frames)
{
    if (s->params.rate_hz <= 0)
        return 0;
    return (int64_t)((double)frames * (double)ST_NS_PER_S / (double)s->params.rate_hz);
}

/** Was there an xrun between two polls? */
static bool had_xrun(const struct st_alsa_status *before, const struct st_alsa_status *now)
{
    const bool same_stream = before->owner_tid == now->owner_tid;
    const bool triggered = before->trigger_ns != now->trigger_ns;
    if (now->state == ST_ALSA_XRUN)
        return !same_stream || triggered || before->state != ST_ALSA_XRUN;
    return now->state == ST_ALSA_RUNNING && before->state == ST_ALSA_RUNNING && same_stream &&
           triggered && now->hw_ptr_frames < before->hw_ptr_frames;
}

static void report(struct st_xrun_watch *w, const struct substream *s,
                   struct st_xrun_seen *sighting)
{
    const struct place *of = &s->is;
    if (s->own)
        return;
    memcpy(sighting->event.client, s->client, sizeof(sighting->event.client));
    ST_PRINT(sighting->event.device, "hw:%u,%u,%u %s", of->card, of->device, of->number,
             of->capture ? "capture" : "playback");
    w->seen(w->ctx, sighting);
}

/** Reports one xrun of this stream. */
static void report_xrun(struct st_xrun_watch *w, const struct substream *s, int64_t lost_frames)
{
    const int64_t lost_ns = frames_ns(s, lost_frames);
    report(w, s,
           &(struct st_xrun_seen){.event = {.kind = ST_EVENT_DEVICE_DROPOUT,
                                            .certainty = ST_CERTAINTY_PROBABLE,
                                            .count_n = 1,
                                            .place = ST_DROPOUT_AT_DEVICE_BUFFER,
                                            .lost_ns = lost_ns,
                                            .longest_ns = lost_ns}});
}

/** Reports that the stream plays, and the least sound that was left in its buffer. */
static void report_load(struct st_xrun_watch *w, struct substream *s)
{
    struct st_xrun_seen sighting = {.kind = ST_XRUN_SEEN_LOAD, .load = st_xrun_load_plays};
    if (s->least_frames != INT64_MAX) {
        sighting.load.buffer_ns = frames_ns(s, s->params.buffer_frames);
        sighting.load.reserve_ns = ST_MAX(frames_ns(s, s->least_frames), 1);
    }
    s->looks_left = LOAD_NS / POLL_NS;
    s->least_frames = INT64_MAX;
    report(w, s, &sighting);
}

/** A stream starts again: reads its owner and its parameters. */
static void begin_run(struct st_xrun_watch *w, struct substream *s,
                      const struct st_alsa_status *now)
{
    const char *hw = st_tree_text(w->machine, path_of(w, &s->is, "hw_params")),
               *sw = st_tree_text(w->machine, path_of(w, &s->is, "sw_params"));
    s->room = (struct st_alsa_room){0};
    memset(s->client, 0, sizeof(s->client));
    s->own = program_of(w, now->owner_tid, s->client) == getpid();
    if (st_alsa_params_parse(hw, sw, &s->params) != 0)
        s->params = (struct st_alsa_params){
            0}; /* the stream is closed by now, or belongs to another program */
}

/** Reports how much sound a running stream has left in its buffer, and an xrun if the device ran
 * past the program. */
static void look_at_room(struct st_xrun_watch *w, struct substream *s,
                         const struct st_alsa_status *now)
{
    int64_t left = INT64_MAX, lost = 0;
    if (s->params.rate_hz > 0)
        lost = st_alsa_room_look(&s->room, &s->params, now, &left);
    s->least_frames = ST_MIN(left, s->least_frames);
    if (left != INT64_MAX)
        report(w, s,
               &(struct st_xrun_seen){.kind = ST_XRUN_SEEN_LEVEL,
                                      .load = {.reserve_ns = ST_MAX(frames_ns(s, left), 1)}});
    if (lost > 0)
        report_xrun(w, s, lost);
    if (s->looks_left-- == 0)
        report_load(w, s);
}

/** Polls one stream. @return 0; -EBADMSG: its status has an unknown format; another error: its card
 * is gone. */
static int look(struct st_xrun_watch *w, struct substream *s)
{
    char text[STATUS_BYTES];
    struct st_alsa_status now;
    const ssize_t len = pread(s->fd, text, sizeof(text) - 1, 0);
    if (len < 0)
        return -errno;
    text[len] = '\0';
    if (st_alsa_status_parse(text, &now) != 0)
        return -EBADMSG;
    const bool same = s->known && s->last.owner_tid == now.owner_tid;
    const bool runs = now.state == ST_ALSA_RUNNING;
    if (!same) {
        s->least_frames = INT64_MAX;
        s->looks_left = FIRST_LOAD_LOOKS;
    }
    if (!same ||
        (runs && (s->last.state != ST_ALSA_RUNNING || s->last.trigger_ns != now.trigger_ns)))
        begin_run(w, s, &now);
    if (s->known && had_xrun(&s->last, &now)) { /* xruns before the first look are not counted */
        s->least_frames = 0;
        report_xrun(w, s, 0);
    }
    if (runs)
        look_at_room(w, s, &now);
    s->known = true;
    s->last = now;
    return 0;
}

/** Shortens the time to the next poll if the stream is open or runs. */
static void note_state(struct st_xrun_watch *w, const struct st_alsa_status *status, bool known)
{
    if (known && (status->state == ST_ALSA_RUNNING || status->state == ST_ALSA_XRUN)) {
        w->plays = true;
        w->poll_ns = POLL_NS;
    } else if ((!known || status->state != ST_ALSA_CLOSED) && w->poll_ns > OPEN_POLL_NS) {
        w->poll_ns = OPEN_POLL_NS;
    }
}

/** Was a sound device opened or added since the last poll? */
static bool take_opens(const struct st_xrun_watch *w)
{
    char events[4096];
    bool any = false;
    while (w->fd >= 0 && read(w->fd, events, sizeof(events)) > 0)
        any = true;
    return any;
}

static int poll_alsa(struct st_xrun_watch *w)
{
    struct alsa *alsa = w->state;
    size_t bad_n = 0;
    /* before states are read: a device that is opened from now on wakes the poller again */
    if (take_opens(w))
        alsa->polls_left = 0;
    w->plays = false;
    w->poll_ns = w->fd >= 0 ? CLOSED_POLL_NS : OPEN_POLL_NS;
    if (alsa->polls_left-- == 0) {
        const int r = scan(w);
        if (r < 0)
            return r;
    }
    if (alsa->open_error != 0)
        w->poll_ns = OPEN_POLL_NS;
    for (size_t i = 0; i < alsa->n;) {
        const int r = look(w, &alsa->substreams[i]);
        bad_n += r == -EBADMSG;
        note_state(w, &alsa->substreams[i].last, r == 0);
        if (r == 0 || r == -EBADMSG) {
            i++;
            continue;
        }
        drop(alsa, &alsa->substreams[i]);
        /* scan again, so that the streams of a card that comes back are opened */
        alsa->pcm[0] = '\0';
        alsa->polls_left = 0;
    }
    if (bad_n > 0 && bad_n == alsa->n)
        return st_xrun_because(
            w, -EBADMSG, "sleeptuned does not understand the files about sound cards in %s/asound",
            alsa->proc);
    const size_t rest_n = bad_n + alsa->left_out_n;
    return st_xrun_because(
        w, 0, "%zu stream%s of sound cards%s%s", alsa->n - bad_n, ST_PLURAL(alsa->n - bad_n),
        rest_n > 0 ? st_text("; %zu more are not watched", rest_n) : "",
        alsa->no_names ? "; the names of other users' programs are hidden (ProtectProc=, hidepid=)"
                       : "");
}

static void close_alsa(struct st_xrun_watch *w)
{
    struct alsa *alsa = w->state;
    while (alsa->n > 0)
        drop(alsa, &alsa->substreams[alsa->n - 1]);
    if (w->fd >= 0)
        close(w->fd);
    free(alsa);
}

/** Wakes the poller when a program opens a sound device. If this is not possible (-1), closed
 * streams are polled more often. */
static int watch_opens(const char *proc)
{
    const int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (fd >= 0 && inotify_add_watch(fd, st_text("%s/../dev/snd", proc), IN_OPEN | IN_CREATE) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static int open_alsa(struct st_xrun_watch *w)
{
    struct alsa *alsa = calloc(1, sizeof(*alsa));
    if (alsa == NULL)
        return st_xrun_because(w, -ENOMEM, "out of memory");
    ST_PRINT(alsa->proc, "%s", st_text_or(w->setting.server, "/proc"));
    w->state = alsa;
    const int r = scan(w);
    if (r < 0) {
        close_alsa(w);
        return r;
    }
    w->fd = watch_opens(alsa->proc);
    return 0;
}

static const struct st_xrun_ops ops = {.open = open_alsa, .poll = poll_alsa, .close = close_alsa};

const struct st_xrun_source st_xrun_alsa = {
    .name = "alsa",
    .title = "ALSA",
    .summary = "whether ALSA's streams run, and how much sound their buffers have left, read from "
               "/proc/asound four times a second while something plays: several xruns between two "
               "readings count as one",
    .device_only = true,
    .poll_ns = POLL_NS,
    .tells_playing = true,
    .ops = &ops,
};

const struct st_xrun_source st_xrun_sound4 = ST_XRUN_ABSENT(
    "sound4", "sound(4)",
    "only FreeBSD has the sound driver sound(4), so sleeptuned does not watch it here");
