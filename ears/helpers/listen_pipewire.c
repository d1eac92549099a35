/* sleeptune-listen-pipewire: plays a test signal into a sink of a PipeWire server, and records the
 * sink's monitor (-w monitor), or a source that a cable or a card's loopback connects to it (-w
 * cable).
 *
 * One process plays, another one records. Each has a filter with ports of 32-bit floats that it
 * links by itself, so that no conversion, volume or session manager changes the sound. */
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <pipewire/filter.h>
#include <pipewire/impl.h>
#include <pipewire/pipewire.h>

#include <pipewire/extensions/metadata.h>

#include "core/ns.h"
#include "ears/helpers/ear.h"
#include "xruns/helpers/pipewire_connection.h"

#define CHANNELS    2
#define NODES_MAX   256
#define PORTS_MAX   1024
#define LINKS_MAX   1024
#define FRAMES_MAX  8192U
#define ANSWER_S    5
#define PRIORITY    83 /* SCHED_FIFO priority of the data thread, as common players have */
#define SIZE_WAITS  (ST_NS_PER_S / ST_EAR_PUMP_NS)
#define MONO_FLOATS "32 bit float mono audio"

struct node {
    uint32_t id; /* 0: this slot is free */
    bool sink, source;
    char name[ST_CAPTURE_TEXT_BYTES];
};

struct port {
    uint32_t id, node; /* 0: this slot is free */
    bool out;
};

struct link {
    uint32_t id, from, to; /* id 0: this slot is free; from, to: ids of nodes */
    bool said;
};

struct listener {
    struct st_ear ear;
    struct pw_loop *loop;
    struct st_pipewire_connection connection;
    struct pw_proxy *metadata;
    struct spa_hook metadata_hook, filter_hook;
    struct node nodes[NODES_MAX];
    struct port ports[PORTS_MAX];
    struct link links_seen[LINKS_MAX];
    /* names of the server's default devices; "": unknown */
    char sink[ST_CAPTURE_TEXT_BYTES], source[ST_CAPTURE_TEXT_BYTES];
    uint32_t sink_node, device; /* node ids; 0: not chosen yet. sink_node: the sink that gets the
                                   signal; device: the sink or source that this process links to */
    struct pw_filter *filter;
    void *own_ports[CHANNELS];
    struct pw_proxy *links[CHANNELS];
    char server[ST_CAPTURE_TEXT_BYTES];
    int syncs_n, status;
    unsigned waits_n; /* ticks spent waiting for the requested buffer size */
    bool ended, headed;
    atomic_uint rate_seen, frames_seen; /* Hz, and frames of the server's latest cycle, set by the
                                           data thread; 0: no cycle yet */
    atomic_bool ready; /* set by the main thread: the data thread may play or record the signal */
    bool other_rate;   /* data thread only: the command was informed of another rate */
};

static void end(struct listener *listener, int status)
{
    listener->status = status;
    listener->ended = true;
}

/* Ends this program because the device, server or process `what` has gone. */
static void end_without(struct listener *listener, const char *what)
{
    int status = ST_EAR_DONE;
    if (listener->headed)
        st_ear_say(&listener->ear, ST_CAPTURE_GONE, what);
    else
        status = st_ear_absent("%s has gone", what);
    end(listener, status);
}

/* --- the data thread --- */

/* Notes the server's rate and cycle length. @return the frames of this cycle; 0: the cycle has
 * no rate, so it is skipped. */
static uint32_t begin_cycle(struct listener *listener, const struct spa_io_position *position)
{
    if (position == NULL || position->clock.rate.denom == 0)
        return 0;
    const uint32_t frames_n = (uint32_t)SPA_MIN(position->clock.duration, FRAMES_MAX);
    atomic_store_explicit(&listener->frames_seen, frames_n, memory_order_relaxed);
    atomic_store_explicit(&listener->rate_seen, position->clock.rate.denom, memory_order_relaxed);
    return frames_n;
}

