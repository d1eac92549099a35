/* sleeptune listen: plays a test signal through the sound system, records it, and reports which
 * sound was lost. */
#include <sys/utsname.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/show/daemon_client.h"
#include "cli/show/listen_text.h"
#include "core/ns.h"
#include "core/text/json.h"
#include "core/text/safe.h"
#include "ears/wav.h"
#include "platform/program/output.h"
#include "platform/program/stop.h"
#include "platform/program/terminal.h"

#define USUAL_NS ST_NS_PER_MINUTE
#define FILE_HZ  48000 /* rate of the file that --signal writes */
/* limit of CPU time in s: judging ten minutes of the signal takes 1 s, noise at 192 kHz much
 * more */
#define JUDGED_S 120
/* Seed from which --signal chooses where its file has glitches. --input uses the same seed to know
 * where they are; the detection of losses does not use it. */
#define FILE_CHANCE 36
#define FILE_MAX    (6 * ST_NS_PER_HOUR)
#define FRAMES      1024
/* shortest duration of a test, in which the forced glitches take 6.5 s */
#define LEAST_NS   (10 * ST_NS_PER_S)
#define GAP_MAX    960000 /* at most this number of missing frames is replaced by silence */
#define LATE_NS    (1500 * ST_NS_PER_MS)
#define RATE_LEAST 5 /* s: a shorter run is not used to measure the device's rate */
/* accepted change of lateness from second to second, since a clock of jiffies is off by 4 ms */
#define JUMP_NS (10 * ST_NS_PER_MS)
/* events asked from the daemon: at most 1.6 MB, since each has at most 800 bytes */
#define RECORDS 2000

struct options {
    struct st_listen_wish wish;
    const char *input, *signal;
    bool json;
};

static const char help[] =
    "Usage: sleeptune listen [--back WAY] [OPTION...]\n"
    "       sleeptune listen --signal FILE.wav [-d TIME]\n"
    "       sleeptune listen --input FILE.wav [--json]\n"
    "Play a quiet test signal through your sound system, record it, and find each\n"
    "sample that was lost on the way.\n\n"
    "      --back WAY             how it is recorded: jack, monitor, cable, a\n"
    "                             device, aloop (Linux), virtual_oss (FreeBSD)\n"
    "                             (default: the best)\n"
    "      --play DEVICE          where it is played (default: the usual device)\n"
    "  -d, --duration TIME        (60s: can show at most 180 losses per hour)\n"
    "  -f, --frames N             at that buffer size, which is set back afterwards\n"
    "      --signal FILE          write the test signal (48 kHz, stereo, 16 bits),\n"
    "                             to be played on any device\n"
    "      --input FILE           judge a recording of that signal, from anywhere\n"
    "      --json                 print JSON\n"
    "  -h, --help                 this text\n\n"
    "It says what it is going to play and record before it does. Nothing is kept.\n\n"
    "Examples:\n"
    "  sleeptune listen\n"
    "  sleeptune listen --back cable -d 3h\n"
    "  sleeptune listen --signal test.wav\n"
    "  sleeptune listen --input recorded.wav\n\n"
    "Exit status: 0 nothing was lost, 1 losses, 3 usage or a file that is no such\n"
    "recording, 4 failure, 5 invalid: what was heard does not allow an answer.\n";

/* When a frame was recorded. A packet may arrive late and never early, so of the packets of a
 * second the least late one is used. */
struct moment {
    uint64_t recorded; /* frames since the first one */
    int64_t time_ns;   /* since the first frame; 0 like `recorded`: no packet yet */
    int64_t late_ns;   /* how much later than the nominal rate says the packet came */
};

/* One run, live or of a file. */
struct run {
    struct st_listen_view view; /* complete once the run has ended */
    struct st_hearing hearing;
    struct st_hearing_result result;
    struct st_listen_live live;
    struct st_daemon_answer records;
    uint64_t next_frame, first_recorded;
    int64_t ahead; /* frames played minus frames recorded when the signal was first heard */
    int64_t first_ns;
    struct moment first, last, soon; /* the least late packets of the first second, of the last
                                        whole second, and of the second that has begun */
    /* smallest and largest change of the lateness from one second to the next */
    int64_t least_ns, most_ns;
};

/* --- the signal as a file --- */

static int write_frames(FILE *stream, const struct st_signal *signal, uint64_t frames_n)
{
    float frames[2 * FRAMES];
    int r = st_wav_write_head(stream, signal->rate_hz, signal->channels, frames_n);
    for (uint64_t at = 0; r == 0 && at < frames_n; at += FRAMES) {
        const size_t n = (size_t)ST_MIN(frames_n - at, FRAMES);
        st_signal_fill(signal, at, frames, n);
        r = st_wav_write(stream, frames, 2 * n);
        if (st_stop_asked())
            r = -EINTR;
    }
    return r;
}

