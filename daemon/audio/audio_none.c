/* Built without libsoundio: no stream, and the status says why. */
#include "daemon/audio/audio.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct st_audio {
    struct st_audio_view view;
};

int st_audio_start(struct st_platform *platform, const struct st_config *config,
                   enum st_audio_direction direction, struct st_events *events, struct st_audio **ret)
{
    (void)platform;
    (void)events;
    struct st_audio *audio = calloc(1, sizeof(*audio));
    if (audio == NULL)
        return -ENOMEM;
    st_audio_view_init(config, direction, &audio->view);
    if (audio->view.state != ST_AUDIO_OFF)
        snprintf(audio->view.error, sizeof(audio->view.error),
                 "no stream: this sleeptuned was built without libsoundio (audio.backend = \"none\" says "
                 "that this is fine)");
    audio->view.state = ST_AUDIO_OFF;
    *ret = audio;
    return 0;
}

void st_audio_stop(struct st_audio *audio)
{
    free(audio);
}

void st_audio_look(struct st_audio *audio, struct st_audio_view *ret)
{
    *ret = audio->view;
}
