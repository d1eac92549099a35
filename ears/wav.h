/* Reads and writes WAV; a file made elsewhere is untrusted. Works on streams without seeking, so
 * also on a pipe. One thread for each file. */
#pragma once

#include "core/base.h"

/** Highest rate of common recorders; CPU time for judging noise grows with the square of the
 * rate. */
#define ST_WAV_RATE_MAX 192000

struct st_wav {
    FILE *stream; /* belongs to the caller */
    uint32_t rate_hz, channels;
    unsigned bytes; /* length of a sample: 2, 3 or 4 */
    bool is_float;  /* samples are floats of 4 bytes, not integers */
    bool is_sized;  /* the file gives its length; a file of a killed recorder does not */
    bool is_cut;    /* ended earlier than the length in the file */
    uint64_t left;  /* frames still to come, if is_sized */
};

/** Reads up to the first sample. Accepts 16, 24 and 32 bits, integer or (32) float; 1 to
 * ST_CAPTURE_CHANNELS_MAX channels, ST_CAPTURE_RATE_MIN to ST_WAV_RATE_MAX Hz. @param ret_error
 * after -EBADMSG: what is wrong, a clause. @return 0, -EBADMSG, or -EIO. */
ST_NODISCARD int st_wav_open(struct st_wav *wav, FILE *stream, const char **ret_error);

/** Reads up to frames_n frames, interleaved; full scale is 1. A float that is not a number, or
 * beyond ST_CAPTURE_LEVEL_MAX, is limited to that. @param ret_n fewer only at the end; 0: already
 * at the end.
 * @return 0 or -EIO. */
ST_NODISCARD int st_wav_read(struct st_wav *wav, float *ret_frames, size_t frames_n, size_t *ret_n);

/** Writes the head of a file with 16-bit samples. @param frames_n at most 2^32 / 2 / channels
 * less 64.
 * @return 0 or -EIO. */
ST_NODISCARD int st_wav_write_head(FILE *stream, uint32_t rate_hz, uint32_t channels,
                                   uint64_t frames_n);
ST_NODISCARD int st_wav_write(FILE *stream, const float *samples, size_t samples_n);
