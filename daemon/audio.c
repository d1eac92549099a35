/* What every build knows of the audio stream. */
#include "daemon/audio.h"

#include "lib/ns.h"

#define BACKOFF_MAX_NS (60 * ST_NS_PER_S)

const char *st_audio_state_name(enum st_audio_state state)
{
    static const char *const names[] = {"off", "opening", "playing", "waiting"};
    return names[state];
}

int64_t st_audio_backoff_ns(unsigned failures)
{
    if (failures > 6)
        return BACKOFF_MAX_NS;
    const int64_t pause_ns = ST_NS_PER_S << (failures > 0 ? failures - 1 : 0);
    return pause_ns < BACKOFF_MAX_NS ? pause_ns : BACKOFF_MAX_NS;
}
