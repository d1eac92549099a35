#include "cli/measure/sizes.h"

#include "cli/command.h"
#include "core/ns.h"
#include "platform/module.h"
#include "platform/program/stop.h"
#include "platform/rtkit.h"

#define SHORTEST          32u
#define LONGEST           2048u
#define ROWS_MAX          7
#define APART             8 /* the two longer sizes */
#define LONGER_SHARE      0.15
#define LONGER_MAX_NS     (3 * ST_NS_PER_S)
#define LONGER_WARM_UP_NS (200 * ST_NS_PER_MS)
#define EACH_WAKE_UP      0.9 /* quantile of what each wake-up is late by: stalls are rarer than one in ten */

/* --- the runs --- */

static void on_cycle(void *ctx, uint64_t k, int64_t lateness_ns, ST_UNUSED int64_t callback_ns)
{
    struct st_sizes_run *run = ctx;
    run->late.periods_n++;
    st_predict_add(&run->late, k, lateness_ns);
}

static void on_skipped(void *ctx, ST_UNUSED uint64_t first_k, uint64_t n, ST_UNUSED int64_t due_to_done_ns)
{
    struct st_sizes_run *run = ctx;
    run->late.periods_n += n;
}

/* As sleeptuned and the music's programs do. In the loop's thread. */
static st_rtkit_ask_fn ask_rtkit;

static int on_refused(void *ctx, pid_t tid, int priority)
{
    struct st_sizes *sizes = ctx;
    const int r = ask_rtkit(&st_platform_native()->threads, tid, priority, ST_ROOM(256));
    sizes->rtkit_refused = r != 0;
    return r;
}

static void use_rtkit(struct st_session_config *config, struct st_sizes *sizes)
{
    struct st_threads *threads = &st_platform_native()->threads;
    struct st_rt_rights rights;
    if (threads->rt_rights(threads, config->priority, &rights) != 0 || rights.fifo_errno == 0 ||
        st_module_load("rtkit", ST_RTKIT_SYMBOL, &ask_rtkit, ST_ROOM(512)) != 0)
        return;
    config->on_refused = on_refused;
    config->on_refused_ctx = sizes;
}

static int measure_one(struct st_session_config *config, st_measure_look_fn look, void *ctx,
                       struct st_sizes *sizes)
{
    struct st_sizes_run *run = &sizes->runs[sizes->n];
    const struct st_sink sink = {.cycle = on_cycle, .skipped = on_skipped, .ctx = run};
    struct st_period period;
    int status, r = st_period_init(&period, config->frames, config->rate_hz);
    if (r == 0)
        r = st_predict_begin(&run->late, &period, config->frames, config->rate_hz);
    config->sinks = &sink;
    if (r == 0)
        status = st_measure_run(config, look, ctx, &run->result);
    else
        status = st_failure("%s", strerror(-r));
    if (status == ST_EXIT_DONE)
        sizes->n++;
    else
        st_predict_finish(&run->late);
    return status;
}

uint32_t st_sizes_shortest(const struct st_wish *used, uint32_t asked_frames)
{
    const uint32_t usual =
        used->rate_hz > 192000 ? 4 * SHORTEST : SHORTEST; /* no loop is faster than 50 us */
    if (asked_frames != 0)
        return asked_frames;
    return ST_MIN(used->frames, usual);
}

int st_sizes_measure(const struct st_wish *used, uint32_t shortest, int64_t duration_ns, bool longer,
                     const char *stress, st_measure_look_fn look, void *ctx, struct st_sizes *ret)
{
    const uint32_t first = used->frames > shortest ? used->frames : 4 * shortest;
    const uint32_t others[] = {first, first > APART * shortest ? first / APART : first * APART};
    int64_t longer_ns = (int64_t)(LONGER_SHARE * (double)duration_ns);
    struct st_session_config config;
    longer_ns = ST_MIN(longer_ns, LONGER_MAX_NS);
    st_session_defaults(&config);
    config.frames = shortest;
    config.rate_hz = used->rate_hz;
    config.duration_ns = duration_ns - (longer ? 2 * longer_ns : 0);
    config.stress = stress;
    use_rtkit(&config, ret);
    int status = measure_one(&config, look, ctx, ret);
    config.duration_ns = longer_ns;
    config.warmup_max_ns = LONGER_WARM_UP_NS;
    for (size_t i = 0; longer && i < ST_ARRAY_LEN(others) && status == ST_EXIT_DONE && !st_stop_asked();
         i++) {
        config.frames = others[i];
        if (others[i] <= LONGEST || others[i] == used->frames)
            status = measure_one(&config, NULL, NULL, ret);
    }
    return status;
}

void st_sizes_finish(struct st_sizes *sizes)
{
    ST_EACH_OF (run, sizes->runs, sizes->n) {
        st_predict_finish(&run->late);
        st_result_finish(&run->result);
    }
}

/* --- the rows --- */

void st_sizes_fill(struct st_sizes *sizes, uint32_t wanted_frames)
{
    const struct st_predict_run *run = &sizes->runs[0].late;
    uint32_t frames[ROWS_MAX + 1];
    size_t n = 0;
    bool placed = false;
    for (uint32_t f = run->frames; n < ROWS_MAX && (f <= LONGEST || n == 0); f *= 2) {
        if (!placed && wanted_frames <= f) {
            if (wanted_frames < f)
                frames[n++] = wanted_frames;
            placed = true;
        }
        frames[n++] = f;
    }
    n = ST_MIN(n, ROWS_MAX);
    if (!placed)
        frames[n < ROWS_MAX ? n++ : n - 1] = wanted_frames;
    for (size_t i = 0; i < sizes->n; i++) {
        struct st_sizes_run *each = &sizes->runs[i];
        each->late.body_ns = each->result.n > 0 ? st_hist_quantile(&each->result.lateness, EACH_WAKE_UP) : 0;
        each->late.longer = i + 1 < sizes->n ? &each[1].late : NULL;
    }
    sizes->wish = (struct st_predict_wish){.periods = 2};
    sizes->table = (struct st_predict_table){.run = run, .wish = &sizes->wish};
    st_predict_text_fill(&sizes->table, frames, n);
}
