/* Results of `sleeptune-lab syscall` for people. */
#include "core/ns.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "lab/bench_text.h"
#include "lab/summary.h"
#include "lab/syscall/bench_syscall.h"

#define NAME_COLUMNS 32
#define LINE_BYTES   400

void st_bench_syscall_list(struct st_lab *lab, FILE *out, int width)
{
    const struct st_call_method *m;
    for (size_t i = 0; (m = lab->call_method(lab, i)) != NULL; i++) {
        char text[200];
        struct st_call c;
        int r = st_call_open(&c, lab, m);
        if (r == 0) {
            r = m->call(&c);
            st_call_close(&c);
        }
        if (r != 0)
            ST_PRINT(text, "%s; not available: %s", m->summary, strerror(-r));
        else
            ST_PRINT(text, "%s", m->summary);
        st_text_field(out, m->name, text, NAME_COLUMNS, width);
    }
}

/* A whole number of ns in at most 6 characters: "61", "121043", "2829k". */
static const char *column(double ns, char *buf, size_t buf_bytes)
{
    if (fabs(ns) < 999999.5)
        snprintf(buf, buf_bytes, "%.0f", ns);
    else if (fabs(ns) < 9.9995e7)
        snprintf(buf, buf_bytes, "%.0fk", ns / 1e3);
    else
        snprintf(buf, buf_bytes, "%.0fM", ns / 1e6);
    return buf;
}

static void put_number(FILE *out, bool known, double ns)
{
    fprintf(out, "%7s", known ? column(ns, ST_ROOM(32)) : "-");
}

/* Writes how many samples give a good enough median: an estimate ("about") if the row has fewer
 * than that. */
static void enough_text(const struct st_syscall_row *row, char *buf, size_t buf_bytes)
{
    const unsigned long long n = (unsigned long long)row->summary.n;
    if (row->enough_n > 0)
        snprintf(buf, buf_bytes, "%s%llu samples would be enough",
                 row->enough_n > n ? "about " : "", (unsigned long long)row->enough_n);
    else if (n < st_stats_quantile_min_n(0.5))
        snprintf(buf, buf_bytes,
                 "too few samples to estimate how many would be enough: this needs at least %u",
                 (unsigned)st_stats_quantile_min_n(0.5));
    else if (n < st_summary_median_not_enough_min_n(ST_SYSCALL_ENOUGH_N))
        snprintf(buf, buf_bytes, "after %llu samples it is unclear how many would be enough", n);
    else
        snprintf(buf, buf_bytes, "even %d samples would not be enough", ST_SYSCALL_ENOUGH_N);
}

/* Prints the details of a row: who answers the call, n, offset, amortised cost, how many samples
 * are enough. */
static void details(const struct st_syscall_row *row, FILE *out, int width)
{
    static const char *const who[] = {[ST_PATH_UNKNOWN] = "",
                                      [ST_PATH_VDSO] = "answered by the vDSO; ",
                                      [ST_PATH_LIBRARY] = "answered by the C library; ",
                                      [ST_PATH_SYSCALL] = "answered by the kernel; "};
    char line[LINE_BYTES], values[100];
    const struct st_call_batches *b = &row->batches;
    ST_PRINT(line, "%s%llu samples, %lld ns subtracted", who[row->path],
             (unsigned long long)row->summary.n, (long long)row->offset_ns);
    const struct st_quantile *median = &row->summary.median;
    if (median->interval_known)
        ST_APPEND(line, "; median %lld ns [%lld .. %lld, 95 %%]", (long long)median->value_ns,
                  (long long)median->low_ns, (long long)median->high_ns);
    if (b->known && b->calls_n > 1)
        ST_APPEND(line, "; %s%.1f ns a call in groups of %u",
                  st_bench_syscall_is_below_clock(row) ? "shorter than a clock read: " : "",
                  b->call_ns, (unsigned)b->calls_n);
    if (b->known && b->calls_n > 1 && b->raw_known)
        ST_APPEND(line, ", %.1f ns with syscall(2)", b->raw_ns);
    enough_text(row, values, sizeof(values));
    ST_APPEND(line, "; %s", values);
    st_text_field(out, "", line, 3, width);
}

