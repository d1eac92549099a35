/* Writes a long recording of pseudo-random lateness, the same for the same number of samples: 32
 * frames at 48 kHz; p99 - p1 below 16 us, one in 1000 later by up to 200 us, one in a million by 50
 * ms, which skips periods. Usage: make_long_recording FILE SAMPLES Or of what standard input says,
 * a lateness in ns per line, 48 frames: make_long_recording FILE - */
#include "core/stats/random.h"
#include "store/recording/recording.h"

#define PERIODS_A_SECOND 1500
#define STALL_NS         INT64_C(50000000)

static int64_t lateness(struct st_random *random)
{
    int64_t ns = 1000;
    const uint64_t bits = st_random_u64(random); /* the sum of four uniform ones is nearly normal */
    for (unsigned i = 0; i < 4; i++)
        ns += (int64_t)(bits >> (12 * i) & 0xfff);
    const uint64_t chance = bits >> 48 & 0xffff;
    if (chance < 65)
        ns += (int64_t)st_random_below(random, 200000);
    if (chance == 65 && st_random_below(random, 15) == 0)
        ns += STALL_NS;
    return ns;
}

static int record(struct st_recording *recording, const struct st_period *period,
                  uint64_t samples_n, bool given)
{
    struct st_random random = {.state = 20};
    uint64_t k = 0;
    for (uint64_t i = 0; i < samples_n; i++) {
        int64_t ns = 0;
        if (!given)
            ns = lateness(&random);
        else if (scanf("%" SCNd64, &ns) != 1)
            return 0;
        int r = st_recording_cycle(recording, k, ns, 0);
        const uint64_t first = ++k;
        const int64_t done_ns = st_period_due_ns(period, 0, first - 1) + ns;
        while (st_period_due_ns(period, 0, k + 1) <= done_ns)
            k++;
        if (r == 0 && k > first)
            r = st_recording_skipped(recording, first, k - first,
                                     done_ns - st_period_due_ns(period, 0, first));
        if (r == 0 && i % (PERIODS_A_SECOND / 4) == 0)
            r = st_recording_flush(recording);
        if (r != 0)
            return r;
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct st_recording_meta meta = {
        .frames = 32, .rate_hz = 48000, .started_wall_ns = 1700000000123456789};
    struct st_recording *recording;
    if (argc != 3)
        return 3;
    const bool given = strcmp(argv[2], "-") == 0;
    meta.frames = given ? 48 : meta.frames;
    int r = st_period_init(&meta.period, meta.frames, meta.rate_hz);
    if (r == 0)
        r = st_recording_create(argv[1], &meta, &recording);
    if (r != 0)
        return 4;
    r = record(recording, &meta.period, given ? UINT64_MAX : strtoull(argv[2], NULL, 10), given);
    const int closed = st_recording_close(recording, false);
    return r == 0 && closed == 0 ? 0 : 4;
}
