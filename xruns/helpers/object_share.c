#include "xruns/helpers/object_share.h"

#define OTHERS_MIN   100   /* cycles, before a long one is compared with them */
#define SAMPLES_MIN  30    /* in long cycles, and in others */
#define COMPUTED_MIN 0.25  /* of the long cycles */
#define CYCLES_MIN   20    /* of those that count: fewer are too few for a mean */
#define Z            3.291 /* of a normal law, 0.1 % on both sides together */
#define Z_CHANCE     3.719 /* 0.01 % on one side */

void st_object_share_sample(struct st_object_share *share, const char *name)
{
    size_t i = 0;
    share->cycle_n++;
    while (i < share->files_n && strcmp(share->files[i].name, name) != 0)
        i++;
    if (name[0] == '\0' || i == ST_OBJECT_SHARE_MAX)
        return;
    if (i == share->files_n) {
        snprintf(share->files[share->files_n++].name, sizeof(share->files[i].name), "%s", name);
        share->files[i].beyond = -share->half; /* it had nothing so far */
        share->files[i].beyond2 = share->half2;
    }
    share->files[i].cycle_n++;
}

/* What does each file have of the samples that this long cycle has more than others? A cycle counts by how
 * much longer it is, so that those that are hardly long, and of another reason, count little. */
static void judge(struct st_object_share *share, int64_t busy_ns)
{
    const double others = (double)share->other_cycles_n;
    const double half = ((double)share->cycle_n - (double)share->other_n / others) / 2;
    const double weight =
        fmax((double)busy_ns - (double)share->other_ns / others, 0) / (double)share->sample_ns;
    ST_EACH_OF (file, share->files, share->files_n) {
        const double beyond = weight * ((double)file->cycle_n - (double)file->other_n / others - half);
        file->beyond += beyond;
        file->beyond2 += beyond * beyond;
    }
    share->half += weight * half;
    share->half2 += weight * weight * half * half;
}

static bool computed_more(const struct st_object_share *share, int64_t busy_ns)
{
    const double others = (double)share->other_cycles_n;
    const double more = (double)share->cycle_n - (double)share->other_n / others;
    return more > 0 &&
           2 * more * (double)share->sample_ns >= (double)busy_ns - (double)share->other_ns / others;
}

void st_object_share_cycle(struct st_object_share *share, bool is_long, int64_t busy_ns)
{
    const bool comparable = is_long && share->other_cycles_n >= OTHERS_MIN;
    const bool counts = !is_long || (comparable && computed_more(share, busy_ns));
    if (is_long && counts)
        judge(share, busy_ns);
    ST_EACH_OF (file, share->files, share->files_n) {
        *(is_long ? &file->long_n : &file->other_n) += counts ? file->cycle_n : 0;
        file->cycle_n = 0;
    }
    *(is_long ? &share->long_n : &share->other_n) += counts ? share->cycle_n : 0;
    share->cycle_n = 0;
    share->long_cycles_n += comparable;
    share->computed_n += is_long && counts;
    share->other_cycles_n += !is_long;
    share->other_ns += is_long ? 0 : busy_ns;
}

/* A bound of a share by Wilson's interval. @param z below 0: the lower one. */
static double bound(int64_t hits, int64_t n, double z)
{
    const double p = (double)hits / (double)n, m = (double)n, z2 = z * z;
    return (p + z2 / (2 * m) + z * sqrt(p * (1 - p) / m + z2 / (4 * m * m))) / (1 + z2 / m);
}

/* Is the mean of n values above 0 by more than chance? The quantile is Fisher's expansion. */
static bool is_above(double sum, double squares, double n)
{
    const double squared_error = (squares - sum * sum / n) / (n - 1) * n; /* of the sum */
    const double t = Z_CHANCE + (pow(Z_CHANCE, 3) + Z_CHANCE) / (4 * (n - 1));
    return sum > 0 && sum * sum > t * t * squared_error;
}

static bool stands_out(const struct st_object_share *share, const struct st_object_share_file *file)
{
    return share->long_n >= SAMPLES_MIN && share->other_n >= SAMPLES_MIN &&
           COMPUTED_MIN * (double)share->long_cycles_n <= (double)share->computed_n &&
           bound(file->long_n, share->long_n, -Z) > bound(file->other_n, share->other_n, Z) &&
           share->computed_n >= CYCLES_MIN &&
           is_above(file->beyond, file->beyond2, (double)share->computed_n);
}

void st_object_share_find(const struct st_object_share *share, struct st_xrun_code *ret)
{
    const struct st_object_share_file *file = share->files;
    for (size_t i = 1; i < share->files_n; i++)
        file = share->files[i].beyond > file->beyond ? &share->files[i] : file;
    *ret = (struct st_xrun_code){.state = ret->state,
                                 .long_cycles_n = share->long_cycles_n,
                                 .computed_n = share->computed_n,
                                 .samples_n = share->long_n};
    if (!stands_out(share, file))
        return;
    memcpy(ret->file, file->name, sizeof(ret->file));
    ret->percent = llround(100 * (double)file->long_n / (double)share->long_n);
    ret->other_percent = llround(100 * (double)file->other_n / (double)share->other_n);
}
