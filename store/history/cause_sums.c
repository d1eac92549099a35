/* Adds late wake-ups up by cause and culprit, and makes their document. */
#include "store/history/cause_sums.h"

#include "core/ns.h"
#include "core/text/json.h"

/* Rows that are only used for the culprit "other", one for each cause. */
#define KEPT_FOR_OTHER ST_CAUSE_COUNT

static struct st_cause_sum *find(struct st_cause_sums *sums, enum st_cause cause,
                                 const char *culprit)
{
    ST_EACH_OF (row, sums->rows, sums->n) {
        if (row->cause == cause && st_text_is(row->culprit, culprit))
            return row;
    }
    return NULL;
}

static struct st_cause_sum *place_for(struct st_cause_sums *sums, const struct st_cause_sum *row)
{
    struct st_cause_sum *place = find(sums, row->cause, row->culprit);
    const bool full = sums->n >= ST_CAUSE_SUMS_MAX - KEPT_FOR_OTHER;
    const char *culprit = full ? ST_CAUSE_CULPRIT_OTHER : row->culprit;
    if (place == NULL && full)
        place = find(sums, row->cause, culprit);
    if (place != NULL)
        return place;
    place = &sums->rows[sums->n++];
    *place = (struct st_cause_sum){.cause = row->cause};
    ST_PRINT(place->culprit, "%s", culprit);
    return place;
}

void st_cause_sums_add(struct st_cause_sums *sums, const struct st_cause_sum *row)
{
    struct st_cause_sum *to = place_for(sums, row);
    to->n += row->n;
    to->total_ns = st_ns_add(to->total_ns, row->total_ns);
    to->worst_ns = ST_MAX(row->worst_ns, to->worst_ns);
    to->explained_ns = st_ns_add(to->explained_ns, row->explained_ns);
    to->figures = to->figures || row->figures;
}

static int longest_first(const void *a, const void *b)
{
    const struct st_cause_sum *x = a, *y = b;
    if (x->total_ns == y->total_ns)
        return strcmp(x->culprit, y->culprit);
    return x->total_ns < y->total_ns ? 1 : -1;
}

/* A large count for a sentence: "2.7 million", "812". */
static const char *count_text(uint64_t n)
{
    if (n >= UINT64_C(1000000000))
        return st_text("%.1f billion", (double)n / 1e9);
    if (n >= UINT64_C(1000000))
        return st_text("%.1f million", (double)n / 1e6);
    return st_text("%ju", n);
}

/* Finds the cause with the largest sum of lateness. @return that sum (ns). */
static int64_t longest_cause(const struct st_cause_sums *sums, enum st_cause *ret)
{
    int64_t total_ns[ST_CAUSE_COUNT] = {0};
    ST_EACH_OF (row, sums->rows, sums->n)
        total_ns[row->cause] = st_ns_add(total_ns[row->cause], row->total_ns);
    *ret = 0;
    for (int c = 1; c < ST_CAUSE_COUNT; c++) {
        if (total_ns[c] > total_ns[*ret])
            *ret = (enum st_cause)c;
    }
    return total_ns[*ret];
}

/* The main cause and its main culprit: "; main cause, 92 % of that time: another thread had the
 * CPU; 60 % went to clang". The sums must be sorted. */
static const char *most_text(const struct st_cause_sums *sums, int64_t total_ns)
{
    enum st_cause cause;
    const double percent = 100 / (double)total_ns;
    const int64_t most_ns = longest_cause(sums, &cause);
    const char *text = st_text("; main cause, %.0f %% of that time: %s", percent * (double)most_ns,
                               st_cause_kind_text(cause));
    /* the sums are sorted, so the first row with a culprit has the longest total */
    ST_EACH_OF (row, sums->rows, sums->n) {
        if (row->cause == cause && row->culprit[0] != '\0' &&
            !st_text_is(row->culprit, ST_CAUSE_CULPRIT_OTHER))
            return st_text(st_cause_kind_by_exclusion(cause) ? "%s; %.0f %% with %s on the CPU"
                                                             : "%s; %.0f %% went to %s",
                           text, percent * (double)row->total_ns, row->culprit);
    }
    return text;
}

/* Makes the first line: the number of late wake-ups and their main cause. */
static const char *verdict_of(const struct st_cause_sums *sums, const struct st_cause_span *span,
                              uint64_t n)
{
    const char *measured = st_ns_long(span->measured_ns), *wakes = count_text(span->wakes_n);
    int64_t total_ns = 0;
    if (span->wakes_n == 0)
        return "Nothing was measured in this time.";
    if (span->above_ns <= 0) /* no row has a limit for late wake-ups */
        return st_text("In %s the timing test woke up late 0 of %s times.", measured, wakes);
    ST_EACH_OF (row, sums->rows, sums->n)
        total_ns = st_ns_add(total_ns, row->total_ns);
    const char *text = st_text("In %s the timing test woke up more than %s late", measured,
                               st_ns_short(span->above_ns));
    if (span->above_most_ns > span->above_ns)
        text = st_text("%s (with the largest buffer %s)", text, st_ns_short(span->above_most_ns));
    text = st_text("%s %ju of %s times", text, n, wakes);
    if (total_ns > 0)
        text = st_text("%s, %s in all%s", text, st_ns_short(total_ns), most_text(sums, total_ns));
    return st_text("%s.", text);
}

static json_t *row_json(const struct st_cause_sum *row)
{
    const bool explained = row->figures && row->total_ns > 0;
    return st_json_object(
        "cause:t text:t culprit:e count:i total_ns:i worst_ns:i explained:o",
        st_cause_kind_name(row->cause), st_cause_kind_text(row->cause), row->culprit, row->n,
        row->total_ns, row->worst_ns,
        st_json_real_or_null(explained, (double)row->explained_ns / (double)row->total_ns));
}

json_t *st_cause_sums_json(struct st_cause_sums *sums, const struct st_cause_span *span)
{
    json_t *rows = json_array();
    uint64_t n = 0;
    qsort(sums->rows, sums->n, sizeof(sums->rows[0]), longest_first);
    ST_EACH_OF (row, sums->rows, sums->n) {
        n += row->n;
        json_array_append_new(rows, row_json(row));
    }
    return st_json_object(
        "schema:t verdict:s asked_from_ns:n from_ns:i to_ns:i measured_ns:i wakes:i "
        "late_threshold_ns:i late_wakes:i tracer:e rows:o",
        "sleeptune-causes/1", verdict_of(sums, span, n), span->asked_from_wall_ns,
        span->from_wall_ns, span->to_wall_ns, span->measured_ns, span->wakes_n, span->above_ns, n,
        span->tracer, rows);
}
