/* loop_jack: a client "loop" of the JACK server whose physical outputs come back at its physical inputs half
 * a second later, as over a cable. For each newline on standard input it damages what comes back, at a place
 * that chance chooses in the next cycle, by a length of 1 to 2000 frames, and prints "KIND FRAMES". It ends
 * with its input. */
#include <jack/jack.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define RING  65536
#define DELAY 24000

static const char *const kinds[] = {"lost", "repeated", "zeroed"};
static jack_port_t *ins[2], *outs[2];
static float ring[2][RING];
static unsigned at, delay = DELAY, silent, kind, frames;
static atomic_uint asked, made;

static void damage(void)
{
    kind = (unsigned)rand() % 3;
    frames = 1 + (unsigned)rand() % 2000;
    delay = kind == 0 ? delay - frames : kind == 1 ? delay + frames : delay;
    silent = kind == 2 ? frames : 0;
    atomic_fetch_add(&made, 1);
}

static int process(jack_nframes_t n, void *ctx)
{
    const float *from[2];
    float *to[2];
    (void)ctx;
    for (int c = 0; c < 2; c++) {
        from[c] = jack_port_get_buffer(ins[c], n);
        to[c] = jack_port_get_buffer(outs[c], n);
    }
    const unsigned place =
        atomic_load(&made) < atomic_load(&asked) ? (unsigned)rand() % n : (unsigned)n; /* n: none */
    for (unsigned i = 0; i < n; i++, at++) {
        if (i == place)
            damage();
        for (int c = 0; c < 2; c++) {
            ring[c][at % RING] = from[c][i];
            to[c][i] = silent > 0 ? 0 : ring[c][(at - delay) % RING];
        }
        silent -= silent > 0;
    }
    return 0;
}

int main(void)
{
    char line[16];
    srand((unsigned)time(NULL));
    jack_client_t *client = jack_client_open("loop", JackNoStartServer, NULL);
    if (client == NULL)
        return 1;
    for (int c = 0; c < 2; c++) {
        ins[c] = jack_port_register(client, c == 0 ? "playback_1" : "playback_2", JACK_DEFAULT_AUDIO_TYPE,
                                    JackPortIsInput | JackPortIsPhysical | JackPortIsTerminal, 0);
        outs[c] = jack_port_register(client, c == 0 ? "capture_1" : "capture_2", JACK_DEFAULT_AUDIO_TYPE,
                                     JackPortIsOutput | JackPortIsPhysical | JackPortIsTerminal, 0);
    }
    (void)jack_set_process_callback(client, process, NULL);
    if (jack_activate(client) != 0)
        return 1;
    puts("ready");
    fflush(stdout);
    for (unsigned n = 1; fgets(line, sizeof(line), stdin) != NULL; n++) {
        atomic_store(&asked, n);
        while (atomic_load(&made) < n)
            usleep(1000);
        printf("%s %u\n", kinds[kind], frames);
        fflush(stdout);
    }
    return jack_client_close(client);
}
