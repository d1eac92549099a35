/* Channels of FreeBSD's /dev/sndstat: any bytes, ended by '\0'. */
#include <stdlib.h>
#include <string.h>

#include "platform/xrun/sndstat.h"

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
    const char *at = text, *end = text + strlen(text);
    struct st_snd_channel channel;
    for (const char *before = at; st_sndstat_next(&at, &channel) == 0; before = at) {
        check(at > before && at <= end);
        check(channel.pid >= 0 && strlen(channel.name) < sizeof(channel.name));
    }
    check(at == end);
    free(text);
    return 0;
}
