#include "lab/analyse/series_analysis.h"

#include "core/ns.h"
#include "core/text/text.h"

#define TEXT_BYTES 32
/* ticks: in a period of more ticks, lateness shows whether wake-ups are at ticks */
#define PERIOD_TICKS_MIN 2.2
/* least range of lateness, in ticks, if wake-ups are at ticks only (ticks.c) */
#define SPREAD_MIN 0.4
/* if more wake-ups come after the next one is due, their times are unknown */
#define OVERLAPS_MAX  0.05
#define DRIFT_ERRORS  2    /* standard errors: a smaller drift is not mentioned */
#define DRIFT_MIN_PPM 1e-6 /* smaller drifts are not mentioned: this is 1 ms in 32 years */
/* a smaller drift that a control loop may have hidden is not mentioned */
#define UNSEEN_MAX_PPM 1.5
/* if a larger share of the periods is skipped, the program skips often: a few stalls do not explain
 * it */
#define SKIPPED_MAX 0.05

ST_PRINTF(2, 3)
static void say(struct st_analysis *a, const char *format, ...)
{
    if (a->sentences_n == ST_SENTENCES_MAX)
        return;
    ST_PRINT_REST(a->sentence[a->sentences_n++], ST_SENTENCE_BYTES, format);
}

/* Text of a duration of any size, with more digits than st_ns_format below 10 us. */
static const char *time_text(double ns)
{
    return fabs(ns) < 9999.5 ? st_text("%.2f \xc2\xb5s", ns / 1e3)
                             : st_ns_text(fabs(ns) < 9e18 ? llrint(ns) : INT64_MAX);
}

/* Text of a duration; if samples are counted, their period is 1 s, and the text is a number of
 * values. */
static const char *span_text(const struct st_analysis *a, double seconds)
{
    return a->counted ? st_text("%.6g values", seconds) : time_text(seconds * 1e9);
}

/* A number with `digits` significant digits, as people write it: no exponent, no zeros at the end.
 * @return buf. */
static const char *number_text(double x, int digits, char *buf)
{
    const double size = fabs(x);
    const int before = size > 0 ? (int)floor(log10(size)) + 1 : 1;
    const int decimals = before < digits ? (digits - before < 12 ? digits - before : 12) : 0;
    snprintf(buf, TEXT_BYTES, "%.*f", decimals, x);
    if (decimals > 0) {
        size_t end = strlen(buf);
        while (buf[end - 1] == '0')
            end--;
        buf[buf[end - 1] == '.' ? end - 1 : end] = '\0';
    }
    return buf;
}

/* Text of a list of rates: "100, 250 and 1000". @return buf. */
static const char *list_text(const int *hz, size_t n, char *buf, size_t buf_bytes)
{
    buf[0] = '\0';
    for (size_t i = 0; i < n; i++)
        st_text_join(buf, buf_bytes, i + 1 == n ? " and " : ", ", "%d", hz[i]);
    return buf;
}

/* Sentences about the slope of a sawtooth and the drift that follows from it. */
static void say_sawtooth(struct st_analysis *a)
{
    const struct st_ticks *l = &a->ticks;
    char slope[TEXT_BYTES], unseen[TEXT_BYTES], also[160] = "";
    if (l->slope_modulo)
        return;
    if (l->tooth_s > 0 && l->tooth_s < 1e9)
        say(a,
            "Lateness is a sawtooth: it %s by %s \xc2\xb5s a second (%s ppm) and jumps back by a "
            "tick every %s.",
            l->slope_ns_per_s > 0 ? "grows" : "falls",
            number_text(fabs(l->slope_ns_per_s) / 1e3, 4, slope), slope, span_text(a, l->tooth_s));
    if (l->drift_known &&
        fabs(l->drift_ppm) > fmax(DRIFT_ERRORS * l->drift_sd_ppm, DRIFT_MIN_PPM)) {
        if (l->unseen_ppm > UNSEEN_MAX_PPM)
            ST_PRINT(also, " in these %s; over a longer time it may differ by up to %s ppm",
                     span_text(a, a->span_s), number_text(l->unseen_ppm, 2, unseen));
        say(a,
            "A clock tick is %s ppm %s than 1/%d s (measured with the clock that measures "
            "lateness)%s.",
            number_text(fabs(l->drift_ppm), 3, slope), l->drift_ppm >= 0 ? "longer" : "shorter",
            l->hz, also);
    }
}

