/* sleeptune-observe-pipewire: reports the xruns of a PipeWire server: at most every 0.25 s a line
 * for each device, client, reason and place.
 *
 * The server is the one that PIPEWIRE_REMOTE names, or "pipewire-0" in PIPEWIRE_RUNTIME_DIR or
 * XDG_RUNTIME_DIR. The xruns come from the server's profiler object (module-profiler), as those of
 * pw-top do. The server reports cycles only while a program like this one listens. That costs the
 * server and this program some CPU time a cycle (docs/results.md), and nothing while no stream
 * plays. */
#include <signal.h>
#include <unistd.h>

#include <pipewire/pipewire.h> /* before extensions/profiler.h, which uses its macros */
#include <spa/pod/pod.h>       /* needed by extensions/profiler.h */

#include <pipewire/extensions/metadata.h>
#include <pipewire/extensions/profiler.h>
#include <pipewire/impl.h>

#include "xruns/helpers/helper_line.h"
#include "xruns/helpers/listener.h"
#include "xruns/helpers/pipewire_connection.h"
#include "xruns/helpers/pipewire_profile.h"
#include "xruns/helpers/pipewire_version.h"
#include "xruns/helpers/process_watch.h"

#define ANSWER_S       5
#define LOADS_S        10
#define FIRST_LOADS_NS 500000000
/* interval of reports: equal dropouts in this time share one line */
#define REPORT_NS 250000000

/* with "auto", streams with shorter cycles are not listened to, since that costs too much */
#define LISTEN_PERIOD_MIN_NS (256 * ST_NS_PER_S / 48000)

/* no cycle for this time: nothing plays, or the server has no CPU */
#define QUIET_NS INT64_C(3000000000)

/* While something plays, messages of the server are read at this interval, to save wake-ups;
 * without a pause if more than MUCH_BYTES_S bytes arrive in a second. The socket holds 208 kB
 * (net.core.wmem_default), and a byte of a message takes some 2 bytes of that. */
#define TAKE_NS      (75 * ST_NS_PER_MS)
#define MUCH_BYTES_S 1000000

struct observer {
    struct pw_loop *loop;
    bool ended;
    struct st_pipewire_connection server;
    struct pw_proxy *profiler, *settings;
    struct spa_hook profiler_listener, settings_listener;
    struct spa_source *report_timer;             /* armed for REPORT_NS after a report */
    struct spa_source *loads_timer;              /* armed while nodes run */
    bool loads_armed, loads_said, loads_resized; /* loads_said: a client's load was printed since
                                                    the timer last expired; loads_resized: loads
                                                    are printed soon, since the buffer size has
                                                    changed */
    int64_t profiled_ns;                         /* time of the latest profile */
    int64_t asked_ns;                            /* last check whether the server has a CPU */
    bool may_starve; /* the server had no CPU at the last check, or was not checked since the latest
                        profile */
    /* when messages were last read; bytes of profiles since then */
    int64_t taken_ns, profile_bytes;
    bool much_comes;
    bool reported_lately;
    char version[32];
    bool is_others;   /* the server was started by another user */
    int64_t beyond_n; /* number of nodes that are not watched, since the program has no room for
                         more; last reported value */
    struct st_pipewire_profile profile;
    struct st_process_watch *watch;
    struct st_pipewire_streams *streams;
    bool no_resyncs; /* the server does not report the clock of a second card */
    struct st_helper_line_options options;
    struct st_listener listener;
    struct spa_source *listener_source; /* NULL: the listener does not run */
    int64_t taps_n; /* number of streams that are listened to; last reported value */
    int status;     /* what main returns */
};

static void end(struct observer *observer, int status)
{
    observer->status = status;
    observer->ended = true;
}

/* --- reports --- */

static void on_seen(void *ctx, const struct st_xrun_seen *seen)
{
    struct observer *observer = ctx;
    observer->loads_said |= seen->kind == ST_XRUN_SEEN_LOAD;
    st_helper_line_xrun(seen);
}

