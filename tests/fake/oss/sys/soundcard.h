/* For tests on Linux: the part of FreeBSD's sys/soundcard.h that ears/helpers/oss_device.c uses.
 * Requests and formats are numbers that only the false device knows; names, types and members are
 * FreeBSD's. */
#pragma once

enum {
    SNDCTL_DSP_SETFRAGMENT = 1,
    SNDCTL_DSP_COOKEDMODE,
    SNDCTL_DSP_SETFMT,
    SNDCTL_DSP_CHANNELS,
    SNDCTL_DSP_SPEED,
    SNDCTL_DSP_GETOSPACE,
    SNDCTL_DSP_GETERROR
};
enum { AFMT_S16_NE = 16, AFMT_S32_NE = 4096 };

typedef struct audio_buf_info {
    int fragments, fragstotal, fragsize, bytes;
} audio_buf_info;

typedef struct audio_errinfo {
    int play_underruns, rec_overruns;
} audio_errinfo;
