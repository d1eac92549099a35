/* A measurement from start to end: signals, waiting, results. */
#include "cli/measure/measure_run.h"

#include <signal.h>

#include "cli/command.h"
#include "core/ns.h"
#include "platform/program/stop.h"

#define NAP_NS (100 * ST_NS_PER_MS)

static struct st_session *volatile running; /* for the signal handlers */
static volatile sig_atomic_t demoted;

static void on_stop(void)
{
    if (running != NULL)
        st_session_ask_stop(running);
}

static void on_demoted(void)
{
    demoted = 1;
    if (running != NULL)
        st_session_release(running);
}

/** Calls `look` with the worst loop so far. @return what it says; true: there is nothing to look at yet. */
static bool show(struct st_session *session, size_t n, st_measure_look_fn look, void *ctx, bool first)
{
    struct st_result worst, result;
    if (st_session_result(session, 0, &worst) != 0)
        return true;
    for (size_t i = 1; i < n && st_session_result(session, i, &result) == 0; i++) {
        const bool worse = st_result_compare(&result, &worst) < 0;
        st_result_finish(worse ? &worst : &result);
        if (worse)
            worst = result;
    }
    const bool go_on = look(ctx, &worst, first);
    st_result_finish(&worst);
    return go_on;
}

static void wait_for_end(struct st_session *session, size_t n, st_measure_look_fn look, void *ctx)
{
    for (int naps = 0; !st_session_wait(session, NAP_NS); naps++) {
        if (look != NULL && naps >= 19 && naps % 10 == 9 && !show(session, n, look, ctx, naps == 19))
            st_session_ask_stop(session);
    }
}

static int collect(struct st_session *session, struct st_result *results, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const int r = st_session_result(session, i, &results[i]);
        if (r != 0) {
            while (i-- > 0)
                st_result_finish(&results[i]);
            return st_failure("%s", strerror(-r));
        }
        if (demoted)
            st_result_degrade(
                &results[i],
                "a measuring loop ran too long without a sleep (RLIMIT_RTTIME): all measuring loops lost "
                "their real-time priority");
    }
    return ST_EXIT_DONE;
}

int st_measure_run(const struct st_session_config *config, st_measure_look_fn look, void *ctx,
                   struct st_result *results)
{
    struct st_platform *p = st_platform_native();
    struct st_session *session;
    st_stop_catch(on_stop);
    if (config->policy != ST_POLICY_OTHER)
        st_stop_limit_rttime(p, on_demoted);
    const int r = st_session_start(p, config, &session);
    if (r == -ERANGE)
        return st_failure_usage("a period of %u frame%s at %u Hz is out of range: 50 us .. 10 s",
                                config->frames, config->frames == 1 ? "" : "s", config->rate_hz);
    if (r != 0)
        return st_failure("cannot start: %s", strerror(-r));
    running = session;
    if (st_stop_asked()) /* before there was a session to stop */
        st_session_ask_stop(session);
    wait_for_end(session, config->cpus_n, look, ctx);
    st_session_join(session);
    running = NULL;
    const int status = collect(session, results, config->cpus_n);
    st_session_free(session);
    return status;
}

int st_measure_run_status(const struct st_result *results, size_t n)
{
    int status = ST_EXIT_DONE;
    ST_EACH_OF (result, results, n) {
        if (!result->books_balance)
            return ST_EXIT_BOOKS;
        if (result->error != 0 || result->n == 0)
            status = ST_EXIT_FAILURE;
    }
    return status;
}
