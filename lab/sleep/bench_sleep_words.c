/* What the figures say, in words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/ns.h"
#include "lab/sleep/bench_sleep_result.h"

const char *st_sleep_setting_text(const struct st_bench_sleep *bench, size_t setting, char *buf,
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
        snprintf(buf, buf_bytes, "normal thread, timer slack %s as found",
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
    char text[32];
    for (size_t i = 0; i < bench->config.methods_n; i++) {
        if (seen[i] != kind)
            continue;
        fprintf(out, "%s%s", n++ > 0 ? ", " : "", bench->config.methods[i]->name);
        if (differences[i].known)
            fprintf(out, " (%s%s)", differences[i].value_ns > 0 ? "+" : "",
                    st_ns_format(differences[i].value_ns, text, sizeof(text)));
    }
}

/* "A timer slack of 50.0 µs instead of 1 ns" and the like. */
static void write_contrast(FILE *out, const struct st_platform *p, const struct st_sleep_contrast *c)
{
    char low[32], high[32], allowed[32];
    st_ns_format(c->low_ns, low, sizeof(low));
    st_ns_format(c->high_ns, high, sizeof(high));
    if (p->os == ST_OS_FREEBSD)
        fprintf(out, "%s, which allows %s more at %s than at %s,", DEVIATION,
                st_ns_format(c->allowed_ns, allowed, sizeof(allowed)), high, low);
    else
        fprintf(out, "A timer slack of %s instead of %s", high, low);
}

/* Sleeps of a method at one end of the contrast. */
static size_t sleeps_n(const struct st_bench_sleep *bench, const struct st_platform *p, size_t end,
                       size_t method)
{
    size_t n = 0;
    if (p->os == ST_OS_FREEBSD)
        return st_bench_sleep_cell(bench, 0, end, method)->n;
    for (size_t d = 0; d < bench->config.durations_n; d++)
        n += st_bench_sleep_cell(bench, end, d, method)->n;
    return n;
}

/* The least of them, of those that were tried. */
static size_t least_n(const struct st_bench_sleep *bench, const struct st_platform *p,
                      const enum st_stretch_seen *seen, const struct st_sleep_contrast *c)
{
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < bench->config.methods_n; i++) {
        if (seen[i] == ST_STRETCH_UNTRIED)
            continue;
        const size_t low = sleeps_n(bench, p, c->low, i), high = sleeps_n(bench, p, c->high, i);
        least = low < least ? low : least;
        least = high < least ? high : least;
    }
    return least;
}

static void write_seen(FILE *out, const struct st_bench_sleep *bench, const struct st_platform *p,
                       const enum st_stretch_seen *seen, const struct st_quantile *differences,
                       const struct st_sleep_contrast *c)
{
    size_t n[ST_STRETCH_UNTRIED + 1] = {0};
    for (size_t i = 0; i < bench->config.methods_n; i++)
        n[seen[i]]++;
    const bool some = n[ST_STRETCH_SEEN] > 0;
    if (!some && n[ST_STRETCH_NOT_SEEN] == 0) {
        fputs("This run is too short to tell what stretches: ", out);
        write_contrast(out, p, c);
        fputs(" may or may not.", out);
        return;
    }
    write_contrast(out, p, c);
    fputs(some ? " stretches " : " was not seen to stretch any method", out);
    list(out, bench, seen, differences, ST_STRETCH_SEEN);
    if (n[ST_STRETCH_NOT_SEEN] > 0)
        fputs(some ? ", and not " : ": not ", out);
    list(out, bench, seen, differences, ST_STRETCH_NOT_SEEN);
    if (n[ST_STRETCH_UNCLEAR] > 0)
        fputs("; this run cannot tell for ", out);
    list(out, bench, seen, differences, ST_STRETCH_UNCLEAR);
    fprintf(out, "; n = %zu or more sleeps of each at either %s.", least_n(bench, p, seen, c),
            p->os == ST_OS_FREEBSD ? "duration" : "slack");
    if (!some)
        return;
    const bool by_slack = p->os == ST_OS_LINUX;
    if (n[ST_STRETCH_NOT_SEEN] > 0)
        fprintf(out, " Without root a program wakes that much earlier by what is not stretched%s.",
                by_slack ? ", or with a slack of its own: prctl(PR_SET_TIMERSLACK)" : "");
    else if (by_slack)
        fputs(" Without root a program wakes that much earlier with a slack of its own: "
              "prctl(PR_SET_TIMERSLACK).",
              out);
}

/* Nothing to compare in this run: what the kernel's source says. */
static void write_untried(FILE *out, const struct st_bench_sleep *bench, const struct st_platform *p)
{
    static const struct {
        enum st_sleep_stretch stretch;
        const char *before, *after;
    } kinds[] = {
        {ST_STRETCH_YES, "stretches ", ""},
        {ST_STRETCH_IF_IMPRECISE, "stretches ", " unless nanosleep_precise is 1"},
        {ST_STRETCH_NO, "does not stretch ", ""},
    };
    const char *link = " By the kernel's source it ";
    fprintf(out, "What the %s stretches was not measured in this run (it takes %s).",
            p->os == ST_OS_FREEBSD ? DEVIATION : "timer slack",
            p->os == ST_OS_FREEBSD ? "two durations and a deviation above 0"
                                   : "a normal thread at two slacks, as --slack found,1ns");
    for (size_t k = 0; k < ST_ARRAY_LEN(kinds); k++) {
        size_t n = 0;
        for (size_t i = 0; i < bench->config.methods_n; i++) {
            const struct st_sleep_method *m = bench->config.methods[i];
            if (m->absent != NULL || m->stretch != kinds[k].stretch)
                continue;
            fprintf(out, "%s%s%s", n == 0 ? link : ", ", n == 0 ? kinds[k].before : "", m->name);
            n++;
        }
        if (n > 0) {
            fputs(kinds[k].after, out);
            link = "; it ";
        }
    }
    if (link[0] == ';') /* the source was read for one of them at least */
        fputc('.', out);
}

int st_bench_sleep_stretch_sentence(const struct st_bench_sleep *bench, struct st_platform *p, char *buf,
                                    size_t buf_bytes)
{
    const size_t n = bench->config.methods_n;
    enum st_stretch_seen *seen = calloc(n, sizeof(*seen));
    struct st_quantile *differences = calloc(n, sizeof(*differences));
    FILE *out = fmemopen(buf, buf_bytes, "w");
    const struct st_sleep_contrast c = st_bench_sleep_contrast(bench, p);
    int r = seen == NULL || differences == NULL || out == NULL ? -ENOMEM : 0;
    for (size_t i = 0; i < n && r == 0; i++)
        r = st_bench_sleep_stretch(bench, p, i, &seen[i], &differences[i]);
    if (r == 0 && c.allowed_ns > 0)
        write_seen(out, bench, p, seen, differences, &c);
    else if (r == 0)
        write_untried(out, bench, p);
    if (out != NULL && fclose(out) != 0 && r == 0)
        r = -ENOMEM;
    buf[buf_bytes - 1] = '\0';
    free(seen);
    free(differences);
    return r;
}
