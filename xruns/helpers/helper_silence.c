/* sleeptune-observe-silence: hears what streams of a PipeWire server play, and says where sound was
 * lost (silence.h). Started by sleeptune-observe-pipewire, which decides what is heard; never by
 * root.
 *
 * Standard input: "listen ID" and "leave ID", the node of a stream. Standard output:
 *   taps N                      N streams are heard
 *   lost ID BEGIN LOST SIGNS    node ID lost sound at BEGIN (CLOCK_MONOTONIC) for LOST, both in ns;
 *                               SIGNS: bits of listened.h. "lost ID 0 0 0": node ID cannot be heard
 *   absent TEXT                 this program ends; TEXT is the reason
 *
 * Each stream has a filter of its own: a filter that hears two streams would make both follow the
 * same driver. The filter asks for no driver, latency or rate, and its links are passive. From
 * PipeWire 1.2 on it is asynchronous, so that no cycle waits for it. Before 1.2 it is a client as
 * any other: a cycle in which it gets no CPU is a dropout. */
#include <float.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include <pipewire/filter.h>
#include <pipewire/impl.h>
#include <pipewire/pipewire.h>
#include <spa/param/latency-utils.h>

#include "core/ns.h"
#include "platform/posix/posix.h"
#include "xruns/helpers/helper_line.h"
#include "xruns/helpers/listened.h"
#include "xruns/helpers/log_line.h"
#include "xruns/helpers/pipewire_connection.h"
#include "xruns/helpers/pipewire_version.h"
#include "xruns/helpers/sandbox.h"
#include "xruns/helpers/silence.h"

#define ANSWER_S  5
#define PORTS_MAX 512
/* taps are filters that each hear one stream; twice the number of streams that are heard at once,
 * since old taps may not be closed yet */
#define TAPS_MAX (2 * ST_LISTENED_MAX)
/* a tap is linked again at most this number of times after its links were cut */
#define CUTS_MAX   3
#define FINDS_MAX  16
#define FRAMES_MAX 8192U /* frames of the longest cycle */
#define SETTLE_NS  (200 * ST_NS_PER_MS)
#define PRICE_S    10
#define PRICE_NS                                                                                   \
    (PRICE_S * ST_NS_PER_S / 100) /* allowed CPU time in PRICE_S seconds: 1 % of a CPU */
#define PRICES_MAX                                                                                 \
    3 /* after this number of consecutive intervals beyond PRICE_NS, listening ends if it is       \
         "auto" */
#define EMPTY       2 /* SPA_CHUNK_FLAG_EMPTY, which older headers lack */
#define TAP_PORT    "tap_"
#define MONO_FLOATS "32 bit float mono audio"

struct port {
    uint32_t id, node; /* 0: free */
    bool out;
    uint32_t taps; /* of a port of this program: the id of the stream's port that it hears */
};

struct find {
    int64_t begin_ns, lost_ns;
    unsigned signs; /* bits ST_LISTENED_* of listened.h */
};

struct tap {
    uint32_t node; /* 0: free */
    bool wanted, stale;
    int cuts_n; /* how often a link of the tap was refused or removed */
    struct listener *listener;
    struct pw_filter *filter;
    struct spa_hook hook;
    size_t n;
    uint32_t heard[ST_SILENCE_CHANNELS_MAX]; /* the ports of the stream */
    void *ports[ST_SILENCE_CHANNELS_MAX];
    struct pw_proxy *links[ST_SILENCE_CHANNELS_MAX];
    /* data thread only */
    struct st_silence silence;
    int64_t position_ns, position, rate_hz; /* of the current cycle: its time (CLOCK_MONOTONIC), and
                                               its position in frames at rate_hz */
    struct find finds[FINDS_MAX];
    atomic_uint finds_n; /* number of losses found so far; the data thread counts */
    unsigned said_n;     /* number of losses printed so far; the main thread counts */
};

