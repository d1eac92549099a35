/* Punctual mode as ways of sleeping: wake early by a margin, spin the rest. */
#include <errno.h>
#include <stdlib.h>

#include "lib/ns.h"
#include "platform/exact_sleep.h"
#include "platform/posix/sleep_posix.h"
#include "platform/punctual_wait.h"

/* As many as the margin is first computed from: 20 ms when it is opened. */
#define LEARN_N  32
#define LEARN_NS (500 * ST_NS_PER_US)

static int wait_until(struct st_sleep *s, int64_t now_ns, int64_t due_ns)
{
    int64_t woke_ns;
    return st_punctual_wait(s->state, s->platform, st_exact_sleep_until_ns, now_ns, due_ns, &woke_ns);
}

/* A bench opens a method for a few sleeps, with the policy and slack that they have: what it needs to know of
 * them is learned here. */
static int learn(struct st_sleep *s)
{
    for (int i = 0; i <= LEARN_N; i++) { /* what the last one saw is learned by the one after it */
        const int64_t now_ns = s->platform->now_ns(s->platform);
        const int r = wait_until(s, now_ns, now_ns + LEARN_NS);
        if (r != 0 && r != -EINTR) {
            st_sleep_free_state(s);
            return r;
        }
    }
    return 0;
}

int st_sleep_open_punctual(struct st_sleep *s)
{
    s->state = malloc(sizeof(struct st_margin));
    if (s->state == NULL)
        return -ENOMEM;
    st_margin_init(s->state, 0.97);
    return learn(s);
}

int st_sleep_open_punctual_free(struct st_sleep *s)
{
    s->state = malloc(sizeof(struct st_margin));
    if (s->state == NULL)
        return -ENOMEM;
    st_margin_init_free(s->state);
    return learn(s);
}

int st_sleep_punctual(struct st_sleep *s, int64_t requested_ns)
{
    return wait_until(s, s->due_ns - requested_ns, s->due_ns);
}