static void on_play(void *ctx, struct spa_io_position *position)
{
    struct listener *listener = ctx;
    float *to[CHANNELS];
    const uint32_t frames_n = begin_cycle(listener, position);
    const bool ready = atomic_load_explicit(&listener->ready, memory_order_acquire);
    for (size_t i = 0; i < CHANNELS; i++) {
        to[i] = frames_n > 0 ? pw_filter_get_dsp_buffer(listener->own_ports[i], frames_n) : NULL;
        if (to[i] != NULL && !ready)
            memset(to[i], 0, frames_n * sizeof(float));
    }
    if (frames_n > 0 && ready)
        st_ear_play(&listener->ear, (uint32_t)position->clock.position, to, 1, frames_n);
}

static void on_record(void *ctx, struct spa_io_position *position)
{
    struct listener *listener = ctx;
    struct st_ear *ear = &listener->ear;
    const float *from[CHANNELS];
    const uint32_t frames_n = begin_cycle(listener, position);
    for (size_t i = 0; i < CHANNELS; i++)
        from[i] = frames_n > 0 ? pw_filter_get_dsp_buffer(listener->own_ports[i], frames_n) : NULL;
    if (frames_n == 0 || !atomic_load_explicit(&listener->ready, memory_order_acquire))
        return;
    const struct spa_io_clock *clock = &position->clock;
    const int64_t time_ns = (int64_t)clock->nsec;
    if (!listener->other_rate && clock->rate.denom != ear->head.rate_hz) {
        listener->other_rate = true;
        st_ear_event(ear, ST_CAPTURE_FORMAT, 0, time_ns);
    }
#ifdef SPA_IO_CLOCK_FLAG_XRUN_RECOVER /* since PipeWire 1.2 */
    if ((clock->flags & SPA_IO_CLOCK_FLAG_XRUN_RECOVER) != 0)
        st_ear_event(ear, ST_CAPTURE_XRUN, 0, time_ns);
#endif
    st_ear_record(ear, (uint32_t)clock->position, time_ns, from, 1, frames_n);
}

static const struct pw_filter_events play_events = {PW_VERSION_FILTER_EVENTS, .process = on_play};
static const struct pw_filter_events record_events = {PW_VERSION_FILTER_EVENTS,
                                                      .process = on_record};

/* --- the filter --- */

/* @return the name of the node `id`; "": no such node. */
static const char *name_of(const struct listener *listener, uint32_t id)
{
    ST_EACH (node, listener->nodes) {
        if (id != 0 && node->id == id)
            return node->name;
    }
    return "";
}

/* Finds the device `named`; without a name the default one (`usual`); without a default the only
 * one. @return its node id; 0: no such device. */
static uint32_t find_device(struct listener *listener, const char *named, const char *usual,
                            bool sink)
{
    uint32_t found = 0, n = 0;
    const char *wanted = st_text_or(named, usual);
    ST_EACH (node, listener->nodes) {
        if (node->id == 0 || (sink ? !node->sink : !node->source))
            continue;
        if (st_text_is(node->name, wanted))
            return node->id;
        found = node->id;
        n++;
    }
    return wanted[0] == '\0' && n == 1 ? found : 0;
}

static uint32_t own_node(const struct listener *listener)
{
    return listener->filter != NULL ? pw_filter_get_node_id(listener->filter) : SPA_ID_INVALID;
}

/* Finds the first ports of a node in one direction, in the order of their creation. @return the
 * number of all such ports. */
static uint32_t ports_of(const struct listener *listener, uint32_t node, bool out,
                         uint32_t ret[CHANNELS])
{
    uint32_t n = 0;
    ST_EACH (port, listener->ports) {
        if (port->id == 0 || port->node != node || port->out != out)
            continue;
        if (n < CHANNELS)
            ret[n] = port->id;
        n++;
    }
    return n;
}

/* Links this process's ports to those of the device, after the server has announced the ports of
 * both nodes. A device with one channel is linked to both channels of the signal. @return true:
 * they are linked. */
