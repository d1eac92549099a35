/* Results of `sleeptune-lab sleep` for people. */
#include "lab/sleep/bench_sleep.h"

#include "core/ns.h"
#include "core/text/text.h"
#include "lab/bench_text.h"

#define NAME_COLUMNS   30
#define MATRIX_COLUMNS 8 /* "1050 12 " */

/* For a column with room for four digits: "9999", "148k", "1.5M". */
static const char *narrow_us(double ns, char *buf, size_t buf_bytes)
{
    const double k = ns / 1e6;
    if (fabs(k) < 9.9995)
        return st_bench_text_us(ns, buf, buf_bytes);
    if (fabs(k) < 999.5)
        snprintf(buf, buf_bytes, "%.0fk", k);
    else
        snprintf(buf, buf_bytes, "%.*fM", fabs(k) < 9950 ? 1 : 0, k / 1000);
    return buf;
}

/* "5 ms", "1.33 ms", "500 µs": what was asked for. */
static const char *asked(int64_t ns, char *buf, size_t buf_bytes)
{
    const double ms = (double)ns / 1e6;
    const bool whole = ns % ST_NS_PER_MS == 0;
    if (ns < ST_NS_PER_MS)
        snprintf(buf, buf_bytes, "%.0f µs", ms * 1000);
    else
        snprintf(buf, buf_bytes, "%.*f ms", whole ? 0 : ms < 9.995 ? 2 : ms < 99.95 ? 1 : 0, ms);
    return buf;
}

/* Microseconds of a median, to the ns below 10: the clock has them. */
static const char *exact_us(double ns, char *buf, size_t buf_bytes)
{
    const double size = fabs(ns / 1e3);
    if (size >= 9999.5)
        return narrow_us(ns, buf, buf_bytes);
    snprintf(buf, buf_bytes, "%.*f", size < 9.9995 ? 3 : size < 99.995 ? 2 : size < 999.95 ? 1 : 0, ns / 1e3);
    return buf;
}

static const char *us_or_dash(const struct st_quantile *q, char *buf, size_t buf_bytes)
{
    return q->known ? st_bench_text_us((double)q->value_ns, buf, buf_bytes) : "-";
}

void st_bench_sleep_list(struct st_lab *lab, FILE *out, int width)
{
    const struct st_sleep_method *m;
    int name_columns = NAME_COLUMNS;
    for (size_t i = 0; (m = lab->sleep_method(lab, i)) != NULL; i++) {
        const int columns = st_text_columns(m->name) + 1;
        name_columns = columns > name_columns && columns <= width / 2 ? columns : name_columns;
    }
    for (size_t i = 0; (m = lab->sleep_method(lab, i)) != NULL; i++) {
        char text[240];
        struct st_sleep s;
        const int r = st_sleep_open(&s, lab->platform, m);
        ST_PRINT(text, "%s; %s, clock %s, stretched: %s", m->summary, st_bench_sleep_asked_name(m->asked),
                 m->clock, st_bench_sleep_stretch_name(m->stretch));
        if (m->unit_ns > 1)
            ST_APPEND(text, ", in steps of %s", ST_NS(m->unit_ns));
        if (r == 0)
            st_sleep_close(&s);
        else
            ST_APPEND(text, "; not available: %s", strerror(-r));
        st_text_field(out, m->name, text, name_columns, width);
    }
}

static void samples_range(const struct st_bench_sleep *bench, size_t *ret_least, size_t *ret_most)
{
    const int64_t block_ns = st_bench_sleep_block_ns(bench);
    const double blocks = (double)bench->config.budget_ns / (double)block_ns;
    *ret_least = SIZE_MAX;
    *ret_most = 0;
    ST_EACH_OF (duration, bench->config.durations_ns, bench->config.durations_n) {
        const size_t n = (size_t)(blocks * (double)st_bench_sleep_visit_n(bench, *duration));
        *ret_least = n < *ret_least ? n : *ret_least;
        *ret_most = n > *ret_most ? n : *ret_most;
    }
}

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

