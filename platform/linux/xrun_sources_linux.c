/* Sources of xruns on Linux, one row each; what only FreeBSD has at the end. */
#include "platform/linux/linux.h"
#include "platform/xrun/xrun_source.h"

static const struct st_xrun_source sound4 = ST_XRUN_ABSENT("sound4", "only FreeBSD has sound(4)");

static const struct st_xrun_source *const sources[] = {
    &st_xrun_alsa_trace, &st_xrun_alsa, &st_xrun_pipewire, &st_xrun_jack, &st_xrun_pulseaudio, &sound4,
};

const struct st_xrun_source *st_linux_xrun_source(struct st_platform *p, size_t i)
{
    (void)p;
    return i < ST_ARRAY_LEN(sources) ? sources[i] : NULL;
}
