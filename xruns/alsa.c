/* ALSA's text in /proc/asound and in the kernel's trace. */
#include "xruns/alsa.h"

#include "core/ns.h"
#include "core/text/text.h"
#include "platform/proc.h"

#define SUBSTREAMS_MAX 256                 /* more are no sound card */
#define AVAIL_MAX      (INT64_C(1) << 40)  /* frames; the program went backwards */
#define SECONDS_MAX    INT64_C(9000000000) /* what fits into ns */

/** "SECONDS.NANOSECONDS", seconds may be negative. */
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

/** A number of 0 or more; more than INT64_MAX is that. */
static int parse_frames(const char *text, const char *key, int64_t *ret)
{
    char value[64];
    const char *at = value;
    uint64_t n;
    if (st_proc_field(text, key, value, sizeof(value)) != 0 || st_proc_u64(&at, &n) != 0)
        return -EBADMSG;
    *ret = n < INT64_MAX ? (int64_t)n : INT64_MAX;
    return 0;
}

int st_alsa_status_parse(const char *text, struct st_alsa_status *ret)
{
    static const char *const others[] = {"OPEN",   "SETUP",     "PREPARED",    "DRAINING",
                                         "PAUSED", "SUSPENDED", "DISCONNECTED"};
    struct st_alsa_status status = {.state = ST_ALSA_CLOSED};
    char value[64];
    if (st_text_begins(text, "closed")) {
        *ret = status;
        return 0;
    }
    if (st_proc_field(text, "state", value, sizeof(value)) != 0)
        return -EBADMSG;
    if (st_text_is(value, "RUNNING")) {
        status.state = ST_ALSA_RUNNING;
    } else if (st_text_is(value, "XRUN")) {
        status.state = ST_ALSA_XRUN;
    } else {
        size_t i = 0;
        while (i < ST_ARRAY_LEN(others) && !st_text_is(value, others[i]))
            i++;
        if (i == ST_ARRAY_LEN(others))
            return -EBADMSG;
        status.state = ST_ALSA_OTHER;
    }
    uint64_t n;
    const char *at = value;
    if (st_proc_field(text, "owner_pid", value, sizeof(value)) == 0) {
        if (st_proc_u64(&at, &n) != 0 || n > INT32_MAX)
            return -EBADMSG;
        status.owner_tid = (int64_t)n;
    }
    if (st_proc_field(text, "trigger_time", value, sizeof(value)) != 0 ||
        parse_time(value, &status.trigger_ns) != 0)
        return -EBADMSG;
    if (st_proc_field(text, "tstamp", value, sizeof(value)) == 0 && parse_time(value, &status.now_ns) != 0)
        return -EBADMSG;
    if (parse_frames(text, "hw_ptr", &status.hw_ptr_frames) != 0 || status.hw_ptr_frames == INT64_MAX)
        return -EBADMSG;
    if (parse_frames(text, "appl_ptr", &status.appl_ptr_frames) != 0 ||
        parse_frames(text, "avail", &status.avail_frames) != 0 ||
        parse_frames(text, "avail_max", &status.avail_max_frames) != 0 || status.avail_frames > AVAIL_MAX ||
        status.avail_max_frames > AVAIL_MAX)
        status.appl_ptr_frames = -1;
    *ret = status;
    return 0;
}

int st_alsa_params_parse(const char *hw_params, const char *sw_params, struct st_alsa_params *ret)
{
    struct st_alsa_params params;
    if (parse_frames(hw_params, "buffer_size", &params.buffer_frames) != 0 ||
        parse_frames(hw_params, "rate", &params.rate_hz) != 0 ||
        parse_frames(sw_params, "stop_threshold", &params.stop_frames) != 0 || params.buffer_frames == 0 ||
        params.buffer_frames > INT32_MAX || params.rate_hz == 0 || params.rate_hz > INT32_MAX)
        return -EBADMSG;
    *ret = params;
    return 0;
}

int st_alsa_status_moved(const struct st_alsa_status *status, int64_t *ret_hz)
{
    const int64_t ms = status->now_ns / ST_NS_PER_MS - status->trigger_ns / ST_NS_PER_MS;
    if (status->state != ST_ALSA_RUNNING || ms < 3000 || status->hw_ptr_frames >= INT64_MAX / 1000)
        return -ENODATA;
    *ret_hz = status->hw_ptr_frames * 1000 / ms;
    return 0;
}

/** A number of 0 .. SUBSTREAMS_MAX at *text; moves behind it. */
static int take_number(const char **text, unsigned *ret)
{
    uint64_t n;
    if (st_proc_u64(text, &n) != 0 || n > SUBSTREAMS_MAX)
        return -EBADMSG;
    *ret = (unsigned)n;
    return 0;
}

/** The number behind the last `word` of the line; names before it may hold anything. 0 without one. */
static int count_behind(const char *line, const char *end, const char *word, unsigned *ret)
{
    const char *found = NULL;
    for (const char *at = line; (at = strstr(at, word)) != NULL && at < end; at++)
        found = at + strlen(word);
    *ret = 0;
    return found != NULL && found < end ? take_number(&found, ret) : 0;
}

int st_alsa_pcm_next(const char **text, struct st_alsa_pcm *ret)
{
    const char *line = *text, *end = line + strcspn(line, "\n"), *at = line;
    struct st_alsa_pcm pcm;
    if (*line == '\0')
        return -ENODATA;
    *text = *end == '\n' ? end + 1 : end;
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