void st_bench_sleep_announce(const struct st_bench_sleep *bench, FILE *out, int width)
{
    const struct st_bench_sleep_config *c = &bench->config;
    char text[400];
    size_t least, most;
    samples_range(bench, &least, &most);
    ST_PRINT(text,
             "%zu method%s, %zu duration%s, %zu setting%s in random order (seed %" PRIu64 "). This "
             "takes at most %s and gives about %zu",
             c->methods_n, plural(c->methods_n), c->durations_n, plural(c->durations_n), c->settings_n,
             plural(c->settings_n), c->seed, ST_NS(c->budget_ns), least);
    if (least < most)
        ST_APPEND(text, " to %zu", most);
    ST_APPEND(text, " samples for each combination.");
    st_text_wrap(out, text, 0, width);
    if (least < st_stats_quantile_min_n(0.5))
        st_text_wrap(out, "Too short for some medians, which need 20 samples. Set a longer --budget.", 0,
                     width);
}

/* --- one setting and duration --- */

static void missing_line(const struct st_sleep_cell *cell, FILE *out, int width)
{
    st_bench_text_missing(out, cell->method->name, cell->why, cell->error, NAME_COLUMNS + 3, width);
}

/* A name in its columns; one that is longer has a line of its own. */
static void method_name(FILE *out, const char *name, int columns, int indent)
{
    if (st_text_columns(name) >= columns) {
        fprintf(out, "%s\n", name);
        name = "";
        fprintf(out, "%*s", indent, "");
    }
    fprintf(out, "%-*s", columns, name);
}

static const char *ratio_text(const struct st_estimate *ratio, char *buf, size_t buf_bytes)
{
    if (!ratio->known)
        snprintf(buf, buf_bytes, "-");
    else
        snprintf(buf, buf_bytes, "%s [%s, %s]", st_bench_text_digits(ratio->value, ST_ROOM(16)),
                 st_bench_text_digits(ratio->low, ST_ROOM(16)),
                 st_bench_text_digits(ratio->high, ST_ROOM(16)));
    return buf;
}

static void cell_lines(const struct st_sleep_cell *cell, const struct st_sleep_figures *f, bool baseline,
                       FILE *out, int width)
{
    const struct st_summary *s = &f->overshoot;
    char rank[16] = "-", interval[40] = "-", percent[16] = "-", line[320];
    if (cell->n == 0) {
        if (cell->why == NULL)
            st_text_field(out, cell->method->name, "no sample in the time given", NAME_COLUMNS + 3, width);
        else
            missing_line(cell, out, width);
        return;
    }
    if (f->rank > 0)
        ST_PRINT(rank, "%u", f->rank);
    if (s->median.interval_known)
        ST_PRINT(interval, "%s .. %s", exact_us((double)s->median.low_ns, ST_ROOM(16)),
                 exact_us((double)s->median.high_ns, ST_ROOM(16)));
    const char *spread = ST_TEXT(40, "%s ± %s", narrow_us(s->mean_ns, ST_ROOM(16)),
                                 s->sd_known ? narrow_us(s->sd_ns, ST_ROOM(16)) : "-");
    if (f->percent_known)
        ST_PRINT(percent, "%.*f", f->percent < 999.995 ? 2 : 0, f->percent);
    fprintf(out, "%2s ", rank);
    method_name(out, cell->method->name, NAME_COLUMNS - 1, 3);
    fprintf(out, "%5zu %6s ", cell->n,
            s->median.known ? exact_us((double)s->median.value_ns, ST_ROOM(16)) : "-");
    st_text_pad(out, interval, 15);
    fprintf(out, "%6s  %s\n", percent, spread);
    ST_PRINT(line, "min %s, q1 %s, q3 %s, p95 %s, p99 %s, max %s; on time %.3g %%; CPU %s",
             st_bench_text_us((double)s->min_ns, ST_ROOM(16)), us_or_dash(&s->q1, ST_ROOM(16)),
             us_or_dash(&s->q3, ST_ROOM(16)), us_or_dash(&s->p95, ST_ROOM(16)),
             us_or_dash(&s->p99, ST_ROOM(16)), st_bench_text_us((double)s->max_ns, ST_ROOM(16)),
             100 * f->on_time, f->cpu_ns >= 0 ? st_bench_text_us(f->cpu_ns, ST_ROOM(16)) : "-");
    if (!baseline && f->range_ratio_known)
        ST_APPEND(line, "; sd × %s, range × %.2f", ratio_text(&f->sd_ratio, ST_ROOM(64)), f->range_ratio);
    if (cell->interrupted_n > 0)
        ST_APPEND(line, "; %" PRIu64 " sleeps ended by a signal, not counted", cell->interrupted_n);
    if (f->rank == 0)
        ST_APPEND(line, "; too few samples: a median needs 20");
    st_text_field(out, "", line, 3, width);
    if (cell->why != NULL)
        missing_line(cell, out, width);
}

