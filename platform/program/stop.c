#include "platform/program/stop.h"

#include <signal.h>

#include "core/ns.h"

/* timeout(1) sends its signal twice at once: to this process and to its group. A later signal comes
 * from a user who wants the program to end now. */
#define STOP_AGAIN_NS (200 * ST_NS_PER_MS)

static void (*volatile on_first)(void);
static volatile sig_atomic_t asked, to_pass_on;
static _Atomic int64_t asked_ns;

/* The first signal ends the measurement early; a later one ends the program. */
static void on_stop(int signal_number, siginfo_t *info, ST_UNUSED void *context)
{
    struct st_platform *platform = st_platform_native();
    if (asked && st_platform_now_ns(platform) - asked_ns > STOP_AGAIN_NS) {
        signal(signal_number, SIG_DFL);
        raise(signal_number); /* delivered when this handler has returned */
        return;
    }
    if (!asked)
        asked_ns = st_platform_now_ns(platform);
    asked = 1;
    to_pass_on = info->si_code != SI_KERNEL ? signal_number : 0;
    if (on_first != NULL)
        on_first();
}

static bool ignores_hangup(void)
{
    struct sigaction action;
    return sigaction(SIGHUP, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

static void catch_signal(int signal_number, struct sigaction action)
{
    sigemptyset(&action.sa_mask);
    sigaction(signal_number, &action, NULL);
}

void st_stop_catch(void (*first_seen)(void))
{
    const struct sigaction stop = {.sa_sigaction = on_stop, .sa_flags = SA_SIGINFO};
    on_first = first_seen;
    catch_signal(SIGINT, stop);
    catch_signal(SIGTERM, stop);
    /* nohup ignores SIGHUP, which stays so. SIGINT is caught even if it is ignored, as in programs
     * that a script starts in the background, since the script may send it anyway */
    if (!ignores_hangup())
        catch_signal(SIGHUP, stop);
}

bool st_stop_asked(void)
{
    return asked != 0;
}

int st_stop_to_pass_on(void)
{
    return (int)to_pass_on;
}

/* --- a real-time thread that does not sleep --- */

#define RTTIME_NS ST_NS_PER_S

static void (*on_demoted)(void);

/* The kernel sends SIGXCPU to the thread that ran too long. */
static void on_rttime(ST_UNUSED int signal_number)
{
    struct st_platform *platform = st_platform_native();
    (void)platform->set_policy(platform, ST_POLICY_OTHER, 0);
    if (on_demoted != NULL)
        on_demoted();
}

void st_stop_limit_rttime(struct st_platform *platform, void (*demoted)(void))
{
    on_demoted = demoted;
    catch_signal(SIGXCPU, (struct sigaction){.sa_handler = on_rttime, .sa_flags = SA_RESTART});
    (void)platform->set_rttime_limit_ns(platform, RTTIME_NS);
}
