/* The list of all sources of xruns. */
#include "xruns/xrun.h"

const struct st_xrun_source *const st_xrun_sources[] = {
    &st_xrun_alsa, &st_xrun_sound4, &st_xrun_pipewire, &st_xrun_jack, &st_xrun_pulseaudio, &st_xrun_usb, NULL,
};