struct listener {
    struct pw_loop *loop;
    struct st_pipewire_connection server;
    struct spa_source *found, *settle;
    struct port ports[PORTS_MAX];
    struct tap taps[TAPS_MAX];
    int taps_said;
    bool automatic, ended, shut;
    int status;
    int64_t cpu_ns;
    int dear_n; /* consecutive intervals of PRICE_S in which listening cost too much CPU time */
    uint32_t version;
    struct st_log_line order;
};

static const float nothing[FRAMES_MAX];

static void end(struct listener *listener, int status)
{
    listener->status = status;
    listener->ended = true;
}

/* --- the data thread --- */

static void on_find(void *ctx, const struct st_silence_find *found)
{
    struct tap *tap = ctx;
    const unsigned n = atomic_load_explicit(&tap->finds_n, memory_order_relaxed);
    struct find *find = &tap->finds[n % FINDS_MAX];
    const double frame_ns = (double)ST_NS_PER_S / (double)tap->rate_hz;
    find->begin_ns =
        tap->position_ns + (int64_t)((double)(found->begin - tap->position) * frame_ns);
    find->lost_ns = (int64_t)((double)(found->end - found->begin) * frame_ns);
    find->signs = (found->whole ? ST_LISTENED_WHOLE : 0) | (found->rare ? ST_LISTENED_RARE : 0) |
                  (found->own ? ST_LISTENED_OWN : 0);
    atomic_store_explicit(&tap->finds_n, n + 1, memory_order_release);
    pw_loop_signal_event(tap->listener->loop, tap->listener->found);
}

/* Reads a buffer. @return the number of its frames, and a pointer to them; 0: none. */
static size_t take_buffer(const struct pw_buffer *buffer, const float **ret)
{
    const struct spa_data *data = buffer->buffer->n_datas > 0 ? &buffer->buffer->datas[0] : NULL;
    if (data == NULL || data->data == NULL || data->chunk == NULL)
        return 0;
    const size_t begin = SPA_MIN(data->chunk->offset, data->maxsize) / sizeof(float);
    const size_t bytes = SPA_MIN(data->chunk->size, data->maxsize - begin * sizeof(float));
    *ret =
        ((uint32_t)data->chunk->flags & EMPTY) != 0 ? nothing : (const float *)data->data + begin;
    return SPA_MIN(bytes / sizeof(float), FRAMES_MAX);
}

static void on_process(void *ctx, struct spa_io_position *position)
{
    struct tap *tap = ctx;
    struct pw_buffer *buffers[ST_SILENCE_CHANNELS_MAX];
    struct st_silence_cycle cycle = {.frames = FRAMES_MAX};
    for (size_t i = 0; i < tap->n; i++) {
        const float *samples = NULL;
        buffers[i] = pw_filter_dequeue_buffer(tap->ports[i]);
        const size_t frames = buffers[i] != NULL ? take_buffer(buffers[i], &samples) : 0;
        cycle.frames = SPA_MIN(cycle.frames, frames);
        cycle.channels[cycle.channels_n++] = samples;
    }
    if (position != NULL && position->clock.rate.denom > 0 && cycle.frames > 0 &&
        cycle.channels_n > 0) {
        cycle.position = (int64_t)position->clock.position;
        cycle.rate_hz = position->clock.rate.denom;
        tap->position_ns = (int64_t)position->clock.nsec;
        tap->position = cycle.position;
        tap->rate_hz = cycle.rate_hz;
        st_silence_take(&tap->silence, &cycle, on_find, tap);
    }
    for (size_t i = 0; i < tap->n; i++) {
        if (buffers[i] != NULL)
            pw_filter_queue_buffer(tap->ports[i], buffers[i]);
    }
}

/* --- what was found --- */

static void ST_PRINTF(1, 2) say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vprintf(format, args);
    va_end(args);
    if (n < 0 || fflush(stdout) == EOF)
        exit(ST_HELPER_LINE_FAILED);
}

