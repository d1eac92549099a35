/* Fast Fourier transform, for power spectra. */
#ifndef ST_LAB_ANALYSE_FFT_H
#define ST_LAB_ANALYSE_FFT_H

#include "core/base.h"

struct st_complex {
    double re, im;
};

/**
 * In place: z[j] becomes the sum over k of z[k] * exp(-2 pi i j k / n).
 * @param n a power of two. Threads: any. Source: Cooley and Tukey 1965.
 */
void st_fft(struct st_complex *z, size_t n);

/** The least power of two >= n; n <= 2^62. */
size_t st_fft_size(size_t n);

#endif
