#include "cli/tune/tune_block.h"

#include <glob.h>

#include "cli/measure/measure_run.h"
#include "core/ns.h"
#include "platform/program/failure.h"
#include "platform/program/stop.h"
#include "platform/readings.h"

#define ENERGY    "/sys/class/powercap/intel-rapl:0/energy_uj"
#define HOT_MC    95000 /* above that processors slow down */
#define WARMER_MC 25000
#define CAPTURES  "/proc/asound/card*/pcm*c/sub*/status" /* "closed", or "state: RUNNING" */

void st_tune_block_init(struct st_tune_block *block, struct st_platform *p, uint32_t frames, uint32_t rate_hz)
{
    *block = (struct st_tune_block){.p = p, .slack_ns = -1};
    st_session_defaults(&block->config);
    block->config.frames = frames;
    block->config.rate_hz = rate_hz;
    block->config.duration_ns = ST_TUNE_BLOCK_NS - ST_TUNE_SETTLE_NS;
    block->config.warmup_max_ns = ST_TUNE_SETTLE_NS;
    block->config.warmup_cycles =
        (uint64_t)rate_hz * (uint64_t)(ST_TUNE_SETTLE_NS / ST_NS_PER_S) / frames + 1;
    block->start_mc = st_readings_temperature_mc(&p->machine, 0);
}

static int look_at_heat(const struct st_tune_block *block, char *why)
{
    const int64_t now_mc = st_readings_temperature_mc(&block->p->machine, 0);
    if (now_mc == INT64_MIN || block->start_mc == INT64_MIN ||
        (now_mc < HOT_MC && now_mc - block->start_mc < WARMER_MC))
        return 0;
    snprintf(why, ST_TUNING_WHY_BYTES,
             "the machine became hot: %.0f degrees Celsius, %.0f before the first trial",
             (double)now_mc / 1000, (double)block->start_mc / 1000);
    return -ECANCELED;
}

int st_tune_block_run(struct st_tune_block *block, struct st_tuning_block *ret, char *why)
{
    struct st_session_config config = block->config;
    struct st_result result;
    st_music_poll(block->music);
    const uint64_t others_n = st_music_dropouts(block->music);
    config.timer_slack_ns = block->slack_ns;
    const int64_t before_uj = st_readings_number(&block->p->machine, ENERGY),
                  before_ns = st_clock_now_ns(&block->p->clock);
    if (st_measure_run(&config, NULL, NULL, &result) != ST_EXIT_DONE) {
        snprintf(why, ST_TUNING_WHY_BYTES, "the measuring loop did not start");
        return -EIO;
    }
    const int64_t after_uj = st_readings_number(&block->p->machine, ENERGY),
                  took_ns = st_clock_now_ns(&block->p->clock) - before_ns;
    int r = 0;
    if (st_stop_asked() || result.interrupted) {
        snprintf(why, ST_TUNING_WHY_BYTES, "stopped");
        r = -EINTR;
    } else if (st_measure_run_status(&result, 1) != ST_EXIT_DONE) {
        snprintf(why, ST_TUNING_WHY_BYTES, "the measuring loop failed");
        r = -EIO;
    }
    const bool known = before_uj >= 0 && after_uj >= before_uj && took_ns > 0;
    const int64_t period_ns = st_period_ns(&result.period);
    block->policy = result.policy;
    st_music_poll(block->music);
    *ret = (struct st_tuning_block){
        .late_n =
            st_hist_count_above(&result.lateness, period_ns / block->late_share) + result.skipped_periods,
        .missed_n = result.misses,
        .events_n = result.miss_events.n,
        .others_n = st_music_dropouts(block->music) - others_n,
        .cost = {[ST_TUNING_P99_US] = (double)st_hist_quantile(&result.lateness, 0.99) / ST_NS_PER_US,
                 [ST_TUNING_CPU_NS] = result.cpu_ns_per_cycle >= 0 ? result.cpu_ns_per_cycle : (double)NAN,
                 [ST_TUNING_WATTS] =
                     known ? (double)(after_uj - before_uj) * 1000 / (double)took_ns : (double)NAN},
    };
    st_result_finish(&result);
    return r == 0 ? look_at_heat(block, why) : r;
}

bool st_tune_block_records(struct st_machine *machine, char *buf, size_t buf_bytes)
{
    glob_t paths = {0};
    char text[128] = "";
    size_t bytes;
    bool found = false;
    if (glob(CAPTURES, 0, NULL, &paths) == 0) {
        for (size_t i = 0; i < paths.gl_pathc && !found; i++) {
            found = machine->read_text(machine, paths.gl_pathv[i], text, sizeof(text), &bytes) == 0 &&
                    strstr(text, "RUNNING") != NULL;
            snprintf(buf, buf_bytes, "%s", paths.gl_pathv[i]);
        }
    }
    globfree(&paths);
    return found;
}
