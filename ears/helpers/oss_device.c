#include "ears/helpers/oss_device.h"

#include "platform/posix/posix.h"

#define RATE_HZ 48000

static int open_device(const struct st_oss_device *device, const char *path, int flags, int *ret)
{
    *ret = st_posix_result(device->calls->open(path, flags));
    return ST_MIN(*ret, 0);
}

static int set_up_both(struct st_oss_device *device, uint32_t period_frames,
                       struct st_duplex *duplex, uint32_t *ret_rate_hz)
{
    static const struct {
        enum st_duplex_format format;
        int afmt;
        size_t bytes;
    } formats[] = {{ST_DUPLEX_S32, AFMT_S32_NE, 4}, {ST_DUPLEX_S16, AFMT_S16_NE, 2}};
    int r = -ENOTSUP;
    ST_EACH (row, formats) {
        uint32_t play_hz = RATE_HZ, record_hz = RATE_HZ;
        const size_t bytes = row->bytes * ST_OSS_CHANNELS * period_frames;
        r = st_oss_set_up(device->calls, device->play, row->afmt, bytes, &play_hz);
        if (r == 0 && device->record != device->play)
            r = st_oss_set_up(device->calls, device->record, row->afmt, bytes, &record_hz);
        else
            record_hz = play_hz;
        if (r == 0 && (play_hz != record_hz || play_hz == 0))
            r = -ENOTSUP;
        if (r < 0)
            continue;
        audio_buf_info space;
        r = st_oss_ask(device->calls, device->play, SNDCTL_DSP_GETOSPACE, &space);
        if (r < 0)
            return r;
        device->frame_bytes = row->bytes * ST_OSS_CHANNELS;
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
                       uint32_t period_frames, struct st_duplex *duplex, uint32_t *ret_rate_hz,
                       const char **ret_failed)
{
    const bool one = strcmp(plays, records) == 0;
    *ret_failed = plays;
    int r = open_device(device, plays, one ? O_RDWR : O_WRONLY, &device->play);
    device->record = device->play;
    if (r == 0 && !one) {
        *ret_failed = records;
        r = open_device(device, records, O_RDONLY, &device->record);
    }
    if (r == 0)
        r = set_up_both(device, period_frames, duplex, ret_rate_hz);
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
    const int r = st_oss_write(device->calls, device->play, from, frames_n * device->frame_bytes);
    return r < 0 ? r : (long)frames_n;
}

static enum st_duplex_xrun xrun_of_device(void *ctx)
{
    const struct st_oss_device *device = ctx;
    const audio_errinfo play = st_oss_gaps(device->calls, device->play);
    audio_errinfo record = play;
    if (device->record != device->play)
        record = st_oss_gaps(device->calls, device->record);
    if (play.play_underruns > 0)
        return ST_DUPLEX_XRUN_PLAY;
    return record.rec_overruns > 0 ? ST_DUPLEX_XRUN_RECORD : ST_DUPLEX_XRUN_NONE;
}

const struct st_duplex_ops st_oss_ops = {read_device, write_device, xrun_of_device};