static void say_ready(struct observer *observer)
{
    int64_t heard_n = 0;
    char beyond[80] = "", deaf[256] = "";
    observer->beyond_n = observer->profile.beyond_n;
    observer->taps_n = observer->listener.taps_n;
    if (observer->beyond_n > 0)
        ST_PRINT(beyond, "; %jd more nodes are not watched (limit: %d)", observer->beyond_n,
                 ST_PIPEWIRE_PROFILE_NODES_MAX);
    if (observer->listener.program.pid != 0 && observer->taps_n > 0)
        heard_n = observer->taps_n;
    else if (observer->listener.why[0] != '\0')
        ST_PRINT(deaf, "; sleeptuned does not listen for silence: %s", observer->listener.why);
    st_helper_line_ready(
        "facts=%d listens=%jd timing reports of PipeWire %s%s%s%s",
        observer->no_resyncs ? ST_XRUN_FACT_NO_RESYNCS : 0, heard_n, observer->version,
        observer->no_resyncs
            ? "; sleeptuned sees resynchronised second cards only from version 1.4 on"
            : "",
        deaf, beyond);
}

static void report(struct observer *observer)
{
    struct timespec pause = {.tv_nsec = REPORT_NS};
    st_pipewire_profile_report(&observer->profile);
    observer->reported_lately = true;
    pw_loop_update_timer(observer->loop, observer->report_timer, &pause, NULL, false);
}

/* Reports dropouts at once; less than REPORT_NS after the last report, leaves that to the report
 * timer. */
static void report_soon(struct observer *observer)
{
    if (observer->profile.unreported_n > 0 && !observer->reported_lately)
        report(observer);
}

static void on_report_timer(void *ctx, ST_UNUSED uint64_t expirations)
{
    struct observer *observer = ctx;
    observer->reported_lately = false;
    report_soon(observer);
}

static void measure(void *ctx, uint32_t client, struct st_dropout_figures *figures)
{
    struct observer *observer = ctx;
    st_process_watch_measure(observer->watch, client, figures);
    figures->of_server = st_pipewire_streams_is_pulse(observer->streams, client);
}

static int64_t priority(void *ctx, uint32_t client)
{
    struct observer *observer = ctx;
    const int64_t rt = st_process_watch_priority(observer->watch, client);
    return rt == 0 ? ST_XRUN_NORMAL : ST_MAX(rt, 0);
}

static int64_t between(void *ctx, uint32_t client, int64_t *ret_buffer_ns)
{
    struct observer *observer = ctx;
    return st_pipewire_streams_between(observer->streams, client, ret_buffer_ns);
}

static void on_lost(void *ctx, uint32_t id, const struct st_listened_loss *loss)
{
    struct observer *observer = ctx;
    st_pipewire_profile_lost(&observer->profile, id, loss);
}

/* --- the program that listens --- */

static int64_t period_of(void *ctx, uint32_t id)
{
    struct observer *observer = ctx;
    return st_pipewire_profile_period_ns(&observer->profile, id);
}

static void stop_listening(struct observer *observer)
{
    if (observer->listener_source != NULL)
        pw_loop_destroy_source(observer->loop, observer->listener_source);
    observer->listener_source = NULL;
    st_listener_end(&observer->listener, "");
    st_pipewire_streams_hear(observer->streams, false);
}

static void on_listener(void *ctx, ST_UNUSED int fd, ST_UNUSED uint32_t mask)
{
    struct observer *observer = ctx;
    if (!st_listener_read(&observer->listener, observer->streams))
        stop_listening(observer);
}

static void order(void *ctx, uint32_t id, bool listen)
{
    struct observer *observer = ctx;
    st_listener_order(&observer->listener, id, listen);
    if (observer->listener.program.pid == 0 && observer->listener_source != NULL) {
        stop_listening(observer);
        say_ready(observer);
    }
}

static bool is_automatic(const struct observer *observer)
{
    return strcmp(observer->options.listen, "auto") == 0;
}

/* Called when the version is known: with "auto", PipeWire before 1.2 is not listened to, since each
 * cycle of the server would wait for the listener. */
static void begin_listening(struct observer *observer)
{
    if (observer->listener.program.pid == 0)
        return;
    if (observer->is_others) { /* a service must not listen to another user's session */
        st_listener_end(&observer->listener, "PipeWire belongs to another user");
        return;
    }
    if (is_automatic(observer) &&
        st_pipewire_version_of(observer->version) < ST_PIPEWIRE_VERSION(1, 2, 0)) {
        st_listener_end(
            &observer->listener,
            "PipeWire is older than 1.2: to listen all the same, set observe.listen = \"on\"");
        return;
    }
    observer->listener_source =
        pw_loop_add_io(observer->loop, observer->listener.program.out, SPA_IO_IN | SPA_IO_HUP,
                       false, on_listener, observer);
    if (observer->listener_source != NULL)
        st_pipewire_streams_hear(observer->streams, true);
}