static bool link_ports(struct listener *listener)
{
    uint32_t own[CHANNELS], device[CHANNELS];
    const bool plays = listener->ear.player;
    const uint32_t node = own_node(listener);
    if (listener->links[0] != NULL)
        return true;
    if (node == SPA_ID_INVALID || listener->device == 0)
        return false;
    const uint32_t device_n = ports_of(listener, listener->device, !plays, device);
    if (ports_of(listener, node, plays, own) < CHANNELS || device_n == 0)
        return false;
    for (size_t i = 0; i < CHANNELS; i++) {
        const uint32_t ends[][2] = {{node, own[i]},
                                    {listener->device, device[SPA_MIN(i, device_n - 1)]}};
        listener->links[i] =
            st_pipewire_connection_link(&listener->connection, ends[!plays], ends[plays], false, 0);
    }
    if (plays)
        atomic_store(&listener->ear.shared->node, node);
    return true;
}

static void open_filter(struct listener *listener)
{
    static const char *const names[CHANNELS] = {"left", "right"};
    static const struct {
        const char *name, *description;
        const struct pw_filter_events *events;
        enum pw_direction direction;
    } roles[] = {
        {"sleeptune-listen-record", "sleeptune records its test signal", &record_events,
         PW_DIRECTION_INPUT},
        {"sleeptune-listen", "sleeptune plays a test signal", &play_events, PW_DIRECTION_OUTPUT}};
    __typeof__(&roles[0]) role = &roles[listener->ear.player];
    struct pw_properties *properties =
        pw_properties_new(PW_KEY_NODE_NAME, role->name, PW_KEY_NODE_DESCRIPTION, role->description,
                          PW_KEY_MEDIA_TYPE, "Audio", PW_KEY_MEDIA_CATEGORY, "Filter",
                          PW_KEY_MEDIA_ROLE, "DSP", PW_KEY_NODE_AUTOCONNECT, "false", NULL);
    /* the server keeps this quantum as long as this node exists */
    if (properties != NULL && listener->ear.frames > 0)
        pw_properties_setf(properties, PW_KEY_NODE_FORCE_QUANTUM, "%" PRIu32, listener->ear.frames);
    listener->filter = pw_filter_new(listener->connection.core, "sleeptune", properties);
    if (listener->filter == NULL)
        return;
    pw_filter_add_listener(listener->filter, &listener->filter_hook, role->events, listener);
    for (size_t i = 0; i < CHANNELS; i++)
        listener->own_ports[i] = pw_filter_add_port(
            listener->filter, role->direction, PW_FILTER_PORT_FLAG_MAP_BUFFERS, sizeof(void *),
            pw_properties_new(PW_KEY_FORMAT_DSP, MONO_FLOATS, PW_KEY_PORT_NAME, names[i], NULL),
            NULL, 0);
    if (pw_filter_connect(listener->filter, PW_FILTER_FLAG_RT_PROCESS, NULL, 0) < 0) {
        pw_filter_destroy(listener->filter);
        listener->filter = NULL;
    }
}

/* --- what the server has --- */

static uint32_t number_of(const struct spa_dict *props, const char *key)
{
    uint32_t number = 0;
    (void)spa_atou32(spa_dict_lookup(props, key), &number, 10);
    return number;
}

static void copy(char to[ST_CAPTURE_TEXT_BYTES], const char *from)
{
    snprintf(to, ST_CAPTURE_TEXT_BYTES, "%s", st_text_or(from, ""));
}

static void take_node(struct listener *listener, uint32_t id, const struct spa_dict *props)
{
    const char *class = spa_dict_lookup(props, PW_KEY_MEDIA_CLASS);
    ST_EACH (node, listener->nodes) {
        if (node->id != 0)
            continue;
        node->id = id;
        const bool both = spa_streq(class, "Audio/Duplex");
        node->sink = both || spa_streq(class, "Audio/Sink");
        node->source = both || spa_streq(class, "Audio/Source");
        copy(node->name, spa_dict_lookup(props, PW_KEY_NODE_NAME));
        return;
    }
}

static void take_port(struct listener *listener, uint32_t id, const struct spa_dict *props)
{
    const uint32_t node = number_of(props, PW_KEY_NODE_ID);
    const char *direction = spa_dict_lookup(props, PW_KEY_PORT_DIRECTION);
    const char *format = spa_dict_lookup(props, PW_KEY_FORMAT_DSP);
    ST_EACH (port, listener->ports) {
        if (port->id != 0 || node == 0 || direction == NULL || format == NULL ||
            !st_text_is(format, MONO_FLOATS))
            continue;
        *port = (struct port){.id = id, .node = node, .out = st_text_is(direction, "out")};
        return;
    }
}

