/* A profile as PipeWire's client library hands it over: a pod that is as long as it says. */
#include <spa/pod/pod.h>

#include "tests/fuzz/fuzz.h"
#include "tests/unit/xruns/helpers/profile_ops.h"

static int64_t seen_n;

static void on_seen(void *ctx, const struct st_xrun_seen *seen)
{
    (void)ctx;
    seen_n += seen->event.count_n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct st_pipewire_profile profile;
    if (size < sizeof(struct spa_pod))
        return 0;
    struct spa_pod *pod = malloc(size);
    if (pod == NULL)
        return 0;
    memcpy(pod, data, size);
    if (pod->size <= size - sizeof(*pod)) {
        profile = (struct st_pipewire_profile){.ops = nothing_watched};
        profile.ops.seen = on_seen;
        st_pipewire_profile_add(&profile, 31, ST_PIPEWIRE_PROFILE_NO_CLIENT, true, false);
        for (int i = 0; i < 2; i++)
            seen_n += st_pipewire_profile_take(&profile, pod) == 0;
        st_pipewire_profile_report(&profile);
        st_pipewire_profile_loads(&profile);
        finish_profile(&profile);
    }
    free(pod);
    return 0;
}
