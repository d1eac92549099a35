/* Sources of xruns on FreeBSD, one row each; what only Linux has at the end. */
#include "platform/freebsd/freebsd.h"
#include "platform/xrun/xrun_source.h"

static const struct st_xrun_source alsa = ST_XRUN_ABSENT("alsa", "only Linux has ALSA's files in /proc");
static const struct st_xrun_source alsa_trace =
    ST_XRUN_ABSENT("alsa_trace", "only Linux has the event snd_pcm:xrun");

static const struct st_xrun_source *const sources[] = {
    &st_xrun_sound4, &st_xrun_pipewire, &st_xrun_jack, &st_xrun_pulseaudio, &alsa_trace, &alsa,
};

const struct st_xrun_source *st_freebsd_xrun_source(struct st_platform *p, size_t i)
{
    (void)p;
    return i < ST_ARRAY_LEN(sources) ? sources[i] : NULL;
}
