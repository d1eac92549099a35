/* read_capture [FILE.wav]: reads a recording, or on standard input what a helper program that
 * listens writes (ears/capture_stream.h), and compares it sample by sample with the test signal, in
 * the first channel. Prints head WAY RATE CHANNELS PERIOD event KIND AT FRAMES TEXT    one for each
 * event damage AT DAMAGED JUMP KIND  from recorded frame AT on, DAMAGED frames are none of the
 * signal; then it goes on JUMP frames later; KIND: zeroed or other end FRAMES LATENCY recorded; the
 * latency at the end in frames, or "unknown" It knows nothing of where a glitch was forced. Status
 * 1: no such stream. */
#include <unistd.h>

#include "ears/capture_stream.h"
#include "ears/hearing.h"
#include "ears/wav.h"

#define FRAMES_MAX 12000000 /* 250 s */
#define SURE       8        /* frames in a row */

struct place {
    uint64_t hash;
    uint32_t at;
};

static float *recorded, *signal_of;
static size_t recorded_n, signal_n;
static uint64_t last_played, last_at;
static struct place *places;

static void on_head(void *ctx, const struct st_capture_head *head)
{
    *(struct st_capture_head *)ctx = *head;
    printf("head %s %u %u %u\n", head->way, head->rate_hz, head->channels, head->period_frames);
}

static void on_packet(void *ctx, const struct st_capture_packet *packet)
{
    const struct st_capture_head *head = ctx;
    if (recorded_n + packet->frames_n > FRAMES_MAX)
        exit(1);
    last_at = recorded_n;
    last_played = packet->played;
    for (uint32_t i = 0; i < packet->frames_n; i++)
        recorded[recorded_n++] = packet->samples[(size_t)i * head->channels];
}

static void on_event(void *ctx, const struct st_capture_event *event)
{
    (void)ctx;
    printf("event %s %ju %ju %s\n", st_capture_stream_event_name(event->kind), event->at_frame,
           event->frames, event->text);
}

/* As whole numbers: what has passed through 16 bits is still equal. */
static int level_of(float sample)
{
    return (int)lrintf(sample * 32768);
}

static uint64_t hash_of(const float *samples)
{
    uint64_t hash = 0;
    for (int i = 0; i < SURE; i++)
        hash = (hash ^ (uint64_t)(int64_t)level_of(samples[i])) * UINT64_C(0x9e3779b97f4a7c15);
    return hash;
}

static int compare(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return x->hash != y->hash ? (x->hash > y->hash ? 1 : -1) : 0;
}

/* @return the place of these frames in the signal; -1: none. */
static int64_t place_of(const float *samples)
{
    const struct place key = {.hash = hash_of(samples)};
    const struct place *found = bsearch(&key, places, signal_n - SURE, sizeof(key), compare);
    return found != NULL ? (int64_t)found->at : -1;
}

static void judge(void)
{
    size_t at = 0;
    int64_t next = -1; /* of the signal */
    while (at < recorded_n && level_of(recorded[at]) == 0)
        at++; /* before it begins */
    while (at + SURE <= recorded_n) {
        if (next >= 0 && (size_t)next < signal_n &&
            level_of(recorded[at]) == level_of(signal_of[next])) {
            at++;
            next++;
            continue;
        }
        const size_t begin = at;
        int zeroed = 1;
        int64_t found;
        while ((found = place_of(&recorded[at])) < 0 && at + SURE < recorded_n)
            zeroed &= level_of(recorded[at++]) == 0;
        if (found < 0)
            break;
        if (next >= 0)
            printf("damage %zu %zu %jd %s\n", begin, at - begin,
                   found - next - (int64_t)(at - begin), at > begin && zeroed ? "zeroed" : "other");
        next = found;
    }
    const int64_t place = last_at + SURE <= recorded_n ? place_of(&recorded[last_at]) : -1;
    if (place < 0)
        printf("end %zu unknown\n", recorded_n);
    else
        printf("end %zu %jd\n", recorded_n, (int64_t)last_played - place);
}

static void read_wav(const char *path, struct st_capture_head *head)
{
    static float frames[4096 * ST_CAPTURE_CHANNELS_MAX];
    struct st_wav wav;
    const char *error;
    size_t n;
    FILE *stream = fopen(path, "r");
    if (stream == NULL || st_wav_open(&wav, stream, &error) != 0)
        exit(1);
    head->rate_hz = wav.rate_hz;
    while (st_wav_read(&wav, frames, 4096, &n) == 0 && n > 0 && recorded_n + n <= FRAMES_MAX) {
        for (size_t i = 0; i < n; i++)
            recorded[recorded_n++] = frames[i * wav.channels];
    }
}

int main(int argc, char **argv)
{
    static const struct st_capture_sink sink = {on_head, on_packet, on_event};
    static struct st_capture_reader reader;
    static unsigned char bytes[65536];
    struct st_capture_head head = {.rate_hz = 0};
    struct st_signal signal;
    ssize_t n;
    recorded = malloc(FRAMES_MAX * sizeof(float));
    if (recorded == NULL)
        return 1;
    if (argc > 1)
        read_wav(argv[1], &head);
    while (argc == 1 && (n = read(STDIN_FILENO, bytes, sizeof(bytes))) > 0) {
        if (st_capture_stream_read(&reader, bytes, (size_t)n, &sink, &head) < 0)
            return 1;
    }
    if (head.rate_hz == 0)
        return 0;
    signal_n = recorded_n + 5 * (size_t)head.rate_hz;
    signal_of = malloc(signal_n * sizeof(float));
    places = malloc(signal_n * sizeof(*places));
    if (signal_of == NULL || places == NULL)
        return 1;
    st_signal_init(&signal, head.rate_hz, 1);
    st_signal_fill(&signal, 0, signal_of, signal_n);
    for (size_t i = 0; i + SURE < signal_n; i++)
        places[i] = (struct place){.hash = hash_of(&signal_of[i]), .at = (uint32_t)i};
    qsort(places, signal_n - SURE, sizeof(*places), compare);
    judge();
    return 0;
}
