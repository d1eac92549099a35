#include "daemon/observe/node_load.h"

#include <string.h>

#include "core/stats/hist.h"

#define DIGITS     2
#define HIGHEST_NS UINT32_MAX

static void add(const struct st_hist *layout, struct st_node_load_times *times, int64_t value_ns)
{
    uint16_t *count =
        &times->counts[st_hist_index(layout, value_ns < HIGHEST_NS ? value_ns : (int64_t)HIGHEST_NS)];
    *count = (uint16_t)(*count + (*count < UINT16_MAX));
    times->n++;
    if (value_ns > times->max_ns)
        times->max_ns = value_ns;
}

void st_node_load_add(struct st_node_load *load, int64_t busy_ns, int64_t wait_ns)
{
    struct st_hist layout;
    if (busy_ns < 0 || wait_ns < 0 || st_hist_layout(&layout, DIGITS) < 0)
        return;
    add(&layout, &load->busy, busy_ns);
    add(&layout, &load->wait, wait_ns);
}

static int64_t quantile(const struct st_hist *layout, const struct st_node_load_times *times, double p)
{
    uint64_t left = st_hist_quantile_rank((uint64_t)times->n, p);
    uint32_t i = 0;
    while (i + 1 < ST_NODE_LOAD_BUCKETS && left > times->counts[i])
        left -= times->counts[i++];
    const int64_t middle = st_hist_bucket_middle(layout, i);
    return middle < times->max_ns ? middle : times->max_ns;
}

bool st_node_load_take(struct st_node_load *load, struct st_xrun_load *ret)
{
    struct st_hist layout;
    if (load->busy.n == 0 || st_hist_layout(&layout, DIGITS) < 0)
        return false;
    ret->cycles_n = load->busy.n;
    ret->busy_median_ns = quantile(&layout, &load->busy, 0.5);
    ret->busy_p99_ns = quantile(&layout, &load->busy, 0.99);
    ret->busy_max_ns = load->busy.max_ns;
    ret->wait_median_ns = quantile(&layout, &load->wait, 0.5);
    ret->wait_p99_ns = quantile(&layout, &load->wait, 0.99);
    ret->wait_max_ns = load->wait.max_ns;
    memset(load, 0, sizeof(*load));
    return true;
}
