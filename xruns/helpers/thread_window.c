#include "xruns/helpers/thread_window.h"

/* if the window (the time between two samples around the late cycle) is longer than that cycle by
 * more than this, other cycles in the window may be long as well */
#define LONG_NS (100 * ST_NS_PER_MS)

/* --- CPU time of a late cycle --- */

static int64_t within(int64_t value, int64_t most)
{
    return value < 0 ? 0 : ST_MIN(value, most);
}

/* @return the share of a CPU that the other cycles need. This is the share in the last seconds,
 * which includes the longest cycles; but at most the share of a period that cycles usually take,
 * which includes waiting for a CPU. */
static double usual_share(double used, const struct st_dropout_figures *figures)
{
    const int64_t period_ns = figures->deadline_ns - figures->cycle_ns;
    const double usual = period_ns > 0 ? (double)figures->usual_ns / (double)period_ns : 0;
    return ST_MIN(used, usual);
}

/* @return the CPU time of all cycles in the window but the late one, if each of them needs each_ns.
 * A cycle begins with each period. Of the cycles that begin while the late one runs, one runs right
 * after it; with skips_next, none of them runs. */
static int64_t others_ns(const struct st_thread_window *window,
                         const struct st_dropout_figures *figures, int64_t each_ns)
{
    const int64_t period_ns = figures->deadline_ns - figures->cycle_ns;
    const int64_t before_ns = within(figures->signal_ns - window->from_ns, INT64_MAX);
    const int64_t after_ns = within(window->to_ns - figures->end_ns, INT64_MAX);
    if (period_ns <= 0)
        return 0;
    /* assumption: the other cycles wake up as late as this one did, and end in their period */
    const int64_t wait_ns = within(figures->awake_ns - figures->signal_ns, period_ns - each_ns);
    const int64_t since_ns = (figures->end_ns - figures->signal_ns) % period_ns;
    /* from the end of the late cycle to the next period */
    const int64_t left_ns = since_ns > 0 ? period_ns - since_ns : 0;
    const int64_t later_ns = within(after_ns - left_ns, INT64_MAX);
    return before_ns / period_ns * each_ns +
           within(before_ns % period_ns - (period_ns - wait_ns - each_ns), each_ns) +
           within(after_ns, each_ns) * !figures->skips_next + later_ns / period_ns * each_ns +
           within(later_ns % period_ns - wait_ns, each_ns);
}

/* Did no other cycle run when the samples at both ends of the window were taken? Otherwise only a
 * part of such a cycle is in the window. */
static bool is_clear(const struct st_thread_window *window,
                     const struct st_dropout_figures *figures, int64_t each_ns)
{
    const int64_t period_ns = figures->deadline_ns - figures->cycle_ns;
    if (period_ns <= 0)
        return false;
    const int64_t wait_ns = within(figures->awake_ns - figures->signal_ns, period_ns);
    /* by this time after its begin, a cycle has ended */
    const int64_t done_ns = wait_ns + each_ns + period_ns / 16;
    const int64_t before_ns = within(figures->signal_ns - window->from_ns, INT64_MAX) % period_ns;
    const int64_t after_ns = within(window->to_ns - figures->end_ns, INT64_MAX);
    const int64_t since_ns = within(window->to_ns - figures->signal_ns, INT64_MAX) % period_ns;
    return period_ns - before_ns >= done_ns &&
           (figures->skips_next || after_ns >= each_ns + period_ns / 16) &&
           (since_ns >= done_ns || after_ns < since_ns);
}

void st_thread_window_take(const struct st_thread_window *window,
                           struct st_dropout_figures *figures)
{
    const double period = (double)(figures->deadline_ns - figures->cycle_ns);
    const int64_t took_ns = figures->end_ns - figures->signal_ns;
    const int64_t each_ns = (int64_t)(usual_share(window->used, figures) * period);
    const int64_t rest_ns =
        (int64_t)(usual_share(window->process_used - window->used, figures) * period);
    const int64_t usual_ns = others_ns(window, figures, each_ns);
    const int64_t rest_usual_ns = others_ns(window, figures, rest_ns);
    figures->usual_ns = each_ns;
    figures->cpu_ns = within(window->ran_ns - usual_ns, took_ns);
    figures->others_ns = within(window->process_ns - window->ran_ns - rest_usual_ns, took_ns);
    figures->cpu_error_ns = (usual_ns + rest_usual_ns) / 8;
    if (!is_clear(window, figures,
                  each_ns + rest_ns)) /* the window may have only a part of a cycle */
        figures->cpu_error_ns += each_ns + rest_ns;
    if (window->to_ns - figures->end_ns < window->tick_ns)
        figures->cpu_error_ns += window->tick_ns;
    const int64_t beside_ns = window->to_ns - window->from_ns - took_ns;
    const int64_t own_ns = (int64_t)(window->used * (double)beside_ns) - usual_ns;
    const int64_t more_ns =
        (int64_t)((window->process_used - window->used) * (double)beside_ns) - rest_usual_ns;
    if (beside_ns > LONG_NS) /* other cycles in the window may have been as long as this one */
        figures->cpu_error_ns +=
            within(own_ns, INT64_MAX) + within(more_ns, took_ns - figures->cpu_ns);
}

/* --- the culprit --- */

static int64_t ran_ns(const struct st_thread_rival *rival)
{
    const int64_t ns = rival->plays ? rival->more_ns : rival->ran_ns;
    return ST_MAX(ns, 0);
}

size_t st_thread_window_culprit(const struct st_thread_rival *rivals, size_t n,
                                const struct st_thread_rival *own, int64_t queue_ns)
{
    size_t culprit = n;
    int most_rank = 0;
    for (size_t i = 0; i < n; i++) {
        const struct st_thread_rival *rival = &rivals[i];
        int64_t all_ns = 0;
        ST_EACH_OF (other, rivals, n) {
            if (other->rt_priority >= own->rt_priority && strcmp(rival->name, other->name) == 0)
                all_ns += ran_ns(other);
        }
        if (rival->rt_priority < own->rt_priority || ran_ns(rival) == 0 || all_ns < queue_ns / 2)
            continue;
        const int rank = (rival->rt_priority > own->rt_priority) + (rival->cpu == own->cpu);
        if (culprit == n || rank > most_rank ||
            (rank == most_rank && rival->more_ns > rivals[culprit].more_ns)) {
            culprit = i;
            most_rank = rank;
        }
    }
    return culprit;
}