static void on_found(void *ctx, ST_UNUSED uint64_t count)
{
    struct listener *listener = ctx;
    ST_EACH (tap, listener->taps) {
        const unsigned n = atomic_load_explicit(&tap->finds_n, memory_order_acquire);
        for (; tap->said_n != n; tap->said_n++) {
            const struct find *find = &tap->finds[tap->said_n % FINDS_MAX];
            say("lost %" PRIu32 " %jd %jd %u\n", tap->node, find->begin_ns, find->lost_ns,
                find->signs);
        }
    }
}

static void say_taps(struct listener *listener)
{
    int n = 0;
    ST_EACH (tap, listener->taps)
        n += tap->node != 0 && tap->links[0] != NULL;
    if (n != listener->taps_said)
        say("taps %d\n", n);
    listener->taps_said = n;
}

/* --- links --- */

/* Opens the tap again after SETTLE_NS (NULL: does nothing): ports of a stream appear one by one,
 * and no port can be added to a running filter. */
static void settle_soon(struct tap *tap)
{
    struct timespec soon = {.tv_nsec = SETTLE_NS};
    if (tap == NULL)
        return;
    tap->stale = true;
    pw_loop_update_timer(tap->listener->loop, tap->listener->settle, &soon, NULL, false);
}

/* A link was removed by the server or by a patchbay. The tap is opened again at most CUTS_MAX
 * times, so that this program does not compete with a patchbay. */
static void on_cut(void *ctx)
{
    struct tap *tap = ctx;
    tap->cuts_n += !tap->stale;
    settle_soon(tap);
}

static void on_refused(void *ctx, ST_UNUSED int seq, ST_UNUSED int res,
                       ST_UNUSED const char *message)
{
    on_cut(ctx);
}

static const struct pw_proxy_events link_events = {PW_VERSION_PROXY_EVENTS, .removed = on_cut,
                                                   .error = on_refused};

static void link_port(struct tap *tap, size_t i, const struct port *own)
{
    const uint32_t from[] = {tap->node, tap->heard[i]}, to[] = {own->node, own->id};
    tap->links[i] = st_pipewire_connection_link(&tap->listener->server, from, to, true,
                                                sizeof(struct spa_hook));
    if (tap->links[i] != NULL)
        pw_proxy_add_listener(tap->links[i], pw_proxy_get_user_data(tap->links[i]), &link_events,
                              tap);
}

/* Links the tap after the server has announced its ports. */
static void link_all(struct tap *tap)
{
    if (tap->filter == NULL)
        return;
    const uint32_t own = pw_filter_get_node_id(tap->filter);
    for (size_t i = 0; own != SPA_ID_INVALID && i < tap->n; i++) {
        for (size_t j = 0; tap->links[i] == NULL && j < PORTS_MAX; j++) {
            const struct port *port = &tap->listener->ports[j];
            if (port->node == own && !port->out && port->taps == tap->heard[i])
                link_port(tap, i, port);
        }
    }
    say_taps(tap->listener);
}

static void on_state(void *ctx, ST_UNUSED enum pw_filter_state old, enum pw_filter_state state,
                     ST_UNUSED const char *error)
{
    if (state >= PW_FILTER_STATE_PAUSED)
        link_all(ctx);
}

static const struct pw_filter_events filter_events = {
    PW_VERSION_FILTER_EVENTS, .state_changed = on_state, .process = on_process};

/* --- taps --- */

static void close_tap(struct tap *tap)
{
    ST_EACH_OF (link, tap->links, tap->n) {
        if (*link != NULL)
            pw_proxy_destroy(*link);
        *link = NULL;
    }
    struct pw_filter *filter = tap->filter;
    tap->filter = NULL; /* the filter's last event (it pauses) must not link the tap again */
    if (filter != NULL)
        pw_filter_destroy(filter);
    tap->n = 0;
}

