/* Settings that are tried beside the present ones. */
#include "cli/report/report_measure.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "core/ns.h"
#include "core/text/text.h"
#include "measure/experiments.h"
#include "platform/program/stop.h"
#include "platform/program/terminal.h"

#define PERIOD_MIN_NS (50 * ST_NS_PER_US)
#define PERIOD_MAX_NS (10 * ST_NS_PER_S)

static _Atomic bool stop;

static void on_stop(void)
{
    atomic_store(&stop, true);
}

static void look(void *ctx, const struct st_experiment *current, int64_t done_ns)
{
    const struct st_experiments *plan = ctx;
    char line[160];
    snprintf(line, sizeof(line), "%.0f of %.0f s: %s", (double)done_ns / ST_NS_PER_S,
             (double)plan->duration_ns / ST_NS_PER_S, current->title);
    st_text_clip(line, st_terminal_width(STDERR_FILENO) - 1);
    fprintf(stderr, "\r%s\033[K", line);
    fflush(stderr);
}

int st_report_measure_try(const char *command, const struct st_wish *wish, int64_t budget_ns,
                          struct st_trials *ret)
{
    struct st_platform *p = st_platform_native();
    const bool terminal = isatty(STDERR_FILENO) == 1;
    struct st_experiments plan;
    size_t tried_n = 0;
    if (wish->period_ns < PERIOD_MIN_NS || wish->period_ns > PERIOD_MAX_NS)
        return st_failure_usage(command,
                                "--measure: a period of %u frame%s at %u Hz is out of range: 50 us .. 10 s",
                                wish->frames, wish->frames == 1 ? "" : "s", wish->rate_hz);
    st_stop_limit_rttime(p, on_stop);
    st_experiments_plan(p, &wish->period, budget_ns, &plan);
    for (size_t i = 0; i < plan.n; i++)
        tried_n += plan.rows[i].not_tried[0] == '\0';
    st_stop_catch(on_stop);
    fprintf(stderr,
            "sleeptune %s: %zu of %zu other settings can be tried on this machine; comparing them with the "
            "present settings takes %.1f s\n",
            command, tried_n, plan.n, (double)plan.duration_ns / ST_NS_PER_S);
    const struct st_experiments_run run = {
        .seed = (uint64_t)p->wall_ns(p),
        .stop = &stop,
        .look = terminal ? look : NULL,
        .look_ctx = &plan,
    };
    const int r = st_experiments_run(p, &plan, &run, ret);
    if (terminal)
        fputs("\r\033[K", stderr);
    return r == 0 ? ST_EXIT_DONE : st_failure(command, "%s", strerror(-r));
}
