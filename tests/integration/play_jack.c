/* play_jack FILE.wav: plays it on the first two physical ports of the JACK server, and ends with
 * it. */
#include <stdatomic.h>
#include <unistd.h>

#include <jack/jack.h>

#include "ears/wav.h"

static float *frames; /* stereo */
static size_t frames_n;
static atomic_size_t at;
static jack_port_t *ports[2];

static int process(jack_nframes_t n, void *ctx)
{
    const size_t from = atomic_load(&at), there = frames_n - from;
    const size_t left = there < n ? there : n;
    (void)ctx;
    for (size_t c = 0; c < 2; c++) {
        float *to = jack_port_get_buffer(ports[c], n);
        memset(to, 0, n * sizeof(float));
        for (size_t i = 0; i < left; i++)
            to[i] = frames[2 * (from + i) + c];
    }
    atomic_store(&at, from + left);
    return 0;
}

int main(int argc, char **argv)
{
    struct st_wav wav;
    const char *error;
    size_t n = 1;
    FILE *stream = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (stream == NULL || st_wav_open(&wav, stream, &error) != 0 || wav.channels != 2)
        return 1;
    while (n > 0) {
        frames = realloc(frames, (frames_n + 65536) * 2 * sizeof(float));
        if (frames == NULL || st_wav_read(&wav, &frames[2 * frames_n], 65536, &n) != 0)
            return 1;
        frames_n += n;
    }
    jack_client_t *client = jack_client_open("play_jack", JackNoStartServer, NULL);
    if (client == NULL)
        return 1;
    const char **physical =
        jack_get_ports(client, NULL, JACK_DEFAULT_AUDIO_TYPE, JackPortIsPhysical | JackPortIsInput);
    for (size_t c = 0; c < 2; c++)
        ports[c] = jack_port_register(client, c == 0 ? "left" : "right", JACK_DEFAULT_AUDIO_TYPE,
                                      JackPortIsOutput, 0);
    (void)jack_set_process_callback(client, process, NULL);
    if (physical == NULL || jack_activate(client) != 0)
        return 1;
    for (size_t c = 0; c < 2 && physical[c] != NULL; c++)
        (void)jack_connect(client, jack_port_name(ports[c]), physical[c]);
    while (atomic_load(&at) < frames_n)
        usleep(10000);
    return jack_client_close(client);
}