static void say_ticks(struct st_analysis *a)
{
    const struct st_ticks *l = &a->ticks;
    char rate[3 * TEXT_BYTES];
    if (!l->found)
        return;
    if (l->hz > 0 && l->slope_modulo)
        ST_PRINT(rate, "%d Hz", l->hz);
    else if (l->slope_modulo)
        ST_PRINT(rate, "the rate of the tick cannot be determined at this period");
    else if (l->hz > 0)
        ST_PRINT(rate, "%d Hz, a tick of %s", l->hz, time_text(l->tick_ns));
    else
        ST_PRINT(rate, "%.0f to %.0f Hz (not a usual rate)",
                 floor(1e9 / l->tick_ns - st_ticks_rate_error(l->tick_ns, l->tick_sd_ns)),
                 ceil(1e9 / l->tick_ns + st_ticks_rate_error(l->tick_ns, l->tick_sd_ns)));
    say(a, "Sleeps end only at clock ticks: %s; %ju of %ju samples show%s a jump of one tick.",
        rate, l->jumps_n, a->head_n, l->jumps_n == 1 ? "s" : "");
    say_sawtooth(a);
    if (l->extra_ticks == 0)
        say(a,
            "The kernel adds no tick to a sleep: the earliest wake-ups are less than a tick "
            "late%s.",
            l->drift_known ? " after the drift is subtracted" : "");
    else if (l->extra_ticks > 0)
        say(a, "Even the earliest wake-ups are %d tick%s late%s%s.", l->extra_ticks,
            l->extra_ticks == 1 ? "" : "s", l->drift_known ? " after the drift is subtracted" : "",
            l->extra_ticks == 1
                ? ": the kernel adds one tick to each sleep, as 4.4BSD did in tvtohz()"
                : "");
}

/* Sentences about what the samples cannot decide if ticks were found. */
static void say_ticks_limits(struct st_analysis *a)
{
    const struct st_ticks *l = &a->ticks;
    char modulo[TEXT_BYTES];
    if (l->slope_modulo)
        say(a,
            "At this period the drift cannot be distinguished from a tick that the kernel adds to "
            "each sleep: a drift larger or smaller by any multiple of %s ppm looks the same.",
            number_text(l->modulo_ppm, l->hz > 0 ? 4 : 2, modulo));
    else if (l->extra_ticks < 0)
        say(a, "It cannot be determined whether the kernel adds a tick to each sleep: within one "
               "period the drift may change lateness by a whole tick, too.");
}

static void say_interval(struct st_analysis *a)
{
    const struct st_interval *i = &a->interval;
    char rates[120] = "";
    if (!i->found)
        return;
    if (i->hz > 0)
        ST_PRINT(rates,
                 ": the tick is %d Hz, or it is %d Hz and the kernel adds a tick to each sleep",
                 i->hz, 2 * i->hz);
    say(a, "Wake-ups come every %s, whatever period the program asks for%s.",
        time_text(i->interval_ns), rates);
}

static void say_whole_ticks(struct st_analysis *a)
{
    const struct st_whole_ticks *w = &a->whole_ticks;
    if (w->found)
        say(a,
            w->levels ? "Lateness takes levels that are %s apart (%ju samples are between levels): "
                        "a timer of %d Hz, or a program that rounds its sleeps to %s."
                      : "Lateness jumps by %s, %ju times, and moves freely in between: a timer of "
                        "%d Hz, or a program that rounds its sleeps to %s.",
            time_text(1e9 / w->hz), w->jumps_n, w->hz, time_text(1e9 / w->hz));
}