static void plays(void *ctx, uint32_t client, struct st_dropout_figures *since)
{
    struct observer *observer = ctx;
    measure(observer, client, since);
    st_process_watch_plays(observer->watch, client);
}

/* Starts the timer that prints the load of each client. The first lines come soon after a stream
 * begins to play, since they report that it plays. */
static void arm_loads(struct observer *observer)
{
    struct timespec first = {.tv_nsec = FIRST_LOADS_NS}, each = {.tv_sec = LOADS_S};
    if (observer->loads_armed)
        return;
    observer->loads_armed = true;
    pw_loop_update_timer(observer->loop, observer->loads_timer, &first, &each, false);
}

static void on_profile(void *ctx, const struct spa_pod *pod)
{
    struct observer *observer = ctx;
    arm_loads(observer);
    observer->profiled_ns = st_posix_now_ns(NULL);
    observer->may_starve = true;
    observer->profile_bytes += (int64_t)SPA_POD_SIZE(pod);
    const int r = st_pipewire_profile_take(&observer->profile, pod);
    if (r ==
        -EOVERFLOW) /* end this program: the gap in watching is reported, and counts start again */
        end(observer,
            st_helper_line_absent(
                "PipeWire %s did not report all cycles, because it got too little CPU time",
                observer->version));
    else if (r < 0)
        end(observer,
            st_helper_line_absent("sleeptune does not understand the timing reports of PipeWire %s",
                                  observer->version));
    report_soon(observer);
    if (observer->profile.resized && !observer->loads_resized) {
        observer->loads_resized = true;
        observer->loads_armed = false;
        arm_loads(observer);
    }
}

static const struct pw_profiler_events profiler_events = {PW_VERSION_PROFILER_EVENTS,
                                                          .profile = on_profile};

/* Takes the quantum that a user forced with pw-metadata, in frames; 0: programs choose the
 * quantum. key NULL: all settings were cleared, so programs choose the quantum. */
static int on_setting(void *ctx, ST_UNUSED uint32_t subject, const char *key,
                      ST_UNUSED const char *type, const char *value)
{
    struct observer *observer = ctx;
    uint32_t frames = 0;
    if (key != NULL && !spa_streq(key, "clock.force-quantum"))
        return 0;
    (void)spa_atou32(value, &frames, 10);
    observer->profile.forced_frames = frames;
    observer->profile.resized = observer->profile.listed;
    return 0;
}

static const struct pw_metadata_events settings_events = {PW_VERSION_METADATA_EVENTS,
                                                          .property = on_setting};

/* --- objects of the server --- */

/* State for one client of the server: user data of its proxy. */
struct client {
    struct observer *observer;
    struct spa_hook removed_listener, info_listener;
};

static void on_client_info(void *ctx, const struct pw_client_info *info)
{
    struct client *client = ctx;
    /* the process id of the client, set by the kernel */
    const char *peer = st_pipewire_streams_property(info->props, PW_KEY_SEC_PID);
    const pid_t own = client->observer->options.own,
                listener = client->observer->listener.program.pid;
    int32_t pid;
    /* all clients of pipewire-pulse have pipewire-pulse as their peer: the clients' own property
     * names their process */
    const char *api = st_pipewire_streams_property(info->props, PW_KEY_CLIENT_API);
    if (st_helper_line_is_process(peer, own) || st_helper_line_is_process(peer, listener) ||
        (spa_streq(api, ST_PIPEWIRE_STREAMS_API) &&
         st_helper_line_is_process(st_pipewire_streams_property(info->props, PW_KEY_APP_PROCESS_ID),
                                   own))) {
        st_pipewire_profile_leave_out(&client->observer->profile, info->id);
        return;
    }
    if (spa_atoi32(peer, &pid, 10) && pid != getpid())
        st_process_watch_add(client->observer->watch, info->id, pid);
    if ((info->change_mask & PW_CLIENT_CHANGE_MASK_PROPS) != 0)
        st_pipewire_streams_client(client->observer->streams, client->observer->server.registry,
                                   info->id, api);
}

static const struct pw_client_events client_events = {PW_VERSION_CLIENT_EVENTS,
                                                      .info = on_client_info};

static void on_client_removed(void *ctx)
{
    pw_proxy_destroy(ctx);
}

static const struct pw_proxy_events removed_events = {PW_VERSION_PROXY_EVENTS,
                                                      .removed = on_client_removed};

