/* The library sleeptune: the punctual wait for other programs. */
#include <sleeptune/punctual.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/ns.h"
#include "platform/exact_sleep.h"
#include "platform/posix/posix.h"
#include "platform/punctual_wait.h"

#define ON_TIME_NS   100
#define SHARE_MAX    0.5
#define REVIEW_EVERY 64 /* waits: how much time a wait has is measured over as many */

struct st_punctual {
    struct st_platform clock; /* of which the wait uses now_ns */
    struct st_margin margin;
    double cpu_share;
    int64_t first_ns, reviewed_ns; /* the clock at the first wait, at the last review */
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
    if (punctual->cpu_share > 0) /* until it is known how often it waits: nothing */
        st_margin_init_budget(&punctual->margin, 0);
    else
        st_margin_init_free(&punctual->margin);
    memset(&punctual->stats, 0, sizeof(punctual->stats));
    punctual->until_review = 0;
    punctual->first_ns = punctual->reviewed_ns = INT64_MIN;
}

int st_punctual_new(double cpu_share, struct st_punctual **ret)
{
    if (!(cpu_share >= 0 && cpu_share <= SHARE_MAX) || ret == NULL)
        return -EINVAL;
    struct st_punctual *punctual = calloc(1, sizeof(*punctual));
    if (punctual == NULL)
        return -ENOMEM;
    punctual->clock.now_ns = st_posix_now_ns;
    punctual->cpu_share = cpu_share;
    st_punctual_reset(punctual);
    *ret = punctual;
    return 0;
}

void st_punctual_free(struct st_punctual *punctual)
{
    free(punctual);
}

/* The share of a CPU as ns a wait, from how far apart the last waits were. */
static void review(struct st_punctual *punctual, int64_t now_ns)
{
    if (punctual->first_ns == INT64_MIN)
        punctual->first_ns = now_ns;
    else if (punctual->cpu_share > 0)
        st_margin_set_spin_max(
            &punctual->margin,
            (int64_t)(punctual->cpu_share * (double)(now_ns - punctual->reviewed_ns) / REVIEW_EVERY));
    punctual->reviewed_ns = now_ns;
    punctual->until_review = REVIEW_EVERY;
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

int st_punctual_wait_until(struct st_punctual *punctual, int64_t due_ns, int64_t *ret_woke_ns)
{
    struct st_punctual_stats *stats = &punctual->stats;
    const int64_t now_ns = st_posix_now_ns(NULL);
    int64_t woke_ns;
    if (punctual->until_review == 0)
        review(punctual, now_ns);
    punctual->until_review--;
    const int r = st_punctual_wait(&punctual->margin, &punctual->clock, st_exact_sleep_until_ns, now_ns,
                                   due_ns > 0 ? due_ns : 0, &woke_ns);
    if (r != 0) {
        stats->interrupted_n += r == -EINTR;
        return r;
    }
    stats->span_ns = woke_ns - punctual->first_ns;
    if (now_ns > due_ns)
        stats->past_n++;
    else
        count(stats, st_ns_sub(woke_ns, due_ns), punctual->margin.spun_ns);
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
    memcpy(ret, &stats, ret_bytes < sizeof(stats) ? ret_bytes : sizeof(stats));
}