static void say_bands(struct st_analysis *a)
{
    const struct st_whole_ticks *w = &a->whole_ticks;
    if (w->bands_hz > 0)
        say(a,
            "Late wake-ups come at clock ticks of %d Hz: %ju of the %ju that are late by half a "
            "tick or more lie at %s, %s or another whole number of ticks.",
            w->bands_hz, w->bands_n, w->late_n, time_text(1e9 / w->bands_hz),
            time_text(2e9 / w->bands_hz));
}

/* Text such as " (30 periods)"; "" if samples are counted. @return buf. */
static const char *periods_text(const struct st_analysis *a, double periods, char *buf)
{
    buf[0] = '\0';
    if (!a->counted)
        snprintf(buf, TEXT_BYTES, " (%.5g periods)", periods);
    return buf;
}

static void say_late_ones(struct st_analysis *a)
{
    const struct st_late_ones *l = &a->late_ones;
    char periods[TEXT_BYTES];
    if (l->regular)
        say(a, "%s come every %s%s, in %zu of %zu cases: typically %s more than the median.",
            a->counted ? "Outliers" : "Late wake-ups", span_text(a, l->every_s),
            periods_text(a, l->every_periods, periods), (size_t)l->seen_n, (size_t)l->slots_n,
            time_text(l->late_ns));
    else if (l->group)
        say(a,
            "%ju of %ju samples (%.1f %%) form a group of their own, 90 %% of them from %s to %s: "
            "no other sample is later than %s.",
            l->n, a->head_n, 100 * (double)l->n / (double)a->head_n, time_text((double)l->low_ns),
            time_text((double)l->high_ns), time_text((double)l->below_ns));
}

/* Is a usual tick rate worth mentioning? Yes if one would look like this rhythm, and few other
 * rates would. */
static bool may_be_tick(const struct st_periodic *b)
{
    return b->names_n > 0 && (int)b->names_n + b->others_n <= ST_PERIODIC_ALIKE_MAX;
}

/* The end of the sentence about a periodic pattern: which ticks would look like it. The pattern
 * need not be a tick. */
static void tick_text(const struct st_analysis *a, char *buf, size_t buf_bytes)
{
    const struct st_periodic *b = &a->periodic;
    char rates[120];
    buf[0] = '\0';
    if (a->counted)
        return;
    if (b->names_n == 0)
        snprintf(buf, buf_bytes, "; no usual tick rate fits this interval");
    else if (!may_be_tick(b))
        snprintf(buf, buf_bytes,
                 "; whether it is a clock tick cannot be determined: at this period %d rates look "
                 "the same",
                 (int)b->names_n + b->others_n);
    else
        snprintf(buf, buf_bytes, "; a clock tick of %s Hz would look the same at this period%s",
                 list_text(b->names_hz, b->names_n, rates, sizeof(rates)),
                 b->others_n > 0 ? st_text(", and so would %d other whole-number rates up to %d Hz",
                                           b->others_n, ST_PERIODIC_HZ_MAX)
                                 : "");
}

static void say_periodic(struct st_analysis *a)
{
    const struct st_periodic *b = &a->periodic;
    char periods[TEXT_BYTES], tick[260];
    if (!b->found)
        return;
    const char *repeats = span_text(a, b->repeats_s);
    periods_text(a, 1 / b->cycles_per_period, periods);
    tick_text(a, tick, sizeof(tick));
    if (b->high_share > 0)
        say(a, "Every %s%s %s is %s %s for %s%s.", repeats, periods,
            a->counted ? "the value" : "lateness", time_text(fabs(b->high_ns)),
            b->high_ns > 0 ? "higher" : "lower", span_text(a, b->high_share * b->repeats_s), tick);
    else
        say(a, "A pattern of %s amplitude (standard error %s) repeats every %s%s%s.",
            time_text(b->amplitude_ns), time_text(b->amplitude_sd_ns), repeats, periods, tick);
}

