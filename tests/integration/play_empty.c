/* play_empty DEVICE SECONDS: a client of ALSA whose stream no xrun stops (stop_threshold at the
 * boundary), as JUCE and `jackd -s` have it. It starts without a sample, and then writes a period
 * in each period, 50 ms late: its buffer is always empty. Prints when it started, in ns, by
 * CLOCK_REALTIME. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <alsa/asoundlib.h>

#define RATE   48000
#define PERIOD 480 /* 10 ms */

static int set(snd_pcm_t *pcm)
{
    snd_pcm_sw_params_t *params;
    snd_pcm_uframes_t boundary;
    snd_pcm_sw_params_alloca(&params);
    int r = snd_pcm_set_params(pcm, SND_PCM_FORMAT_S16_LE, SND_PCM_ACCESS_RW_INTERLEAVED, 2, RATE,
                               0, 100000);
    if (r == 0)
        r = snd_pcm_sw_params_current(pcm, params);
    if (r == 0)
        r = snd_pcm_sw_params_get_boundary(params, &boundary);
    if (r == 0)
        r = snd_pcm_sw_params_set_stop_threshold(pcm, params, boundary);
    return r == 0 ? snd_pcm_sw_params(pcm, params) : r;
}

static int play(snd_pcm_t *pcm, int seconds)
{
    static const short silence[2 * PERIOD];
    struct timespec started, at;
    int r = set(pcm);
    if (r == 0)
        r = snd_pcm_start(pcm);
    if (r != 0)
        return r;
    clock_gettime(CLOCK_REALTIME, &started);
    clock_gettime(CLOCK_MONOTONIC, &at);
    printf("%jd\n", (int64_t)started.tv_sec * 1000000000 + started.tv_nsec);
    fflush(stdout);
    for (int i = 0; i < seconds * RATE / PERIOD; i++) {
        at.tv_nsec += i == 0 ? 60000000 : 10000000;
        at.tv_sec += at.tv_nsec / 1000000000;
        at.tv_nsec %= 1000000000;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
        const snd_pcm_sframes_t n = snd_pcm_writei(pcm, silence, PERIOD);
        if (n < 0)
            return (int)n;
    }
    return 0;
}

int main(int argc, char *argv[])
{
    snd_pcm_t *pcm;
    if (argc != 3)
        return EXIT_FAILURE;
    int r = snd_pcm_open(&pcm, argv[1], SND_PCM_STREAM_PLAYBACK, 0);
    if (r == 0) {
        r = play(pcm, atoi(argv[2]));
        snd_pcm_close(pcm);
    }
    if (r != 0)
        fprintf(stderr, "play_empty: %s: %s\n", argv[1], snd_strerror(r));
    return r == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