/* A latency for a tap's ports that changes neither minimum nor maximum of the stream's latency.
 * Before 0.3.71, PipeWire always counts a port's latency in its peer's. */
static const struct spa_pod *neutral_latency(struct spa_pod_builder *builder)
{
    return spa_pod_builder_add_object(
        builder, SPA_TYPE_OBJECT_ParamLatency, SPA_PARAM_Latency, SPA_PARAM_LATENCY_direction,
        SPA_POD_Id(SPA_DIRECTION_INPUT), SPA_PARAM_LATENCY_minQuantum,
        SPA_POD_Float((double)FLT_MAX), SPA_PARAM_LATENCY_maxQuantum, SPA_POD_Float(0.0),
        SPA_PARAM_LATENCY_minRate, SPA_POD_Int(-1), SPA_PARAM_LATENCY_maxRate, SPA_POD_Int(0),
        SPA_PARAM_LATENCY_minNs, SPA_POD_Long(-1), SPA_PARAM_LATENCY_maxNs, SPA_POD_Long(0));
}

static void add_port(struct tap *tap, uint32_t heard)
{
    uint8_t bytes[512];
    char name[32];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(bytes, sizeof(bytes));
    const bool has_key = tap->listener->version >= ST_PIPEWIRE_VERSION(0, 3, 71);
    const struct spa_pod *latency = has_key ? NULL : neutral_latency(&builder);
    ST_PRINT(name, TAP_PORT "%" PRIu32, heard);
    tap->heard[tap->n] = heard;
    tap->ports[tap->n] = pw_filter_add_port(
        tap->filter, PW_DIRECTION_INPUT, PW_FILTER_PORT_FLAG_MAP_BUFFERS, sizeof(void *),
        pw_properties_new(PW_KEY_FORMAT_DSP, MONO_FLOATS, PW_KEY_PORT_NAME, name,
                          "port.ignore-latency", "true", NULL),
        latency != NULL ? &latency : NULL, latency != NULL);
    tap->n += tap->ports[tap->n] != NULL;
}

static void open_tap(struct tap *tap)
{
    tap->silence = (struct st_silence){0};
    tap->filter = pw_filter_new(
        tap->listener->server.core, "sleeptune",
        pw_properties_new(PW_KEY_NODE_NAME, "sleeptune-observe-silence", PW_KEY_NODE_DESCRIPTION,
                          "sleeptune looks for losses of sound", PW_KEY_NODE_WANT_DRIVER, "false",
                          PW_KEY_NODE_ALWAYS_PROCESS, "false", PW_KEY_NODE_PASSIVE, "true",
                          "node.async", "true", NULL));
    if (tap->filter == NULL)
        return;
    pw_filter_add_listener(tap->filter, &tap->hook, &filter_events, tap);
    for (size_t i = 0; i < PORTS_MAX && tap->n < ST_SILENCE_CHANNELS_MAX; i++) {
        const struct port *port = &tap->listener->ports[i];
        if (port->node == tap->node && port->out)
            add_port(tap, port->id);
    }
    if (tap->n == 0 || pw_filter_connect(tap->filter, PW_FILTER_FLAG_RT_PROCESS, NULL, 0) < 0)
        close_tap(tap);
}

static void on_settle(void *ctx, ST_UNUSED uint64_t expirations)
{
    struct listener *listener = ctx;
    ST_EACH (tap, listener->taps) {
        if (!tap->stale)
            continue;
        tap->stale = false;
        close_tap(tap);
        if (tap->wanted && tap->cuts_n <= CUTS_MAX)
            open_tap(tap);
        if (tap->wanted && tap->filter == NULL)
            say("lost %" PRIu32 " 0 0 0\n", tap->node);
        if (tap->filter == NULL)
            tap->node = 0;
    }
    say_taps(listener);
}

