/* Punctual mode as ways of sleeping: wake early by a margin, spin the rest. */
#include <errno.h>
#include <stdlib.h>

#include "lib/ns.h"
#include "lab/punctual/exact_sleep.h"
#include "lab/posix/sleep_lab.h"
#include "platform/punctual_wait.h"

/* As many as the margin is first computed from: 20 ms when it is opened. */
#define LEARN_N  32
#define LEARN_NS (500 * ST_NS_PER_US)

/* What spinning may take of the time that is asked for: measure --punctual=2%. */
#define SHARE 0.02

struct punctual {
    struct st_margin margin;
    int64_t overshoots_ns[LEARN_N]; /* that were learned */
    int overshoots_n;
    int64_t budget_of_ns; /* the sleep that the margin's budget is a share of; 0: none yet */
    bool free;
};

static int wait_until(struct st_sleep *s, int64_t now_ns, int64_t due_ns)
{
    struct punctual *punctual = s->state;
    return st_punctual_wait(&punctual->margin, s->platform, st_exact_sleep_until_ns, now_ns, due_ns,
                            &s->woke_ns);
}

/* A bench opens a method for a few sleeps, with the policy and slack that they have: what it needs to know of
 * them is learned here. */
static int learn(struct st_sleep *s)
{
    struct punctual *punctual = s->state;
    for (int i = 0; i <= LEARN_N; i++) { /* what the last one saw is learned by the one after it */
        const int64_t now_ns = s->platform->now_ns(s->platform);
        const int r = wait_until(s, now_ns, now_ns + LEARN_NS);
        if (r != 0 && r != -EINTR) {
            st_sleep_free_state(s);
            return r;
        }
        if (punctual->margin.overshoot_ns != INT64_MIN && i < LEARN_N)
            punctual->overshoots_ns[punctual->overshoots_n++] = punctual->margin.overshoot_ns;
    }
    return 0;
}

/* The margin that the budget of such a sleep buys, by what was learned. */
static void spend_share_of(struct punctual *punctual, int64_t requested_ns)
{
    st_margin_init_budget(&punctual->margin, (int64_t)(SHARE * (double)requested_ns));
    for (int i = 0; i < punctual->overshoots_n; i++)
        st_margin_learn(&punctual->margin, punctual->overshoots_ns[i]);
    punctual->budget_of_ns = requested_ns;
}

static int open_punctual(struct st_sleep *s, bool free_setting)
{
    struct punctual *punctual = calloc(1, sizeof(*punctual));
    if (punctual == NULL)
        return -ENOMEM;
    punctual->free = free_setting;
    if (free_setting)
        st_margin_init_free(&punctual->margin);
    else
        st_margin_init_budget(&punctual->margin, 0);
    s->state = punctual;
    return learn(s);
}

int st_sleep_open_punctual(struct st_sleep *s)
{
    return open_punctual(s, false);
}

int st_sleep_open_punctual_free(struct st_sleep *s)
{
    return open_punctual(s, true);
}

int st_sleep_punctual(struct st_sleep *s, int64_t requested_ns)
{
    struct punctual *punctual = s->state;
    if (!punctual->free && punctual->budget_of_ns != requested_ns)
        spend_share_of(punctual, requested_ns);
    return wait_until(s, s->due_ns - requested_ns, s->due_ns);
}
