/* What every build knows of the audio stream. */
#include "daemon/audio/audio.h"

#include <stdio.h>
#include <string.h>

#include "core/ns.h"
#include "st_config.h"

#define BACKOFF_MAX_NS (60 * ST_NS_PER_S)

const char *st_audio_state_name(enum st_audio_direction direction, enum st_audio_state state)
{
    static const char *const names[] = {"off", "opening", "playing", "waiting"};
    return state == ST_AUDIO_RUNNING && direction == ST_AUDIO_INPUT ? "recording" : names[state];
}

/* Is this direction wanted? false with a reason if it is but cannot be ("": it is not wanted). */
static bool audio_wished(const struct st_config *config, enum st_audio_direction direction,
                         const char **ret_why)
{
    const bool none = strcmp(config->audio.backend, "none") == 0,
               input = direction == ST_AUDIO_INPUT && strcmp(config->audio.capture, "on") == 0;
    *ret_why = none && input ? "audio.capture is on, but audio.backend is none" : "";
    return !none && (direction == ST_AUDIO_OUTPUT || input);
}

void st_audio_view_init(const struct st_config *config, enum st_audio_direction direction,
                        struct st_audio_view *ret)
{
    const char *why;
    *ret = (struct st_audio_view){.state =
                                      audio_wished(config, direction, &why) ? ST_AUDIO_OPENING : ST_AUDIO_OFF,
                                  .policy = -1,
                                  .xruns_known = direction == ST_AUDIO_OUTPUT};
    snprintf(ret->backend, sizeof(ret->backend), "%.31s", config->audio.backend);
    snprintf(ret->error, sizeof(ret->error), "%s", why);
    if (!ST_HAVE_SOUNDIO && ret->state == ST_AUDIO_OPENING) {
        ret->state = ST_AUDIO_OFF;
        snprintf(
            ret->error, sizeof(ret->error),
            "sleeptuned was built without libsoundio and cannot open a sound stream. If you need none, set "
            "audio.backend = \"none\".");
    }
}

bool st_audio_hangs(struct st_audio_judge *judge, uint64_t calls, int64_t latency_ns)
{
    judge->silent_looks = calls == judge->heard ? judge->silent_looks + 1 : 0;
    judge->heard = calls;
    return judge->silent_looks >= ST_AUDIO_SILENT_LOOKS &&
           judge->silent_looks * ST_AUDIO_LOOK_NS >= 4 * latency_ns;
}

int64_t st_audio_backoff_ns(unsigned failures)
{
    if (failures > 6)
        return BACKOFF_MAX_NS;
    const int64_t pause_ns = ST_NS_PER_S << (failures > 0 ? failures - 1 : 0);
    return pause_ns < BACKOFF_MAX_NS ? pause_ns : BACKOFF_MAX_NS;
}