/* Asks the server for a client's properties, which name the client's process. */
static void ask_client(struct observer *observer, uint32_t id, const char *type)
{
    struct pw_proxy *proxy = pw_registry_bind(observer->server.registry, id, type,
                                              PW_VERSION_CLIENT, sizeof(struct client));
    if (proxy == NULL)
        return;
    struct client *client = pw_proxy_get_user_data(proxy);
    client->observer = observer;
    pw_proxy_add_listener(proxy, &client->removed_listener, &removed_events, proxy);
    pw_proxy_add_object_listener(proxy, &client->info_listener, &client_events, client);
}

static uint32_t client_of(const struct spa_dict *props)
{
    uint32_t id = ST_PIPEWIRE_PROFILE_NO_CLIENT;
    (void)spa_atou32(st_pipewire_streams_property(props, PW_KEY_CLIENT_ID), &id, 10);
    return id;
}

static void on_global(void *ctx, uint32_t id, ST_UNUSED uint32_t permissions, const char *type,
                      ST_UNUSED uint32_t version, const struct spa_dict *props)
{
    struct observer *observer = ctx;
    if (spa_streq(type, PW_TYPE_INTERFACE_Node)) {
        const char *class = st_text_or(st_pipewire_streams_property(props, PW_KEY_MEDIA_CLASS), "");
        st_pipewire_profile_add(&observer->profile, id,
                                strstr(class, "Video") != NULL ? ST_PIPEWIRE_PROFILE_VIDEO
                                                               : client_of(props),
                                st_pipewire_streams_property(props, PW_KEY_DEVICE_ID) != NULL,
                                st_text_begins(class, "Stream/"));
        if (spa_streq(class, "Stream/Output/Audio"))
            st_pipewire_streams_add(observer->streams, observer->server.registry, id,
                                    client_of(props));
    } else if (spa_streq(type, PW_TYPE_INTERFACE_Client)) {
        ask_client(observer, id, type);
    } else if (spa_streq(type, PW_TYPE_INTERFACE_Metadata) && observer->settings == NULL &&
               spa_streq(st_pipewire_streams_property(props, PW_KEY_METADATA_NAME), "settings")) {
        observer->settings =
            pw_registry_bind(observer->server.registry, id, type, PW_VERSION_METADATA, 0);
        if (observer->settings != NULL)
            pw_proxy_add_object_listener(observer->settings, &observer->settings_listener,
                                         &settings_events, observer);
    } else if (spa_streq(type, PW_TYPE_INTERFACE_Profiler) && observer->profiler == NULL) {
        observer->profiler =
            pw_registry_bind(observer->server.registry, id, type, PW_VERSION_PROFILER, 0);
        /* as if a profile had arrived now, so that threads are sampled before the first one
         * arrives */
        observer->profiled_ns = st_posix_now_ns(NULL);
        if (observer->profiler != NULL)
            pw_proxy_add_object_listener(observer->profiler, &observer->profiler_listener,
                                         &profiler_events, observer);
    }
}

static void on_global_remove(void *ctx, uint32_t id)
{
    struct observer *observer = ctx;
    struct st_xrun_seen last;
    st_pipewire_streams_remove(observer->streams, id); /* can report a last loss */
    if (st_pipewire_profile_ends(&observer->profile, id, &last)) {
        report(observer); /* print the dropouts up to now before the node's last line */
        st_helper_line_xrun(&last);
    }
    st_pipewire_profile_remove(&observer->profile, id);
    st_process_watch_remove(observer->watch, id);
    report_soon(observer);
}

static const struct pw_registry_events registry_events = {
    PW_VERSION_REGISTRY_EVENTS, .global = on_global, .global_remove = on_global_remove};

/* --- the server --- */

static void on_info(void *ctx, const struct pw_core_info *info)
{
    struct observer *observer = ctx;
    observer->is_others |=
        info->user_name != NULL && !spa_streq(info->user_name, pw_get_user_name());
    if ((info->change_mask & PW_CORE_CHANGE_MASK_PROPS) == 0 || info->version != NULL)
        ST_PRINT(observer->version, "%s", st_text_or(info->version, ""));
    if (observer->profile.ring != NULL)
        ST_PRINT(observer->profile.ring->server, "PipeWire %s", observer->version);
}