static void row_lines(const struct st_syscall_row *row, bool brief, FILE *out, int width)
{
    char text[LINE_BYTES];
    if (row->n == 0) {
        const char *why = row->why != NULL ? row->why : "the run ended before the first sample";
        st_bench_text_missing(out, row->method->name, why, row->error, NAME_COLUMNS, width);
        return;
    }
    const struct st_summary *s = &row->summary;
    st_text_pad(out, row->method->name, NAME_COLUMNS);
    put_number(out, true, (double)s->min_ns);
    put_number(out, s->q1.known, (double)s->q1.value_ns);
    put_number(out, s->median.known, (double)s->median.value_ns);
    put_number(out, true, s->mean_ns);
    put_number(out, s->q3.known, (double)s->q3.value_ns);
    put_number(out, true, (double)s->max_ns);
    if (row->outliers_known)
        fprintf(out, "%6llu\n", (unsigned long long)row->outliers_n);
    else
        fprintf(out, "%6s\n", "-");
    if (brief)
        return;
    details(row, out, width);
    if (row->why != NULL) {
        ST_PRINT(text, "then: %s (%s)", row->why, strerror(-row->error));
        st_text_field(out, "", text, 3, width);
    }
}

static void table(const struct st_bench_syscall *bench, enum st_call_mode mode, bool brief,
                  FILE *out, int width)
{
    bool any = false, measured = false;
    ST_EACH_OF (row, bench->rows, bench->rows_n)
        any = any || row->mode == mode;
    if (!any)
        return;
    fprintf(out, "%s\n",
            mode == ST_CALL_FRESH ? "The first call in a new process, ns" : "In one process, ns");
    fprintf(out, "%-*s%7s%7s%7s%7s%7s%7s%6s\n", NAME_COLUMNS, "", "min", "q1", "median", "mean",
            "q3", "max", "outl.");
    ST_EACH_OF (row, bench->rows, bench->rows_n) {
        if (row->mode == mode)
            row_lines(row, brief, out, width);
        measured |= row->mode == mode && row->n > 0;
    }
    if (mode == ST_CALL_FRESH && measured)
        st_text_wrap(
            out,
            "A first call includes more work: the dynamic linker searches for the function (unless "
            "it did so at the start), and code and data that are used for the first time cause "
            "page faults. So a call that is slower here may be faster when a process repeats it.",
            0, width);
    fputc('\n', out);
}

/* --- sentences --- */

static void clock_sentence(const struct st_bench_syscall *bench, struct st_lab *lab, FILE *out,
                           int width)
{
    const struct st_call_batches *b = &bench->clock;
    const char *finding = st_bench_syscall_finding(bench, lab);
    if (!b->known)
        return;
    if (bench->clock_path == ST_PATH_VDSO)
        st_text_say(out, width,
                    "CLOCK_MONOTONIC is read without a system call: in %.4g ns; with a system call "
                    "it takes %.4g ns.",
                    b->call_ns, b->raw_ns);
    else if (finding != NULL)
        st_text_say(out, width,
                    "CLOCK_MONOTONIC is read by a system call: a read takes %.4g ns, by syscall(2) "
                    "%.4g ns. 'sleeptune report %s' explains possible reasons and what helps.",
                    b->call_ns, b->raw_ns, finding);
    else
        st_text_say(out, width,
                    "It is not clear whether CLOCK_MONOTONIC is read without a system call: it "
                    "takes %.4g ns, with a system call %.4g ns.",
                    b->call_ns, b->raw_ns);
}

/* Prints `words`, then the names of all calls whose answers come from `path` (vDSO, kernel ...). */
static void path_sentence(const struct st_bench_syscall *bench, enum st_call_path path,
                          const char *words, FILE *out, int width)
{
    char line[1600];
    size_t n = 0;
    ST_PRINT(line, "%s", words);
    for (size_t i = 0; i < bench->rows_n; i++) {
        const struct st_syscall_row *row = &bench->rows[i];
        if (row->mode == ST_CALL_IN_PROCESS && row->path == path && row->batches.known)
            ST_APPEND(line, "%s%s", n++ > 0 ? ", " : " ", row->method->name);
    }
    if (n == 0)
        return;
    ST_APPEND(line, ".");
    st_text_wrap(out, line, 0, width);
}