static void say_changes(struct st_analysis *a)
{
    const struct st_changes *c = &a->changes;
    char text[TEXT_BYTES];
    if (c->trend_found && a->counted)
        say(a, "The values %s by %s \xc2\xb5s from each value to the next, %s in all.",
            c->slope_ns_per_s > 0 ? "grow" : "fall",
            number_text(fabs(c->slope_ns_per_s) / 1e3, 3, text),
            time_text(fabs(c->slope_ns_per_s) * a->span_s));
    else if (c->trend_found)
        say(a, "Lateness %s by %s \xc2\xb5s a second (%s ppm), %s in all.",
            c->slope_ns_per_s > 0 ? "grows" : "falls",
            number_text(fabs(c->slope_ns_per_s) / 1e3, 3, text), text,
            time_text(fabs(c->slope_ns_per_s) * a->span_s));
    ST_EACH_OF (step, c->steps, c->steps_n) {
        char tick[60] = "";
        if (step->tick_hz > 0 && !a->counted)
            ST_PRINT(tick, ": the step is about one tick of %d Hz", step->tick_hz);
        say(a, "%s after the start, the %s goes %s by %s and stays there%s.",
            span_text(a, step->at_s), a->counted ? "level" : "lateness",
            step->size_ns > 0 ? "up" : "down", time_text(fabs(step->size_ns)), tick);
    }
    if (c->moves)
        say(a,
            "The level of %s moves, neither along a line nor in steps (up to %d are looked for). A "
            "sine is found from %d repetitions on, a rectangle from %d.",
            a->counted ? "the values" : "lateness", ST_CHANGES_STEPS_MAX, ST_PERIODIC_CYCLES_MIN,
            ST_PERIODIC_BOX_CYCLES_MIN);
}

static void say_blind(const struct st_series *series, int known_hz, struct st_analysis *a)
{
    bool usual = false;
    ST_EACH_OF (row, st_periodic_usual_hz, st_periodic_usual_hz_n) {
        usual |= *row == known_hz;
        if (!st_periodic_can_tell(&series->period, *row, a->span_periods))
            a->blind_hz[a->blind_n++] = *row;
    }
    if (known_hz > 0 && !usual && !st_periodic_can_tell(&series->period, known_hz, a->span_periods))
        a->blind_hz[a->blind_n++] = known_hz;
    if (a->blind_n == 0)
        return;
    st_periodic_sort_hz(a->blind_hz, a->blind_n);
    say(a,
        "At this period a steady tick of %s Hz looks the same as no tick: the period is a whole "
        "number of ticks, or so close to it that the data contain fewer than %d repetitions.",
        list_text(a->blind_hz, a->blind_n, ST_ROOM(160)), ST_PERIODIC_CYCLES_MIN);
}

static bool skips_often(uint64_t samples_n, uint64_t span)
{
    return (double)samples_n < (1 - SKIPPED_MAX) * (double)span;
}

/* Reports that the samples cannot exclude slow ticks, if lateness varies as much as such ticks
 * would make it vary, or if the program skips periods often. */
static int say_coarse(const struct st_series *series, int known_hz, struct st_analysis *a)
{
    struct st_series_bulk bulk;
    const int r = st_series_bulk(series, &bulk);
    const double period_ns = (double)series->period.num / (double)series->period.den;
    const double tick_ns = period_ns / PERIOD_TICKS_MIN;
    if (r != 0 || (!skips_often(series->n, st_series_span(series)) &&
                   (double)bulk.high_ns - (double)bulk.low_ns < SPREAD_MIN * tick_ns))
        return r;
    a->coarse_hz = tick_ns > 1 ? (int)ceil(1e9 / tick_ns) : 0;
    if (known_hz > 0 && known_hz < a->coarse_hz)
        say(a,
            "At this period it cannot be determined whether sleeps end only at ticks of %d Hz: "
            "such a tick is %s long, more than %s, and a slow machine would wake up late in the "
            "same way.",
            known_hz, time_text(1e9 / known_hz), time_text(tick_ns));
    else
        say(a,
            "At this period it cannot be determined whether sleeps end only at clock ticks of less "
            "than %d Hz: such ticks are longer than %s, and a slow machine would wake up late in "
            "the same way.",
            a->coarse_hz, time_text(tick_ns));
    return 0;
}