static int write_signal(const struct options *o)
{
    struct st_signal signal;
    struct st_output output;
    st_signal_init(&signal, FILE_HZ, 2);
    st_signal_force(&signal, FILE_CHANCE);
    st_stop_catch(NULL); /* at Ctrl-C, removes the file that is not complete */
    int r = st_output_open(&output, o->signal);
    if (r == 0) {
        r = write_frames(output.stream, &signal,
                         (uint64_t)(o->wish.duration_ns / ST_NS_PER_MS) * FILE_HZ / 1000);
        const int closed = st_output_close(&output, r == 0);
        if (r == 0)
            r = closed;
    }
    if (r != 0)
        return st_failure("cannot write %s: %s", o->signal, st_destination_error(r));
    return ST_EXIT_DONE;
}

/* --- a live run --- */

static void say_begin(void *ctx, const struct st_way *way, const struct st_capture_head *head)
{
    struct run *run = ctx;
    struct st_capture_head safe = *head;
    run->view.rate_hz = head->rate_hz;
    run->view.channels = head->channels;
    st_hearing_init(&run->hearing, head->rate_hz, head->channels);
    fprintf(stderr,
            "Playing a quiet test signal, %s, for %s.\n  played to:      %s\n  recorded from:  %s\n"
            "Ctrl-C ends it.\n",
            way->title, st_ns_short(run->view.wish.duration_ns), st_safe_text(safe.plays),
            st_safe_text(safe.records));
}

/* Takes silence for frames that were recorded but did not arrive here, so that they are found as a
 * loss. */
static void fill_gap(struct run *run, uint64_t frames)
{
    static const float silence[FRAMES * ST_CAPTURE_CHANNELS_MAX];
    for (frames = ST_MIN(frames, GAP_MAX); frames > 0;) {
        const size_t n = (size_t)ST_MIN(frames, FRAMES);
        st_hearing_take(&run->hearing, silence, n);
        frames -= n;
    }
}

static void take_time(struct run *run, const struct st_capture_packet *packet)
{
    struct moment now = {.recorded = packet->recorded - run->first_recorded,
                         .time_ns = packet->time_ns - run->first_ns};
    now.late_ns =
        now.time_ns - (int64_t)((double)now.recorded / run->view.rate_hz * (double)ST_NS_PER_S);
    if (now.time_ns / ST_NS_PER_S != run->soon.time_ns / ST_NS_PER_S) {
        const int64_t more_ns = run->soon.late_ns - run->last.late_ns;
        const bool is_second = run->last.time_ns == run->first.time_ns;
        if (run->soon.time_ns < ST_NS_PER_S) {
            run->first = run->soon;
        } else {
            run->least_ns = is_second ? more_ns : ST_MIN(run->least_ns, more_ns);
            run->most_ns = is_second ? more_ns : ST_MAX(run->most_ns, more_ns);
        }
        run->last = run->soon;
        run->soon = now;
    } else if (now.late_ns < run->soon.late_ns) {
        run->soon = now;
    }
}

static void take_packet(void *ctx, const struct st_capture_packet *packet)
{
    struct run *run = ctx;
    if (run->first_ns == 0) {
        run->first_ns = packet->time_ns;
        run->first_recorded = run->next_frame = packet->recorded;
        st_hearing_expect(&run->hearing, 0, packet->played);
    }
    if (packet->recorded > run->next_frame)
        fill_gap(run, packet->recorded - run->next_frame);
    /* keep the latest value until the signal is found, since a late player moves the signal */
    if (!run->hearing.places.was_locked)
        run->ahead = (int64_t)(packet->played - (packet->recorded - run->first_recorded));
    run->next_frame = packet->recorded + packet->frames_n;
    take_time(run, packet);
    st_hearing_take(&run->hearing, packet->samples, packet->frames_n);
}

/* Asks the daemon, if it answers, what it recorded during the run; dropouts are reported up to 1 s
 * late. */
static void ask_daemon(struct run *run)
{
    const struct timespec late = st_ns_to_timespec(LATE_NS);
    if (run->result.losses_n == 0 || !st_daemon_client_listens(NULL))
        return;
    (void)nanosleep(&late, NULL);
    const int64_t now_ns = st_posix_wall_ns(NULL);
    run->view.wall_ns = now_ns - st_posix_now_ns(NULL);
    const int64_t since_ns = run->live.begin_ns + run->view.wall_ns - ST_NS_PER_S;
    if (st_daemon_client_try(NULL,
                             st_text("events?since=%jd&limit=%d", since_ns / ST_NS_PER_S, RECORDS),
                             ST_DAEMON_TIMEOUT_MS, &run->records) == 0)
        run->view.records = json_object_get(run->records.document, "events");
    if (json_is_true(json_object_get(run->records.document, "more")))
        run->view.records_from_ns =
            st_json_integer(json_array_get(run->view.records, 0), "time_ns");
}

/* Was each frame of the device recorded, without a gap in time, so that its rate can be computed?
 * Gaps come from a server that was stopped; a sink without hardware has an additional cycle when a
 * program joins. */
static bool is_steady(const struct run *run)
{
    const uint64_t *n = run->live.events_n;
    return n[ST_CAPTURE_RECORDER] + n[ST_CAPTURE_XRUN] + n[ST_CAPTURE_FULL] == 0 &&
           run->most_ns - run->least_ns <= JUMP_NS;
}