static void group(const struct st_bench_sleep *bench, const struct st_sleep_figures *figures, size_t setting,
                  size_t duration, FILE *out, int width)
{
    fprintf(out, "%s, %s\n", asked(bench->config.durations_ns[duration], ST_ROOM(32)),
            st_bench_sleep_setting_text(bench, setting, ST_ROOM(120)));
    fprintf(out, " # %-*s%5s %6s %-15s%6s  %s\n", NAME_COLUMNS, "overshoot in µs", "n", "median",
            "95 % interval", "%", "mean ± sd");
    for (size_t i = 0; i < bench->config.methods_n; i++) {
        const struct st_sleep_cell *cell = st_bench_sleep_cell(bench, setting, duration, i);
        if (st_bench_sleep_measured(bench, i))
            cell_lines(cell, &figures[cell - bench->cells], i == bench->config.baseline, out, width);
    }
    fputc('\n', out);
}

/* --- medians and ranks side by side --- */

static void matrix_cell(FILE *out, const char *text, bool last)
{
    if (last)
        fputs(text, out);
    else
        st_text_pad(out, text, MATRIX_COLUMNS);
}

static void matrix_rows(const struct st_bench_sleep *bench, const struct st_sleep_figures *figures,
                        size_t setting, size_t first, size_t last, FILE *out)
{
    char text[40];
    method_name(out, "", NAME_COLUMNS, 0);
    for (size_t d = first; d < last; d++)
        matrix_cell(out, asked(bench->config.durations_ns[d], text, sizeof(text)), d + 1 == last);
    fputc('\n', out);
    for (size_t i = 0; i < bench->config.methods_n; i++) {
        if (!st_bench_sleep_measured(bench, i))
            continue;
        method_name(out, bench->config.methods[i]->name, NAME_COLUMNS, 0);
        for (size_t d = first; d < last; d++) {
            const struct st_sleep_figures *f =
                &figures[st_bench_sleep_cell(bench, setting, d, i) - bench->cells];
            if (f->rank > 0)
                ST_PRINT(text, "%s %u", exact_us((double)f->overshoot.median.value_ns, ST_ROOM(16)), f->rank);
            else
                ST_PRINT(text, "-");
            matrix_cell(out, text, d + 1 == last);
        }
        fputc('\n', out);
    }
}

static void matrix(const struct st_bench_sleep *bench, const struct st_sleep_figures *figures, size_t setting,
                   FILE *out, int width)
{
    const size_t durations_n = bench->config.durations_n;
    const size_t fit_n =
        width > NAME_COLUMNS + MATRIX_COLUMNS ? (size_t)((width - NAME_COLUMNS) / MATRIX_COLUMNS) : 1;
    fprintf(out, "Median lateness in µs, and rank: %s\n",
            st_bench_sleep_setting_text(bench, setting, ST_ROOM(120)));
    for (size_t first = 0; first < durations_n; first += fit_n)
        matrix_rows(bench, figures, setting, first, first + fit_n < durations_n ? first + fit_n : durations_n,
                    out);
    fputc('\n', out);
}

