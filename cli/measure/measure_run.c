/* Runs a measurement from start to end: signals, waiting, results. */
#include "cli/measure/measure_run.h"

#include <signal.h>

#include "cli/command.h"
#include "core/ns.h"
#include "platform/program/stop.h"

#define NAP_NS (100 * ST_NS_PER_MS)

static struct st_session *volatile running; /* the session that a signal handler ends; NULL: none */
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

/** Calls `look` with the result so far. @return what `look` returns (false: end the loop), or true
 * if there is no result yet. */
static bool show(struct st_session *session, st_measure_look_fn look, void *ctx, bool first)
{
    struct st_result result;
    if (st_session_result(session, &result) != 0)
        return true;
    const bool go_on = look(ctx, &result, first);
    st_result_finish(&result);
    return go_on;
}

int st_measure_run(const struct st_session_config *config, st_measure_look_fn look, void *ctx,
                   struct st_result *ret)
{
    struct st_platform *p = st_platform_native();
    struct st_session *session;
    st_stop_catch(on_stop);
    if (config->policy != ST_POLICY_OTHER)
        st_stop_limit_rttime(p, on_demoted);
    int r = st_session_start(p, config, &session);
    if (r == -ERANGE)
        return st_failure_usage("a period of %u frame%s at %u Hz is out of range: 50 us .. 10 s",
                                config->frames, ST_PLURAL(config->frames), config->rate_hz);
    if (r != 0)
        return st_failure("cannot start: %s", strerror(-r));
    running = session;
    if (st_stop_asked()) /* the signal came before there was a session to stop */
        st_session_ask_stop(session);
    for (int naps = 0; !st_session_wait(session, NAP_NS); naps++) {
        if (look != NULL && naps >= 19 && naps % 10 == 9 && !show(session, look, ctx, naps == 19))
            st_session_ask_stop(session);
    }
    st_session_join(session);
    running = NULL;
    r = st_session_result(session, ret);
    if (r == 0 && demoted)
        st_result_degrade(ret, "the timing test computed too long without a sleep (RLIMIT_RTTIME), "
                               "so it lost its real-time priority");
    st_session_free(session);
    return r != 0 ? st_failure("%s", strerror(-r)) : ST_EXIT_DONE;
}

int st_measure_run_status(const struct st_result *result)
{
    if (!result->books_balance)
        return ST_EXIT_BOOKS;
    return result->error != 0 || result->n == 0 ? ST_EXIT_FAILURE : ST_EXIT_DONE;
}
