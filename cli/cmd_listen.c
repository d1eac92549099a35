/* sleeptune listen: plays a test signal through the sound system, takes it back, and says what was lost. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/show/daemon_client.h"
#include "cli/show/listen_text.h"
#include "core/ns.h"
#include "core/text/safe.h"
#include "core/text/text.h"
#include "ears/wav.h"
#include "platform/posix/posix.h"
#include "platform/program/locale.h"
#include "platform/program/output.h"
#include "platform/program/stop.h"
#include "platform/program/terminal.h"

#define NAME        "listen"
#define FILE_HZ     48000 /* of the file that --signal writes */
#define FILE_CHANCE 36    /* where its glitches are: --input knows it, and the detector does not */
#define FILE_MAX    (6 * 3600 * ST_NS_PER_S)
#define LEAST_NS    (10 * ST_NS_PER_S) /* the forced glitches take 6.5 s */
#define FRAMES      4096
#define GAP_MAX     960000 /* frames that a recorder may leave out */
#define LATE_NS     (1500 * ST_NS_PER_MS)
#define RATE_LEAST  5 /* s, from which on a device's rate is known */

struct options {
    const char *back, *play, *input, *signal;
    int64_t duration_ns;
    bool json;
};

/* What was recorded, heard and found. Large. */
struct listen {
    struct st_hearing hearing;
    struct st_hearing_result result;
    struct st_listen_live live;
    struct st_listen_view view;
    struct st_daemon_answer records;
    const struct options *o;
    uint64_t next_frame, first_recorded, last_recorded;
    int64_t
        ahead; /* frames of the signal that had been played, less those recorded, when it was heard first */
    int64_t first_ns, last_ns;
    float frames[(size_t)FRAMES * ST_CAPTURE_CHANNELS_MAX];
};

static void help(void)
{
    fputs("Usage: sleeptune listen [--back WAY] [-d TIME] [OPTION...]\n"
          "       sleeptune listen --signal FILE.wav [-d TIME]\n"
          "       sleeptune listen --input FILE.wav [--json]\n"
          "Play a quiet test signal through your sound system, take it back, and find each\n"
          "sample that was lost on the way.\n\n"
          "      --back WAY             how it comes back: jack, monitor, aloop, cable,\n"
          "                             virtual_oss, or a device (default: the best)\n"
          "      --play DEVICE          where it is played (default: the usual device)\n"
          "  -d, --duration TIME        (60s: can show at most 180 losses per hour)\n"
          "      --signal FILE          write the test signal (48 kHz, stereo, 16 bits),\n"
          "                             to be played on any device\n"
          "      --input FILE           judge a recording of that signal, from anywhere\n"
          "      --json, --format json|text\n"
          "  -h, --help                 this text\n\n"
          "It says what it is going to play and record before it does. Nothing is kept.\n\n"
          "Examples:\n"
          "  sleeptune listen\n"
          "  sleeptune listen --back cable -d 3h\n"
          "  sleeptune listen --signal test.wav\n"
          "  sleeptune listen --input recorded.wav\n\n"
          "Exit status: 0 nothing was lost, 1 losses, 3 usage or a file that is no such\n"
          "recording, 4 failure, 5 invalid: a forced glitch was not found.\n",
          stdout);
}

/* --- the signal as a file --- */

static int write_frames(FILE *stream, const struct st_signal *signal, uint64_t frames_n)
{
    float frames[2 * FRAMES];
    int r = st_wav_write_head(stream, signal->rate_hz, signal->channels, frames_n);
    for (uint64_t at = 0; r == 0 && at < frames_n; at += FRAMES) {
        const size_t n = frames_n - at < FRAMES ? (size_t)(frames_n - at) : FRAMES;
        st_signal_fill(signal, at, frames, n);
        r = st_wav_write(stream, frames, 2 * n);
    }
    return r;
}

static int write_signal(const struct options *o)
{
    struct st_signal signal;
    struct st_output output;
    st_signal_init(&signal, FILE_HZ, 2, ST_HEARING_LEVEL);
    st_hearing_force(&signal, FILE_CHANCE);
    int r = st_output_open(&output, o->signal);
    if (r == 0) {
        r = write_frames(output.stream, &signal, (uint64_t)(o->duration_ns / ST_NS_PER_MS) * FILE_HZ / 1000);
        const int closed = st_output_close(&output, r == 0);
        r = r != 0 ? r : closed;
    }
    if (r != 0)
        return st_failure(NAME, "cannot write %s: %s", o->signal, st_destination_error(r));
    return ST_EXIT_DONE;
}

