/* Columns and CSV: whatever is accepted has no NUL, ascends, is within an hour, and can be
 * analysed. */
#include "lab/analyse/series_analysis.h"
#include "lab/input/series_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct st_series *series)
{
    for (size_t i = 0; i < series->n; i++) {
        if (series->lateness_ns[i] > INT64_C(3600000000000) ||
            series->lateness_ns[i] < -INT64_C(3600000000000) ||
            (i > 0 && series->index[i] <= series->index[i - 1]))
            abort();
    }
    struct st_analysis *analysis = malloc(sizeof(*analysis));
    if (analysis != NULL && st_series_analysis_of(series, 0, false, analysis) == 0) {
        for (size_t i = 0; i < analysis->sentences_n; i++) {
            if (memchr(analysis->sentence[i], '\0', ST_SENTENCE_BYTES) == NULL ||
                analysis->sentence[i][0] == '\0')
                abort();
        }
    }
    free(analysis);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct st_period period;
    struct st_series_text text;
    char *copy = malloc(size + 1);
    if (copy == NULL || st_period_init_ns(&period, 1000000000, 1) != 0)
        abort();
    memcpy(copy, data, size);
    copy[size] = '\0';
    st_series_text_init(&text, &period);
    text.cell = size > 0 && data[0] >= '1' && data[0] <= '3' ? (size_t)(data[0] - '1')
                                                             : 0; /* one of three: none */
    int r = 0;
    for (char *at = copy, *end; r == 0 && at != NULL; at = end) {
        const size_t left = (size_t)(copy + size - at);
        end = memchr(at, '\n', left);
        const size_t bytes = end != NULL ? (size_t)(end - at) : left;
        if (end != NULL)
            *end++ = '\0';
        r = st_series_text_line(&text, at, bytes);
        if (r == 0 && memchr(at, '\0', bytes) != NULL)
            abort(); /* what is behind it is lost */
    }
    if (r == 0 && st_series_text_end(&text) == 0)
        check(&text.series);
    st_series_text_finish(&text);
    free(copy);
    return 0;
}