static void on_done(void *ctx, uint32_t id, int seq)
{
    struct observer *observer = ctx;
    if (id != PW_ID_CORE || seq != observer->server.sync)
        return;
    st_helper_line_deadline(0, NULL);
    begin_listening(observer);
    if (observer->profiler == NULL)
        end(observer, st_helper_line_absent(
                          "PipeWire %s does not report its timing: its configuration does not load "
                          "module-profiler, or sleeptune has no right to see that module",
                          observer->version));
    else
        say_ready(observer);
    observer->profile.listed = true;
}

static void on_error(void *ctx, uint32_t id, ST_UNUSED int seq, int res, const char *message)
{
    struct observer *observer = ctx;
    if (id == PW_ID_CORE && res == -EPIPE)
        end(observer, st_helper_line_absent("PipeWire %s has ended", observer->version));
    else if (id == PW_ID_CORE)
        end(observer, st_helper_line_absent("PipeWire %s: %s", observer->version,
                                            st_text_or(message, strerror(-res))));
}

static const struct pw_core_events core_events = {PW_VERSION_CORE_EVENTS, .info = on_info,
                                                  .done = on_done, .error = on_error};

/* --- standard input and timers --- */

static void on_input(void *ctx, ST_UNUSED int fd, ST_UNUSED uint32_t mask)
{
    if (st_helper_line_input_ended())
        end(ctx, ST_HELPER_LINE_DONE);
}

static void on_alive_timer(ST_UNUSED void *ctx, ST_UNUSED uint64_t expirations)
{
    st_helper_line_alive();
}

static void on_loads_timer(void *ctx, ST_UNUSED uint64_t expirations)
{
    struct observer *observer = ctx;
    if (observer->profile.ring != NULL)
        st_cycle_ring_clocks(observer->profile.ring);
    struct timespec stop = {0};
    observer->loads_said = observer->loads_resized = false;
    st_pipewire_profile_loads(&observer->profile);
    report_soon(observer);
    observer->loads_armed = observer->loads_said;
    if (!observer->loads_armed) /* nothing runs, so the timer need not wake this program up */
        pw_loop_update_timer(observer->loop, observer->loads_timer, &stop, &stop, false);
    const bool no_resyncs = observer->no_resyncs;
    observer->no_resyncs = st_pipewire_profile_lacks_clock(&observer->profile);
    if (observer->profile.beyond_n != observer->beyond_n ||
        observer->listener.taps_n != observer->taps_n || observer->no_resyncs != no_resyncs)
        say_ready(observer);
}

/* Connects to the server. @return ST_HELPER_LINE_DONE; or the status for main, after writing the
 * reason. */
static int begin(struct observer *observer)
{
    static const char *const modules[] = {PW_EXTENSION_MODULE_PROFILER,
                                          PW_EXTENSION_MODULE_METADATA, NULL};
    struct timespec alive = {.tv_sec = ST_HELPER_LINE_ALIVE_S};
    struct pw_loop *loop = observer->loop;
    struct spa_source *alive_timer = pw_loop_add_timer(loop, on_alive_timer, observer);
    observer->loads_timer = pw_loop_add_timer(loop, on_loads_timer, observer);
    observer->report_timer = pw_loop_add_timer(loop, on_report_timer, observer);
    /* the configuration "null" loads no modules of client.conf: this program needs no real-time
     * thread and no nodes */
    struct pw_context *context = pw_context_new(
        loop, pw_properties_new(PW_KEY_CONFIG_NAME, "null", "support.dbus", "false", NULL), 0);
    observer->watch = st_process_watch_new();
    observer->streams = st_pipewire_streams_new(&(struct st_pipewire_streams_hearing){
        .period_min_ns = LISTEN_PERIOD_MIN_NS * is_automatic(observer),
        .except = observer->options.except,
        .order = order,
        .period_ns = period_of,
        .lost = on_lost,
        .ctx = observer});
    observer->profile.ops = (struct st_pipewire_profile_ops){.seen = on_seen,
                                                             .measure = measure,
                                                             .priority = priority,
                                                             .plays = plays,
                                                             .between = between};
    observer->profile.ctx = observer;
    if (alive_timer == NULL || observer->loads_timer == NULL || observer->watch == NULL ||
        observer->streams == NULL || observer->report_timer == NULL ||
        pw_loop_add_io(loop, STDIN_FILENO, SPA_IO_IN | SPA_IO_HUP, false, on_input, observer) ==
            NULL)
        return st_helper_line_absent("%s", st_pipewire_connection_no_start());
    pw_loop_update_timer(loop, alive_timer, &alive, &alive, false);
    const char *why = st_pipewire_connection_open(&observer->server, context, modules, &core_events,
                                                  &registry_events, observer);
    if (why == NULL)
        return ST_HELPER_LINE_DONE;
    return st_helper_line_absent("facts=%d %s", ST_XRUN_FACT_NOT_RUNNING * (errno == EHOSTDOWN),
                                 why);
}

