/* Several threads that sleep at the same time: are all woken alike? */
#include "lab/series/sleepers.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/ns.h"
#include "core/text/text.h"
#include "lab/chart/chart.h"
#include "lab/summary.h"
#include "platform/program/options.h"

struct sleeper {
    const struct st_bench_series_config *config;
    struct st_platform *platform;
    struct st_bench_series bench;
    struct st_quantile median;
    pthread_t thread;
    bool started;
    int r;
};

static void *run(void *of)
{
    struct sleeper *s = of;
    s->r = st_bench_series_measure(s->platform, s->config, &s->bench);
    return NULL;
}

/* Starts all and waits for them; a thread has the policy and timer slack of this one. */
static int measure(struct sleeper *sleepers, size_t n)
{
    int r = 0;
    for (size_t i = 0; i < n && r == 0; i++) {
        r = -pthread_create(&sleepers[i].thread, NULL, run, &sleepers[i]);
        sleepers[i].started = r == 0;
    }
    for (size_t i = 0; i < n; i++) {
        if (sleepers[i].started)
            (void)pthread_join(sleepers[i].thread, NULL);
        r = r != 0 ? r : sleepers[i].r;
    }
    return r;
}

/* One line of the table, and a box. @return 0, -ENODATA (no sample), -ENOMEM. */
static int show(struct sleeper *s, size_t i, double confidence, struct st_chart_data *data)
{
    const struct st_series *head = &s->bench.all.head;
    char texts[5][32];
    if (head->n == 0)
        return -ENODATA;
    const char *label = ST_TEXT(32, "sleeper %zu", i + 1);
    int r = st_chart_add_series(data, label, head, true);
    int64_t *values = r == 0 ? malloc(head->n * sizeof(*values)) : NULL;
    if (values == NULL)
        return -ENOMEM;
    memcpy(values, head->lateness_ns, head->n * sizeof(*values));
    s->median = st_summary_median_interval(values, head->n, confidence);
    const struct st_sample sample = st_sample_of(values, head->n);
    const int64_t figures[] = {st_sample_at(&sample, 1), st_sample_quantile(&sample, 0.5), s->median.low_ns,
                               s->median.high_ns, st_sample_at(&sample, head->n)};
    for (size_t k = 0; k < ST_ARRAY_LEN(figures); k++)
        st_ns_format_exact(figures[k], texts[k], sizeof(texts[k]));
    printf("%-11s%8zu", label, head->n);
    ST_EACH (text, texts)
        printf("%*s%s", 12 - st_text_columns(*text), "", *text);
    putchar('\n');
    free(values);
    return 0;
}

/* Do all intervals share a value? */
static void judge(const struct sleeper *sleepers, size_t n)
{
    size_t lowest = 0, highest = 0;
    ST_EACH_OF (s, sleepers, n) {
        if (!s->median.known) {
            puts("Too few samples to say whether all are alike.");
            return;
        }
        lowest = s->median.high_ns < sleepers[lowest].median.high_ns ? (size_t)(s - sleepers) : lowest;
        highest = s->median.low_ns > sleepers[highest].median.low_ns ? (size_t)(s - sleepers) : highest;
    }
    if (sleepers[highest].median.low_ns <= sleepers[lowest].median.high_ns)
        puts("No difference between them is shown: the intervals of all medians overlap (95 % for all "
             "together).");
    else
        printf("They are not alike: sleeper %zu wakes later than sleeper %zu (95 %% for all together).\n",
               highest + 1, lowest + 1);
}

int st_sleepers_run(const char *command, struct st_platform *p, const struct st_bench_series_config *config,
                    size_t n, const char *path)
{
    struct sleeper *sleepers = calloc(n, sizeof(*sleepers));
    struct st_chart_data data;
    const struct st_chart_options options = {.kind = ST_CHART_BOX, .path = path};
    if (sleepers == NULL)
        return st_failure(command, "out of memory");
    for (size_t i = 0; i < n; i++) {
        sleepers[i].config = config;
        sleepers[i].platform = p;
    }
    st_chart_init(&data, "lateness (woke - due)");
    int r = measure(sleepers, n);
    if (r == 0)
        printf("%-11s%8s%12s%12s%12s%12s%12s\n", "lateness", "n", "min", "median", "low", "high", "max");
    for (size_t i = 0; i < n && r == 0; i++)
        r = show(&sleepers[i], i, 1 - 0.05 / (double)n, &data);
    int status =
        r == 0 ? ST_EXIT_DONE : st_failure(command, "%s", r == -ENODATA ? "no samples" : strerror(-r));
    if (r == 0)
        judge(sleepers, n);
    if (r == 0 && path != NULL)
        status = st_chart_write(command, &data, &options);
    for (size_t i = 0; i < n; i++)
        st_long_series_finish(&sleepers[i].bench.all);
    st_chart_finish(&data);
    free(sleepers);
    return status;
}
