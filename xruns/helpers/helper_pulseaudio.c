/* sleeptune-observe-pulseaudio: reports streams of a PulseAudio server that ran empty, a line for
 * each.
 *
 * PulseAudio reports an xrun only to the stream's own program, and to the server's log at level
 * debug. So while something plays, this program reads the queues of all playback streams every 0.25
 * s (pulse_streams.h), and checks whether the program of an empty one is stopped. What it reports
 * is "probable". It does not see gaps that are shorter than this interval, nor underruns of the
 * sound device. */
#include <unistd.h>

#include <pulse/pulseaudio.h>

#include "core/ns.h"
#include "core/text/number.h"
#include "xruns/helpers/helper_line.h"
#include "xruns/helpers/pulse_streams.h"
#include "xruns/helpers/standing.h"

#define NAME     "sleeptune-observe-pulseaudio"
#define ANSWER_S 5
#define LOOK_US  UINT64_C(250000)
#define WAITED_N 2
#define LOADS_US UINT64_C(10000000)

struct observer {
    pa_mainloop_api *api;
    pa_context *context;
    pa_time_event *look_timer;
    bool ready;
    bool ended;         /* the loop ends; the reason was written */
    bool looking;       /* the list of streams was asked for and has not arrived completely */
    pa_usec_t asked_us; /* when the list of streams was asked for */
    int waited_n;       /* how often LOOK_US has passed since the list was asked for */
    bool loads; /* this reading of the queues also writes a load line for each stream that plays */
    pa_usec_t loads_due_us;
    pid_t own; /* process whose streams are left out; 0: none */
    struct st_pulse_streams streams;
};

static void end(struct observer *observer, int status)
{
    observer->ended = true;
    observer->api->quit(observer->api, status);
}

static const char *error_text(const struct observer *observer)
{
    return pa_strerror(pa_context_errno(observer->context));
}

/* Frees an operation; NULL: the connection is lost, which on_state reports. */
static void forget(pa_operation *operation)
{
    if (operation != NULL)
        pa_operation_unref(operation);
}

/* --- reading the queues of all streams --- */

/* Takes the name of the sink that the stream plays on, then writes the stream's line. */
static void on_sink(ST_UNUSED pa_context *context, const pa_sink_info *sink, int eol, void *ctx)
{
    struct st_xrun_seen *seen = ctx;
    if (eol == 0 && sink != NULL) {
        ST_PRINT(seen->event.device, "%s", st_text_or(sink->name, ""));
        return;
    }
    st_helper_line_xrun(seen); /* at the end of the server's answer, even if the sink has gone */
    free(seen);
}

static const char *program_of(const pa_sink_input_info *stream)
{
    const char *program = pa_proplist_gets(stream->proplist, PA_PROP_APPLICATION_NAME);
    return st_text_or(program, st_text_or(stream->name, ""));
}

/* Writes a line about a stream, after asking the server for the name of its sink. */
static void say(const struct observer *observer, const pa_sink_input_info *stream,
                const struct st_xrun_seen *line)
{
    struct st_xrun_seen *seen = malloc(sizeof(*seen));
    if (seen == NULL)
        return;
    *seen = *line;
    ST_PRINT(seen->event.client, "%s", program_of(stream));
    pa_operation *operation =
        pa_context_get_sink_info_by_index(observer->context, stream->sink, on_sink, seen);
    if (operation == NULL)
        free(seen);
    forget(operation);
}

/* Writes that the stream plays. PulseAudio does not know how long the program computes. */
static void say_load(const struct observer *observer, const pa_sink_input_info *stream,
                     int64_t asked_ms)
{
    struct st_xrun_seen seen = {.kind = ST_XRUN_SEEN_LOAD, .load = st_xrun_load_plays};
    seen.load.asked_frames = asked_ms;
    if (asked_ms > 0)
        seen.load.asked_rate_hz = ST_XRUN_ASKED_MS;
    say(observer, stream, &seen);
}

/* Is the stream's program stopped? Only known if the process id and the binary that the program
 * claims fit each other. */
static bool is_stopped(const pa_sink_input_info *stream)
{
    const char *number = pa_proplist_gets(stream->proplist, PA_PROP_APPLICATION_PROCESS_ID);
    const char *binary = pa_proplist_gets(stream->proplist, PA_PROP_APPLICATION_PROCESS_BINARY);
    int64_t pid;
    clockid_t clock;
    return number != NULL && binary != NULL && st_number_i64(number, 1, INT_MAX, &pid) == 0 &&
           st_standing_open((pid_t)pid, binary, &clock) == 0 &&
           st_standing_ask((pid_t)pid) == ST_STANDING_IS_STOPPED;
}

