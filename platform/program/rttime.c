#include "platform/program/rttime.h"

#include <signal.h>
#include <string.h>

#include "core/ns.h"

#define RTTIME_NS ST_NS_PER_S

static void (*on_demoted)(void);

/* The kernel sends SIGXCPU to the thread that ran too long. */
static void on_rttime(ST_UNUSED int signal_number)
{
    struct st_platform *p = st_platform_native();
    (void)p->set_policy(p, ST_POLICY_OTHER, 0);
    if (on_demoted != NULL)
        on_demoted();
}

void st_rttime_limit(struct st_platform *p, void (*demoted)(void))
{
    struct sigaction action;
    on_demoted = demoted;
    memset(&action, 0, sizeof(action));
    sigemptyset(&action.sa_mask);
    action.sa_handler = on_rttime;
    action.sa_flags = SA_RESTART;
    sigaction(SIGXCPU, &action, NULL);
    (void)p->set_rttime_limit_ns(p, RTTIME_NS);
}
