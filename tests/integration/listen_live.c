/* listen_live SECONDS [BACK [PLAYS]]: what `sleeptune listen` does over a way, without a detector.
 * Prints when the way is known, and frames RECORDED forced N ended 0|1 xruns N gone N Exit status
 * as of the command. */
#include "cli/measure/listen_live.h"
#include "core/ns.h"
#include "platform/program/failure.h"
#include "platform/program/stop.h"

static uint64_t taken;

static void on_begin(void *ctx, const struct st_way *way, const struct st_capture_head *head)
{
    (void)ctx;
    printf("way %s %u Hz, plays to %s, records %s, by %s\n", way->name, head->rate_hz, head->plays,
           head->records, way->program);
    fflush(stdout);
}

static void on_take(void *ctx, const struct st_capture_packet *packet)
{
    (void)ctx;
    taken += packet->frames_n;
}

int main(int argc, char **argv)
{
    static const struct st_listen_calls calls = {on_begin, on_take};
    static struct st_listen_live live;
    st_program_command = "listen";
    struct st_platform platform = *st_platform_native();
    const struct st_listen_wish wish = {.duration_ns = (argc > 1 ? atoi(argv[1]) : 1) * ST_NS_PER_S,
                                        .back = argc > 2 && argv[2][0] != '\0' ? argv[2] : NULL,
                                        .plays = argc > 3 ? argv[3] : NULL};
    st_stop_catch(NULL);
    const int status = st_listen_live(&platform, &wish, &calls, NULL, &live);
    if (live.way != NULL)
        printf("frames %ju forced %zu ended %d xruns %ju gone %ju\n", taken, live.forced_n,
               live.has_ended, live.events_n[ST_CAPTURE_XRUN], live.events_n[ST_CAPTURE_GONE]);
    return taken == live.frames ? status : 100;
}
