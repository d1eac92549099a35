/* Finds out whether the device or a client caused an xrun of JACK. */
#include "xruns/helpers/jack_xrun.h"

/* JACK keeps the delay of the card's last xrun. If this delay (us) has not changed since the xrun
 * before, the card had no new one: from this length on, two xruns do not have the same delay by
 * chance. */
#define CHANCE_US 1000.0F
/* 1 / LATE_FRACTION of a period: a driver that is less late than this has missed no period */
#define LATE_FRACTION 16
#define LATELY_US     10000000

void st_jack_xrun_begin(struct st_jack_xrun_judge *judge, float delayed_us)
{
    *judge = (struct st_jack_xrun_judge){
        .delayed_us = delayed_us, .at_us = INT64_MIN, .device_us = INT64_MIN};
}

static bool within(int64_t then_us, const struct st_jack_cycle *now, int64_t us)
{
    return then_us != INT64_MIN && now->at_us - then_us < us;
}

static struct st_jack_xrun conclude(const struct st_jack_xrun_judge *judge,
                                    const struct st_jack_cycle *now)
{
    if (now->delayed_us <= 0) /* the device had no xrun since the server began */
        return (struct st_jack_xrun){.client = true};
    if (within(judge->at_us, now, now->period_us))
        return (struct st_jack_xrun){.probable = true};
    if (now->delayed_us >= CHANCE_US)
        return (struct st_jack_xrun){.client = true};
    const bool late = now->late_us != INT64_MIN && now->late_us >= now->period_us / LATE_FRACTION;
    return (struct st_jack_xrun){.client = !late && !within(judge->device_us, now, LATELY_US),
                                 .probable = true};
}

struct st_jack_xrun st_jack_xrun_conclude(struct st_jack_xrun_judge *judge,
                                          const struct st_jack_cycle *now)
{
    struct st_jack_xrun xrun = {.client = false};
    if (now->delayed_us < judge->delayed_us || now->delayed_us > judge->delayed_us)
        judge->device_us = now->at_us;
    else
        xrun = conclude(judge, now);
    judge->delayed_us = now->delayed_us;
    judge->at_us = now->at_us;
    return xrun;
}

bool st_jack_xrun_is_hasty(const struct st_jack_cycle *device, int64_t last_us)
{
    return 2 * device->delayed_us < (float)device->period_us && last_us > device->at_us &&
           /* in this time a late server makes up for missed cycles */
           last_us - device->at_us < device->period_us;
}
