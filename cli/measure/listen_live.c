#include "cli/measure/listen_live.h"

#include "core/ns.h"
#include "core/text/safe.h"
#include "platform/program/failure.h"
#include "platform/program/stop.h"

/* longest wait for the head; a helper program that cannot listen writes "absent" earlier */
#define ANSWER_NS (12 * ST_NS_PER_S)
/* a helper program that plays writes more often; a longer silence ends the run */
#define SILENCE_NS (3 * ST_NS_PER_S)

struct run {
    const struct st_listen_calls *calls;
    void *ctx;
    struct st_listen_live *live;
    uint64_t wanted_frames;
    bool headed;
    char absent[ST_CAPTURE_TEXT_BYTES]; /* why the way (of recording the signal: monitor, cable ...)
                                           is not available; safe text */
};

/* --- what the helper program writes --- */

static void on_head(void *ctx, const struct st_capture_head *head)
{
    struct run *run = ctx;
    run->live->head = *head;
    run->headed = true;
}

static void on_packet(void *ctx, const struct st_capture_packet *packet)
{
    struct run *run = ctx;
    if (run->live->frames >= run->wanted_frames)
        return;
    if (run->live->frames == 0)
        run->live->begin_ns = packet->time_ns;
    run->live->frames += packet->frames_n;
    run->calls->take(run->ctx, packet);
}

static void take_forced(struct st_listen_live *live, const struct st_capture_event *event)
{
    for (int kind = 0; kind < ST_LOSS_KINDS_N; kind++) {
        if (live->forced_n < ST_SIGNAL_GLITCHES_MAX &&
            st_text_is(event->text, st_signal_loss_name((enum st_loss_kind)kind)))
            live->forced[live->forced_n++] = (struct st_glitch){.kind = (enum st_loss_kind)kind,
                                                                .at_frame = event->at_frame,
                                                                .frames = event->frames};
    }
}

/* Warns of another program at once, before the user waits for the result. */
static void say_mixed(const struct run *run, const struct st_capture_event *event)
{
    char name[ST_CAPTURE_TEXT_BYTES];
    if (run->live->events_n[ST_CAPTURE_MIXED] > 1)
        return;
    st_safe_copy(name, sizeof(name), event->text, ST_TEXT_TO_NUL);
    st_failure_note("%s plays to the same device, which hides losses. Stop it.",
                    name[0] != '\0' ? name : "Another program");
}

static void on_event(void *ctx, const struct st_capture_event *event)
{
    struct run *run = ctx;
    struct st_listen_live *live = run->live;
    if (event->kind == ST_CAPTURE_ABSENT) {
        st_safe_copy(run->absent, sizeof(run->absent), event->text, ST_TEXT_TO_NUL);
    } else if (event->kind == ST_CAPTURE_FORCED) {
        take_forced(live, event);
    } else {
        live->events_n[event->kind]++;
        live->has_ended |= event->kind == ST_CAPTURE_GONE;
        if (live->events_kept_n < ST_LISTEN_EVENTS_MAX)
            live->events[live->events_kept_n++] = *event;
        if (event->kind == ST_CAPTURE_MIXED)
            say_mixed(run, event);
    }
}

static const struct st_capture_sink sink = {on_head, on_packet, on_event};

/* --- listening over one way of recording --- */

/* Reads until the program has written its head, or why it cannot listen. @return whether there is a
 * head. */
static bool wait_for_head(struct st_way_run *way, struct run *run)
{
    for (int64_t waited_ns = 0; !run->headed && waited_ns < ANSWER_NS && !st_stop_asked();) {
        const int r = st_way_read(way, &sink, run);
        waited_ns += r == -EAGAIN ? ST_WAY_WAIT_NS : 0;
        if (r == 0 || (r < 0 && r != -EAGAIN))
            break;
    }
    return run->headed;
}

/* Listens for the wanted time, or until the program ends or is silent. @return 0 or -EBADMSG. */
static int listen_to(struct st_way_run *way, struct run *run)
{
    int64_t silent_ns = 0;
    st_way_begin(way);
    while (run->live->frames < run->wanted_frames && silent_ns < SILENCE_NS && !st_stop_asked()) {
        const int r = st_way_read(way, &sink, run);
        if (r < 0 && r != -EAGAIN)
            return r;
        silent_ns = r == -EAGAIN ? silent_ns + ST_WAY_WAIT_NS : 0;
        if (r == 0)
            break;
    }
    run->live->has_ended |= run->live->frames < run->wanted_frames && !st_stop_asked();
    return 0;
}

/* Listens over one way (of recording the signal: monitor, cable ...). @return 1: done; 0: the way
 * is not available, for the reason in run->absent; -EBADMSG. */