/* --- what is said --- */

/* What the daemon recorded meanwhile, if one answers: dropouts are reported up to a second late. */
static void ask_daemon(struct listen *listen)
{
    const struct timespec late = st_ns_to_timespec(LATE_NS);
    char error[512];
    if (listen->view.live == NULL || listen->result.losses_n == 0 || !st_daemon_client_listens(NULL))
        return;
    (void)nanosleep(&late, NULL);
    const int64_t now_ns = st_posix_wall_ns(NULL);
    listen->view.wall_ns = now_ns - st_posix_now_ns(NULL);
    const int64_t since_ns = listen->live.begin_ns + listen->view.wall_ns - ST_NS_PER_S;
    if (st_daemon_client_try(
            NULL, ST_TEXT(100, "/v1/events?since=%" PRId64 "&limit=500", since_ns / ST_NS_PER_S),
            "sleeptune-events/1", ST_DAEMON_TIMEOUT_MS, &listen->records, error, sizeof(error)) == 0)
        listen->view.records = json_object_get(listen->records.document, "events");
}

/* Every frame that the device had was recorded: its rate is known. */
static bool is_whole(const struct st_listen_live *live)
{
    return live->events_n[ST_CAPTURE_RECORDER] + live->events_n[ST_CAPTURE_XRUN] +
               live->events_n[ST_CAPTURE_FULL] ==
           0;
}

static int print(struct listen *listen, const struct st_glitch *forced, size_t forced_n)
{
    struct st_listen_view *view = &listen->view;
    st_hearing_end(&listen->hearing, forced, forced_n, &listen->result);
    view->result = &listen->result;
    ask_daemon(listen);
    view->latency_known = view->live != NULL && listen->result.places_known;
    view->latency_frames = listen->ahead - listen->result.offset;
    const double seconds = (double)(listen->last_ns - listen->first_ns) / ST_NS_PER_S;
    view->rate_ppm = (double)NAN;
    if (view->live != NULL && seconds >= RATE_LEAST && is_whole(view->live))
        view->rate_ppm =
            ((double)(listen->last_recorded - listen->first_recorded) / seconds / view->rate_hz - 1) * 1e6;
    int status = ST_EXIT_DONE;
    if (listen->o->json) {
        status = st_output_json(NAME, st_listen_text_json(view));
    } else {
        struct st_locale_stream stream;
        st_listen_text_screen(view, st_locale_begin(&stream, stdout), st_terminal_width(STDOUT_FILENO));
        if (st_locale_end(&stream) != 0)
            status = st_failure(NAME, "out of memory");
    }
    st_daemon_client_finish(&listen->records);
    return status != ST_EXIT_DONE               ? status
           : !st_hearing_valid(&listen->result) ? ST_EXIT_BOOKS
           : listen->result.losses_n > 0        ? ST_EXIT_FINDINGS
                                                : ST_EXIT_DONE;
}

/* --- a recording --- */

static int judge(struct listen *listen, struct st_wav *wav)
{
    struct st_signal signal;
    size_t n = 1;
    int r = 0;
    st_hearing_init(&listen->hearing, wav->rate_hz, wav->channels);
    while (r == 0 && n > 0) {
        r = st_wav_read(wav, listen->frames, FRAMES, &n);
        if (r == 0)
            st_hearing_take(&listen->hearing, listen->frames, n);
    }
    if (r != 0)
        return st_failure(NAME, "cannot read %s: %s", listen->o->input, strerror(-r));
    st_signal_init(&signal, FILE_HZ, 2, ST_HEARING_LEVEL);
    st_hearing_force(&signal, FILE_CHANCE);
    ST_EACH_OF (glitch, signal.glitches, signal.glitches_n) {
        glitch->at_frame = glitch->at_frame * wav->rate_hz / FILE_HZ;
        glitch->frames = glitch->frames > 1 ? glitch->frames * wav->rate_hz / FILE_HZ : 1;
    }
    listen->view.rate_hz = wav->rate_hz;
    listen->view.channels = wav->channels;
    listen->view.is_cut = wav->is_cut;
    return print(listen, signal.glitches, signal.glitches_n);
}

