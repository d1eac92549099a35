#include "ears/helpers/duplex.h"

#include <pthread.h>

#include "platform/posix/posix.h"

#define PRIORITY 70

/* Converts samples to the device's format. All formats are in this machine's byte order. */
static void to_device(enum st_duplex_format format, const float *from, void *to, size_t samples_n)
{
    int32_t *s32 = to;
    int16_t *s16 = to;
    if (format == ST_DUPLEX_FLOAT)
        memcpy(to, from, samples_n * sizeof(float));
    for (size_t i = 0; format == ST_DUPLEX_S32 && i < samples_n; i++)
        s32[i] = (int32_t)lrint((double)from[i] * 2147483392.0);
    for (size_t i = 0; format == ST_DUPLEX_S16 && i < samples_n; i++)
        s16[i] = (int16_t)lrintf(from[i] * 32767.0F);
}

static void from_device(enum st_duplex_format format, const void *from, float *to, size_t samples_n)
{
    const int32_t *s32 = from;
    const int16_t *s16 = from;
    if (format == ST_DUPLEX_FLOAT)
        memcpy(to, from, samples_n * sizeof(float));
    for (size_t i = 0; format == ST_DUPLEX_S32 && i < samples_n; i++)
        to[i] = (float)((double)s32[i] / 2147483392.0);
    for (size_t i = 0; format == ST_DUPLEX_S16 && i < samples_n; i++)
        to[i] = (float)s16[i] / 32767.0F;
}

/* Plays the next frames of the signal. @return frames; 0: an xrun; a negative errno value: the
 * device has gone. */
static long write_signal(struct st_duplex *duplex, uint32_t frames_n)
{
    /* `device`, an array of float, is large enough for each format */
    float signal[ST_DUPLEX_FRAMES_MAX * ST_DUPLEX_CHANNELS],
        device[ST_DUPLEX_FRAMES_MAX * ST_DUPLEX_CHANNELS];
    float *const to[] = {signal, signal + 1};
    st_ear_play(duplex->ear, (uint32_t)duplex->ear->recorded, to, ST_DUPLEX_CHANNELS, frames_n);
    to_device(duplex->format, signal, device, (size_t)frames_n * ST_DUPLEX_CHANNELS);
    return duplex->ops->write(duplex->device, device, frames_n);
}

static void say_xrun(struct st_duplex *duplex)
{
    st_ear_event(duplex->ear, ST_CAPTURE_XRUN, 0, st_posix_now_ns(NULL));
}

static int play(struct st_duplex *duplex, uint32_t frames_n)
{
    long n = write_signal(duplex, frames_n);
    enum st_duplex_xrun xrun = ST_DUPLEX_XRUN_NONE;
    if (n == 0)
        xrun = ST_DUPLEX_XRUN_PLAY;
    else if (duplex->ops->xrun != NULL)
        xrun = duplex->ops->xrun(duplex->device);
    if (xrun != ST_DUPLEX_XRUN_NONE)
        say_xrun(duplex);
    if (n >= 0 && xrun == ST_DUPLEX_XRUN_PLAY) /* the device starts again with an empty buffer:
                                                  refill its reserve */
        n = write_signal(duplex, duplex->ahead_frames);
    return n < 0 ? (int)n : 0;
}

int st_duplex_turn(struct st_duplex *duplex)
{
    float device[ST_DUPLEX_FRAMES_MAX * ST_DUPLEX_CHANNELS],
        samples[ST_DUPLEX_FRAMES_MAX * ST_DUPLEX_CHANNELS];
    const float *const from[] = {samples, samples + 1};
    const long n = duplex->ops->read(duplex->device, device, duplex->period_frames);
    const int64_t now_ns = st_posix_now_ns(NULL);
    if (n < 0)
        return (int)n;
    if (n == 0) {
        say_xrun(duplex);
        return 0;
    }
    from_device(duplex->format, device, samples, (size_t)n * ST_DUPLEX_CHANNELS);
    st_ear_record(duplex->ear, (uint32_t)duplex->ear->recorded,
                  now_ns - n * INT64_C(1000000000) / (int64_t)duplex->ear->head.rate_hz, from,
                  ST_DUPLEX_CHANNELS, (uint32_t)n);
    const long queued = duplex->ops->queued != NULL ? duplex->ops->queued(duplex->device) : -1;
    const long room = queued >= 0 ? (long)duplex->ahead_frames - queued : n;
    return room > 0 ? play(duplex, (uint32_t)room) : 0;
}

int st_duplex_begin(struct st_duplex *duplex)
{
    return play(duplex, duplex->ahead_frames);
}

static void *run(void *ctx)
{
    struct st_duplex *duplex = ctx;
    const struct sched_param param = {.sched_priority = PRIORITY};
    /* without the right to real-time priority, the thread keeps its policy */
    (void)pthread_setschedparam(pthread_self(), SCHED_FIFO, &param);
    int r = st_duplex_begin(duplex);
    while (r == 0)
        r = st_duplex_turn(duplex);
    atomic_store(&duplex->gone, r);
    return NULL;
}

static bool look(void *ctx)
{
    struct st_duplex *duplex = ctx;
    pthread_t thread;
    if (duplex->ear->go && !duplex->started) {
        duplex->started = true;
        const int error = st_posix_thread_start(&thread, 512 * 1024, run, duplex);
        if (error < 0)
            atomic_store(&duplex->gone, error);
    }
    const int r = atomic_load(&duplex->gone);
    if (r != 0)
        st_ear_say(duplex->ear, ST_CAPTURE_GONE, strerror(-r));
    return r == 0;
}

int st_duplex_run(struct st_duplex *duplex, const char *plays, const char *records)
{
    struct st_capture_head *head = &duplex->ear->head;
    head->channels = ST_DUPLEX_CHANNELS;
    head->period_frames = duplex->period_frames;
    ST_PRINT(head->plays, "%s", plays);
    ST_PRINT(head->records, "%s", records);
    if (st_ear_prepare(duplex->ear) < 0)
        return st_ear_absent("out of memory");
    st_ear_begin(duplex->ear);
    st_ear_run(duplex->ear, look, duplex);
    return ST_EAR_DONE; /* the thread ends with the process */
}
