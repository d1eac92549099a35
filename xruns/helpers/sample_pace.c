#include "xruns/helpers/sample_pace.h"

#define LOOK_NS ST_NS_PER_S
#define MOST    50 /* 1/50 of a CPU is too much: a slow one, or hundreds of clients. Our own choice */
#define LITTLE  150

int64_t st_sample_pace_pause(struct st_sample_pace *pace, int64_t now_ns, int64_t cpu_ns, int threads_n)
{
    const int64_t in_ns = now_ns - pace->at_ns, used_ns = cpu_ns - pace->cpu_ns;
    if (in_ns >= LOOK_NS) {
        if (pace->at_ns != 0 && used_ns > in_ns / MOST && pace->slower < ST_SAMPLE_PACE_SLOWER_MAX)
            pace->slower *= 2;
        else if (pace->at_ns != 0 && used_ns < in_ns / LITTLE && pace->slower > 1)
            pace->slower /= 2;
        pace->at_ns = now_ns;
        pace->cpu_ns = cpu_ns;
    }
    return ST_SAMPLE_PACE_NS * (threads_n < ST_SAMPLE_PACE_MANY ? 1 : 2) * pace->slower;
}