static int try_way(struct st_platform *p, const struct st_way *way, const struct st_way_wish *wish,
                   int64_t duration_ns, struct run *run)
{
    struct st_way_run program;
    int r = st_way_open(&program, p, way, wish);
    run->headed = false;
    ST_PRINT(run->absent, "%s does not answer", way->program);
    if (r < 0) {
        ST_PRINT(run->absent,
                 r == -EPERM    ? "run it as the user who plays, not as root"
                 : r == -ENOENT ? "%s is not installed"
                                : "%s does not start",
                 way->program);
        return 0;
    }
    r = 0;
    if (wait_for_head(&program, run)) {
        const struct st_way *other = st_way_find(run->live->head.way, p->os);
        /* the program uses another way: a sink's monitor, or a port in JACK's graph */
        if (other != NULL && !st_text_is(other->name, way->name))
            way = other;
        run->live->way = way;
        run->wanted_frames =
            (uint64_t)(duration_ns / ST_NS_PER_MS) * run->live->head.rate_hz / 1000;
        run->calls->begin(run->ctx, way, &run->live->head);
        r = listen_to(&program, run);
        r = r < 0 ? r : 1;
    }
    st_way_close(&program);
    return r;
}

/* --- choosing the way of recording --- */

static bool is_here(const struct st_platform *p, const struct st_way *way)
{
    return (way->systems & 1U << p->os) != 0;
}

static void say_makes(const struct st_platform *p)
{
    ST_EACH (way, st_ways) {
        if (way->make != NULL && is_here(p, way))
            fprintf(stderr, "  %s\n", way->make);
    }
}

/* "jack, monitor, aloop, cable": the words for --back on this system. */
static const char *ways_here(const struct st_platform *p)
{
    const char *text = "";
    ST_EACH (way, st_ways) {
        if (is_here(p, way) && !st_text_is(way->name, "device") && strstr(text, way->name) == NULL)
            text = st_text_joined(text, ", ", way->name);
    }
    return text;
}

/* Can the name be that of a port of JACK? The helper program finds out whether JACK has it. */
static bool may_be_port(const char *device)
{
    return device[0] != '/' && strchr(device, ':') != NULL && !st_text_begins(device, "hw:") &&
           !st_text_begins(device, "plughw:");
}

/* Finds the name of the way that `back` means. `back` may be that name, or a device to record from:
 * /dev/dsp1 and "hw:1" are devices of the system; a name with a colon may also be a node of
 * PipeWire or a port of JACK; any other word is a node of PipeWire. */
static const char *name_of(const char *back, const char **ret_device)
{
    ST_EACH (way, st_ways) {
        if (st_text_is(way->name, back))
            return way->name;
    }
    *ret_device = back;
    if (back[0] == '/' || (strchr(back, ':') != NULL && !st_text_begins(back, "system:")))
        return "device";
    return "cable";
}

/* Is this the way that the user wants? @param name from name_of; NULL: the user named no way. */
static bool is_wanted(const struct st_way *way, const char *name, const char *device)
{
    if (name == NULL)
        return way->chosen;
    if (device != NULL && st_text_is(way->name, "cable"))
        return way->of_ports ? may_be_port(device)
                             : device[0] != '/' && !st_text_begins(device, "system:");
    return st_text_is(way->name, name);
}

/* Reports that no way of recording the signal is available. @param why the reason of each way that
 * was tried. */
static int say_none(const struct st_platform *p, const struct st_listen_wish *wish,
                    const char *name, const char *why)
{
    if (st_stop_asked())
        return st_failure("The test was stopped before it played.");
    if (name == NULL) {
        st_failure("%ssleeptune found no way to record the test signal:",
                   wish->plays != NULL ? st_text("--play %s: ", wish->plays) : "");
        fprintf(stderr, "%sDo one of these:\n", why);
        say_makes(p);
        return ST_EXIT_FAILURE;
    }
    const struct st_way *way = st_way_find(name, p->os);
    if (way == NULL)
        return st_failure_usage("--back %s: this system has no such way to record", wish->back);
    st_failure("--back %s: %s.", wish->back, why);
    if (!st_text_is(name, wish->back))
        fprintf(stderr, "  --back: %s, or a device to record from (%s)\n", ways_here(p),
                st_os_rows[p->os].devices);
    else if (st_text_is(name, "cable"))
        way = st_way_find("device", p->os);
    if (st_text_is(name, wish->back) && way->make != NULL && wish->frames == 0)
        fprintf(stderr, "  %s\n", way->make);
    return ST_EXIT_FAILURE;
}

int st_listen_live(struct st_platform *p, const struct st_listen_wish *wish,
                   const struct st_listen_calls *calls, void *ctx, struct st_listen_live *ret)
{
    struct run run = {.calls = calls, .ctx = ctx, .live = ret};
    struct st_way_wish devices = {.plays = wish->plays, .frames = wish->frames};
    const char *name = wish->back != NULL ? name_of(wish->back, &devices.records) : NULL;
    char why[1024] = "";
    *ret = (struct st_listen_live){.way = NULL};
    ST_EACH (way, st_ways) {
        if (st_stop_asked())
            break;
        if (!is_wanted(way, name, devices.records) || !is_here(p, way))
            continue;
        const int r = try_way(p, way, &devices, wish->duration_ns, &run);
        if (r > 0)
            return ST_EXIT_DONE;
        if (r < 0)
            return st_failure(
                "%s sent an unreadable answer: install all of sleeptune in one version",
                way->program);
        if (name == NULL)
            ST_APPEND(why, "  %s: %s\n", way->name, run.absent);
        else if (strstr(why, run.absent) == NULL)
            st_text_join(why, sizeof(why), "; ", "%s", run.absent);
    }
    return say_none(p, wish, name, why);
}
