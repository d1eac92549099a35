/* A view of a healthy daemon: what the tests of status, metrics and screen start from. */
#pragma once

#include "core/ns.h"
#include "daemon/status/view.h"

static struct st_view view;
static struct st_result result;

static int setup(void **state)
{
    memset(&result, 0, sizeof(result));
    if (st_period_init(&result.period, 128, 48000) != 0 || st_hist_init(&result.lateness, 3) != 0 ||
        st_hist_init(&result.response, 3) != 0)
        return 1;
    result.frames = 128;
    result.rate_hz = 48000;
    result.cpu = -1;
    result.policy = ST_POLICY_FIFO;
    result.priority = 70;
    result.lock = ST_LOCK_ON_FAULT;
    result.n = result.cycles = result.elapsed_periods = 1000;
    result.books_balance = true;
    result.cpu_ns_per_cycle = -1;
    st_hist_add_n(&result.lateness, 10500, 990); /* 10 us .. 20 us */
    st_hist_add_n(&result.lateness, -300, 4);
    st_hist_add_n(&result.lateness, 3000000, 6);
    st_hist_add_n(&result.response, 10500, 1000);
    view = (struct st_view){.loop = &result,
                            .pid = 42,
                            .uptime_ns = 5 * ST_NS_PER_S,
                            .started_wall_ns = INT64_C(1700000000123456789),
                            .audio = {.state = ST_AUDIO_RUNNING, .backend = "dummy", .policy = -1}};
    view.now_wall_ns = result.started_wall_ns = view.started_wall_ns;
    view.events = json_array();
    return 0;
}

static int teardown(void **state)
{
    json_decref(view.events);
    st_result_finish(&result);
    return 0;
}