static void take_link(struct listener *listener, uint32_t id, const struct spa_dict *props)
{
    ST_EACH (link, listener->links_seen) {
        if (link->id != 0)
            continue;
        *link = (struct link){.id = id,
                              .from = number_of(props, PW_KEY_LINK_OUTPUT_NODE),
                              .to = number_of(props, PW_KEY_LINK_INPUT_NODE)};
        return;
    }
}

/* Reports other programs that play to the same device, since they are heard together with the
 * signal. Each is reported once, whatever its number of channels. */
static void say_programs(struct listener *listener)
{
    const uint32_t player = atomic_load(&listener->ear.shared->node);
    uint32_t last = player;
    ST_EACH (link, listener->links_seen) {
        if (link->id == 0 || link->said || link->to != listener->sink_node)
            continue;
        link->said = true;
        if (link->from != last && link->from != player)
            st_ear_say(&listener->ear, ST_CAPTURE_MIXED, name_of(listener, link->from));
        last = link->from;
    }
}

/* Takes the name of a default device from metadata of the form {"name":"..."}; a name with an
 * escape is ignored. */
static int on_property(void *ctx, ST_UNUSED uint32_t subject, const char *key,
                       ST_UNUSED const char *type, const char *value)
{
    struct listener *listener = ctx;
    const char *at = strstr(st_text_or(value, ""), "\"name\"");
    char name[160], quote[2];
    if (at == NULL || sscanf(at, "\"name\"%*[^\"]\"%159[^\"\\]%1[\"]", name, quote) != 2)
        return 0;
    if (spa_streq(key, "default.audio.sink"))
        copy(listener->sink, name);
    else if (spa_streq(key, "default.audio.source"))
        copy(listener->source, name);
    return 0;
}

static const struct pw_metadata_events metadata_events = {PW_VERSION_METADATA_EVENTS,
                                                          .property = on_property};

static void on_global(void *ctx, uint32_t id, ST_UNUSED uint32_t permissions, const char *type,
                      ST_UNUSED uint32_t version, const struct spa_dict *props)
{
    struct listener *listener = ctx;
    if (props == NULL)
        return;
    if (spa_streq(type, PW_TYPE_INTERFACE_Node))
        take_node(listener, id, props);
    else if (spa_streq(type, PW_TYPE_INTERFACE_Port))
        take_port(listener, id, props);
    else if (spa_streq(type, PW_TYPE_INTERFACE_Link))
        take_link(listener, id, props);
    else if (spa_streq(type, PW_TYPE_INTERFACE_Metadata) && listener->metadata == NULL &&
             spa_streq(spa_dict_lookup(props, PW_KEY_METADATA_NAME), "default")) {
        listener->metadata =
            pw_registry_bind(listener->connection.registry, id, type, PW_VERSION_METADATA, 0);
        if (listener->metadata != NULL)
            pw_metadata_add_listener((struct pw_metadata *)listener->metadata,
                                     &listener->metadata_hook, &metadata_events, listener);
    }
}

static void on_global_remove(void *ctx, uint32_t id)
{
    struct listener *listener = ctx;
    if (id != 0 && (id == listener->device || id == listener->sink_node))
        end_without(listener, name_of(listener, id));
    ST_EACH (node, listener->nodes) {
        if (node->id == id)
            node->id = 0;
    }
    ST_EACH (port, listener->ports) {
        if (port->id == id)
            port->id = 0;
    }
    ST_EACH (link, listener->links_seen) {
        if (link->id == id)
            link->id = 0;
    }
}

static const struct pw_registry_events registry_events = {
    PW_VERSION_REGISTRY_EVENTS, .global = on_global, .global_remove = on_global_remove};

/* --- the server --- */

static void on_info(void *ctx, const struct pw_core_info *info)
{
    struct listener *listener = ctx;
    ST_PRINT(listener->server, "PipeWire %.32s", st_text_or(info->version, ""));
}