static void report(const struct observer *observer, const pa_sink_input_info *stream,
                   const struct st_stream *known, int64_t lost_ns)
{
    struct st_xrun_seen seen = {.event = {.kind = ST_EVENT_CLIENT_DROPOUT,
                                          .certainty = ST_CERTAINTY_PROBABLE,
                                          .count_n = 1,
                                          .place = ST_DROPOUT_AT_CLIENT_BUFFER,
                                          .lost_ns = lost_ns,
                                          .longest_ns = lost_ns,
                                          .spare_ns = lost_ns,
                                          .reason = known->reason}};
    if (seen.event.reason == ST_DROPOUT_WAITED_FOR_OTHER)
        ST_PRINT(seen.event.culprit, "%s", ST_DROPOUT_REASON_PULSEAUDIO);
    if (known->asked_ms > 0)
        seen.event.spare_ns = known->asked_ms * ST_NS_PER_MS;
    say(observer, stream, &seen);
}

static void on_stream(pa_context *context, const pa_sink_input_info *stream, int eol, void *ctx)
{
    struct observer *observer = ctx;
    if (eol == 0 && stream != NULL) {
        /* the process id is a claim of the client, which PulseAudio does not verify; so sleeptuned
         * gives this program its own process id (-p) only while it plays */
        if (st_helper_line_is_process(
                pa_proplist_gets(stream->proplist, PA_PROP_APPLICATION_PROCESS_ID), observer->own))
            return;
        const pa_usec_t now_us = pa_rtclock_now();
        /* the server's silence counts at most for the time in which this program itself ran since
         * it asked for the list */
        const uint64_t waited_us = ((uint64_t)observer->waited_n + 1) * LOOK_US;
        uint64_t silent_us = 0;
        if (observer->waited_n >= WAITED_N)
            silent_us = ST_MIN(now_us - observer->asked_us, waited_us);
        const uint64_t lost_us =
            st_pulse_streams_look(&observer->streams, stream->index, stream->corked != 0,
                                  stream->buffer_usec, stream->sink_usec, silent_us, now_us);
        struct st_stream *known = st_pulse_streams_find(&observer->streams, stream->index);
        if (known == NULL)
            return;
        if (st_pulse_streams_is_asked(known, now_us))
            known->stopped = is_stopped(stream);
        if (lost_us > 0)
            report(observer, stream, known, (int64_t)lost_us * ST_NS_PER_US);
        if (stream->corked != 0)
            return;
        char which[32];
        ST_PRINT(which, "stream %" PRIu32, stream->index);
        if (stream->buffer_usec <= ST_STREAM_LONGEST_US)
            st_helper_line_left(which, program_of(stream), (int64_t)stream->buffer_usec * 1000);
        const int64_t asked_ms = st_pulse_streams_asked_ms(known);
        if (observer->loads) {
            observer->loads_due_us = pa_rtclock_now() + LOADS_US;
            say_load(observer, stream, asked_ms);
        }
        return;
    }
    observer->looking = false;
    if (observer->waited_n >= WAITED_N) {
        observer->streams.silent_us = observer->asked_us;
        observer->streams.answered_us = pa_rtclock_now();
    }
    if (eol > 0)
        st_pulse_streams_look_end(&observer->streams);
    pa_context_rttime_restart(context, observer->look_timer,
                              observer->streams.playing ? pa_rtclock_now() + LOOK_US
                                                        : PA_USEC_INVALID);
}

static void look(struct observer *observer)
{
    if (observer->looking)
        return;
    observer->waited_n = 0;
    observer->asked_us = pa_rtclock_now();
    pa_context_rttime_restart(observer->context, observer->look_timer, pa_rtclock_now() + LOOK_US);
    st_pulse_streams_look_begin(&observer->streams);
    observer->loads = pa_rtclock_now() >= observer->loads_due_us;
    pa_operation *operation =
        pa_context_get_sink_input_info_list(observer->context, on_stream, observer);
    observer->looking = operation != NULL;
    forget(operation);
}

static void on_look_timer(ST_UNUSED pa_mainloop_api *api, ST_UNUSED pa_time_event *event,
                          ST_UNUSED const struct timeval *when, void *ctx)
{
    struct observer *observer = ctx;
    if (observer->looking) {
        observer->waited_n++;
        pa_context_rttime_restart(observer->context, observer->look_timer,
                                  pa_rtclock_now() + LOOK_US);
    }
    look(observer);
}

