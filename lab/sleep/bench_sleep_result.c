#include "lab/bench_text.h"
#include "lab/sleep/bench_sleep.h"

#include "core/ns.h"
#include "core/text/json.h"
#include "core/text/number.h"
#include "core/tick.h"
#include "lab/rank.h"
#include "lab/summary.h"

/* --- block by block --- */

/* The values from *at on that belong to one block: their median. Moves *at behind them. */
static int64_t block_median(const struct st_sleep_cell *cell, size_t *at, int64_t *scratch)
{
    const uint32_t block = cell->blocks[*at];
    size_t n = 0;
    for (; *at < cell->n && cell->blocks[*at] == block; ++*at)
        scratch[n++] = cell->overshoot_ns[*at];
    const struct st_sample sample = st_sample_of(scratch, n);
    return n % 2 == 1 ? sample.values_ns[n / 2] : (sample.values_ns[n / 2 - 1] + sample.values_ns[n / 2]) / 2;
}

/* Adds the differences B - A of the blocks that both were measured in. scratch: room for a block of each. */
static size_t differences(const struct st_sleep_cell *a, const struct st_sleep_cell *b, int64_t *scratch,
                          int64_t *out)
{
    size_t i = 0, j = 0, n = 0;
    while (i < a->n && j < b->n) {
        if (a->blocks[i] < b->blocks[j]) {
            i++;
        } else if (b->blocks[j] < a->blocks[i]) {
            j++;
        } else {
            const int64_t median_a = block_median(a, &i, scratch);
            out[n++] = block_median(b, &j, scratch) - median_a;
        }
    }
    return n;
}

bool st_bench_sleep_measured(const struct st_bench_sleep *bench, size_t method)
{
    for (size_t i = method; i < bench->cells_n; i += bench->config.methods_n) {
        if (bench->cells[i].n > 0)
            return true;
    }
    return false;
}

static size_t most_samples(const struct st_bench_sleep *bench)
{
    size_t most_n = 0;
    ST_EACH_OF (cell, bench->cells, bench->cells_n)
        most_n = cell->n > most_n ? cell->n : most_n;
    return most_n;
}

int st_bench_sleep_difference(const struct st_sleep_cell *a, const struct st_sleep_cell *b, double confidence,
                              struct st_quantile *ret)
{
    const size_t most_n = a->n > b->n ? a->n : b->n;
    int64_t *room = calloc(2 * (most_n + 1), sizeof(*room));
    if (room == NULL)
        return -ENOMEM;
    *ret = st_summary_median_interval(room, differences(a, b, room + most_n + 1, room), confidence);
    free(room);
    return 0;
}

/* --- figures --- */

static int difference(const void *ctx, size_t a, size_t b, double confidence, struct st_quantile *ret)
{
    const struct st_bench_sleep *bench = ctx;
    return st_bench_sleep_difference(&bench->cells[a], &bench->cells[b], confidence, ret);
}

/* Ranks of one setting and duration. order: room for all methods. */
static int rank(const struct st_bench_sleep *bench, size_t first, struct st_sleep_figures *figures,
                struct st_ranked *order)
{
    size_t n = 0;
    for (size_t i = first; i < first + bench->config.methods_n; i++) {
        const struct st_quantile *median = &figures[i].overshoot.median;
        if (median->known)
            order[n++] = (struct st_ranked){.id = i, .median_ns = median->value_ns};
    }
    double confidence;
    const int r = st_rank(order, n, difference, bench, &confidence);
    for (size_t i = 0; i < n && r == 0; i++) {
        struct st_sleep_figures *f = &figures[order[i].id];
        f->rank = order[i].rank;
        f->beaten_by_n = order[i].better_n;
    }
    return r;
}

static void figures_of(const struct st_sleep_cell *cell, const struct st_sample *sample,
                       struct st_sleep_figures *f)
{
    st_summary_of(sample, &f->overshoot);
    f->percent_known = f->overshoot.median.known;
    f->percent = 100.0 * (double)f->overshoot.median.value_ns / (double)cell->requested_ns;
    f->on_time = cell->n > 0 ? (double)cell->on_time_n / (double)cell->n : 0;
    f->cpu_ns = cell->cpu_sleeps_n > 0 ? (double)cell->cpu_ns / (double)cell->cpu_sleeps_n : -1;
}

