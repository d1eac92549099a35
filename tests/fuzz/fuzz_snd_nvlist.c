/* Packed nvlists of FreeBSD's sound devices: any bytes. */
#include "tests/fuzz/fuzz.h"
#include "xruns/sndstat.h"

static void on_channel(void *ctx, const struct st_snd_channel *channel)
{
    int64_t *told_n = ctx;
    (*told_n)++;
    if (channel->pid < 0 || channel->name[0] == '\0' ||
        strlen(channel->name) >= sizeof(channel->name))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int64_t told_n = 0;
    const int64_t n = st_sndstat_nvlist(data, size, on_channel, &told_n);
    if (n >= 0 && n != told_n)
        abort();
    return 0;
}
