#include "lab/analyse/fft.h"

#include <math.h>

size_t st_fft_size(size_t n)
{
    size_t size = 1;
    while (size < n)
        size *= 2;
    return size;
}

static void reverse_bits(struct st_complex *z, size_t n)
{
    for (size_t i = 1, j = 0; i < n; i++) {
        size_t bit = n / 2;
        for (; (j & bit) != 0; bit /= 2)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            const struct st_complex swap = z[i];
            z[i] = z[j];
            z[j] = swap;
        }
    }
}

void st_fft(struct st_complex *z, size_t n)
{
    reverse_bits(z, n);
    for (size_t half = 1; half < n; half *= 2) {
        for (size_t k = 0; k < half; k++) {
            const double angle = -M_PI * (double)k / (double)half;
            const struct st_complex w = {cos(angle), sin(angle)};
            for (size_t i = k; i < n; i += 2 * half) {
                struct st_complex *a = &z[i], *b = &z[i + half];
                const struct st_complex t = {b->re * w.re - b->im * w.im, b->re * w.im + b->im * w.re};
                *b = (struct st_complex){a->re - t.re, a->im - t.im};
                *a = (struct st_complex){a->re + t.re, a->im + t.im};
            }
        }
    }
}