static void choose(struct listener *listener)
{
    const bool cable = st_text_is(listener->ear.way, "cable");
    const char *sink = listener->ear.plays, *source = listener->ear.records;
    listener->sink_node = find_device(listener, sink, listener->sink, true);
    listener->device = listener->sink_node;
    if (cable && !listener->ear.player)
        listener->device = find_device(listener, source, listener->source, false);
    if (listener->sink_node == 0)
        end(listener, st_ear_absent("PipeWire has no output (sink) %.100s: see 'wpctl status'",
                                    st_text_or(sink, "to play to")));
    else if (listener->device == 0)
        end(listener, st_ear_absent("PipeWire has no input (source) %.100s",
                                    st_text_or(source, "to record")));
    else
        open_filter(listener);
}

static void on_done(void *ctx, uint32_t id, int seq)
{
    struct listener *listener = ctx;
    if (id != PW_ID_CORE || seq != listener->connection.sync)
        return;
    /* two round trips: the first one brings the list of objects, the second one the metadata,
     * which names the default devices */
    if (++listener->syncs_n < 2)
        listener->connection.sync = pw_core_sync(listener->connection.core, PW_ID_CORE, 0);
    else if (listener->syncs_n == 2)
        choose(listener);
}

static void on_error(void *ctx, uint32_t id, ST_UNUSED int seq, int res,
                     ST_UNUSED const char *message)
{
    struct listener *listener = ctx;
    if (id == PW_ID_CORE && res == -EPIPE)
        end_without(listener, listener->server);
}

static const struct pw_core_events core_events = {PW_VERSION_CORE_EVENTS, .info = on_info,
                                                  .done = on_done, .error = on_error};

/* Makes the signal; called when cycles run, since the rate is then known. */
static void make_signal(struct listener *listener)
{
    struct st_capture_head *head = &listener->ear.head;
    uint32_t ports[CHANNELS];
    const uint32_t n = ports_of(listener, listener->device, true, ports);
    head->rate_hz = atomic_load(&listener->rate_seen);
    head->channels = CHANNELS;
    head->period_frames = atomic_load(&listener->frames_seen);
    head->more_channels = ST_MAX(n, CHANNELS) - CHANNELS;
    copy(head->server, listener->server);
    copy(head->plays, name_of(listener, listener->sink_node));
    copy(head->records, name_of(listener, listener->device));
    if (st_ear_prepare(&listener->ear) < 0) {
        end(listener, st_ear_absent("out of memory"));
        return;
    }
    if (listener->ear.player)
        atomic_store(&listener->ear.shared->linked, true);
    else
        st_ear_begin(&listener->ear);
    listener->headed = true;
}

/* Do cycles run, with the requested size? After 1 s any size is accepted. */
static bool is_running(struct listener *listener)
{
    return atomic_load(&listener->rate_seen) != 0 &&
           (listener->ear.frames == 0 ||
            atomic_load(&listener->frames_seen) == listener->ear.frames ||
            ++listener->waits_n > SIZE_WAITS);
}

/* Called at each tick: links the ports, prepares the signal, and passes the recording to the
 * command. When the command asks for the start, the recorder sets `go` for itself and the
 * player. */
static void on_tick(void *ctx, ST_UNUSED uint64_t expirations)
{
    struct listener *listener = ctx;
    struct st_ear *ear = &listener->ear;
    const bool linked = link_ports(listener) && (ear->player || atomic_load(&ear->shared->linked));
    if (!listener->headed && linked && is_running(listener))
        make_signal(listener);
    if (!ear->player && listener->headed && ear->go)
        atomic_store(&ear->shared->go, true);
    if (listener->headed && atomic_load(&ear->shared->go))
        atomic_store_explicit(&listener->ready, true, memory_order_release);
    if (atomic_load(&listener->ready) && !ear->player) {
        say_programs(listener);
        st_ear_pump(ear);
    }
    /* a recorder that found no device has already reported that */
    if (!ear->player && listener->device != 0 && st_ear_player_ended(ear))
        end_without(listener, "the process that plays");
    if (ear->shut)
        end(listener, ST_EAR_DONE);
}