/* All of one setting and duration. values: each cell's, sorted. */
static void compare_group(const struct st_bench_sleep *bench, size_t first, const struct st_sample *samples,
                          struct st_sleep_figures *figures)
{
    const size_t base = first + bench->config.baseline;
    const struct st_summary *b = &figures[base].overshoot;
    for (size_t i = first; i < first + bench->config.methods_n; i++) {
        struct st_sleep_figures *f = &figures[i];
        st_summary_sd_ratio(&samples[base], &samples[i], &f->sd_ratio);
        f->range_ratio_known = b->n >= 2 && b->max_ns > b->min_ns && f->overshoot.n >= 2;
        if (f->range_ratio_known)
            f->range_ratio =
                (double)(f->overshoot.max_ns - f->overshoot.min_ns) / (double)(b->max_ns - b->min_ns);
    }
}

static int fill(const struct st_bench_sleep *bench, struct st_sample *samples, struct st_ranked *order,
                struct st_sleep_figures *figures)
{
    for (size_t i = 0; i < bench->cells_n; i++) {
        const struct st_sleep_cell *cell = &bench->cells[i];
        int64_t *copy = calloc(cell->n + 1, sizeof(*copy));
        if (copy == NULL)
            return -ENOMEM;
        if (cell->n > 0)
            memcpy(copy, cell->overshoot_ns, cell->n * sizeof(*copy));
        samples[i] = st_sample_of(copy, cell->n);
        figures_of(cell, &samples[i], &figures[i]);
    }
    for (size_t first = 0; first < bench->cells_n; first += bench->config.methods_n) {
        compare_group(bench, first, samples, figures);
        const int r = rank(bench, first, figures, order);
        if (r != 0)
            return r;
    }
    return 0;
}

int st_bench_sleep_figures(const struct st_bench_sleep *bench, struct st_sleep_figures **ret)
{
    struct st_sleep_figures *figures = calloc(bench->cells_n, sizeof(*figures));
    struct st_sample *samples = calloc(bench->cells_n, sizeof(*samples));
    struct st_ranked *order = calloc(bench->config.methods_n, sizeof(*order));
    int r = -ENOMEM;
    if (figures != NULL && samples != NULL && order != NULL)
        r = fill(bench, samples, order, figures);
    for (size_t i = 0; samples != NULL && i < bench->cells_n; i++) {
        int64_t *values;
        memcpy(&values, &samples[i].values_ns, sizeof(values)); /* ours; the sample only reads them */
        free(values);
    }
    free(samples);
    free(order);
    if (r == 0)
        *ret = figures;
    else
        free(figures);
    return r;
}

/* --- what the kernel's setting does --- */

static int64_t slack_of(const struct st_bench_sleep *bench, size_t setting)
{
    const int64_t slack_ns = bench->config.settings[setting].slack_ns;
    return slack_ns >= 0 ? slack_ns : bench->slack_found_ns;
}

static struct st_sleep_contrast linux_contrast(const struct st_bench_sleep *bench)
{
    struct st_sleep_contrast c = {0};
    size_t normal_n = 0;
    for (size_t i = 0; i < bench->config.settings_n; i++) {
        if (bench->config.settings[i].policy != ST_POLICY_OTHER)
            continue; /* a real-time thread has no slack */
        if (normal_n == 0 || slack_of(bench, i) < slack_of(bench, c.low))
            c.low = i;
        if (normal_n == 0 || slack_of(bench, i) > slack_of(bench, c.high))
            c.high = i;
        normal_n++;
    }
    if (normal_n < 2)
        return (struct st_sleep_contrast){0};
    c.low_ns = slack_of(bench, c.low);
    c.high_ns = slack_of(bench, c.high);
    c.allowed_ns = c.high_ns - c.low_ns;
    return c;
}

static bool read_number(struct st_machine *machine, const char *name, int64_t *ret)
{
    char text[32];
    size_t len;
    return machine->read_sysctl(machine, name, text, sizeof(text), &len) == 0 &&
           st_number_i64(text, INT64_MIN, INT64_MAX, ret) == 0;
}

