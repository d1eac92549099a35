/* ALSA's text in /proc/asound: any bytes, ended by '\0'. */
#include "tests/fuzz/fuzz.h"
#include "xruns/alsa.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = text_of(data, size);
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
