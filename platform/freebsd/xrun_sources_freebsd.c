/* Sources of xruns on FreeBSD, one row each; what only Linux has at the end. */
#include "lib/ns.h"
#include "platform/freebsd/freebsd.h"
#include "platform/xrun_sndstat.h"

static const struct st_xrun_source alsa = ST_XRUN_ABSENT("alsa", "only Linux has ALSA's files in /proc");

static const struct st_xrun_source sound4 = {
    .name = "sound4",
    .summary =
        "counters of sound(4)'s channels in /dev/sndstat: fragments, not gaps; those of virtual channels are "
        "programs that were not ready",
    .poll_ns = ST_NS_PER_S,
    .ops = &st_xrun_sndstat_ops,
};

static const struct st_xrun_source *const sources[] = {
    &sound4, &st_xrun_pipewire, &st_xrun_jack, &st_xrun_pulseaudio, &alsa,
};

const struct st_xrun_source *st_freebsd_xrun_source(struct st_platform *p, size_t i)
{
    (void)p;
    return i < ST_ARRAY_LEN(sources) ? sources[i] : NULL;
}
