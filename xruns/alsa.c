/* Parses ALSA's texts in /proc/asound, and finds by them how many frames a stream has lost. */
#include "xruns/alsa.h"

#include "core/ns.h"
#include "platform/proc.h"

#define SUBSTREAMS_MAX 256 /* a larger number of streams is not a sound card's */
/* frames; a larger number means that the program's pointer went backwards */
#define AVAIL_MAX (INT64_C(1) << 40)
/* seconds; a larger time does not fit into an int64_t of ns */
#define SECONDS_MAX INT64_C(9000000000)

/** Parses "SECONDS.NANOSECONDS"; seconds may be negative. */
static int parse_time(const char *text, int64_t *ret_ns)
{
    const bool negative = *text == '-';
    uint64_t s, ns;
    text += negative;
    if (st_proc_u64(&text, &s) != 0 || s > SECONDS_MAX || *text != '.')
        return -EBADMSG;
    text++;
    if (*text == ' ' || st_proc_u64(&text, &ns) != 0 || ns >= ST_NS_PER_S)
        return -EBADMSG;
    const int64_t value = (int64_t)s * ST_NS_PER_S + (int64_t)ns;
    *ret_ns = negative ? -value : value;
    return 0;
}

/** Parses a number of frames, at most INT64_MAX: a larger number is limited to that. */
static int parse_frames(const char *text, const char *key, int64_t *ret)
{
    const char *at = st_proc_field(text, key);
    uint64_t n;
    if (at == NULL || st_proc_u64(&at, &n) != 0)
        return -EBADMSG;
    *ret = (int64_t)ST_MIN(n, INT64_MAX);
    return 0;
}

int st_alsa_status_parse(const char *text, struct st_alsa_status *ret)
{
    struct st_alsa_status status = {.state = ST_ALSA_OTHER};
    if (st_text_begins(text, "closed")) {
        *ret = (struct st_alsa_status){.state = ST_ALSA_CLOSED};
        return 0;
    }
    const char *value = st_proc_field(text, "state");
    if (value == NULL)
        return -EBADMSG;
    if (st_text_is(value, "RUNNING"))
        status.state = ST_ALSA_RUNNING;
    else if (st_text_is(value, "XRUN"))
        status.state = ST_ALSA_XRUN;
    uint64_t n;
    if ((value = st_proc_field(text, "owner_pid")) != NULL) {
        if (st_proc_u64(&value, &n) != 0 || n > INT32_MAX)
            return -EBADMSG;
        status.owner_tid = (int64_t)n;
    }
    if ((value = st_proc_field(text, "trigger_time")) == NULL ||
        parse_time(value, &status.trigger_ns) != 0)
        return -EBADMSG;
    if ((value = st_proc_field(text, "tstamp")) != NULL && parse_time(value, &status.now_ns) != 0)
        return -EBADMSG;
    if (parse_frames(text, "hw_ptr", &status.hw_ptr_frames) != 0 ||
        status.hw_ptr_frames == INT64_MAX)
        return -EBADMSG;
    if (parse_frames(text, "appl_ptr", &status.appl_ptr_frames) != 0 ||
        parse_frames(text, "avail", &status.avail_frames) != 0 ||
        parse_frames(text, "avail_max", &status.avail_max_frames) != 0 ||
        status.avail_frames > AVAIL_MAX || status.avail_max_frames > AVAIL_MAX)
        status.appl_ptr_frames = -1;
    *ret = status;
    return 0;
}

int st_alsa_params_parse(const char *hw_params, const char *sw_params, struct st_alsa_params *ret)
{
    struct st_alsa_params params;
    if (parse_frames(hw_params, "buffer_size", &params.buffer_frames) != 0 ||
        parse_frames(hw_params, "rate", &params.rate_hz) != 0 ||
        parse_frames(sw_params, "stop_threshold", &params.stop_frames) != 0 ||
        params.buffer_frames == 0 || params.buffer_frames > INT32_MAX || params.rate_hz == 0 ||
        params.rate_hz > INT32_MAX)
        return -EBADMSG;
    *ret = params;
    return 0;
}

/** Reads a number of 0 .. SUBSTREAMS_MAX at *text, and moves *text behind it. */
static int take_number(const char **text, unsigned *ret)
{
    uint64_t n;
    if (st_proc_u64(text, &n) != 0 || n > SUBSTREAMS_MAX)
        return -EBADMSG;
    *ret = (unsigned)n;
    return 0;
}

/** Reads the number behind the last `word` of the line, since names before it may hold the same
 * word. *ret is 0 if the line lacks it. */
static int count_behind(const char *line, const char *end, const char *word, unsigned *ret)
{
    const char *found = NULL;
    for (const char *at = line; (at = strstr(at, word)) != NULL && at < end; at++)
        found = at + strlen(word);
    *ret = 0;
    if (found == NULL || found >= end)
        return 0;
    return take_number(&found, ret);
}

int st_alsa_pcm_next(const char **text, struct st_alsa_pcm *ret)
{
    const char *line = *text, *end = line + strcspn(line, "\n"), *at = line;
    struct st_alsa_pcm pcm;
    if (*line == '\0')
        return -ENODATA;
    *text = end + (*end == '\n');
    if (take_number(&at, &pcm.card) != 0 || *at != '-')
        return -EBADMSG;
    at++;
    if (take_number(&at, &pcm.device) != 0 || *at != ':' ||
        count_behind(at, end, " : playback ", &pcm.playback_n) != 0 ||
        count_behind(at, end, " : capture ", &pcm.capture_n) != 0)
        return -EBADMSG;
    *ret = pcm;
    return 0;
}

#define LOSS_MAX_S 5 /* a program that writes nothing for longer has nothing to play */

/* Since the last reading, did the program write less than half as many frames as the device moved
 * on? */
static bool stands(const struct st_alsa_room *room, const struct st_alsa_status *now, int64_t grown)
{
    return grown > (now->hw_ptr_frames - room->last.hw_ptr_frames) / 2;
}

/* Finds a loss that has ended. @return its frames; 0: none. */
static int64_t find_loss(struct st_alsa_room *room, const struct st_alsa_params *params,
                         const struct st_alsa_status *now, bool wrote)
{
    const int64_t beyond = now->avail_max_frames - params->buffer_frames;
    const bool dry = beyond > 0 && (wrote || room->wrote || room->dry);
    const int64_t grown = (beyond - room->beyond * room->dry) * dry;
    int64_t lost = 0;
    /* the program has written again: the loss ended since the last reading */
    const bool filled = now->avail_frames <= params->buffer_frames;
    const bool goes_on = room->dry && (stands(room, now, grown) || (filled && room->lost > 0));
    if (!goes_on) {
        lost = ST_MAX(room->lost, 0);
        room->lost = 0;
    }
    if (goes_on || !room->dry) {
        if (room->lost >= 0)
            room->lost += ST_MAX(grown, 0);
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
    /* if the program's pointer never moves, sound is mixed elsewhere (dmix), and this buffer is
     * always behind the device */
    const bool wrote = known && now->appl_ptr_frames != room->last.appl_ptr_frames;
    if (known && (wrote || room->wrote)) {
        const int64_t left = params->buffer_frames - now->avail_max_frames;
        *least_frames = ST_MIN(ST_MAX(left, 0), *least_frames);
    }
    if (known && params->stop_frames > params->buffer_frames)
        lost = find_loss(room, params, now, wrote);
    room->wrote = wrote;
    room->last = *now;
    room->known = true;
    return lost;
}