static struct st_sleep_contrast freebsd_contrast(const struct st_bench_sleep *bench,
                                                 struct st_machine *machine)
{
    struct st_sleep_contrast c = {0};
    const int64_t *durations_ns = bench->config.durations_ns;
    int64_t percent, hz;
    struct st_tick_late low, high;
    for (size_t i = 0; i < bench->config.durations_n; i++) {
        c.low = durations_ns[i] < durations_ns[c.low] ? i : c.low;
        c.high = durations_ns[i] > durations_ns[c.high] ? i : c.high;
    }
    c.low_ns = durations_ns[c.low];
    c.high_ns = durations_ns[c.high];
    if (!read_number(machine, "kern.timecounter.alloweddeviation", &percent) ||
        !read_number(machine, "kern.hz", &hz) || st_tick_late(percent, hz, (double)c.low_ns, &low) != 0 ||
        st_tick_late(percent, hz, (double)c.high_ns, &high) != 0)
        return (struct st_sleep_contrast){0};
    c.allowed_ns = (int64_t)(high.slop_ns - low.slop_ns);
    return c;
}

static struct st_sleep_contrast st_bench_sleep_contrast(const struct st_bench_sleep *bench,
                                                        struct st_machine *machine)
{
    const struct st_sleep_contrast c =
        machine->os == ST_OS_FREEBSD ? freebsd_contrast(bench, machine) : linux_contrast(bench);
    return c.allowed_ns > 0 ? c : (struct st_sleep_contrast){0};
}

static int measure_contrast(const struct st_bench_sleep *bench, const struct st_machine *machine,
                            const struct st_sleep_contrast *c, size_t method, struct st_quantile *ret)
{
    const size_t durations_n = bench->config.durations_n, most_n = most_samples(bench);
    int64_t *room = calloc((durations_n + 1) * (most_n + 1), sizeof(*room));
    if (room == NULL)
        return -ENOMEM;
    int64_t *scratch = room + durations_n * (most_n + 1);
    size_t n = 0;
    if (machine->os == ST_OS_FREEBSD) {
        n = differences(st_bench_sleep_cell(bench, 0, c->low, method),
                        st_bench_sleep_cell(bench, 0, c->high, method), scratch, room);
    } else {
        for (size_t d = 0; d < durations_n; d++)
            n += differences(st_bench_sleep_cell(bench, c->low, d, method),
                             st_bench_sleep_cell(bench, c->high, d, method), scratch, room + n);
    }
    *ret = st_summary_median_interval(room, n, 0.95);
    free(room);
    return 0;
}

/* Two durations: a method that rounds them to steps differs by the rounding, too, and what is far more than
 * may be added is rounding to a step that the method does not tell (timers that count ticks). */
static enum st_stretch_seen judge(const struct st_quantile *difference, int64_t allowed_ns,
                                  bool two_durations, int64_t step_ns)
{
    if (!difference->interval_known)
        return ST_STRETCH_UNCLEAR;
    if (two_durations && (step_ns >= allowed_ns / 2 || difference->low_ns > 2 * allowed_ns))
        return ST_STRETCH_UNCLEAR;
    if (difference->low_ns > allowed_ns / 2)
        return ST_STRETCH_SEEN;
    return difference->high_ns < allowed_ns / 2 ? ST_STRETCH_NOT_SEEN : ST_STRETCH_UNCLEAR;
}

int st_bench_sleep_stretch(const struct st_bench_sleep *bench, struct st_machine *machine, size_t method,
                           enum st_stretch_seen *ret_seen, struct st_quantile *ret)
{
    const struct st_sleep_contrast c = st_bench_sleep_contrast(bench, machine);
    *ret = (struct st_quantile){.p = 0.5};
    *ret_seen = ST_STRETCH_UNTRIED;
    if (c.allowed_ns == 0 || !st_bench_sleep_measured(bench, method))
        return 0;
    const int r = measure_contrast(bench, machine, &c, method, ret);
    if (r == 0)
        *ret_seen =
            judge(ret, c.allowed_ns, machine->os == ST_OS_FREEBSD, bench->config.methods[method]->unit_ns);
    return r;
}

/* What the figures say, in words. */

