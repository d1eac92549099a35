/* sleeptune-listen-alsa: plays a test signal on one ALSA device and records another: the two
 * halves of snd-aloop (-w aloop), or a card's output and input that a cable connects (-w
 * device). -p and -r name other devices: with "-p default", or a server's plug-in, the signal
 * also passes the sound server. */
#include <alsa/asoundlib.h>

#include "core/text/text.h"
#include "ears/helpers/duplex.h"

#define RATE_HZ 48000
#define PERIOD  512
#define PERIODS 4

struct devices {
    snd_pcm_t *play, *record;
    snd_pcm_uframes_t buffer_frames; /* buffer of the playing stream */
};

/* --- the audio thread --- */

/* Restarts a stream after an error. @return 0: the stream runs again; else the device has gone. */
static long put_right(snd_pcm_t *pcm, int error)
{
    if (error == -EAGAIN || error == -EINTR)
        return 0;
    int r = error;
    if (error == -EPIPE || error == -ESTRPIPE)
        r = snd_pcm_recover(pcm, error, 1);
    if (r == 0 && snd_pcm_stream(pcm) == SND_PCM_STREAM_CAPTURE)
        r = snd_pcm_start(pcm);
    return r;
}

static long read_device(void *ctx, void *to, uint32_t frames_n)
{
    const struct devices *devices = ctx;
    const snd_pcm_sframes_t n = snd_pcm_readi(devices->record, to, frames_n);
    return n > 0 ? n : put_right(devices->record, (int)n);
}

static long write_device(void *ctx, const void *from, uint32_t frames_n)
{
    const struct devices *devices = ctx;
    const char *at = from;
    snd_pcm_uframes_t left = frames_n;
    bool xrun = false;
    while (left > 0) {
        const snd_pcm_sframes_t n = snd_pcm_writei(devices->play, at, left);
        if (n < 0) {
            const long r = put_right(devices->play, (int)n);
            if (r < 0)
                return r;
            xrun |= n == -EPIPE || n == -ESTRPIPE;
            continue;
        }
        at += snd_pcm_frames_to_bytes(devices->play, n);
        left -= (snd_pcm_uframes_t)n;
    }
    return xrun ? 0 : (long)frames_n;
}

/* @return the frames in the buffer of the playing device; < 0: error. The number drifts, since two
 * cards have two clocks. */
static long queued_of_device(void *ctx)
{
    const struct devices *devices = ctx;
    const snd_pcm_sframes_t room = snd_pcm_avail(devices->play);
    return room < 0 ? room : (long)devices->buffer_frames - room;
}

static const struct st_duplex_ops ops = {read_device, write_device, NULL, queued_of_device};

/* --- opening --- */

static const snd_pcm_format_t formats[] = {
    [ST_DUPLEX_S32] = SND_PCM_FORMAT_S32,
    [ST_DUPLEX_S16] = SND_PCM_FORMAT_S16,
    [ST_DUPLEX_FLOAT] = SND_PCM_FORMAT_FLOAT, /* the only format of JACK's plug-in */
};

/* Sets format, rate and period of a device. @return 0, or the negative errno value of the first
 * parameter that the device refuses. */
static int set_up(snd_pcm_t *pcm, enum st_duplex_format format, unsigned *rate_hz,
                  snd_pcm_uframes_t *period)
{
    snd_pcm_hw_params_t *params;
    snd_pcm_uframes_t buffer = PERIODS * *period;
    snd_pcm_hw_params_alloca(&params);
    int r = snd_pcm_hw_params_any(pcm, params);
    if (r >= 0)
        r = snd_pcm_hw_params_set_access(pcm, params, SND_PCM_ACCESS_RW_INTERLEAVED);
    if (r >= 0)
        r = snd_pcm_hw_params_set_format(pcm, params, formats[format]);
    if (r >= 0)
        r = snd_pcm_hw_params_set_channels(pcm, params, ST_DUPLEX_CHANNELS);
    if (r >= 0)
        r = snd_pcm_hw_params_set_rate_near(pcm, params, rate_hz, NULL);
    if (r >= 0)
        r = snd_pcm_hw_params_set_period_size_near(pcm, params, period, NULL);
    if (r >= 0)
        r = snd_pcm_hw_params_set_buffer_size_near(pcm, params, &buffer);
    if (r >= 0)
        r = snd_pcm_hw_params(pcm, params);
    return r;
}

static int open_device(snd_pcm_t **ret, const char *name, snd_pcm_stream_t stream)
{
    const int r = snd_pcm_open(ret, name, stream, SND_PCM_NONBLOCK);
    if (r != 0)
        return st_ear_absent("ALSA device %.80s: %s", name, snd_strerror(r));
    /* reads and writes may wait; only opening must not wait for another program */
    (void)snd_pcm_nonblock(*ret, 0);
    return ST_EAR_DONE;
}

static void on_error(ST_UNUSED const char *file, ST_UNUSED int line, ST_UNUSED const char *function,
                     ST_UNUSED int error, ST_UNUSED const char *format, ...)
{
}

int main(int argc, char **argv)
{
    static struct st_ear ear;
    static struct devices devices;
    unsigned rate_hz = RATE_HZ, other_hz;
    snd_pcm_uframes_t period, other_period;
    st_ear_options(&ear, argc, argv);
    const bool cable = strcmp(ear.way, "aloop") != 0;
    const char *records = st_text_or(ear.records, "hw:0"), *plays = st_text_or(ear.plays, records);
    if (!cable) {
        plays = st_text_or(ear.plays, "hw:Loopback,0");
        records = st_text_or(ear.records, "hw:Loopback,1");
    }
    if (ear.frames == 0)
        ear.frames = PERIOD;
    (void)snd_lib_error_set_handler(on_error);
    if (!cable && snd_card_get_index("Loopback") < 0 && ear.records[0] == '\0')
        return st_ear_absent("there is no loopback card (snd-aloop)");
    int r = open_device(&devices.play, plays, SND_PCM_STREAM_PLAYBACK);
    if (r == ST_EAR_DONE)
        r = open_device(&devices.record, records, SND_PCM_STREAM_CAPTURE);
    if (r != ST_EAR_DONE)
        return r;
    struct st_duplex duplex = {.ear = &ear, .ops = &ops, .device = &devices};
    for (size_t i = 0; i < ST_ARRAY_LEN(formats); i++) {
        duplex.format = (enum st_duplex_format)i;
        other_hz = rate_hz = RATE_HZ;
        other_period = period = ear.frames;
        r = set_up(devices.play, duplex.format, &rate_hz, &period);
        if (r >= 0)
            r = set_up(devices.record, duplex.format, &other_hz, &other_period);
        if (r >= 0)
            break;
        (void)snd_pcm_hw_free(devices.play);
    }
    if (r >= 0)
        r = snd_pcm_get_params(devices.play, &devices.buffer_frames, &period);
    if (r < 0 || rate_hz != other_hz || period > ST_DUPLEX_FRAMES_MAX / PERIODS)
        return st_ear_absent("the devices %.60s and %.60s have no sample format and rate in "
                             "common, with two channels",
                             plays, records);
    duplex.period_frames = (uint32_t)period;
    duplex.ahead_frames = (uint32_t)period * (PERIODS - 1);
    ear.head.rate_hz = rate_hz;
    ST_PRINT(ear.head.server, "ALSA %s", snd_asoundlib_version());
    return st_duplex_run(&duplex, plays, records);
}