/* Takes messages now and then: since a report comes in each cycle (PipeWire 1.6), a wake-up for
 * each would be too many. */
static void take_messages(struct observer *observer, bool playing)
{
    const int64_t now_ns = st_posix_now_ns(NULL), since_ns = now_ns - observer->taken_ns;
    if (playing && !observer->much_comes && since_ns < TAKE_NS)
        return;
    observer->taken_ns = now_ns;
    observer->profile_bytes = 0;
    pw_loop_iterate(observer->loop, playing ? 0 : -1);
    observer->much_comes = (double)observer->profile_bytes * (double)ST_NS_PER_S >
                           (double)MUCH_BYTES_S * (double)since_ns;
}

/* Checks whether the server lacks a CPU: such a server reports as little as one on which nothing
 * plays. */
static void ask_if_starved(struct observer *observer)
{
    const int64_t now_ns = st_posix_now_ns(NULL);
    if (now_ns - observer->profiled_ns < QUIET_NS / 2 ||
        now_ns - observer->asked_ns < ST_PIPEWIRE_PROFILE_ASK_NS)
        return;
    /* otherwise this process itself had no CPU */
    const bool again = now_ns - observer->asked_ns < QUIET_NS;
    observer->asked_ns = now_ns;
    observer->may_starve =
        st_pipewire_profile_starved(&observer->profile, now_ns - TAKE_NS, again) || !again;
    report_soon(observer);
}

/* The main loop. While cycles are reported, samples the clients' threads every 20 to 80 ms. */
static void run(struct observer *observer)
{
    pw_loop_enter(observer->loop);
    while (!observer->ended) {
        const bool playing =
            st_posix_now_ns(NULL) - observer->profiled_ns < QUIET_NS || observer->may_starve;
        if (playing) {
            const int64_t pause_ns = st_process_watch_sample(observer->watch);
            st_pipewire_streams_look(observer->streams);
            ask_if_starved(observer);
            const struct timespec pause = st_ns_to_timespec(pause_ns);
            const int64_t due_ns = st_posix_now_ns(NULL) + pause_ns;
            nanosleep(&pause, NULL);
            st_helper_line_due(due_ns);
        }
        take_messages(observer, playing);
    }
    pw_loop_leave(observer->loop);
}

int main(int argc, char **argv)
{
    static struct observer observer;
    observer.options = st_helper_line_options(argc, argv);
    if (observer.options.cycles[0] != '\0') {
        const int opened = st_cycle_ring_open(observer.options.cycles, &observer.profile.ring);
        if (opened < 0)
            fprintf(stderr, "%s: cannot keep the last cycles in %s: %s\n", argv[0],
                    observer.options.cycles, strerror(-opened));
    }
    /* start the listener before this program gives up CPU share, since the listener must not be
     * late */
    if (observer.options.listen[0] != '\0') {
        const int started = st_listener_start(&observer.listener, observer.options.listen);
        if (started < 0)
            ST_PRINT(observer.listener.why, "the program that listens cannot be started: %s",
                     strerror(-started));
    }
    st_helper_line_give_way();
    /* writing to a listener that has ended must not kill this program */
    (void)signal(SIGPIPE, SIG_IGN);
    setenv("PIPEWIRE_DEBUG", "0", 0); /* no log of libpipewire, since this program prints what is
                                         important; a user can set another level */
    pw_init(NULL, NULL);
    observer.loop = pw_loop_new(NULL);
    observer.profiled_ns = -QUIET_NS;
    if (observer.loop == NULL)
        return st_helper_line_absent("%s", st_pipewire_connection_no_start());
    st_helper_line_deadline(ANSWER_S, "the PipeWire server does not answer");
    const int r = begin(&observer);
    if (r != ST_HELPER_LINE_DONE)
        return r;
    run(&observer);
    if (observer.status == ST_HELPER_LINE_ABSENT) /* the server has ended, the daemon still reads */
        st_pipewire_profile_report(&observer.profile);
    return observer.status; /* the end of the process closes everything */
}
