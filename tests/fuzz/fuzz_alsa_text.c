/* ALSA's text in /proc/asound: any bytes, ended by '\0'. */
#include "xruns/alsa.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int ok)
{
    if (!ok)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (text == NULL)
        return 0;
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    struct st_alsa_status status;
    if (st_alsa_status_parse(text, &status) == 0)
        check(status.owner_tid >= 0 && status.hw_ptr_frames >= 0);
    const char *at = text;
    struct st_alsa_pcm pcm;
    for (int r; (r = st_alsa_pcm_next(&at, &pcm)) != -ENODATA;) {
        check(at > text && at <= text + strlen(text));
        check(r != 0 || pcm.playback_n + pcm.capture_n <= 512);
    }
    free(text);
    return 0;
}