static struct tap *find_tap(struct listener *listener, uint32_t node)
{
    ST_EACH (tap, listener->taps) {
        if (tap->node == node)
            return tap;
    }
    return NULL;
}

static void obey(struct listener *listener, const char *order)
{
    const bool listen = strncmp(order, "listen ", 7) == 0;
    uint32_t node;
    if (!spa_atou32(order + strcspn(order, " "), &node, 10) || node == 0)
        return;
    struct tap *tap = find_tap(listener, node);
    if (tap == NULL && listen && (tap = find_tap(listener, 0)) != NULL) {
        tap->node = node;
        tap->listener = listener;
    }
    if (tap == NULL)
        return;
    tap->wanted = listen;
    tap->cuts_n = 0;
    if (!listen) /* close at once, so that the server can suspend a stream that does not play */
        close_tap(tap);
    settle_soon(tap);
}

static void on_input(void *ctx, int fd, ST_UNUSED uint32_t mask)
{
    struct listener *listener = ctx;
    char bytes[256];
    const ssize_t n = read(fd, bytes, sizeof(bytes));
    if (n <= 0)
        end(listener, ST_HELPER_LINE_DONE);
    for (ssize_t i = 0; i < n; i++) {
        if (st_log_line_take(&listener->order, bytes[i]))
            obey(listener, listener->order.text);
    }
}

/* --- ports of the server --- */

static uint32_t node_of(const struct spa_dict *props)
{
    uint32_t number = 0;
    if (props != NULL)
        (void)spa_atou32(spa_dict_lookup(props, PW_KEY_NODE_ID), &number, 10);
    return number;
}

static void on_global(void *ctx, uint32_t id, ST_UNUSED uint32_t permissions, const char *type,
                      ST_UNUSED uint32_t version, const struct spa_dict *props)
{
    struct listener *listener = ctx;
    const uint32_t node = node_of(props);
    size_t i = 0;
    while (i < PORTS_MAX && listener->ports[i].id != 0)
        i++;
    if (!spa_streq(type, PW_TYPE_INTERFACE_Port) || id == 0 || node == 0 || i == PORTS_MAX)
        return;
    const char *name = spa_dict_lookup(props, PW_KEY_PORT_NAME);
    const bool taps = name != NULL && strncmp(name, TAP_PORT, strlen(TAP_PORT)) == 0;
    struct port *port = &listener->ports[i];
    *port = (struct port){.id = id,
                          .node = node,
                          .out = spa_streq(spa_dict_lookup(props, PW_KEY_PORT_DIRECTION), "out") &&
                                 spa_streq(spa_dict_lookup(props, PW_KEY_FORMAT_DSP), MONO_FLOATS)};
    if (taps)
        (void)spa_atou32(name + strlen(TAP_PORT), &port->taps, 10);
    if (port->out)
        settle_soon(find_tap(listener, node));
    for (i = 0; taps && i < TAPS_MAX; i++)
        link_all(&listener->taps[i]);
}

static void on_global_remove(void *ctx, uint32_t id)
{
    struct listener *listener = ctx;
    ST_EACH (port, listener->ports) {
        if (port->id != id)
            continue;
        if (port->out)
            settle_soon(find_tap(listener, port->node));
        *port = (struct port){0};
    }
}

static const struct pw_registry_events registry_events = {
    PW_VERSION_REGISTRY_EVENTS, .global = on_global, .global_remove = on_global_remove};

/* --- the server, CPU time, start --- */

static void on_info(void *ctx, const struct pw_core_info *info)
{
    struct listener *listener = ctx;
    if (info->version != NULL)
        listener->version = st_pipewire_version_of(info->version);
}

static void on_done(void *ctx, uint32_t id, int seq)
{
    struct listener *listener = ctx;
    if (id != PW_ID_CORE || seq != listener->server.sync || listener->shut)
        return;
    st_helper_line_deadline(0, NULL);
    listener->shut = true;
    const int r = st_sandbox_enter();
    if (r < 0 && r != -ENOTSUP)
        end(listener,
            st_helper_line_absent("cannot give up the right to open files: %s", strerror(-r)));
}

