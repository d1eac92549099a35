/* Reads and writes WAV: recordings that were made elsewhere are foreign text. Streams: nothing is sought, so
 * that a pipe will do. One thread a file. */
#pragma once

#include "core/base.h"

/** What recorders of sound write; judging noise takes CPU time with the square of the rate. */
#define ST_WAV_RATE_MAX 192000

struct st_wav {
    FILE *stream; /* of the caller */
    uint32_t rate_hz, channels;
    unsigned bytes; /* of a sample: 2, 3, 4 */
    bool is_float;  /* 4 bytes */
    bool is_sized;  /* the file says how long it is; one of a recorder that was killed does not */
    bool is_cut;    /* read to its end, and shorter than it says */
    uint64_t left;  /* frames that are to come, if is_sized */
};

/** Reads up to the first sample. 16, 24 and 32 bits, integer or (32) float; 1 to ST_CAPTURE_CHANNELS_MAX
 * channels, ST_CAPTURE_RATE_MIN to ST_WAV_RATE_MAX Hz. @param ret_error after -EBADMSG: what is wrong, a
 * clause.
 * @return 0, -EBADMSG, or -EIO. */
ST_NODISCARD int st_wav_open(struct st_wav *wav, FILE *stream, const char **ret_error);

/** Up to frames_n frames, interleaved, full scale is 1. A float that is no number, or beyond
 * ST_CAPTURE_LEVEL_MAX, comes as that. @param ret_n fewer only at the end; 0: it was reached before.
 * @return 0 or -EIO. */
ST_NODISCARD int st_wav_read(struct st_wav *wav, float *ret_frames, size_t frames_n, size_t *ret_n);

/** Write the head of a file of 16 bits, and its samples. @param frames_n at most 2^32 / 2 / channels less 64.
 * @return 0 or -EIO. */
ST_NODISCARD int st_wav_write_head(FILE *stream, uint32_t rate_hz, uint32_t channels, uint64_t frames_n);
ST_NODISCARD int st_wav_write(FILE *stream, const float *samples, size_t samples_n);
