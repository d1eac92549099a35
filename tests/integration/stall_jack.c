/* stall_jack STALL_MS [NAME [PORT]]: a client NAME ("stall") of the JACK server that
 * JACK_DEFAULT_SERVER names. It plays silence, or $STALL_LEVEL, into PORT ("system:playback_1"; "":
 * into none), has a port "in", prints "playing", then for each newline on standard input sleeps
 * STALL_MS in one process callback, prints "stalled N" after it, and ends with its input. */
#include <jack/jack.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static jack_port_t *port;
static long stall_ms;
static float level;
static atomic_long asked, stalled, cycles;

static int process(jack_nframes_t frames, void *ctx)
{
    (void)ctx;
    jack_default_audio_sample_t *samples = jack_port_get_buffer(port, frames);
    for (jack_nframes_t i = 0; i < frames; i++)
        samples[i] = level;
    atomic_fetch_add(&cycles, 1);
    if (atomic_load(&stalled) < atomic_load(&asked)) {
        usleep((useconds_t)stall_ms * 1000);
        atomic_fetch_add(&stalled, 1);
    }
    return 0;
}

int main(int argc, char **argv)
{
    char line[16], out[80];
    const char *name = argc > 2 ? argv[2] : "stall", *to = argc > 3 ? argv[3] : "system:playback_1";
    snprintf(out, sizeof(out), "%s:out", name);
    stall_ms = argc > 1 ? atol(argv[1]) : 100;
    level = getenv("STALL_LEVEL") != NULL ? (float)strtod(getenv("STALL_LEVEL"), NULL) : 0;
    jack_client_t *client = jack_client_open(name, JackNoStartServer | JackServerName, NULL,
                                             getenv("JACK_DEFAULT_SERVER"));
    if (client == NULL)
        return 1;
    port = jack_port_register(client, "out", JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
    (void)jack_port_register(client, "in", JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, 0);
    if (port == NULL || jack_set_process_callback(client, process, NULL) != 0 ||
        jack_activate(client) != 0 || (to[0] != '\0' && jack_connect(client, out, to) != 0))
        return 1;
    while (atomic_load(&cycles) < 10)
        usleep(1000);
    puts("playing");
    fflush(stdout);
    while (fgets(line, sizeof(line), stdin) != NULL) {
        const long number = atomic_fetch_add(&asked, 1) + 1;
        while (atomic_load(&stalled) < number)
            usleep(1000);
        const long then = atomic_load(&cycles);
        while (atomic_load(&cycles) < then + 10) /* it goes on */
            usleep(1000);
        printf("stalled %ld\n", number);
        fflush(stdout);
    }
    jack_client_close(client);
    return 0;
}