static void on_deadline(void *ctx, ST_UNUSED uint64_t expirations)
{
    struct listener *listener = ctx;
    if (!listener->headed)
        end(listener, st_ear_absent(listener->syncs_n == 0 ? "the PipeWire server does not answer"
                                                           : "PipeWire did not start the device"));
}

static void on_input(void *ctx, ST_UNUSED int fd, ST_UNUSED uint32_t mask)
{
    struct listener *listener = ctx;
    if (!st_ear_input(&listener->ear))
        end(listener, ST_EAR_DONE);
}

/* Gives the data thread the priority of common players. For a user without that right, module-rt
 * asks rtkit; module-rt needs libdbus, so it is loaded only then, to save memory. */
static struct pw_context *open_context(struct pw_loop *loop)
{
    const struct sched_param high = {.sched_priority = PRIORITY}, normal = {.sched_priority = 0};
    const bool may = pthread_setschedparam(pthread_self(), SCHED_FIFO, &high) == 0 &&
                     pthread_setschedparam(pthread_self(), SCHED_OTHER, &normal) == 0;
    struct pw_context *context = pw_context_new(
        loop,
        pw_properties_new(PW_KEY_CONFIG_NAME, "null", "support.dbus", may ? "false" : "true", NULL),
        0);
    struct pw_data_loop *data = context != NULL ? pw_context_get_data_loop(context) : NULL;
    if (data != NULL && may) {
        (void)pthread_setschedparam((pthread_t)pw_data_loop_get_thread(data), SCHED_FIFO, &high);
    } else if (data != NULL) { /* restart the data thread, since before PipeWire 1.2 the module
                                  changes only threads that start after the module was loaded */
        (void)pw_data_loop_stop(data);
        (void)pw_context_load_module(context, "libpipewire-module-rt",
                                     "{ nice.level = -11 rt.prio = 83 }", NULL);
        (void)pw_data_loop_start(data);
    }
    return context;
}

static int begin(struct listener *listener)
{
    static const char *const modules[] = {"libpipewire-module-client-node",
                                          "libpipewire-module-metadata", NULL};
    struct timespec each = {.tv_nsec = ST_EAR_PUMP_NS}, once = {.tv_sec = ANSWER_S};
    struct pw_loop *loop = listener->loop;
    struct pw_context *context = open_context(loop);
    struct spa_source *tick = pw_loop_add_timer(loop, on_tick, listener);
    struct spa_source *deadline = pw_loop_add_timer(loop, on_deadline, listener);
    if (tick == NULL || deadline == NULL ||
        pw_loop_add_io(loop, listener->ear.input, SPA_IO_IN | SPA_IO_HUP, false, on_input,
                       listener) == NULL)
        return st_ear_absent("libpipewire does not start");
    const char *why = st_pipewire_connection_open(&listener->connection, context, modules,
                                                  &core_events, &registry_events, listener);
    if (why != NULL)
        return st_ear_absent("%s", why);
    pw_loop_update_timer(loop, tick, &each, &each, false);
    pw_loop_update_timer(loop, deadline, &once, NULL, false);
    return ST_EAR_DONE;
}

int main(int argc, char **argv)
{
    static struct listener listener;
    st_ear_options(&listener.ear, argc, argv);
    if (st_ear_split(&listener.ear) < 0)
        return st_ear_absent("cannot start a second process");
    setenv("PIPEWIRE_DEBUG", "0", 0);
    pw_init(NULL, NULL);
    listener.loop = pw_loop_new(NULL);
    if (listener.loop == NULL)
        return st_ear_absent("libpipewire does not start: %s", strerror(errno));
    if (geteuid() == 0)
        return st_ear_absent("run sleeptune listen as the user who plays");
    const int r = begin(&listener);
    if (r != ST_EAR_DONE)
        return r;
    pw_loop_enter(listener.loop);
    while (!listener.ended)
        pw_loop_iterate(listener.loop, -1);
    pw_loop_leave(listener.loop);
    if (atomic_load(&listener.ready) && !listener.ear.player)
        st_ear_pump(&listener.ear);
    return listener.status; /* the end of the process closes everything */
}