/* Explains outliers in rows whose q1 and q3 are equal: there the rule for outliers counts each
 * value that differs. */
static void no_spread_sentence(const struct st_bench_syscall *bench, FILE *out, int width)
{
    size_t n = 0;
    ST_EACH_OF (row, bench->rows, bench->rows_n)
        n += row->iqr_is_zero && row->outliers_n > 0;
    if (n == 0)
        return;
    st_text_say(out, width,
                "In %zu row%s q1 and q3 are equal. In such a row each value that differs from them "
                "counts as an outlier, even if it differs by only one step of the clock.",
                n, n == 1 ? "" : "s");
}

void st_bench_syscall_print(const struct st_bench_syscall *bench, struct st_lab *lab, bool brief,
                            FILE *out, int width)
{
    bool dashes = false;
    ST_EACH_OF (row, bench->rows, bench->rows_n)
        dashes = dashes || (row->n > 0 && !row->outliers_known);
    table(bench, ST_CALL_IN_PROCESS, brief, out, width);
    table(bench, ST_CALL_FRESH, brief, out, width);
    clock_sentence(bench, lab, out, width);
    path_sentence(bench, ST_PATH_VDSO, "Read without a system call, through the vDSO:", out, width);
    path_sentence(bench, ST_PATH_LIBRARY, "Read without a system call, by the C library:", out,
                  width);
    path_sentence(bench, ST_PATH_UNKNOWN, "Not clear:", out, width);
    st_text_say(out, width,
                "The median of the empty measurement is subtracted from all other rows. Outl.: "
                "values more than 1.5 interquartile ranges beyond q1 or q3; all figures include "
                "them, and the first calls, too. k: thousands, M: millions.%s Measured in %s%s.",
                dashes ? " A dash: too few samples (a median needs 20; q1, q3, outliers 40)." : "",
                st_ns_text(bench->elapsed_ns), bench->stopped ? ", ended early" : "");
    no_spread_sentence(bench, out, width);
    st_bench_text_conditions(lab->platform, out, width);
}

/* --- the JSON document sleeptune-bench-syscall/1 --- */

static json_t *batches_json(const struct st_call_batches *b)
{
    if (!b->known)
        return NULL;
    return st_json_object("batches:u calls:u call_ns:d call_ci95_ns:o syscall_ns:o getppid_ns:d",
                          ST_SYSCALL_BATCHES, b->calls_n, b->call_ns,
                          json_pack("[f,f]", b->low_ns, b->high_ns),
                          st_json_real_or_null(b->raw_known, b->raw_ns), b->getppid_ns);
}

static json_t *row_json(const struct st_syscall_row *row)
{
    return st_json_object(
        "call:t mode:t path:t n:i ns:o median_ci95_ns:o offset_ns:o below_clock:b outliers:o "
        "samples_enough:p amortised:o samples_ns:o missing:t error:o",
        row->method->name, st_bench_syscall_mode_name(row->mode), st_call_path_name(row->path),
        row->summary.n, st_summary_json(&row->summary),
        st_summary_interval_json(&row->summary.median),
        st_json_integer_or_null(row->n > 0, row->offset_ns), st_bench_syscall_is_below_clock(row),
        st_json_integer_or_null(row->outliers_known, (json_int_t)row->outliers_n), row->enough_n,
        batches_json(&row->batches), st_summary_integers_json(row->ns, row->n), row->why,
        st_json_error(row->error));
}

static json_t *clock_json(const struct st_bench_syscall *bench, struct st_lab *lab)
{
    return st_json_object("path:t step_ns:p amortised:o finding:t",
                          st_call_path_name(bench->clock_path), bench->clock_step_ns,
                          batches_json(&bench->clock), st_bench_syscall_finding(bench, lab));
}

json_t *st_bench_syscall_json(const struct st_bench_syscall *bench, struct st_lab *lab)
{
    json_t *results = json_array();
    ST_EACH_OF (row, bench->rows, bench->rows_n)
        (void)json_array_append_new(results, row_json(row));
    return st_json_object("schema:t elapsed_ns:i interrupted:b clock:o results:o conditions:o",
                          "sleeptune-bench-syscall/1", bench->elapsed_ns, bench->stopped,
                          clock_json(bench, lab), results,
                          st_bench_text_conditions_json(lab->platform));
}