/* Why some have no sample at all, once. */
static void missing(const struct st_bench_sleep *bench, FILE *out, int width)
{
    size_t n = 0;
    for (size_t i = 0; i < bench->config.methods_n; i++) {
        const struct st_sleep_cell *cell = st_bench_sleep_cell(bench, 0, 0, i);
        if (st_bench_sleep_measured(bench, i))
            continue;
        n++;
        if (cell->why != NULL)
            missing_line(cell, out, width);
        else
            st_text_field(out, cell->method->name, "no sample in the time given", NAME_COLUMNS + 3, width);
    }
    if (n > 0)
        fputc('\n', out);
}

static size_t ranked_n(const struct st_bench_sleep *bench, const struct st_sleep_figures *figures,
                       size_t setting, size_t duration)
{
    const size_t first = (size_t)(st_bench_sleep_cell(bench, setting, duration, 0) - bench->cells);
    size_t n = 0;
    for (size_t i = 0; i < bench->config.methods_n; i++)
        n += figures[first + i].rank > 0;
    return n;
}

/* How often none was shown to be earlier than a method, of two or more: the most. Not counting those of rank
 * 1 that are, in a chain. */
static void best_sentence(const struct st_bench_sleep *bench, const struct st_sleep_figures *figures,
                          size_t setting, FILE *out, int width)
{
    const size_t durations_n = bench->config.durations_n;
    char line[1024];
    size_t most = 0;
    size_t firsts[64] = {0};
    for (size_t i = 0; i < bench->config.methods_n && i < ST_ARRAY_LEN(firsts); i++) {
        for (size_t d = 0; d < durations_n; d++) {
            const struct st_sleep_figures *f =
                &figures[st_bench_sleep_cell(bench, setting, d, i) - bench->cells];
            firsts[i] += f->rank > 0 && f->beaten_by_n == 0 && ranked_n(bench, figures, setting, d) > 1;
        }
        most = firsts[i] > most ? firsts[i] : most;
    }
    if (most == 0)
        return;
    ST_PRINT(line, "Most exact (%s; at %zu of %zu duration%s no method was clearly better): ",
             st_bench_sleep_setting_text(bench, setting, ST_ROOM(120)), most, durations_n,
             durations_n == 1 ? "" : "s");
    size_t n = 0;
    for (size_t i = 0; i < bench->config.methods_n && i < ST_ARRAY_LEN(firsts); i++) {
        if (firsts[i] == most)
            ST_APPEND(line, "%s%s", n++ > 0 ? ", " : "", bench->config.methods[i]->name);
    }
    ST_APPEND(line, "%s.",
              n > 1 && most == durations_n ? "; this run shows no difference between these methods" : "");
    st_text_wrap(out, line, 0, width);
}

#define RANK_BEGINS                                                                                          \
    "methods with the same rank may be equally exact; a method with a higher number wakes later than each "  \
    "method with a lower number (95 % confidence for all pairs together)."

/* What the ranks beside the medians mean, where there is one. */
static void rank_sentence(const struct st_bench_sleep *bench, const struct st_sleep_figures *figures,
                          FILE *out, int width)
{
    ST_EACH_OF (figure, figures, bench->cells_n) {
        if (figure->rank > 0) {
            st_text_wrap(out, "The number after a median is its rank; " RANK_BEGINS, 0, width);
            return;
        }
    }
}

/* --- what dashes stand for --- */

/* Without a figure although there may be some later: it was not refused. */
static bool lacks_samples(const struct st_bench_sleep *bench, size_t i)
{
    return bench->cells[i].why == NULL && st_bench_sleep_measured(bench, i % bench->config.methods_n);
}

/* Once for each setting: why methods that were measured elsewhere have no figure with it. */
static void refused(const struct st_bench_sleep *bench, const struct st_sleep_figures *figures, FILE *out,
                    int width)
{
    size_t told = SIZE_MAX;
    for (size_t i = 0; i < bench->cells_n; i++) {
        const struct st_sleep_cell *cell = &bench->cells[i];
        if (cell->why == NULL || figures[i].rank > 0 || cell->setting == told ||
            !st_bench_sleep_measured(bench, i % bench->config.methods_n))
            continue;
        told = cell->setting;
        st_text_say(out, width, "A dash: not measured, because %s%s%s%s (%s).", cell->why,
                    cell->error != 0 ? " (" : "", cell->error != 0 ? strerror(-cell->error) : "",
                    cell->error != 0 ? ")" : "",
                    st_bench_sleep_setting_text(bench, cell->setting, ST_ROOM(120)));
    }
}