static int read_input(struct listen *listen)
{
    const char *name = listen->o->input, *error;
    struct st_wav wav;
    FILE *stream = st_posix_input_open(name);
    if (stream == NULL)
        return st_failure(NAME, "cannot read %s: %s", name, st_posix_input_error(errno));
    int status = ST_EXIT_USAGE;
    const int r = st_wav_open(&wav, stream, &error);
    if (r == 0)
        status = judge(listen, &wav);
    else if (r == -EBADMSG)
        (void)st_failure(NAME, "cannot judge %s: %s", name, error);
    else
        status = st_failure(NAME, "cannot read %s: %s", name, strerror(-r));
    st_posix_input_close(stream);
    return status;
}

/* --- a run --- */

static void say_begin(void *ctx, const struct st_way *way, const struct st_capture_head *head)
{
    struct listen *listen = ctx;
    struct st_capture_head safe = *head;
    char time[32];
    listen->view.rate_hz = head->rate_hz;
    listen->view.channels = head->channels;
    st_hearing_init(&listen->hearing, head->rate_hz, head->channels);
    if (listen->o->json)
        return;
    st_ns_format_short(listen->o->duration_ns, time, sizeof(time));
    fprintf(stderr,
            "Playing a quiet test signal to %s and recording it from %s, %s, for %s. Ctrl-C ends it.\n",
            st_safe_text(safe.plays), st_safe_text(safe.records), way->title, time);
}

/* Frames that were recorded and did not get here are silence: a loss with that reason. */
static void fill_gap(struct listen *listen, uint64_t frames)
{
    memset(listen->frames, 0, sizeof(listen->frames));
    for (frames = frames < GAP_MAX ? frames : GAP_MAX; frames > 0;) {
        const size_t n = frames < FRAMES ? (size_t)frames : FRAMES;
        st_hearing_take(&listen->hearing, listen->frames, n);
        frames -= n;
    }
}

static void take_packet(void *ctx, const struct st_capture_packet *packet)
{
    struct listen *listen = ctx;
    if (listen->first_ns == 0) {
        listen->first_ns = packet->time_ns;
        listen->first_recorded = listen->next_frame = packet->recorded;
        st_hearing_expect(&listen->hearing, 0, packet->played);
    }
    if (packet->recorded > listen->next_frame)
        fill_gap(listen, packet->recorded - listen->next_frame);
    if (!listen->hearing.places.was_locked) /* a player that was late at first moved the signal */
        listen->ahead = (int64_t)(packet->played - (packet->recorded - listen->first_recorded));
    listen->next_frame = packet->recorded + packet->frames_n;
    listen->last_recorded = packet->recorded;
    listen->last_ns = packet->time_ns;
    st_hearing_take(&listen->hearing, packet->samples, packet->frames_n);
}

static int run_live(struct listen *listen)
{
    static const struct st_listen_calls calls = {say_begin, take_packet};
    const struct st_listen_wish wish = {
        .back = listen->o->back, .plays = listen->o->play, .duration_ns = listen->o->duration_ns};
    st_stop_catch(NULL);
    const int status = st_listen_live(NAME, st_platform_native(), &wish, &calls, listen, &listen->live);
    if (status != ST_EXIT_DONE)
        return status;
    listen->view.live = &listen->live;
    return print(listen, listen->live.forced, listen->live.forced_n);
}

int st_cmd_listen(int argc, char **argv)
{
    struct options o = {.duration_ns = 60 * ST_NS_PER_S};
    const struct st_option options[] = {
        {.name = "back", .text = &o.back},
        {.name = "play", .text = &o.play},
        {.name = "duration", .letter = 'd', .time_ns = &o.duration_ns, .min = LEAST_NS, .max = FILE_MAX},
        {.name = "input", .text = &o.input},
        {.name = "signal", .text = &o.signal},
        ST_OPTION_ROWS_JSON(&o.json),
    };
    const int status = st_options_only(NAME, options, ST_ARRAY_LEN(options), help, argc, argv);
    if (status >= 0)
        return status;
    if ((o.input != NULL) + (o.signal != NULL) + (o.back != NULL || o.play != NULL) > 1)
        return st_failure_usage(NAME, "--input, --signal and --back exclude each other: choose one");
    if (o.signal != NULL)
        return write_signal(&o);
    struct listen *listen = calloc(1, sizeof(*listen));
    if (listen == NULL)
        return st_failure(NAME, "out of memory");
    listen->o = &o;
    listen->view.file = o.input;
    const int done = o.input != NULL ? read_input(listen) : run_live(listen);
    free(listen);
    return done;
}
