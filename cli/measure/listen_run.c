#include "cli/measure/listen_run.h"

#include <sys/utsname.h>

#include "cli/command.h"
#include "core/ns.h"
#include "core/text/json.h"
#include "core/text/safe.h"
#include "core/text/text.h"
#include "platform/posix/posix.h"

#define FRAMES     1024   /* of silence at once */
#define GAP_MAX    960000 /* frames that a recorder may leave out */
#define LATE_NS    (1500 * ST_NS_PER_MS)
#define RATE_LEAST 5                   /* s, from which on a device's rate is known */
#define JUMP_NS    (10 * ST_NS_PER_MS) /* a clock of jiffies is off by 4 ms */
#define RECORDS    2000                /* 1.6 MB at most by 800 bytes each */

static void say_begin(void *ctx, const struct st_way *way, const struct st_capture_head *head)
{
    struct st_listen_run *run = ctx;
    struct st_capture_head safe = *head;
    run->view.rate_hz = head->rate_hz;
    run->view.channels = head->channels;
    st_hearing_init(&run->hearing, head->rate_hz, head->channels);
    fprintf(stderr,
            "Playing a quiet test signal, %s, for %s.\n  played to:      %s\n  recorded from:  %s\n"
            "Ctrl-C ends it.\n",
            way->title, ST_NS_SHORT(run->view.wish.duration_ns), st_safe_text(safe.plays),
            st_safe_text(safe.records));
}

/* Frames that were recorded and did not get here are silence: a loss with that reason. */
static void fill_gap(struct st_listen_run *run, uint64_t frames)
{
    static const float silence[FRAMES * ST_CAPTURE_CHANNELS_MAX];
    for (frames = ST_MIN(frames, GAP_MAX); frames > 0;) {
        const size_t n = frames < FRAMES ? (size_t)frames : FRAMES;
        st_hearing_take(&run->hearing, silence, n);
        frames -= n;
    }
}

static void take_time(struct st_listen_run *run, const struct st_capture_packet *packet)
{
    struct st_listen_time now = {.recorded = packet->recorded - run->first_recorded,
                                 .time_ns = packet->time_ns - run->first_ns};
    now.late_ns = now.time_ns - (int64_t)((double)now.recorded / run->view.rate_hz * (double)ST_NS_PER_S);
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
    struct st_listen_run *run = ctx;
    if (run->first_ns == 0) {
        run->first_ns = packet->time_ns;
        run->first_recorded = run->next_frame = packet->recorded;
        st_hearing_expect(&run->hearing, 0, packet->played);
    }
    if (packet->recorded > run->next_frame)
        fill_gap(run, packet->recorded - run->next_frame);
    if (!run->hearing.places.was_locked) /* a player that was late at first moved the signal */
        run->ahead = (int64_t)(packet->played - (packet->recorded - run->first_recorded));
    run->next_frame = packet->recorded + packet->frames_n;
    take_time(run, packet);
    st_hearing_take(&run->hearing, packet->samples, packet->frames_n);
}

/* What the daemon recorded meanwhile, if one answers: dropouts are reported up to a second late. */
static void ask_daemon(struct st_listen_run *run)
{
    const struct timespec late = st_ns_to_timespec(LATE_NS);
    if (run->result.losses_n == 0 || !st_daemon_client_listens(NULL))
        return;
    (void)nanosleep(&late, NULL);
    const int64_t now_ns = st_posix_wall_ns(NULL);
    run->view.wall_ns = now_ns - st_posix_now_ns(NULL);
    const int64_t since_ns = run->live.begin_ns + run->view.wall_ns - ST_NS_PER_S;
    if (st_daemon_client_try(
            NULL, ST_TEXT(100, "/v1/events?since=%" PRId64 "&limit=%d", since_ns / ST_NS_PER_S, RECORDS),
            "sleeptune-events/1", ST_DAEMON_TIMEOUT_MS, &run->records) == 0)
        run->view.records = json_object_get(run->records.document, "events");
    if (json_is_true(json_object_get(run->records.document, "more")))
        run->view.records_from_ns = st_json_integer(json_array_get(run->view.records, 0), "time_ns");
    if (st_daemon_client_try(NULL, "/v1/status", "sleeptune-status/1", ST_DAEMON_TIMEOUT_MS, &run->status) ==
        0)
        run->view.sources = json_object_get(run->status.document, "observe");
}

/* Every frame that the device had was recorded, and no time is missing: its rate is known. A server that is
 * stopped has no cycles meanwhile; a sink without hardware has one more when a program joins. */
static bool is_steady(const struct st_listen_run *run)
{
    const uint64_t *n = run->live.events_n;
    return n[ST_CAPTURE_RECORDER] + n[ST_CAPTURE_XRUN] + n[ST_CAPTURE_FULL] == 0 &&
           run->most_ns - run->least_ns <= JUMP_NS;
}

void st_listen_run_end(struct st_listen_run *run, const struct st_glitch *forced, size_t forced_n)
{
    run->view.result = &run->result;
    run->view.rate_ppm = (double)NAN;
    st_hearing_end(&run->hearing, forced, forced_n, &run->result);
}

int st_listen_run_live(const struct st_listen_wish *wish, struct st_listen_run *run)
{
    static const struct st_listen_calls calls = {say_begin, take_packet};
    struct st_listen_view *view = &run->view;
    view->wish = *wish;
    if (wish->frames > 0)
        st_failure_note("Asking for %" PRIu32 " frames. Other programs on the same server or device get this "
                        "size, too, until this ends.",
                        wish->frames);
    const int status = st_listen_live(st_platform_native(), wish, &calls, run, &run->live);
    if (status != ST_EXIT_DONE)
        return status;
    struct utsname system;
    view->live = &run->live;
    if (uname(&system) == 0)
        ST_PRINT(view->kernel, "%.40s %.80s", system.sysname, system.release);
    st_listen_run_end(run, run->live.forced, run->live.forced_n);
    ask_daemon(run);
    view->latency_known = run->result.places_known;
    view->latency_frames = run->ahead - run->result.offset;
    const double seconds = st_ns_seconds(run->last.time_ns - run->first.time_ns);
    if (seconds >= RATE_LEAST && is_steady(run))
        view->rate_ppm =
            ((double)(run->last.recorded - run->first.recorded) / seconds / view->rate_hz - 1) * 1e6;
    return ST_EXIT_DONE;
}

int st_listen_run_status(const struct st_listen_run *run)
{
    return !st_hearing_valid(&run->result) ? ST_EXIT_BOOKS
           : run->result.losses_n > 0      ? ST_EXIT_FINDINGS
           : run->live.has_ended           ? ST_EXIT_BOOKS
                                           : ST_EXIT_DONE;
}

void st_listen_run_finish(struct st_listen_run *run)
{
    st_daemon_client_finish(&run->records);
    st_daemon_client_finish(&run->status);
}
