/* sleeptune-listen-jack: plays a test signal on a JACK server and records it, from one client's
 * output port to another's input port (-w jack), or over the physical ports that a cable or a
 * card's loopback connects (-w cable). There are two processes with one client each. An
 * additional port without sound makes JACK run the player after the recorder in each cycle, so
 * that the recorder runs, and hears the loss, even when the player is not ready. */
#include <jack/jack.h>
#include <signal.h>
#include <unistd.h>

#include "core/text/text.h"
#include "ears/helpers/ear.h"
#include "platform/posix/posix.h"
#include "xruns/helpers/jack_server.h"

#define PLAYS    "sleeptune-listen"
#define RECORDS  "sleeptune-listen-record"
#define CHANNELS 2
#define ANSWER_S 5

struct listener {
    struct st_ear ear;
    jack_client_t *client;
    jack_port_t *ports[CHANNELS], *order;
    atomic_bool ready, gone, other_size;
    atomic_uint xruns_n;
    unsigned xruns_said;
    /* buffer size that the player restores at its end; 0: it did not change the size */
    jack_nframes_t size_before;
    uint32_t others_n; /* other programs that play to the same port, at the last call of
                          look_for_others */
};

static struct listener listener = {.ear = {.way = ""}};
static const char *const names[CHANNELS] = {"left", "right"};

/* --- the process thread --- */

static int on_process(jack_nframes_t frames_n, ST_UNUSED void *ctx)
{
    float *samples[CHANNELS];
    const float *from[CHANNELS];
    const bool ready = atomic_load_explicit(&listener.ready, memory_order_acquire);
    const uint32_t time = jack_last_frame_time(listener.client);
    for (size_t i = 0; i < CHANNELS; i++) {
        from[i] = samples[i] = jack_port_get_buffer(listener.ports[i], frames_n);
        if (listener.ear.player && !ready)
            memset(samples[i], 0, frames_n * sizeof(float));
    }
    if (!listener.ear.player)
        memset(jack_port_get_buffer(listener.order, frames_n), 0, frames_n * sizeof(float));
    if (ready && listener.ear.player)
        st_ear_play(&listener.ear, time, samples, 1, frames_n);
    else if (ready)
        st_ear_record(&listener.ear, time, st_posix_now_ns(NULL), from, 1, frames_n);
    return 0;
}

/* --- libjack's other threads --- */

static int on_xrun(ST_UNUSED void *ctx)
{
    atomic_fetch_add(&listener.xruns_n, 1);
    return 0;
}

static void on_shutdown(ST_UNUSED void *ctx)
{
    atomic_store(&listener.gone, true);
}

static int on_size(jack_nframes_t frames, ST_UNUSED void *ctx)
{
    if (listener.ear.head.period_frames != 0 && frames != listener.ear.head.period_frames)
        atomic_store(&listener.other_size, true);
    return 0;
}

static void drop_message(ST_UNUSED const char *text) {}

/* --- the main thread --- */

static size_t client_bytes(const char *port)
{
    return strcspn(port, ":");
}

/* Finds the port of that name, or without a name the first physical one that takes (or gives)
 * sound, and the next port of its client. If there is no next one, the first port is used for both
 * channels. @return whether a port was found. */
static bool find_ports(const char *name, bool takes, char ret[CHANNELS][ST_CAPTURE_TEXT_BYTES])
{
    unsigned long flags = takes ? JackPortIsInput : JackPortIsOutput;
    if (name[0] == '\0')
        flags |= JackPortIsPhysical;
    const char **ports = jack_get_ports(listener.client, NULL, JACK_DEFAULT_AUDIO_TYPE, flags);
    size_t n = 0;
    for (size_t i = 0; ports != NULL && ports[i] != NULL && n < CHANNELS; i++) {
        const bool is_it = n > 0 ? strncmp(ports[i], ret[0], client_bytes(ret[0]) + 1) == 0
                                 : name[0] == '\0' || st_text_is(ports[i], name);
        if (is_it)
            snprintf(ret[n++], ST_CAPTURE_TEXT_BYTES, "%s", ports[i]);
    }
    if (n == 1)
        memcpy(ret[1], ret[0], ST_CAPTURE_TEXT_BYTES);
    jack_free(ports);
    return n > 0;
}

static int no_port(const char *name, const char *to)
{
    return st_ear_absent("JACK has no %.100s to %s",
                         st_text_or(st_text_with("port ", name), "physical port"), to);
}

/* Connects this process's ports to those of the device. @param ret name of the device's first port.
 * @return ST_EAR_DONE or ST_EAR_ABSENT. */
