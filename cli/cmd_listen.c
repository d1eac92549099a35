/* sleeptune listen: plays a test signal through the sound system, takes it back, and says what was lost. */
#include <unistd.h>

#include "cli/command.h"
#include "cli/measure/listen_run.h"
#include "core/ns.h"
#include "core/text/json.h"
#include "ears/wav.h"
#include "platform/posix/posix.h"
#include "platform/program/locale.h"
#include "platform/program/output.h"
#include "platform/program/stop.h"
#include "platform/program/terminal.h"

#define USUAL_NS    (60 * ST_NS_PER_S)
#define FILE_HZ     48000 /* of the file that --signal writes */
#define JUDGED_S    120   /* of CPU time: ten minutes of the signal take 1 s, noise at 192 kHz far more */
#define FILE_CHANCE 36    /* where its glitches are: --input knows it, and the detector does not */
#define FILE_MAX    (6 * 3600 * ST_NS_PER_S)
#define FRAMES      1024

struct options {
    const char *back, *play, *input, *signal;
    int64_t duration_ns;
    int64_t frames; /* 0: the size in use */
    bool json;
};

static const char help[] = "Usage: sleeptune listen [--back WAY] [OPTION...]\n"
                           "       sleeptune listen --signal FILE.wav [-d TIME]\n"
                           "       sleeptune listen --input FILE.wav [--json]\n"
                           "Play a quiet test signal through your sound system, take it back, and find each\n"
                           "sample that was lost on the way.\n\n"
                           "      --back WAY             how it comes back: jack, monitor, cable, a\n"
                           "                             device, aloop (Linux), virtual_oss (FreeBSD)\n"
                           "                             (default: the best)\n"
                           "      --play DEVICE          where it is played (default: the usual device)\n"
                           "  -d, --duration TIME        (60s: can show at most 180 losses per hour)\n"
                           "  -f, --frames N             at that buffer size, which is set back afterwards\n"
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
                           "recording, 4 failure, 5 invalid: what was heard does not allow an answer.\n";

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
    st_signal_force(&signal, FILE_CHANCE);
    int r = st_output_open(&output, o->signal);
    if (r == 0) {
        r = write_frames(output.stream, &signal, (uint64_t)(o->duration_ns / ST_NS_PER_MS) * FILE_HZ / 1000);
        const int closed = st_output_close(&output, r == 0);
        r = r != 0 ? r : closed;
    }
    if (r != 0)
        return st_failure("cannot write %s: %s", o->signal, st_destination_error(r));
    return ST_EXIT_DONE;
}

/* --- what is said --- */

static int print(const struct st_listen_run *run, bool json)
{
    int status = ST_EXIT_DONE;
    if (json) {
        status = st_output_json(st_listen_text_json(&run->view));
    } else {
        struct st_locale_stream stream;
        FILE *out = st_locale_begin(&stream, stdout);
        st_listen_text_screen(&run->view, out, st_terminal_width(STDOUT_FILENO));
        status = st_output_text(&stream, status);
    }
    return status != ST_EXIT_DONE ? status : st_listen_run_status(run);
}

/* --- a recording --- */

static int judge(const struct options *o, struct st_listen_run *run, struct st_wav *wav)
{
    float frames[(size_t)FRAMES * ST_CAPTURE_CHANNELS_MAX];
    struct st_signal signal;
    size_t n = 1;
    int r = 0;
    st_hearing_init(&run->hearing, wav->rate_hz, wav->channels);
    while (r == 0 && n > 0) {
        struct timespec used;
        if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) == 0 && used.tv_sec >= JUDGED_S)
            return st_failure("judging %s takes too long: after %d s of CPU time it is not done. Cut "
                              "the recording, or convert it to 48000 Hz, as ffmpeg and sox do.",
                              o->input, JUDGED_S);
        r = st_wav_read(wav, frames, FRAMES, &n);
        if (r == 0)
            st_hearing_take(&run->hearing, frames, n);
    }
    if (r != 0)
        return st_failure("cannot read %s: %s", o->input, strerror(-r));
    st_signal_init(&signal, FILE_HZ, 2, ST_HEARING_LEVEL);
    st_signal_force(&signal, FILE_CHANCE);
    ST_EACH_OF (glitch, signal.glitches, signal.glitches_n) {
        glitch->at_frame = glitch->at_frame * wav->rate_hz / FILE_HZ;
        glitch->frames = glitch->frames > 1 ? glitch->frames * wav->rate_hz / FILE_HZ : 1;
    }
    run->view.file = o->input;
    run->view.rate_hz = wav->rate_hz;
    run->view.channels = wav->channels;
    run->view.is_cut = wav->is_cut;
    st_listen_run_end(run, signal.glitches, signal.glitches_n);
    return print(run, o->json);
}

static int read_input(const struct options *o, struct st_listen_run *run)
{
    const char *name = o->input, *error;
    struct st_wav wav;
    FILE *stream = st_posix_input_open(name);
    if (stream == NULL)
        return st_failure("cannot read %s: %s", name, st_posix_input_error(errno));
    int status = ST_EXIT_USAGE;
    const int r = st_wav_open(&wav, stream, &error);
    if (r == 0)
        status = judge(o, run, &wav);
    else if (r == -EBADMSG)
        st_failure("cannot judge %s: %s", name, error);
    else
        status = st_failure("cannot read %s: %s", name, strerror(-r));
    st_posix_input_close(stream);
    return status;
}

/* --- a run --- */

static int run_live(const struct options *o, struct st_listen_run *run)
{
    struct st_listen_wish wish = {
        .back = o->back,
        .plays = o->play,
        .duration_ns = o->duration_ns,
        .frames = (uint32_t)o->frames,
    };
    st_stop_catch(NULL);
    const int status = st_listen_run_live(&wish, run);
    return status == ST_EXIT_DONE ? print(run, o->json) : status;
}

int st_cmd_listen(int argc, char **argv)
{
    struct options o = {.duration_ns = USUAL_NS};
    const struct st_option options[] = {
        {"back", .text = &o.back},
        {"play", .text = &o.play},
        {"duration", .letter = 'd', .time_ns = &o.duration_ns, .min = ST_LISTEN_LEAST_NS, .max = FILE_MAX},
        {"frames", 'f', .number = &o.frames, .min = 16, .max = 8192},
        {"input", .text = &o.input},
        {"signal", .text = &o.signal},
        ST_OPTION_ROWS_JSON(&o.json),
    };
    const int status = st_options_only(options, ST_ARRAY_LEN(options), help, argc, argv);
    if (status >= 0)
        return status;
    const bool live = o.back != NULL || o.play != NULL || o.frames > 0;
    if ((o.input != NULL) + (o.signal != NULL) + live > 1)
        return st_failure_usage("--input, --signal and a way back exclude each other: choose one");
    if (o.signal != NULL)
        return write_signal(&o);
    struct st_listen_run *run = calloc(1, sizeof(*run));
    if (run == NULL)
        return st_failure("out of memory");
    const int done = o.input != NULL ? read_input(&o, run) : run_live(&o, run);
    st_listen_run_finish(run);
    free(run);
    return done;
}