/* Ends the analysis of a live run or of a file, after run->hearing has taken all frames. */
static void end_run(struct run *run, const struct st_glitch *forced, size_t forced_n)
{
    run->view.result = &run->result;
    run->view.live = &run->live;
    run->view.rate_ppm = (double)NAN;
    st_hearing_end(&run->hearing, forced, forced_n, &run->result);
}

/* Prints on standard error what will be played and recorded, plays, records, and asks the daemon,
 * if it answers, for its events. @return an st_exit: DONE with run->view, or a failure after its
 * message. */
static int record(const struct st_listen_wish *wish, struct run *run)
{
    static const struct st_listen_calls calls = {say_begin, take_packet};
    struct st_listen_view *view = &run->view;
    view->wish = *wish;
    st_stop_catch(NULL);
    if (wish->frames > 0)
        st_failure_note("Asking for %" PRIu32 " frames. Other programs on the same server or "
                        "device get this size, too, until this ends.",
                        wish->frames);
    const int status = st_listen_live(st_platform_native(), wish, &calls, run, &run->live);
    if (status != ST_EXIT_DONE)
        return status;
    struct utsname system;
    if (uname(&system) == 0)
        ST_PRINT(view->kernel, "%.40s %.80s", system.sysname, system.release);
    end_run(run, run->live.forced, run->live.forced_n);
    ask_daemon(run);
    view->latency_known = run->result.places_known;
    view->latency_frames = run->ahead - run->result.offset;
    const double seconds = st_ns_seconds(run->last.time_ns - run->first.time_ns);
    if (seconds >= RATE_LEAST && is_steady(run))
        view->rate_ppm =
            ((double)(run->last.recorded - run->first.recorded) / seconds / view->rate_hz - 1) *
            1e6;
    return ST_EXIT_DONE;
}

/* --- judging a recording (--input) --- */

static int judge(const struct options *o, struct run *run, struct st_wav *wav)
{
    float frames[(size_t)FRAMES * ST_CAPTURE_CHANNELS_MAX];
    struct st_signal signal;
    size_t n = 1;
    int r = 0;
    st_hearing_init(&run->hearing, wav->rate_hz, wav->channels);
    while (r == 0 && n > 0) {
        struct timespec used;
        if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) == 0 && used.tv_sec >= JUDGED_S)
            return st_failure("judging %s takes too long: after %d s of CPU time it is not done. "
                              "Cut the recording, or convert it to 48000 Hz, as ffmpeg and sox do.",
                              o->input, JUDGED_S);
        r = st_wav_read(wav, frames, FRAMES, &n);
        if (r == 0)
            st_hearing_take(&run->hearing, frames, n);
    }
    if (r != 0)
        return st_failure("cannot read %s: %s", o->input, strerror(-r));
    st_signal_init(&signal, FILE_HZ, 2);
    st_signal_force(&signal, FILE_CHANCE);
    ST_EACH_OF (glitch, signal.glitches, signal.glitches_n) {
        glitch->at_frame = glitch->at_frame * wav->rate_hz / FILE_HZ;
        glitch->frames = glitch->frames > 1 ? glitch->frames * wav->rate_hz / FILE_HZ : 1;
    }
    run->view.rate_hz = wav->rate_hz;
    run->view.channels = wav->channels;
    end_run(run, signal.glitches, signal.glitches_n);
    run->result.remarks[ST_REMARK_CUT] = wav->is_cut;
    return ST_EXIT_DONE;
}

static int read_input(const struct options *o, struct run *run)
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

/* --- output --- */

static int print(const struct run *run, bool json)
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
    return status != ST_EXIT_DONE ? status : st_listen_text_status(&run->view);
}

int st_cmd_listen(int argc, char **argv)
{
    struct options o = {.wish.duration_ns = USUAL_NS};
    int64_t frames = 0; /* 0: the buffer size in use */
    const struct st_option options[] = {
        {"back", .text = &o.wish.back},
        {"play", .text = &o.wish.plays},
        {"duration", .letter = 'd', .time_ns = &o.wish.duration_ns, .min = LEAST_NS,
         .max = FILE_MAX},
        {"frames", 'f', .number = &frames, .min = 16, .max = 8192},
        {"input", .text = &o.input},
        {"signal", .text = &o.signal},
        {.name = "json", .flag = &o.json},
    };
    const int status = st_options_only(options, ST_ARRAY_LEN(options), help, argc, argv);
    if (status >= 0)
        return status;
    const bool live = o.wish.back != NULL || o.wish.plays != NULL || frames > 0;
    if ((o.input != NULL) + (o.signal != NULL) + live > 1)
        return st_failure_usage(
            "use only one of --input, --signal and a live run (--back, --play, --frames)");
    if (o.signal != NULL)
        return write_signal(&o);
    struct run *run = calloc(1, sizeof(*run));
    if (run == NULL)
        return st_failure("out of memory");
    o.wish.frames = (uint32_t)frames;
    int done = o.input != NULL ? read_input(&o, run) : record(&o.wish, run);
    if (done == ST_EXIT_DONE)
        done = print(run, o.json);
    st_daemon_client_finish(&run->records);
    free(run);
    return done;
}