static int connect_device(const char *name, char ret[ST_CAPTURE_TEXT_BYTES])
{
    const bool plays = listener.ear.player;
    char ports[CHANNELS][ST_CAPTURE_TEXT_BYTES];
    if (!find_ports(name, plays, ports))
        /* if the player's port is missing, the recorder reports that */
        return no_port(name, "record from");
    for (size_t i = 0; i < CHANNELS; i++) {
        const char *const ends[] = {ports[i], jack_port_name(listener.ports[i])};
        (void)jack_connect(listener.client, ends[plays], ends[!plays]);
    }
    memcpy(ret, ports[0], ST_CAPTURE_TEXT_BYTES);
    const jack_port_t *port = jack_port_by_name(listener.client, ret);
    if (!plays && port != NULL && (jack_port_flags(port) & JackPortIsPhysical) == 0)
        /* another client's port: the path is within JACK's graph */
        ST_PRINT(listener.ear.head.way, "jack");
    return ST_EAR_DONE;
}

/* Connects this process's ports to those of a device, if a cable is used. Without a cable, the
 * recorder connects its ports to those of the player, and the player connects nothing. */
static int connect_ports(bool cable)
{
    struct st_ear *ear = &listener.ear;
    const char *player = ear->shared->client;
    if (ear->player && cable)
        return connect_device(ear->plays, ear->shared->plays);
    if (cable)
        return connect_device(ear->records, ear->head.records);
    if (ear->player)
        return ST_EAR_DONE;
    (void)jack_connect(listener.client, jack_port_name(listener.order),
                       st_text("%s:order", player));
    for (size_t i = 0; i < CHANNELS; i++) {
        const int r = jack_connect(listener.client, st_text("%s:%s", player, names[i]),
                                   jack_port_name(listener.ports[i]));
        if (r != 0 && r != EEXIST)
            return st_ear_absent(
                "JACK could not connect sleeptune's player to sleeptune's recorder");
    }
    ST_PRINT(ear->head.records, "%s", jack_port_name(listener.ports[0]));
    return ST_EAR_DONE;
}

static void on_alarm(ST_UNUSED int number)
{
    static const struct st_capture_event event = {.kind = ST_CAPTURE_ABSENT,
                                                  .text = "the JACK server does not answer"};
    const bool says = listener.ear.head.period_frames == 0; /* no head was written yet */
    _exit(says && st_capture_stream_write_event(STDOUT_FILENO, &event) < 0 ? ST_EAR_FAILED
                                                                           : ST_EAR_ABSENT);
}

static jack_port_t *open_port(const char *name, bool out)
{
    return jack_port_register(listener.client, name, JACK_DEFAULT_AUDIO_TYPE,
                              out ? JackPortIsOutput : (unsigned long)JackPortIsInput, 0);
}

static int open_client(const char *server)
{
    if (st_jack_server_is_pipewire())
        return st_ear_absent("the installed JACK library is PipeWire's");
    const char *why = st_jack_server_look(server);
    if (why != NULL)
        return st_ear_absent("%s", why);
    jack_set_error_function(drop_message);
    jack_set_info_function(drop_message);
    (void)signal(SIGALRM, on_alarm);
    alarm(ANSWER_S);
    listener.client = jack_client_open(listener.ear.player ? PLAYS : RECORDS,
                                       JackNoStartServer | JackServerName, NULL, server);
    if (listener.client == NULL)
        return st_ear_absent("JACK is not running for this user");
    for (size_t i = 0; i < CHANNELS; i++)
        listener.ports[i] = open_port(names[i], listener.ear.player);
    listener.order = open_port("order", !listener.ear.player);
    if (listener.ports[0] == NULL || listener.ports[1] == NULL || listener.order == NULL)
        return st_ear_absent("the JACK server has no port left");
    jack_on_shutdown(listener.client, on_shutdown, NULL);
    if (jack_set_process_callback(listener.client, on_process, NULL) != 0 ||
        jack_set_xrun_callback(listener.client, on_xrun, NULL) != 0 ||
        jack_set_buffer_size_callback(listener.client, on_size, NULL) != 0 ||
        jack_activate(listener.client) != 0)
        return st_ear_absent("the JACK server refuses sleeptune's connection");
    if (listener.ear.player && listener.ear.frames > 0) {
        /* ignore signals, so that the player outlives the recorder and then restores the buffer
         * size */
        (void)signal(SIGINT, SIG_IGN);
        (void)signal(SIGTERM, SIG_IGN);
        listener.size_before = jack_get_buffer_size(listener.client);
        (void)jack_set_buffer_size(listener.client, listener.ear.frames);
    }
    return ST_EAR_DONE;
}

/* Makes the recorder wait until the player is in the graph. @return false: the player has ended, or
 * the command has. */