/* Sentences about what these samples could not have shown. */
static int say_limits(const struct st_series *series, int known_hz, struct st_analysis *a)
{
    if (a->ticks.found)
        say_ticks_limits(a);
    if (a->counted || a->ticks.found || a->interval.found ||
        (a->periodic.found && may_be_tick(&a->periodic)))
        return 0;
    say_blind(series, known_hz, a);
    const int r = say_coarse(series, known_hz, a);
    if (r == 0 && a->skips)
        say(a, "Too many periods were skipped: a trend or steps cannot be found, since each skip "
               "looks like a step of the lateness.");
    return r;
}

/* Looks for a trend and steps, unless many periods are skipped: lateness is then the length of
 * sleeps minus whole periods, so that one skipped period more or less looks like a step, and many
 * of them like any curve. */
static int find_changes(const struct st_series *series, struct st_analysis *ret)
{
    struct st_levels levels;
    ret->skips = skips_often(ret->samples_n, ret->span_periods);
    if (ret->skips)
        return 0;
    int r = st_levels_of(series, &levels);
    if (r == 0) {
        r = st_changes_of(&levels, &ret->changes);
        st_levels_finish(&levels);
    }
    return r;
}

/* Counts samples that woke up after the next one was due. No program waits for a due time that has
 * passed, so it skipped periods there. A column of text has no period numbers: it does not show
 * which periods were skipped. */
static void count_overlaps(const struct st_series *s, struct st_analysis *a)
{
    const double period_ns = (double)s->period.num / (double)s->period.den;
    for (size_t i = 1; i < s->n; i++)
        a->overlaps_n +=
            (double)s->lateness_ns[i - 1] > (double)(s->index[i] - s->index[i - 1]) * period_ns;
    a->untimed = (double)a->overlaps_n > OVERLAPS_MAX * (double)s->n;
}

/* Looks for wake-ups at equal intervals: 90 % of the intervals lie within a range of 2 % of their
 * median, and the median is 5 % of a period or more away from a multiple of the period, where a
 * machine that is only slow would wake up. @return 0, -ENODATA (too few samples), -ENOMEM. */
static int find_interval(const struct st_series *s, struct st_interval *ret)
{
    const double period_ns = (double)s->period.num / (double)s->period.den;
    struct st_interval interval = {0};
    struct st_series_bulk bulk;
    struct st_series intervals; /* a series only because st_series_bulk needs one */
    uint64_t skips_n = 0;
    int r = 0;
    if (s->n < ST_TICKS_SAMPLES_MIN)
        return -ENODATA;
    st_series_init(&intervals, &s->period);
    for (size_t i = 1; i < s->n && r == 0; i++) {
        const double periods = (double)(s->index[i] - s->index[i - 1]);
        const double ns =
            periods * period_ns + (double)s->lateness_ns[i] - (double)s->lateness_ns[i - 1];
        skips_n += periods > 1;
        r = st_series_add(&intervals, i, ns < (double)INT64_MAX ? llrint(ns) : INT64_MAX);
    }
    if (r == 0)
        r = st_series_bulk(&intervals, &bulk);
    st_series_finish(&intervals);
    if (r != 0)
        return r;
    interval.skips = skips_n * 2 > s->n;
    interval.interval_ns = (double)bulk.median_ns;
    interval.spread_ns = (double)bulk.high_ns - (double)bulk.low_ns;
    interval.found = interval.skips && interval.spread_ns < 0.02 * interval.interval_ns &&
                     fabs(remainder(interval.interval_ns, period_ns)) > 0.05 * period_ns;
    if (interval.found)
        interval.hz =
            st_ticks_rate_of(interval.interval_ns, interval.spread_ns / sqrt((double)s->n));
    *ret = interval;
    return 0;
}

