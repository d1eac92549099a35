/* What every build knows of the audio stream. */
#include "daemon/audio/audio.h"

#include <stdio.h>
#include <string.h>

#include "core/ns.h"
#include "st_config.h"

#define BACKOFF_MAX_NS (60 * ST_NS_PER_S)

const char *st_audio_state_name(enum st_audio_state state)
{
    static const char *const names[] = {"off", "opening", "playing", "waiting"};
    return names[state];
}

void st_audio_view_init(const struct st_config *config, struct st_audio_view *ret)
{
    const bool none = strcmp(config->audio.backend, "none") == 0;
    *ret = (struct st_audio_view){.state = none ? ST_AUDIO_OFF : ST_AUDIO_OPENING, .policy = -1};
    ST_PRINT(ret->backend, "%.31s", config->audio.backend);
    if (!ST_HAVE_SOUNDIO && ret->state == ST_AUDIO_OPENING) {
        ret->state = ST_AUDIO_OFF;
        snprintf(
            ret->error, sizeof(ret->error),
            "sleeptuned was built without libsoundio and cannot open a sound stream. If you need no stream, "
            "set audio.backend = \"none\".");
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
