/* Writes a histogram log by the module that `sleeptune measure --hlog` loads, and prints what a reader must
 * find in it: "TAG n N", "TAG count HIGHEST-VALUE-OF-BUCKET N" for each bucket that has any, "TAG min
 * LOWEST", "TAG max HIGHEST", "TAG p99 HIGHEST-VALUE-OF-BUCKET" and "TAG time START END" in ms since 1970.
 * Usage: make_hlog FILE */
#include <inttypes.h>
#include <stdio.h>

#include "store/recording/hlog.h"

static uint64_t random_next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

#define START_MS INT64_C(1700000000123)
#define END_MS   INT64_C(1700000030623)

static void expect_quantile(const char *tag, const struct st_hist *hist, double percent)
{
    const int64_t middle = st_hist_quantile(hist, percent / 100);
    const uint32_t i = st_hist_index(hist, middle < 0 ? 0 : middle);
    printf("%s p%g %" PRId64 "\n", tag, percent,
           st_hist_bucket_lowest(hist, i) + st_hist_bucket_width(hist, i) - 1);
}

static void expect(const char *tag, const struct st_hist *hist)
{
    printf("%s n %" PRIu64 "\n", tag, hist->total_n);
    int64_t first = -1, last = 0;
    for (uint32_t i = 0; i < hist->counts_len; i++) {
        uint64_t n = hist->late[i] + (i == 0 ? hist->early_n : 0);
        if (i == hist->counts_len - 1)
            n += hist->over_n;
        if (n == 0)
            continue;
        last = st_hist_bucket_lowest(hist, i) + st_hist_bucket_width(hist, i) - 1;
        if (first < 0)
            first = st_hist_bucket_lowest(hist, i);
        printf("%s count %" PRId64 " %" PRIu64 "\n", tag, last, n);
    }
    printf("%s min %" PRId64 "\n%s max %" PRId64 "\n", tag, first, tag, last);
    expect_quantile(tag, hist, 50);
    expect_quantile(tag, hist, 99);
    expect_quantile(tag, hist, 99.9);
    printf("%s time %" PRId64 " %" PRId64 "\n", tag, START_MS, END_MS);
}

int main(int argc, char **argv)
{
    struct st_hist lateness, response;
    if (argc != 2 || st_hist_init(&lateness, 3) != 0 || st_hist_init(&response, 3) != 0)
        return 3;
    uint64_t seed = 4711;
    for (int i = 0; i < 200000; i++) {
        const int64_t value = 1500 + (int64_t)(random_next(&seed) % 5000);
        st_hist_add(&lateness, i % 1000 == 0 ? value * 1000 : i % 999 == 0 ? -value : value);
        st_hist_add(&response,
                    (int64_t)(random_next(&seed) % ST_HIST_HIGHEST_NS) >> (random_next(&seed) % 42));
    }
    st_hist_add_n(&response, 2047, UINT64_C(1) << 33);
    st_hist_add_n(&response, 2 * ST_HIST_HIGHEST_NS, 7);
    expect("lateness", &lateness);
    expect("response", &response);
    const int r = st_hlog_write(argv[1], &lateness, &response, START_MS * 1000000, END_MS * 1000000,
                                "kernel: 6.1.0-test\npolicy: fifo\n");
    st_hist_finish(&lateness);
    st_hist_finish(&response);
    return r == 0 ? 0 : 4;
}