/* --- too few samples --- */

/* Is there one? brief: of medians only; of all figures p99 takes the most samples. */
static bool has_dash(const struct st_bench_sleep *bench, const struct st_sleep_figures *figures, bool brief)
{
    for (size_t i = 0; i < bench->cells_n; i++) {
        const struct st_summary *s = &figures[i].overshoot;
        /* without a sample it has a line of its own, but for brief ones */
        if (lacks_samples(bench, i) && (brief ? !s->median.known : bench->cells[i].n > 0 && !s->p99.known))
            return true;
    }
    return false;
}

/* What dashes stand for, where there are some: what was refused and why (when brief; else it stands in the
 * tables), how many samples the figures take. */
static void dashes(const struct st_bench_sleep *bench, const struct st_sleep_figures *figures, bool brief,
                   FILE *out, int width)
{
    if (brief)
        refused(bench, figures, out, width);
    if (!has_dash(bench, figures, brief))
        return;
    if (brief)
        st_text_say(out, width, "A dash: fewer than %u samples, too few for a median. Set a longer --budget.",
                    (unsigned)st_stats_quantile_min_n(0.5));
    else
        st_text_say(out, width,
                    "A dash: too few samples. A median needs %u, q1 and q3 need %u, p95 %u, p99 %u. Set a "
                    "longer --budget and --precision 0.",
                    (unsigned)st_stats_quantile_min_n(0.5), (unsigned)st_stats_quantile_min_n(0.75),
                    (unsigned)st_stats_quantile_min_n(0.95), (unsigned)st_stats_quantile_min_n(0.99));
}

/* --- all of it --- */

void st_bench_sleep_print(const struct st_bench_sleep *bench, const struct st_sleep_figures *figures,
                          struct st_machine *machine, bool brief, FILE *out, int width)
{
    const struct st_bench_sleep_config *c = &bench->config;
    char text[ST_SLEEP_SENTENCE_BYTES] = "";
    bool any = false;
    for (size_t i = 0; i < c->methods_n; i++)
        any = any || st_bench_sleep_measured(bench, i);
    if (!any) {
        missing(bench, out, width);
        return;
    }
    if (!brief) {
        for (size_t s = 0; s < c->settings_n; s++) {
            for (size_t d = 0; d < c->durations_n; d++)
                group(bench, figures, s, d, out, width);
        }
        st_text_say(
            out, width,
            "Column #: rank by median; %s Column %%: median overshoot in per cent of the requested sleep. "
            "On time: the share of sleeps that ended within 100 ns of the due time. CPU: CPU time of one "
            "sleep in µs, user and system together, because the kernel cannot separate such short times. "
            "sd ×, range ×: standard deviation and range divided by those of %s.",
            RANK_BEGINS, c->methods[c->baseline]->name);
        fputc('\n', out);
    }
    for (size_t s = 0; s < c->settings_n; s++)
        matrix(bench, figures, s, out, width);
    missing(bench, out, width);
    if (brief)
        rank_sentence(bench, figures, out, width);
    dashes(bench, figures, brief, out, width);
    for (size_t s = 0; s < c->settings_n; s++)
        best_sentence(bench, figures, s, out, width);
    if (st_bench_sleep_stretch_sentence(bench, machine, text, sizeof(text)) == 0)
        st_text_wrap(out, text, 0, width);
    st_text_say(out, width, "%" PRIu32 " block%s in %s, seed %" PRIu64 "%s.", bench->blocks_n,
                bench->blocks_n == 1 ? "" : "s", ST_NS(bench->elapsed_ns), c->seed,
                bench->stopped ? ", ended early" : "");
    st_bench_text_conditions(machine, out, width);
}
