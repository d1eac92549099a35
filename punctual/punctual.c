/* The library sleeptune: the punctual wait for other programs (punctual.h). */
#include <sleeptune/punctual.h>

#include <float.h>

#include "core/ns.h"
#include "platform/platform.h"
#include "platform/posix/posix.h"
#include "punctual/exact_sleep.h"
#include "punctual/punctual_wait.h"

#define ON_TIME_NS 100
#define SHARE_MAX  0.5
/* number of waits between two calls of review(), which sets how long each wait may spin */
#define REVIEW_EVERY 64
/* most spinning time that can be saved, as a multiple of what is added between two reviews; the
 * rest is lost
 */
#define SAVED_MOST 8

/* Limits spinning to cpu_share of a CPU by an account (saved_ns): elapsed time adds cpu_share of
 * itself, spinning subtracts, and no wait spins for longer than the account has. review() chooses
 * the margin so that about as much is spent as is added. */
struct st_punctual {
    struct st_platform platform; /* only now_ns is used */
    struct st_margin margin;
    double cpu_share;
    /* spinning time that is saved in the account, and its upper limit (ns) */
    double saved_ns, saved_max_ns;
    /* clock at the first call, at the last one, and at the last review */
    int64_t first_ns, seen_ns, reviewed_ns;
    /* the wait that a signal ended, which the next call may continue; begun_ns INT64_MIN: none */
    int64_t begun_ns, due_ns;
    /* waits until the next review; a wait whose due time had already passed does not count */
    unsigned until_review;
    struct st_punctual_stats stats;
};

unsigned st_punctual_version(void)
{
    return ST_PUNCTUAL_VERSION;
}

int64_t st_punctual_now_ns(void)
{
    return st_posix_now_ns(NULL);
}

void st_punctual_reset(struct st_punctual *punctual)
{
    /* The budget is 0 until it is known how often the thread waits. */
    st_margin_init(&punctual->margin, punctual->cpu_share > 0 ? ST_MARGIN_BUDGET : ST_MARGIN_FREE,
                   0);
    memset(&punctual->stats, 0, sizeof(punctual->stats));
    punctual->until_review = REVIEW_EVERY;
    punctual->saved_ns = 0;
    punctual->saved_max_ns = DBL_MAX;
    punctual->first_ns = punctual->begun_ns = INT64_MIN;
}

int st_punctual_new(double cpu_share, struct st_punctual **ret)
{
    if (!(cpu_share >= 0 && cpu_share <= SHARE_MAX) || ret == NULL)
        return -EINVAL;
    struct st_punctual *punctual = calloc(1, sizeof(*punctual));
    if (punctual == NULL)
        return -ENOMEM;
    punctual->platform.now_ns = st_posix_now_ns;
    punctual->cpu_share = cpu_share;
    st_punctual_reset(punctual);
    *ret = punctual;
    return 0;
}

void st_punctual_free(struct st_punctual *punctual)
{
    free(punctual);
}

/* Sets how long the next waits may spin on average: the time added since the last review plus a
 * quarter of the other savings, divided by REVIEW_EVERY. So about the amount of one review stays
 * saved, for waits that spin longer. */
static void review(struct st_punctual *punctual, int64_t now_ns)
{
    const double came_ns = punctual->cpu_share * (double)(now_ns - punctual->reviewed_ns);
    const double spend_ns = came_ns + (punctual->saved_ns - came_ns) / 4;
    punctual->margin.spin_mean_max_ns = spend_ns > 0 ? (int64_t)(spend_ns / REVIEW_EVERY) : 0;
    punctual->saved_max_ns = SAVED_MOST * came_ns;
    punctual->reviewed_ns = now_ns;
    punctual->until_review = REVIEW_EVERY;
}

static void pay_in(struct st_punctual *punctual, int64_t now_ns)
{
    if (punctual->first_ns == INT64_MIN)
        punctual->first_ns = punctual->seen_ns = punctual->reviewed_ns = now_ns;
    punctual->saved_ns += punctual->cpu_share * (double)(now_ns - punctual->seen_ns);
    if (punctual->saved_ns > punctual->saved_max_ns)
        punctual->saved_ns = punctual->saved_max_ns;
    punctual->seen_ns = now_ns;
}

/* Computes how long before due_ns the thread asks to be woken: the margin, but at most half of the
 * whole wait (from begun_ns, even if a signal interrupted it), and at most saved_ns. */
static int64_t early_ns(const struct st_punctual *punctual, int64_t begun_ns, int64_t due_ns)
{
    const int64_t margin_ns = st_margin_for(&punctual->margin, due_ns - begun_ns);
    if (punctual->cpu_share <= 0 || (double)margin_ns <= punctual->saved_ns)
        return margin_ns;
    return punctual->saved_ns > 0 ? (int64_t)punctual->saved_ns : 0;
}

static void count(struct st_punctual_stats *stats, int64_t lateness_ns, int64_t spun_ns)
{
    stats->waits_n++;
    stats->on_time_n += lateness_ns <= ON_TIME_NS;
    stats->lateness_sum_ns = st_ns_add(stats->lateness_sum_ns, lateness_ns);
    stats->spin_ns += spun_ns;
    if (lateness_ns > stats->lateness_max_ns)
        stats->lateness_max_ns = lateness_ns;
}

/* Counts a wait that ended at its due time and had begun before it. */
static void ended(struct st_punctual *punctual, int64_t due_ns, int64_t woke_ns)
{
    const int64_t spun_ns = punctual->margin.spun_ns;
    count(&punctual->stats, st_ns_sub(woke_ns, due_ns), spun_ns);
    if (punctual->cpu_share <= 0)
        return;
    punctual->saved_ns -= (double)spun_ns;
    if (--punctual->until_review == 0)
        review(punctual, woke_ns);
}

int st_punctual_wait_until(struct st_punctual *punctual, int64_t due_ns, int64_t *ret_woke_ns)
{
    struct st_punctual_stats *stats = &punctual->stats;
    const int64_t now_ns = st_posix_now_ns(NULL), until_ns = due_ns > 0 ? due_ns : 0;
    int64_t woke_ns, begun_ns = now_ns;
    pay_in(punctual, now_ns);
    if (punctual->begun_ns != INT64_MIN && punctual->due_ns == due_ns)
        begun_ns = punctual->begun_ns; /* the call continues a wait that a signal ended */
    else
        st_margin_review(&punctual->margin);
    punctual->begun_ns = INT64_MIN;
    const int r =
        st_punctual_wait_early(&punctual->margin, &punctual->platform, st_exact_sleep_until_ns,
                               now_ns, until_ns, early_ns(punctual, begun_ns, until_ns), &woke_ns);
    if (r == -EINTR) {
        stats->interrupted_n++;
        punctual->begun_ns = begun_ns;
        punctual->due_ns = due_ns;
    }
    if (r != 0)
        return r;
    stats->span_ns = woke_ns - punctual->first_ns;
    if (begun_ns > due_ns)
        stats->past_n++;
    else
        ended(punctual, due_ns, woke_ns);
    if (ret_woke_ns != NULL)
        *ret_woke_ns = woke_ns;
    return 0;
}

void st_punctual_get_stats(const struct st_punctual *punctual, struct st_punctual_stats *ret,
                           size_t ret_bytes)
{
    struct st_punctual_stats stats = punctual->stats;
    stats.margin_ns = punctual->margin.margin_ns;
    memset(ret, 0, ret_bytes);
    memcpy(ret, &stats, ST_MIN(ret_bytes, sizeof(stats)));
}