static void on_error(void *ctx, uint32_t id, ST_UNUSED int seq, int res,
                     ST_UNUSED const char *message)
{
    if (id == PW_ID_CORE && res == -EPIPE)
        end(ctx, ST_HELPER_LINE_DONE);
}

static const struct pw_core_events core_events = {PW_VERSION_CORE_EVENTS, .info = on_info,
                                                  .done = on_done, .error = on_error};

static void on_price(void *ctx, ST_UNUSED uint64_t expirations)
{
    struct listener *listener = ctx;
    st_text_forget();
    const int64_t used_ns = st_posix_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - listener->cpu_ns;
    listener->cpu_ns += used_ns;
    listener->dear_n = (listener->dear_n + 1) * (used_ns > PRICE_NS);
    if (listener->automatic && listener->dear_n >= PRICES_MAX)
        end(listener, st_helper_line_absent("listening took more than 1 %% of a CPU"));
}

static int begin(struct listener *listener)
{
    static const char *const modules[] = {"libpipewire-module-client-node", NULL};
    struct timespec each = {.tv_sec = PRICE_S};
    struct pw_loop *loop = listener->loop;
    /* the configuration "null" loads no modules of client.conf: this program needs no real-time
     * thread */
    struct pw_context *context = pw_context_new(
        loop, pw_properties_new(PW_KEY_CONFIG_NAME, "null", "support.dbus", "false", NULL), 0);
    struct spa_source *price = pw_loop_add_timer(loop, on_price, listener);
    listener->settle = pw_loop_add_timer(loop, on_settle, listener);
    listener->found = pw_loop_add_event(loop, on_found, listener);
    if (price == NULL || listener->settle == NULL || listener->found == NULL ||
        pw_loop_add_io(loop, STDIN_FILENO, SPA_IO_IN | SPA_IO_HUP, false, on_input, listener) ==
            NULL)
        return st_helper_line_absent("%s", st_pipewire_connection_no_start());
    pw_loop_update_timer(loop, price, &each, &each, false);
    const char *why = st_pipewire_connection_open(&listener->server, context, modules, &core_events,
                                                  &registry_events, listener);
    if (why != NULL)
        return st_helper_line_absent("%s", why);
    return ST_HELPER_LINE_DONE;
}

int main(int argc, char **argv)
{
    static struct listener listener;
    const struct sched_param normal = {.sched_priority = 0};
    const struct st_helper_line_options options = st_helper_line_options(argc, argv);
    struct pollfd orders = {.fd = STDIN_FILENO, .events = POLLIN};
    if (geteuid() == 0)
        return st_helper_line_absent("root does not listen to what users play");
    (void)sched_setscheduler(0, SCHED_OTHER, &normal);
    listener.automatic = strcmp(options.listen, "auto") == 0;
    setenv("PIPEWIRE_DEBUG", "0", 0);
    /* before the first order, which may never arrive, this program uses no CPU time */
    if (poll(&orders, 1, -1) != 1 || (orders.revents & POLLIN) == 0)
        return ST_HELPER_LINE_DONE;
    pw_init(NULL, NULL);
    listener.loop = pw_loop_new(NULL);
    if (listener.loop == NULL)
        return st_helper_line_absent("%s", st_pipewire_connection_no_start());
    st_helper_line_deadline(ANSWER_S, "the PipeWire server does not answer");
    const int r = begin(&listener);
    if (r != ST_HELPER_LINE_DONE)
        return r;
    pw_loop_enter(listener.loop);
    while (!listener.ended)
        pw_loop_iterate(listener.loop, -1);
    pw_loop_leave(listener.loop);
    ST_EACH (tap, listener.taps)
        close_tap(tap);
    return listener.status; /* what is open ends with the process */
}