const char *st_bench_sleep_setting_text(const struct st_bench_sleep *bench, size_t setting, char *buf,
                                        size_t buf_bytes)
{
    const struct st_sleep_setting *s = &bench->config.settings[setting];
    char slack[32];
    if (s->policy != ST_POLICY_OTHER)
        snprintf(buf, buf_bytes, "SCHED_%s %d", s->policy == ST_POLICY_FIFO ? "FIFO" : "RR", s->priority);
    else if (s->slack_ns >= 0)
        snprintf(buf, buf_bytes, "normal thread, timer slack %s",
                 st_ns_format(s->slack_ns, slack, sizeof(slack)));
    else if (bench->slack_found_ns >= 0)
        snprintf(buf, buf_bytes, "normal thread, timer slack %s, unchanged",
                 st_ns_format(bench->slack_found_ns, slack, sizeof(slack)));
    else
        snprintf(buf, buf_bytes, "normal thread");
    return buf;
}

#define DEVIATION "kern.timecounter.alloweddeviation"

/* Methods of one kind, with the difference where it was measured. */
static void list(FILE *out, const struct st_bench_sleep *bench, const enum st_stretch_seen *seen,
                 const struct st_quantile *differences, enum st_stretch_seen kind)
{
    size_t n = 0;
    for (size_t i = 0; i < bench->config.methods_n; i++) {
        if (seen[i] != kind)
            continue;
        fprintf(out, "%s%s", n++ > 0 ? ", " : "", bench->config.methods[i]->name);
        if (differences[i].known)
            fprintf(out, " (%s%s)", differences[i].value_ns > 0 ? "+" : "", ST_NS(differences[i].value_ns));
    }
}

/* "A timer slack of 50.0 µs instead of 1 ns" and the like. */
static void write_contrast(FILE *out, const struct st_machine *machine, const struct st_sleep_contrast *c)
{
    const char *low = ST_NS(c->low_ns);
    const char *high = ST_NS(c->high_ns);
    if (machine->os == ST_OS_FREEBSD)
        fprintf(out, "%s (which allows %s more lateness for sleeps of %s than of %s)", DEVIATION,
                ST_NS(c->allowed_ns), high, low);
    else
        fprintf(out, "A timer slack of %s instead of %s", high, low);
}

/* Sleeps of a method at one end of the contrast. */
static size_t sleeps_n(const struct st_bench_sleep *bench, const struct st_machine *machine, size_t end,
                       size_t method)
{
    size_t n = 0;
    if (machine->os == ST_OS_FREEBSD)
        return st_bench_sleep_cell(bench, 0, end, method)->n;
    for (size_t d = 0; d < bench->config.durations_n; d++)
        n += st_bench_sleep_cell(bench, end, d, method)->n;
    return n;
}

/* The least of them, of those that were tried. */
static size_t least_n(const struct st_bench_sleep *bench, const struct st_machine *machine,
                      const enum st_stretch_seen *seen, const struct st_sleep_contrast *c)
{
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < bench->config.methods_n; i++) {
        if (seen[i] == ST_STRETCH_UNTRIED)
            continue;
        const size_t low = sleeps_n(bench, machine, c->low, i), high = sleeps_n(bench, machine, c->high, i);
        least = low < least ? low : least;
        least = high < least ? high : least;
    }
    return least;
}

static void write_seen(FILE *out, const struct st_bench_sleep *bench, const struct st_machine *machine,
                       const enum st_stretch_seen *seen, const struct st_quantile *differences,
                       const struct st_sleep_contrast *c)
{
    size_t n[ST_STRETCH_UNTRIED + 1] = {0};
    ST_EACH_OF (place, seen, bench->config.methods_n)
        n[*place]++;
    const bool some = n[ST_STRETCH_SEEN] > 0;
    if (!some && n[ST_STRETCH_NOT_SEEN] == 0) {
        write_contrast(out, machine, c);
        fputs(" may or may not make sleeps longer: this run is too short to show it.", out);
        return;
    }
    write_contrast(out, machine, c);
    fputs(some ? " makes sleeps longer with " : " makes sleeps longer with none of the methods", out);
    list(out, bench, seen, differences, ST_STRETCH_SEEN);
    if (n[ST_STRETCH_NOT_SEEN] > 0)
        fputs(some ? ", but not with " : ": not with ", out);
    list(out, bench, seen, differences, ST_STRETCH_NOT_SEEN);
    if (n[ST_STRETCH_UNCLEAR] > 0)
        fputs("; not clear from this run for ", out);
    list(out, bench, seen, differences, ST_STRETCH_UNCLEAR);
    fprintf(out, ". Each method slept at least %zu times with each %s.", least_n(bench, machine, seen, c),
            machine->os == ST_OS_FREEBSD ? "duration" : "slack");
    if (!some)
        return;
    const bool by_slack = machine->os == ST_OS_LINUX;
    if (n[ST_STRETCH_NOT_SEEN] > 0)
        fprintf(out,
                " A program without root rights can avoid this lateness: it uses a method that is not "
                "affected%s.",
                by_slack ? ", or sets its own slack with prctl(PR_SET_TIMERSLACK)" : "");
    else if (by_slack)
        fputs(" A program without root rights can avoid this lateness: it sets its own slack with "
              "prctl(PR_SET_TIMERSLACK).",
              out);
}

