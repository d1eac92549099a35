#include "xruns/alsa_room.h"

#define LOSS_MAX_S 5 /* who writes nothing for longer has nothing to play */

/* The device went on, and the program less than half as much. */
static bool stands(const struct st_alsa_room *room, const struct st_alsa_status *now, int64_t grown)
{
    return grown > (now->hw_ptr_frames - room->last.hw_ptr_frames) / 2;
}

/* @return as st_alsa_room_look. */
static int64_t find_loss(struct st_alsa_room *room, const struct st_alsa_params *params,
                         const struct st_alsa_status *now, bool wrote)
{
    const int64_t beyond = now->avail_max_frames - params->buffer_frames;
    const bool dry = beyond > 0 && (wrote || room->wrote || room->dry);
    const int64_t grown = dry && room->dry ? beyond - room->beyond : dry ? beyond : 0;
    int64_t lost = 0;
    const bool filled = now->avail_frames <= params->buffer_frames; /* by now: it ended in this time */
    const bool goes_on = room->dry && (stands(room, now, grown) || (filled && room->lost > 0));
    if (!goes_on) {
        lost = ST_MAX(room->lost, 0);
        room->lost = 0;
    }
    if (goes_on || !room->dry) {
        room->lost += room->lost >= 0 && grown > 0 ? grown : 0;
        if (room->lost > LOSS_MAX_S * params->rate_hz)
            room->lost = -1;
    }
    room->dry = dry && !filled;
    room->beyond = beyond;
    return lost;
}

int64_t st_alsa_room_look(struct st_alsa_room *room, const struct st_alsa_params *params,
                          const struct st_alsa_status *now, int64_t *least_frames)
{
    int64_t lost = 0;
    const bool known = room->known && room->last.appl_ptr_frames >= 0 && now->appl_ptr_frames >= 0;
    /* one that never moves is mixed elsewhere (dmix), and its buffer is always past */
    const bool wrote = known && now->appl_ptr_frames != room->last.appl_ptr_frames;
    if (known && (wrote || room->wrote)) {
        const int64_t left = params->buffer_frames - now->avail_max_frames;
        *least_frames = left < *least_frames ? ST_MAX(left, 0) : *least_frames;
    }
    if (known && params->stop_frames > params->buffer_frames)
        lost = find_loss(room, params, now, wrote);
    room->wrote = wrote;
    room->last = *now;
    room->known = true;
    return lost;
}
