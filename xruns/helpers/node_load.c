#include "xruns/helpers/node_load.h"

#define DIGITS 2 /* decimal digits of the histograms: error at most 0.4 % */

static void fold(struct st_node_load *load)
{
    const size_t n = load->recent_n;
    load->recent_n = 0;
    if (load->wait.late == NULL &&
        (st_hist_init(&load->busy, DIGITS) < 0 || st_hist_init(&load->wait, DIGITS) < 0)) {
        st_hist_finish(&load->busy);
        return;
    }
    ST_EACH_OF (cycle, load->recent, n) {
        st_hist_add(&load->busy, cycle->busy_ns);
        st_hist_add(&load->wait, cycle->wait_ns);
    }
}

void st_node_load_add(struct st_node_load *load, int64_t busy_ns, int64_t wait_ns)
{
    if (busy_ns < 0 || wait_ns < 0)
        return;
    load->recent[load->recent_n++] = (struct st_node_load_cycle){busy_ns, wait_ns};
    if (load->recent_n == ST_NODE_LOAD_RECENT)
        fold(load);
}

bool st_node_load_take(struct st_node_load *load, struct st_xrun_load *ret)
{
    if (load->recent_n > 0)
        fold(load);
    if (load->busy.total_n == 0)
        return false;
    ret->cycles_n = (int64_t)load->busy.total_n;
    ret->busy_median_ns = st_hist_quantile(&load->busy, 0.5);
    ret->busy_p99_ns = st_hist_quantile(&load->busy, 0.99);
    ret->busy_max_ns = load->busy.max_ns;
    ret->wait_median_ns = st_hist_quantile(&load->wait, 0.5);
    ret->wait_p99_ns = st_hist_quantile(&load->wait, 0.99);
    ret->wait_max_ns = load->wait.max_ns;
    st_hist_reset(&load->busy);
    st_hist_reset(&load->wait);
    return true;
}

void st_node_load_finish(struct st_node_load *load)
{
    st_hist_finish(&load->busy);
    st_hist_finish(&load->wait);
    *load = (struct st_node_load){0};
}