static bool wait_for_player(void)
{
    const struct timespec nap = {.tv_nsec = ST_EAR_PUMP_NS};
    while (!listener.ear.player && !atomic_load(&listener.ear.shared->linked)) {
        if (st_ear_player_ended(&listener.ear))
            return false;
        (void)nanosleep(&nap, NULL);
    }
    return true;
}

static int begin(bool cable, const char *server)
{
    struct st_ear *ear = &listener.ear;
    int r = open_client(server);
    if (r == ST_EAR_DONE && !wait_for_player())
        r = cable ? no_port(ear->plays, "play to")
                  : st_ear_absent("the process of sleeptune that plays has ended");
    if (r == ST_EAR_DONE)
        r = connect_ports(cable);
    if (r != ST_EAR_DONE)
        return r;
    alarm(0);
    ear->head.rate_hz = jack_get_sample_rate(listener.client);
    ear->head.channels = CHANNELS;
    ST_PRINT(ear->head.server, "JACK %.20s, server \"%.60s\"", jack_get_version_string(), server);
    ear->head.period_frames = jack_get_buffer_size(listener.client);
    if (st_ear_prepare(ear) < 0)
        return st_ear_absent("out of memory");
    if (ear->player) {
        ST_PRINT(ear->shared->client, "%s", jack_get_client_name(listener.client));
        atomic_store(&ear->shared->linked, true);
        return ST_EAR_DONE;
    }
    if (cable)
        ST_PRINT(ear->head.plays, "%s", ear->shared->plays);
    else
        ST_PRINT(ear->head.plays, "%.100s:left", ear->shared->client);
    st_ear_begin(ear);
    return ST_EAR_DONE;
}

/* Reports other programs that play to the same physical port, since they are heard together with
 * the signal. */
static void look_for_others(void)
{
    const jack_port_t *plays =
        jack_port_by_name(listener.client, st_text("%s:left", listener.ear.shared->client));
    const char **peers =
        plays != NULL ? jack_port_get_all_connections(listener.client, plays) : NULL;
    uint32_t n = 0;
    for (size_t i = 0; peers != NULL && peers[i] != NULL; i++) {
        const jack_port_t *peer = jack_port_by_name(listener.client, peers[i]);
        const char **others =
            peer != NULL ? jack_port_get_all_connections(listener.client, peer) : NULL;
        for (size_t j = 0; others != NULL && others[j] != NULL; j++) {
            if (!st_text_is(others[j], jack_port_name(plays)) && ++n > listener.others_n)
                st_ear_say(&listener.ear, ST_CAPTURE_MIXED, others[j]);
        }
        jack_free(others);
    }
    listener.others_n = n;
    jack_free(peers);
}

/* Begins the signal in the player and the recorder when the command says so, and reports xruns and
 * changes.
 * @return false: the run has ended. */
static bool look(ST_UNUSED void *ctx)
{
    struct st_ear *ear = &listener.ear;
    const unsigned xruns_n = atomic_load(&listener.xruns_n);
    if (!ear->player && ear->go)
        atomic_store(&ear->shared->go, true);
    if (!atomic_load(&ear->shared->go))
        listener.xruns_said = xruns_n; /* do not report xruns that connecting the ports caused */
    else
        atomic_store_explicit(&listener.ready, true, memory_order_release);
    if (ear->player)
        return !atomic_load(&listener.gone);
    for (; listener.xruns_said != xruns_n; listener.xruns_said++)
        st_ear_say(ear, ST_CAPTURE_XRUN, ear->head.server);
    if (atomic_exchange(&listener.other_size, false))
        st_ear_say(ear, ST_CAPTURE_FORMAT, "buffer size");
    if (atomic_load(&listener.gone) || st_ear_player_ended(ear)) {
        st_ear_say(ear, ST_CAPTURE_GONE, ear->head.server);
        return false;
    }
    look_for_others();
    return true;
}

int main(int argc, char **argv)
{
    st_ear_options(&listener.ear, argc, argv);
    if (geteuid() == 0)
        return st_ear_absent("run sleeptune listen as the user who plays");
    if (st_ear_split(&listener.ear) < 0)
        return st_ear_absent("cannot start a second process");
    const int r = begin(st_text_is(listener.ear.way, "cable"), st_jack_server_name());
    if (r != ST_EAR_DONE) {
        if (listener.ear.pid != 0)
            st_ear_end_player(&listener.ear);
        return r;
    }
    st_ear_run(&listener.ear, look, NULL);
    if (!atomic_load(&listener.gone)) {
        alarm(1);
        if (listener.size_before != 0)
            (void)jack_set_buffer_size(listener.client, listener.size_before);
        jack_client_close(listener.client);
    }
    if (listener.ear.pid != 0)
        st_ear_end_player(&listener.ear);
    return ST_EAR_DONE;
}
