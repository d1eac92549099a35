/* Writes a recording in which everything happens, and prints the rows that an export of it must
 * have. Usage: make_recording FILE [SECONDS] */
#include "store/recording/recording.h"

/* due(k) of 64 frames at 48 kHz, in arithmetic of its own: 4000000 / 3 ns, rounded half up */
static int64_t due_ns(uint64_t k)
{
    return (int64_t)((2 * k * 4000000 + 3) / 6);
}

static uint64_t random_next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static int record(struct st_recording *recording, uint64_t end)
{
    uint64_t seed = 20;
    int r = 0;
    for (uint64_t k = 0; r == 0 && k < end;) {
        const uint64_t chance = random_next(&seed) % 1000;
        int64_t lateness_ns = 1500 + (int64_t)(random_next(&seed) % 4000);
        if (chance == 0)
            lateness_ns += (int64_t)(random_next(&seed) % 200000000);
        else if (chance == 1)
            lateness_ns = -lateness_ns;
        r = st_recording_cycle(recording, k, lateness_ns, 0);
        printf("%ju,%jd,0\n", k, lateness_ns);
        const int64_t done_ns = due_ns(k) + lateness_ns;
        const uint64_t first = ++k;
        while (due_ns(k + 1) <= done_ns)
            k++;
        if (k > first)
            printf("%ju,%jd,%ju\n", first, done_ns - due_ns(first), k - first);
        if (r == 0 && k > first)
            r = st_recording_skipped(recording, first, k - first, done_ns - due_ns(first));
        if (r == 0 && chance == 2) {
            r = st_recording_lost(recording, k, 3);
            k += 3;
        }
        if (r == 0 && k % 375 == 0)
            r = st_recording_flush(recording);
    }
    return r;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 3;
    struct st_recording_meta meta = {
        .frames = 64, .rate_hz = 48000, .started_wall_ns = 1700000000123456789};
    struct st_recording *recording;
    int r = st_period_init(&meta.period, 64, 48000);
    if (r == 0)
        r = st_recording_create(argv[1], &meta, &recording);
    if (r != 0)
        return 4;
    const uint64_t seconds = argc > 2 ? strtoull(argv[2], NULL, 10) : 20;
    r = st_recording_text(recording, "kernel: 6.1.0-test\npolicy: fifo\n");
    if (r == 0)
        r = record(recording, seconds * 750);
    if (r == 0)
        r = st_recording_text(recording, "governor: performance\n");
    if (r == 0)
        r = st_recording_t0(recording, 987654321);
    const int closed = st_recording_close(recording, false);
    return r == 0 && closed == 0 ? 0 : 4;
}
