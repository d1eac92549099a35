#include "xruns/helpers/pipewire_cycle.h"

#include <spa/pod/iter.h>

#define FIELDS_MAX 13 /* fields that are read; later versions may have more */

/* @return the number of fields, at most FIELDS_MAX; 0: the pod is not a struct. */
static size_t fields_of(const struct spa_pod *pod, const struct spa_pod *ret[static FIELDS_MAX])
{
    const struct spa_pod *field;
    size_t n = 0;
    if (!spa_pod_is_struct(pod))
        return 0;
    SPA_POD_STRUCT_FOREACH(pod, field)
    {
        if (n == FIELDS_MAX)
            break;
        ret[n++] = field;
    }
    return n;
}

/* Is the time possible, and so small that the sum of several times cannot overflow? */
static bool is_time(int64_t ns)
{
    return ns >= 0 && ns < INT64_MAX / 8;
}

int st_pipewire_cycle_block(const struct spa_pod *pod, struct st_pipewire_block *ret)
{
    const struct spa_pod *field[FIELDS_MAX];
    const size_t n = fields_of(pod, field);
    struct spa_fraction asked;
    int32_t id = 0;
    *ret = (struct st_pipewire_block){.xruns_n = ST_PIPEWIRE_CYCLE_NOT_COUNTED};
    if (n < 8 || spa_pod_get_int(field[0], &id) < 0 ||
        (!spa_pod_is_none(field[1]) && spa_pod_get_string(field[1], &ret->name) < 0) ||
        spa_pod_get_long(field[2], &ret->prev_signal_ns) < 0 ||
        spa_pod_get_long(field[3], &ret->signal_ns) < 0 ||
        spa_pod_get_long(field[4], &ret->awake_ns) < 0 ||
        spa_pod_get_long(field[5], &ret->finish_ns) < 0 ||
        spa_pod_get_int(field[6], &ret->status) < 0 || spa_pod_get_fraction(field[7], &asked) < 0 ||
        (n > 8 && spa_pod_get_int(field[8], &ret->xruns_n) < 0) ||
        (n > 9 && spa_pod_get_bool(field[9], &ret->is_async) < 0))
        return -EBADMSG;
    ret->id = (uint32_t)id;
    ret->asked_num = asked.num;
    ret->asked_denom = asked.denom;
    if (!is_time(ret->prev_signal_ns) || !is_time(ret->signal_ns) || !is_time(ret->awake_ns) ||
        !is_time(ret->finish_ns))
        ret->prev_signal_ns = ret->signal_ns = ret->awake_ns = ret->finish_ns = 0;
    return 0;
}

int st_pipewire_cycle_info(const struct spa_pod *pod, struct st_pipewire_cycle *ret)
{
    const struct spa_pod *field[FIELDS_MAX]; /* fields: number, three loads, counter of xruns */
    if (fields_of(pod, field) < 5 || spa_pod_get_long(field[0], &ret->number) < 0 ||
        spa_pod_get_int(field[4], &ret->xruns_n) < 0)
        return -EBADMSG;
    return 0;
}

int st_pipewire_cycle_clock(const struct spa_pod *pod, struct st_pipewire_cycle *ret)
{
    const struct spa_pod *field[FIELDS_MAX]; /* flags, id, name, time, rate, position, duration, ...
                                              * (since 1.3.81) state, cycle, xrun */
    struct spa_fraction rate;
    int64_t position, duration, lost = 0;
    const size_t n = fields_of(pod, field);
    if (n < 7 || spa_pod_get_long(field[5], &position) < 0 ||
        spa_pod_get_fraction(field[4], &rate) < 0 || spa_pod_get_long(field[6], &duration) < 0)
        return -EBADMSG;
    if (n > 12 && (spa_pod_get_long(field[12], &lost) < 0 || lost < 0 || lost >= INT64_MAX / 2))
        lost = 0; /* an invalid count does not make the whole clock invalid */
    if (rate.num == 0 || rate.denom < rate.num || rate.denom > ST_PIPEWIRE_CYCLE_RATE_MAX ||
        duration <= 0 || duration > ST_PIPEWIRE_CYCLE_FRAMES_MAX || position < 0 ||
        position > INT64_MAX / 2)
        return 0;
    const int64_t rate_hz = rate.denom / rate.num;
    if (duration / rate_hz >= ST_PIPEWIRE_CYCLE_MAX_NS / ST_NS_PER_S)
        return 0;
    ret->rate_hz = rate_hz;
    ret->frames = duration;
    ret->position = position;
    ret->lost_frames = lost;
    ret->period_ns = duration * ST_NS_PER_S / rate_hz;
    return 0;
}

int st_pipewire_cycle_card(const struct spa_pod *pod, struct st_second_card_clock *ret)
{
    const struct spa_pod *field[FIELDS_MAX]; /* id, name, time, rate, position, duration, delay,
                                                rate_diff, next, xrun */
    const char *name = "";
    struct spa_fraction rate;
    if (fields_of(pod, field) < 10 ||
        (!spa_pod_is_none(field[1]) && spa_pod_get_string(field[1], &name) < 0) ||
        spa_pod_get_fraction(field[3], &rate) < 0 ||
        spa_pod_get_long(field[4], &ret->position) < 0 ||
        spa_pod_get_long(field[5], &ret->duration) < 0 ||
        spa_pod_get_long(field[6], &ret->delay) < 0 ||
        spa_pod_get_double(field[7], &ret->rate_diff) < 0 ||
        spa_pod_get_long(field[9], &ret->xrun) < 0)
        return -EBADMSG;
    /* accept names that users give to their clocks, but no clock of another API than ALSA */
    if (strncmp(name, "api.", strlen("api.")) == 0 &&
        strncmp(name, "api.alsa", strlen("api.alsa")) != 0)
        return -ENOENT;
    ret->rate_hz = 0;
    if (rate.num > 0 && rate.denom / rate.num <= ST_PIPEWIRE_CYCLE_RATE_MAX)
        ret->rate_hz = rate.denom / rate.num;
    return 0;
}

int64_t st_pipewire_cycle_time_of(int64_t frames, double rate_hz)
{
    return (int64_t)fmin((double)frames * (double)ST_NS_PER_S / rate_hz,
                         (double)ST_PIPEWIRE_CYCLE_MAX_NS);
}