/* Nothing to compare in this run. */
static void write_untried(FILE *out, const struct st_machine *machine)
{
    fprintf(out, "This run did not measure whether the %s makes sleeps longer. For this measurement give %s.",
            machine->os == ST_OS_FREEBSD ? DEVIATION : "timer slack",
            machine->os == ST_OS_FREEBSD ? "two durations, and set the deviation above 0"
                                         : "a normal thread with two slacks, such as --slack found,1ns");
}

int st_bench_sleep_stretch_sentence(const struct st_bench_sleep *bench, struct st_machine *machine, char *buf,
                                    size_t buf_bytes)
{
    const size_t n = bench->config.methods_n;
    enum st_stretch_seen *seen = calloc(n, sizeof(*seen));
    struct st_quantile *differences = calloc(n, sizeof(*differences));
    FILE *out = fmemopen(buf, buf_bytes, "w");
    const struct st_sleep_contrast c = st_bench_sleep_contrast(bench, machine);
    int r = seen == NULL || differences == NULL || out == NULL ? -ENOMEM : 0;
    for (size_t i = 0; i < n && r == 0; i++)
        r = st_bench_sleep_stretch(bench, machine, i, &seen[i], &differences[i]);
    if (r == 0 && c.allowed_ns > 0)
        write_seen(out, bench, machine, seen, differences, &c);
    else if (r == 0)
        write_untried(out, machine);
    if (out != NULL && fclose(out) != 0 && r == 0)
        r = -ENOMEM;
    buf[buf_bytes - 1] = '\0';
    free(seen);
    free(differences);
    return r;
}

/* sleeptune-bench-sleep/1 */

static json_t *slack(const struct st_bench_sleep *bench, size_t setting)
{
    const struct st_sleep_setting *s = &bench->config.settings[setting];
    if (s->policy != ST_POLICY_OTHER)
        return bench->slack_found_ns >= 0 ? ST_JSON(0) : json_null();
    const int64_t slack_ns = s->slack_ns >= 0 ? s->slack_ns : bench->slack_found_ns;
    return slack_ns >= 0 ? ST_JSON(slack_ns) : json_null();
}

static json_t *cell_json(const struct st_bench_sleep *bench, const struct st_sleep_cell *cell,
                         const struct st_sleep_figures *f)
{
    const struct st_sleep_setting *setting = &bench->config.settings[cell->setting];
    json_t *o = json_object();
    st_json_set(o, "method", cell->method->name);
    st_json_set(o, "policy", st_platform_policy_name(setting->policy));
    st_json_set(o, "priority", setting->policy != ST_POLICY_OTHER ? ST_JSON(setting->priority) : ST_JSON(0));
    st_json_set(o, "timer_slack_ns", slack(bench, cell->setting));
    st_json_set(o, "slack_as_found", json_boolean(setting->slack_ns < 0));
    st_json_set(o, "requested_ns", cell->requested_ns);
    st_json_set(o, "n", cell->n);
    st_json_set(o, "interrupted", cell->interrupted_n);
    st_json_set(o, "overshoot_ns", st_summary_json(&f->overshoot));
    st_json_set(o, "overshoot_percent", st_json_real_or_null(f->percent_known, f->percent));
    st_json_set(o, "on_time_share", st_json_real_or_null(cell->n > 0, f->on_time));
    st_json_set(o, "cpu_ns_per_sleep", st_json_real_or_null(f->cpu_ns >= 0, f->cpu_ns));
    st_json_set(o, "median_ci95_ns", st_summary_interval_json(&f->overshoot.median));
    st_json_set(o, "rank", f->rank > 0 ? ST_JSON(f->rank) : json_null());
    st_json_set(o, "beaten_by", f->rank > 0 ? ST_JSON(f->beaten_by_n) : json_null());
    st_json_set(o, "sd_ratio", st_json_real_or_null(f->sd_ratio.known, f->sd_ratio.value));
    st_json_set(o, "sd_ratio_ci95", st_summary_estimate_json(&f->sd_ratio));
    st_json_set(o, "range_ratio", st_json_real_or_null(f->range_ratio_known, f->range_ratio));
    st_json_set(o, "narrow", cell->narrow);
    st_json_set(o, "missing", cell->why);
    st_json_set(o, "error", st_json_error(cell->error));
    return o;
}

