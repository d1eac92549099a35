/* Minutes. */
#include "daemon/status/minute.h"

#include "core/ns.h"

static struct st_history_conditions conditions_of(const struct st_result *result)
{
    struct st_history_conditions ret = {.priority = result->priority,
                                        .cpu = result->cpu,
                                        .frames = result->frames,
                                        .rate_hz = result->rate_hz,
                                        .load_percent = result->load_percent};
    const char *kernel = st_result_condition(result, "kernel_release");
    const char *governor = st_result_condition(result, "governor");
    ST_PRINT(ret.kernel, "%s", kernel != NULL ? kernel : "");
    ST_PRINT(ret.governor, "%s", governor != NULL ? governor : "");
    ST_PRINT(ret.policy, "%s", st_platform_policy_name(result->policy));
    return ret;
}

struct st_history_minute st_minute_so_far(const struct st_result *result, int64_t now_ns, int64_t wall_ns)
{
    const int64_t due_ns = st_period_due_ns(&result->period, result->t0_ns, result->elapsed_periods);
    /* a loop that does not sleep is ahead of the clock */
    const int64_t latest_ns = st_ns_add(now_ns, st_period_ns(&result->period));
    const int64_t until_ns = due_ns < latest_ns || result->elapsed_periods == 0 ? due_ns : latest_ns;
    return (struct st_history_minute){
        .measured_ns = st_ns_sub(until_ns, result->t0_ns),
        .to_wall_ns = st_ns_sub(wall_ns, st_ns_sub(now_ns, until_ns)),
        .cycles = result->cycles,
        .misses = result->misses,
        .miss_events = (int64_t)result->miss_events.n,
        .skipped_periods = result->skipped_periods,
        .lateness_max_ns = INT64_MIN,
        .conditions = conditions_of(result),
    };
}

static uint64_t difference(uint64_t now, uint64_t before)
{
    return now >= before ? now - before : now;
}

bool st_minute_take(struct st_history_minute *before, const struct st_history_minute *now,
                    struct st_history_minute *ret)
{
    const bool goes_on = before->measured_ns > 0 && now->measured_ns >= before->measured_ns;
    const int64_t measured_ns = goes_on ? now->measured_ns - before->measured_ns : now->measured_ns;
    if (measured_ns == 0)
        return false;
    *ret = *now;
    ret->from_wall_ns = goes_on ? before->to_wall_ns : st_ns_sub(now->to_wall_ns, measured_ns);
    ret->measured_ns = measured_ns;
    ret->cycles = difference(now->cycles, before->cycles);
    ret->misses = difference(now->misses, before->misses);
    ret->miss_events = (int64_t)difference((uint64_t)now->miss_events, (uint64_t)before->miss_events);
    ret->skipped_periods = difference(now->skipped_periods, before->skipped_periods);
    ret->own_dropouts_n = difference(now->own_dropouts_n, before->own_dropouts_n);
    *before = *now;
    return true;
}

const char *st_minute_text(const struct st_history_minute *minute, int64_t dropouts_n, char *buf,
                           size_t buf_bytes)
{
    char lateness[32] = "none";
    if (minute->lateness_max_ns != INT64_MIN)
        st_ns_format(minute->lateness_max_ns, lateness, sizeof(lateness));
    char dropouts[64] = "";
    if (dropouts_n != INT64_MIN)
        ST_PRINT(dropouts, "%" PRId64 " dropouts of other programs; ", dropouts_n);
    snprintf(buf, buf_bytes,
             "last %" PRId64 " s: %s%" PRIu64 " cycles, %" PRIu64 " missed (%" PRIu64 " skipped); %" PRIu64
             " dropouts in the daemon's own stream; worst wake-up %s late",
             (minute->measured_ns + ST_NS_PER_S / 2) / ST_NS_PER_S, dropouts, minute->cycles, minute->misses,
             minute->skipped_periods, minute->own_dropouts_n, lateness);
    return buf;
}
