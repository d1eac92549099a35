#include "ears/helpers/oss_device.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/soundcard.h>
#include <unistd.h>

#define CHANNELS 2
#define PERIODS  4 /* a power of two is the size of each, PERIODS of them the buffer */

/* @return 0 or a negative errno value. */
static int ask(const struct st_oss_device *device, int fd, unsigned long request, void *value)
{
    int r;
    do
        r = device->calls->ioctl(fd, request, value);
    while (r < 0 && errno == EINTR);
    return r < 0 ? -errno : 0;
}

/* One value: what is wanted must be what the device has. */
static int demand(const struct st_oss_device *device, int fd, unsigned long request, int wanted)
{
    int value = wanted;
    const int r = ask(device, fd, request, &value);
    return r < 0 ? r : value == wanted ? 0 : -ENOTSUP;
}

static int power_of_two(size_t bytes)
{
    int power = 4;
    while (power < 16 && ((size_t)1 << power) < bytes)
        power++;
    return power;
}

/* The size of the buffer is asked for before anything else (sound(4)). */
static int set_up(const struct st_oss_device *device, int fd, int format, size_t period_bytes,
                  uint32_t *rate_hz)
{
    int fragments = PERIODS << 16 | power_of_two(period_bytes), hz = (int)*rate_hz, off = 0;
    int r = ask(device, fd, SNDCTL_DSP_SETFRAGMENT, &fragments);
    (void)ask(device, fd, SNDCTL_DSP_COOKEDMODE, &off); /* no conversion, no volume; not each device can */
    if (r == 0)
        r = demand(device, fd, SNDCTL_DSP_SETFMT, format);
    if (r == 0)
        r = demand(device, fd, SNDCTL_DSP_CHANNELS, CHANNELS);
    if (r == 0)
        r = ask(device, fd, SNDCTL_DSP_SPEED, &hz);
    *rate_hz = (uint32_t)hz;
    return r;
}

static int open_device(const struct st_oss_device *device, const char *path, int flags, int *ret)
{
    *ret = device->calls->open(path, flags);
    return *ret < 0 ? -errno : 0;
}

static int set_up_both(struct st_oss_device *device, uint32_t wanted_hz, uint32_t period_frames,
                       struct st_duplex *duplex, uint32_t *ret_rate_hz)
{
    static const struct {
        enum st_duplex_format format;
        int afmt;
        size_t bytes;
    } formats[] = {{ST_DUPLEX_S32, AFMT_S32_NE, 4}, {ST_DUPLEX_S16, AFMT_S16_NE, 2}};
    int r = -ENOTSUP;
    ST_EACH (row, formats) {
        uint32_t play_hz = wanted_hz, record_hz = wanted_hz;
        const size_t bytes = row->bytes * CHANNELS * period_frames;
        r = set_up(device, device->play, row->afmt, bytes, &play_hz);
        if (r == 0 && device->record != device->play)
            r = set_up(device, device->record, row->afmt, bytes, &record_hz);
        else
            record_hz = play_hz;
        if (r == 0 && (play_hz != record_hz || play_hz == 0))
            r = -ENOTSUP;
        if (r < 0)
            continue;
        audio_buf_info space;
        r = ask(device, device->play, SNDCTL_DSP_GETOSPACE, &space);
        if (r < 0)
            return r;
        device->frame_bytes = row->bytes * CHANNELS;
        const int64_t frames = space.fragsize / (int64_t)device->frame_bytes;
        if (frames < 16 || space.fragstotal < 2 || frames * space.fragstotal > ST_DUPLEX_FRAMES_MAX)
            return -ENOTSUP;
        duplex->format = row->format;
        duplex->period_frames = (uint32_t)frames;
        duplex->ahead_frames = (uint32_t)(frames * (space.fragstotal - 1));
        *ret_rate_hz = play_hz;
        return 0;
    }
    return r;
}

int st_oss_device_open(struct st_oss_device *device, const char *plays, const char *records,
                       uint32_t wanted_hz, uint32_t period_frames, struct st_duplex *duplex,
                       uint32_t *ret_rate_hz, const char **ret_failed)
{
    const bool one = strcmp(plays, records) == 0;
    device->play = device->record = -1;
    *ret_failed = plays;
    int r = open_device(device, plays, one ? O_RDWR : O_WRONLY, &device->play);
    if (r == 0 && one)
        device->record = device->play;
    if (r == 0 && !one) {
        *ret_failed = records;
        r = open_device(device, records, O_RDONLY, &device->record);
    }
    if (r == 0)
        r = set_up_both(device, wanted_hz, period_frames, duplex, ret_rate_hz);
    if (r < 0)
        st_oss_device_close(device);
    return r;
}

void st_oss_device_close(struct st_oss_device *device)
{
    if (device->record >= 0 && device->record != device->play)
        (void)device->calls->close(device->record);
    if (device->play >= 0)
        (void)device->calls->close(device->play);
    device->play = device->record = -1;
}

static long read_device(void *ctx, void *to, uint32_t frames_n)
{
    const struct st_oss_device *device = ctx;
    const ssize_t n = device->calls->read(device->record, to, frames_n * device->frame_bytes);
    if (n < 0)
        return errno == EINTR || errno == EAGAIN ? 0 : -errno;
    return n == 0 ? -ENODEV : (long)((size_t)n / device->frame_bytes);
}

static long write_device(void *ctx, const void *from, uint32_t frames_n)
{
    const struct st_oss_device *device = ctx;
    const char *at = from;
    size_t left = frames_n * device->frame_bytes;
    while (left > 0) {
        const ssize_t n = device->calls->write(device->play, at, left);
        if (n < 0 && errno != EINTR && errno != EAGAIN)
            return -errno;
        at += n > 0 ? n : 0;
        left -= n > 0 ? (size_t)n : 0;
    }
    return frames_n;
}

/* sound(4) fills a gap by itself and counts it: since the last time that it was asked. */
static void count(const struct st_oss_device *device, int fd, bool *play, bool *record)
{
    audio_errinfo errors;
    memset(&errors, 0, sizeof(errors));
    if (ask(device, fd, SNDCTL_DSP_GETERROR, &errors) < 0)
        return;
    *play |= errors.play_underruns > 0;
    *record |= errors.rec_overruns > 0;
}

static enum st_duplex_xrun xrun_of_device(void *ctx)
{
    const struct st_oss_device *device = ctx;
    bool play = false, record = false;
    count(device, device->play, &play, &record);
    if (device->record != device->play)
        count(device, device->record, &play, &record);
    return play ? ST_DUPLEX_XRUN_PLAY : record ? ST_DUPLEX_XRUN_RECORD : ST_DUPLEX_XRUN_NONE;
}

static int open_system(const char *path, int flags)
{
    const int fd = open(path, flags | O_NONBLOCK | O_CLOEXEC); /* it waits for no other program */
    if (fd < 0 || fcntl(fd, F_SETFL, 0) == 0)
        return fd;
    close(fd);
    return -1;
}

static int ioctl_system(int fd, unsigned long request, void *value)
{
    return ioctl(fd, request, value);
}

const struct st_oss_calls st_oss_system = {open_system, close, ioctl_system, read, write};
const struct st_duplex_ops st_oss_ops = {read_device, write_device, xrun_of_device};