const char *st_bench_sleep_asked_name(enum st_sleep_asked asked)
{
    static const char *const names[] = {[ST_SLEEP_RELATIVE] = "relative", [ST_SLEEP_ABSOLUTE] = "absolute"};
    return names[asked];
}

const char *st_bench_sleep_stretch_name(enum st_sleep_stretch stretch)
{
    static const char *const names[] = {[ST_STRETCH_UNKNOWN] = "unknown",
                                        [ST_STRETCH_NO] = "no",
                                        [ST_STRETCH_YES] = "yes",
                                        [ST_STRETCH_IF_IMPRECISE] = "if-imprecise"};
    return names[stretch];
}

static json_t *method_json(const struct st_bench_sleep *bench, struct st_machine *machine, size_t i)
{
    static const char *const words[] = {[ST_STRETCH_NOT_SEEN] = "no",
                                        [ST_STRETCH_SEEN] = "yes",
                                        [ST_STRETCH_UNCLEAR] = "unclear",
                                        [ST_STRETCH_UNTRIED] = "not measured"};
    const struct st_sleep_method *m = bench->config.methods[i];
    enum st_stretch_seen seen = ST_STRETCH_UNTRIED;
    struct st_quantile difference;
    json_t *o = json_object();
    st_json_set(o, "method", m->name);
    st_json_set(o, "clock", m->clock);
    st_json_set(o, "asked", st_bench_sleep_asked_name(m->asked));
    st_json_set(o, "unit_ns", m->unit_ns);
    st_json_set(o, "stretched_by_source", st_bench_sleep_stretch_name(m->stretch));
    st_json_set(o, "source", m->stretch_source);
    if (st_bench_sleep_stretch(bench, machine, i, &seen, &difference) != 0) {
        seen = ST_STRETCH_UNTRIED;
        difference.known = difference.interval_known = false;
    }
    st_json_set(o, "stretched_measured", words[seen]);
    st_json_set(o, "stretched_by_ns", difference.known ? ST_JSON(difference.value_ns) : json_null());
    st_json_set(o, "stretched_by_ci95_ns", st_summary_interval_json(&difference));
    return o;
}

json_t *st_bench_sleep_json(const struct st_bench_sleep *bench, const struct st_sleep_figures *figures,
                            struct st_machine *machine)
{
    char sentence[ST_SLEEP_SENTENCE_BYTES];
    json_t *o = json_object(), *results = json_array(), *methods = json_array();
    for (size_t i = 0; i < bench->cells_n; i++)
        (void)json_array_append_new(results, cell_json(bench, &bench->cells[i], &figures[i]));
    for (size_t i = 0; i < bench->config.methods_n; i++)
        (void)json_array_append_new(methods, method_json(bench, machine, i));
    st_json_set(o, "schema", "sleeptune-bench-sleep/1");
    st_json_set(o, "baseline", bench->config.methods[bench->config.baseline]->name);
    st_json_set(o, "seed", json_sprintf("%llu", (unsigned long long)bench->config.seed));
    st_json_set(o, "blocks", bench->blocks_n);
    st_json_set(o, "elapsed_ns", bench->elapsed_ns);
    st_json_set(o, "interrupted", bench->stopped);
    st_json_set(o, "results", results);
    st_json_set(o, "methods", methods);
    st_json_set(o, "stretch",
                st_bench_sleep_stretch_sentence(bench, machine, sentence, sizeof(sentence)) == 0
                    ? json_string(sentence)
                    : json_null());
    st_json_set(o, "conditions", st_bench_text_conditions_json(machine));
    return o;
}
