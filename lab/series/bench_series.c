#include "lab/series/bench_series.h"

#include "core/ns.h"

static int sleep_to_the_next(struct st_platform *platform, struct st_sleep *sleep, int64_t t0_ns,
                             struct st_bench_series *bench)
{
    const struct st_period *period = &bench->series.period;
    const size_t n = bench->series.n;
    const int64_t start_ns = st_platform_now_ns(platform);
    uint64_t index = start_ns < t0_ns ? 0 : st_period_index_at(period, t0_ns, start_ns) + 1;
    /* the last sleep ended before its due time, so its period is not used a second time */
    if (n > 0 && index <= bench->series.index[n - 1])
        index = bench->series.index[n - 1] + 1;
    const int64_t due_ns = st_period_due_ns(period, t0_ns, index);
    const int r = st_sleep_once(sleep, start_ns, due_ns - start_ns);
    const int64_t woke_ns = st_platform_now_ns(platform);
    if (r == -EINTR) {
        bench->interrupted_n++;
        return 0;
    }
    if (r != 0)
        return r;
    bench->latest_ns = st_ns_sub(woke_ns, due_ns);
    return st_series_add(&bench->series, index, bench->latest_ns);
}

int st_bench_series_measure(struct st_platform *p, const struct st_bench_series_config *config,
                            struct st_bench_series *ret)
{
    struct st_sleep sleep;
    const struct st_period period = config->period;
    *ret = (struct st_bench_series){0};
    st_series_init(&ret->series, &period);
    int r = st_sleep_open(&sleep, p, config->method);
    if (r != 0)
        return r;
    const int64_t wait_ns = config->full_second ? ST_NS_PER_S - st_platform_wall_ns(p) % ST_NS_PER_S
                                                : st_period_ns(&period);
    const int64_t t0_ns = st_ns_add(st_platform_now_ns(p), wait_ns);
    while (r == 0 && ret->series.n < config->count && !ret->stopped) {
        ret->stopped =
            config->go_on != NULL && !config->go_on(config->ctx, ret->series.n, ret->latest_ns);
        if (!ret->stopped)
            r = sleep_to_the_next(p, &sleep, t0_ns, ret);
    }
    st_sleep_close(&sleep);
    return r;
}
