#include "cli/measure/sizes.h"

#include "cli/command.h"
#include "core/ns.h"
#include "platform/module.h"
#include "platform/program/stop.h"
#include "platform/rtkit.h"

#define SHORTEST 32u
/* --- the measurement --- */

static void on_cycle(void *ctx, uint64_t k, int64_t lateness_ns, ST_UNUSED int64_t callback_ns)
{
    struct st_sizes *sizes = ctx;
    sizes->late.periods_n++;
    st_predict_add(&sizes->late, k, lateness_ns);
}

static void on_skipped(void *ctx, ST_UNUSED uint64_t first_k, uint64_t n,
                       ST_UNUSED int64_t due_to_done_ns)
{
    struct st_sizes *sizes = ctx;
    sizes->late.periods_n += n;
}

/* Asks rtkit for real-time priority if the kernel refuses it, as sleeptuned and programs that play
 * do. Called in the loop's thread. */
static st_rtkit_ask_fn ask_rtkit;

static int on_refused(void *ctx, pid_t tid, int priority)
{
    struct st_sizes *sizes = ctx;
    const int r = ask_rtkit(st_platform_native(), tid, priority, ST_ROOM(256));
    sizes->rtkit_refused = r != 0;
    return r;
}

static void use_rtkit(struct st_session_config *config, struct st_sizes *sizes)
{
    struct st_platform *platform = st_platform_native();
    struct st_rt_rights rights;
    if (platform->rt_rights(platform, config->priority, &rights) != 0 || rights.fifo_errno == 0 ||
        st_module_load("rtkit", ST_RTKIT_SYMBOL, &ask_rtkit) != NULL)
        return;
    config->on_refused = on_refused;
    config->on_refused_ctx = sizes;
}

uint32_t st_sizes_shortest(const struct st_wish *used, uint32_t asked_frames)
{
    /* 32 frames at 768 kHz would be shorter than 50 us, the loop's shortest period */
    const uint32_t usual = used->rate_hz > 192000 ? 4 * SHORTEST : SHORTEST;
    if (asked_frames != 0)
        return asked_frames;
    return ST_MIN(used->frames, usual);
}

int st_sizes_measure(uint32_t rate_hz, uint32_t shortest, int64_t duration_ns, const char *stress,
                     st_measure_look_fn look, void *ctx, struct st_sizes *ret)
{
    const struct st_sink sink = {.cycle = on_cycle, .skipped = on_skipped, .ctx = ret};
    struct st_session_config config;
    struct st_period period;
    st_session_defaults(&config);
    config.frames = shortest;
    config.rate_hz = rate_hz;
    config.duration_ns = duration_ns;
    config.stress = stress;
    config.sink = &sink;
    use_rtkit(&config, ret);
    int r = st_period_init(&period, shortest, rate_hz);
    if (r == 0)
        r = st_predict_begin(&ret->late, &period, shortest, rate_hz);
    if (r < 0)
        return st_failure("%s", strerror(-r));
    const int status = st_measure_run(&config, look, ctx, &ret->result);
    ret->measured = status == ST_EXIT_DONE;
    if (ret->measured)
        ret->late.lost_n = ret->result.records_lost;
    return status;
}

void st_sizes_finish(struct st_sizes *sizes)
{
    st_predict_finish(&sizes->late);
    if (sizes->measured)
        st_result_finish(&sizes->result);
}

/* --- the table of buffer sizes --- */

void st_sizes_fill(struct st_sizes *sizes, uint32_t wanted_frames)
{
    sizes->table = (struct st_predict_table){.run = &sizes->late};
    st_predict_text_fill(&sizes->table, wanted_frames);
}