/* A stream has come or gone, or was corked or uncorked: reads the queues now, since they are not
 * polled while no stream plays. */
static void on_event(ST_UNUSED pa_context *context, ST_UNUSED pa_subscription_event_type_t type,
                     ST_UNUSED uint32_t index, void *ctx)
{
    look(ctx);
}

/* --- the server --- */

static int say_absent(const struct observer *observer)
{
    if (pa_context_errno(observer->context) == PA_ERR_CONNECTIONREFUSED)
        return st_helper_line_absent("PulseAudio is not running for this user");
    return st_helper_line_absent("the PulseAudio server of this user refuses the connection: %s",
                                 error_text(observer));
}

static void on_server(pa_context *context, const pa_server_info *server, void *ctx)
{
    struct observer *observer = ctx;
    if (server == NULL) {
        end(observer,
            st_helper_line_absent("the PulseAudio server does not send its name and version: %s",
                                  error_text(observer)));
        return;
    }
    const char *name = st_text_or(server->server_name, "a server without a name");
    if (strstr(name, "PipeWire") != NULL) {
        end(observer,
            st_helper_line_absent(
                "%s: this server is part of PipeWire, which sleeptuned watches directly", name));
        return;
    }
    st_helper_line_deadline(0, NULL);
    st_helper_line_ready("how much sound each stream of %s %s has ready, read 4 times a second",
                         name, st_text_or(server->server_version, "(version unknown)"));
    observer->ready = true;
    pa_context_set_subscribe_callback(context, on_event, observer);
    forget(pa_context_subscribe(context, PA_SUBSCRIPTION_MASK_SINK_INPUT, NULL, NULL));
    look(observer);
}

static void on_state(pa_context *context, void *ctx)
{
    struct observer *observer = ctx;
    const pa_context_state_t state = pa_context_get_state(context);
    if (state == PA_CONTEXT_READY) {
        forget(pa_context_get_server_info(context, on_server, observer));
    } else if (!PA_CONTEXT_IS_GOOD(state)) {
        if (observer->ready)
            end(observer,
                st_helper_line_absent("the PulseAudio server has ended: %s", error_text(observer)));
        else
            end(observer, say_absent(observer));
    }
}

/* --- standard input and timers --- */

static void on_input(ST_UNUSED pa_mainloop_api *api, ST_UNUSED pa_io_event *event, ST_UNUSED int fd,
                     ST_UNUSED pa_io_event_flags_t flags, void *ctx)
{
    if (st_helper_line_input_ended())
        end(ctx, ST_HELPER_LINE_DONE);
}

static void on_alive_timer(ST_UNUSED pa_mainloop_api *api, pa_time_event *event,
                           ST_UNUSED const struct timeval *when, void *ctx)
{
    const struct observer *observer = ctx;
    if (observer->ready)
        st_helper_line_alive();
    pa_context_rttime_restart(observer->context, event,
                              pa_rtclock_now() + ST_HELPER_LINE_ALIVE_S * PA_USEC_PER_SEC);
}

int main(int argc, char **argv)
{
    static struct observer observer;
    int status = ST_HELPER_LINE_FAILED;
    observer.own = st_helper_line_options(argc, argv).own;
    st_helper_line_give_way();
    pa_mainloop *loop = pa_mainloop_new();
    if (loop == NULL) {
        perror(NAME);
        return ST_HELPER_LINE_FAILED;
    }
    observer.api = pa_mainloop_get_api(loop);
    observer.context = pa_context_new(observer.api, NAME);
    if (observer.context == NULL)
        return st_helper_line_absent("libpulse cannot create a context");
    pa_context_set_state_callback(observer.context, on_state, &observer);
    st_helper_line_deadline(ANSWER_S, "the PulseAudio server does not answer");
    if (pa_context_connect(observer.context, NULL, PA_CONTEXT_NOAUTOSPAWN, NULL) < 0)
        return observer.ended ? ST_HELPER_LINE_ABSENT : say_absent(&observer);
    observer.look_timer =
        pa_context_rttime_new(observer.context, PA_USEC_INVALID, on_look_timer, &observer);
    pa_context_rttime_new(observer.context,
                          pa_rtclock_now() + ST_HELPER_LINE_ALIVE_S * PA_USEC_PER_SEC,
                          on_alive_timer, &observer);
    observer.api->io_new(observer.api, STDIN_FILENO, PA_IO_EVENT_INPUT | PA_IO_EVENT_HANGUP,
                         on_input, &observer);
    pa_mainloop_run(loop, &status);
    return status; /* what is open ends with the process */
}