/* Looks for all patterns and makes the sentences. @param head the first samples of the series. */
static int analyse(const struct st_series *series, const struct st_series *head, int known_hz,
                   struct st_analysis *ret)
{
    if (!ret->counted)
        count_overlaps(head, ret);
    if (ret->untimed) {
        say(ret,
            "%ju of %ju wake-ups are so late that the next one was already due: periods were "
            "skipped, and the data do not show which ones. So the times of the samples are "
            "unknown, and sleeptune cannot look for a tick, a periodic pattern, a trend or steps.",
            ret->overlaps_n, ret->head_n);
        return 0;
    }
    int r = head->n < ST_TICKS_SAMPLES_MIN ? -ENODATA : 0;
    if (r == 0 && !ret->counted)
        r = st_ticks_find(head, &ret->ticks);
    if (r == -ENODATA) {
        say(ret,
            "%ju sample%s too few to look for a tick, a trend or steps: at least %d are needed.",
            ret->samples_n, ret->samples_n == 1 ? " is" : "s are", ST_TICKS_SAMPLES_MIN);
        return 0;
    }
    if (r == 0 && !ret->counted && !skips_often(head->n, st_series_span(head)) &&
        (!ret->ticks.found || ret->ticks.hz == 0))
        r = st_whole_ticks_find(head, &ret->whole_ticks);
    const bool freely = !ret->ticks.found && !ret->whole_ticks.found;
    struct st_series rest = {.n = 0};
    if (r == 0)
        r = st_late_ones_find(head, &ret->late_ones, &rest);
    ret->late_known = r == 0;
    if (!freely)
        ret->late_ones.regular = false;
    if (!freely || ret->whole_ticks.bands_hz > 0)
        ret->late_ones.group = false;
    if (r == 0 && freely)
        r = find_changes(series, ret);
    say_ticks(ret);
    say_whole_ticks(ret);
    say_bands(ret);
    say_late_ones(ret);
    if (r == 0 && freely) {
        if (!ret->counted)
            r = find_interval(head, &ret->interval);
        if (r == 0 && !ret->interval.skips)
            r = st_periodic_find(&rest, known_hz, &ret->periodic);
        if (ret->counted)
            ret->periodic.names_n = 0;
        /* if periods are often skipped, the skips make rhythms that fit too many rates or none:
         * such a rhythm is not reported */
        if (ret->periodic.found && !may_be_tick(&ret->periodic) &&
            skips_often(head->n, st_series_span(head)))
            ret->periodic = (struct st_periodic){.samples_n = ret->periodic.samples_n};
        say_interval(ret);
        say_periodic(ret);
    }
    st_series_finish(&rest);
    if (r != 0 && r != -ENODATA)
        return r;
    say_changes(ret);
    ret->findings_n = ret->sentences_n;
    return say_limits(head, known_hz, ret);
}

int st_series_analysis_of(const struct st_series *series, int known_hz, bool counted,
                          struct st_analysis *ret)
{
    struct st_series head = *series;
    if (series->n == 0)
        return -ENODATA;
    if (head.n > ST_ANALYSIS_HEAD_N)
        head.n = ST_ANALYSIS_HEAD_N;
    memset(ret, 0, sizeof(*ret));
    ret->samples_n = series->n;
    ret->span_periods = st_series_span(series);
    ret->span_s = (double)ret->span_periods * st_period_seconds(&series->period);
    ret->head_n = head.n;
    ret->counted = counted;
    return analyse(series, &head, known_hz, ret);
}
