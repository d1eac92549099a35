/* What came of comparing two runs, in words, and as JSON. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/command.h"
#include "program/locale.h"
#include "cli/proof.h"
#include "program/text.h"
#include "lib/ns.h"

#define COLUMN     16
#define LABEL      10
#define TEXT_BYTES 400

static const char *const names[ST_PASS_FIGURES] = {
    [ST_PASS_MEDIAN] = "median", [ST_PASS_P99] = "p99", [ST_PASS_MISSED] = "missed"};
static const char *const phrases[ST_PASS_FIGURES] = {[ST_PASS_MEDIAN] = "the median lateness",
                                                     [ST_PASS_P99] = "p99 of lateness",
                                                     [ST_PASS_MISSED] = "the share of missed periods"};

/* --- text ------------------------------------------------------------------------------------------------
 */

/* A figure's difference with its unit. */
static const char *amount(int i, double value, char *buf, size_t buf_bytes)
{
    if (i == ST_PASS_MISSED)
        snprintf(buf, buf_bytes, "%.3g %%", value * 100);
    else
        st_ns_format((int64_t)lround(value), buf, buf_bytes);
    return buf;
}

/* "the median lateness is 8.2 µs less (95 %: 7.6 µs .. 8.9 µs)", for those that are more, or less. */
static size_t list(const struct st_proof *proof, bool more, char *buf, size_t buf_bytes)
{
    char size[32], low[32], high[32];
    size_t used = 0;
    buf[0] = '\0';
    for (int i = 0; i < ST_PASS_FIGURES; i++) {
        const struct st_pass_figure *figure = &proof->difference.figures[i];
        const struct st_estimate *e = &figure->difference;
        if (!st_pass_shows(figure) || (e->value > 0) != more)
            continue;
        used +=
            (size_t)snprintf(buf + used, buf_bytes - used, "%s%s is %s %s (95 %%: %s .. %s)",
                             used > 0 ? ", " : "", phrases[i], amount(i, fabs(e->value), size, sizeof(size)),
                             more ? "more" : "less", amount(i, more ? e->low : -e->high, low, sizeof(low)),
                             amount(i, more ? e->high : -e->low, high, sizeof(high)));
    }
    return used;
}

/* What would have been seen. */
static void resolution(const struct st_proof *proof, char *buf, size_t buf_bytes)
{
    char size[32];
    size_t used = 0;
    for (int i = 0; i < ST_PASS_FIGURES; i++) {
        const struct st_pass_figure *figure = &proof->difference.figures[i];
        if (figure->difference.known)
            used += (size_t)snprintf(buf + used, buf_bytes - used, "%s%s in %s", used > 0 ? ", " : "",
                                     amount(i, st_pass_resolution(figure), size, sizeof(size)), phrases[i]);
    }
    if (used == 0)
        snprintf(buf, buf_bytes, "nothing, as there are too few cycles to compare");
}

/* One sentence, from the intervals alone. */
static const char *sentence(const struct st_proof *proof, char *buf, size_t buf_bytes)
{
    char less[TEXT_BYTES], more[TEXT_BYTES];
    const size_t less_n = list(proof, false, less, sizeof(less));
    const size_t more_n = list(proof, true, more, sizeof(more));
    if (less_n > 0 && more_n > 0) {
        snprintf(buf, buf_bytes, "Better and worse than before: %s; %s.", less, more);
    } else if (less_n + more_n > 0) {
        snprintf(buf, buf_bytes, "%s than before: %s.", less_n > 0 ? "Better" : "Worse",
                 less_n > 0 ? less : more);
    } else {
        resolution(proof, less, sizeof(less));
        snprintf(buf, buf_bytes, "No difference shown. What would have been: about %s.", less);
    }
    return buf;
}

static void row(FILE *out, const char *label, const char *before, const char *now, const char *difference)
{
    st_text_pad(out, label, LABEL);
    st_text_pad(out, before, COLUMN);
    if (difference[0] != '\0')
        st_text_pad(out, now, COLUMN);
    fprintf(out, "%s\n", difference[0] != '\0' ? difference : now);
}

static const char *difference_text(const struct st_proof *proof, int i, char *buf, size_t buf_bytes)
{
    char value[32], low[32], high[32];
    const struct st_estimate *e = &proof->difference.figures[i].difference;
    if (!e->known)
        snprintf(buf, buf_bytes, "not known: too few cycles");
    else
        snprintf(buf, buf_bytes, "%s (%s .. %s)", amount(i, e->value, value, sizeof(value)),
                 amount(i, e->low, low, sizeof(low)), amount(i, e->high, high, sizeof(high)));
    return buf;
}

static void table(const struct st_proof *proof)
{
    const struct st_pass *runs[2] = {&proof->before.pass, &proof->now.pass};
    char cells[2][48], difference[128];
    struct st_locale_stream stream;
    FILE *out = st_locale_begin(&stream, stdout);
    row(out, "", "before", "now", "difference, 95 % interval");
    for (int i = 0; i < ST_PASS_FIGURES; i++) {
        const struct st_pass_figure *figure = &proof->difference.figures[i];
        for (int k = 0; k < 2; k++) {
            if (i == ST_PASS_MISSED)
                snprintf(cells[k], sizeof(cells[k]), "%" PRIu64 " of %" PRIu64, runs[k]->missed_n,
                         runs[k]->end);
            else if (figure->known[k])
                amount(i, figure->value[k], cells[k], sizeof(cells[k]));
            else
                snprintf(cells[k], sizeof(cells[k]), "-");
        }
        row(out, names[i], cells[0], cells[1], difference_text(proof, i, difference, sizeof(difference)));
    }
    for (int k = 0; k < 2; k++)
        snprintf(cells[k], sizeof(cells[k]), "%zu", runs[k]->n);
    row(out, "cycles", cells[0], cells[1], "");
    if (st_locale_end(&stream) != 0)
        (void)st_failure(NULL, "out of memory: the table is missing");
}

/* What the machine does by itself. */
static void print_drift(const struct st_proof *proof)
{
    char text[TEXT_BYTES], size[32];
    size_t used = 0;
    for (int i = 0; i < ST_PASS_FIGURES; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s %s", used > 0 ? ", " : "", names[i],
                                 amount(i, proof->difference.figures[i].drift, size, sizeof(size)));
    snprintf(text + used, sizeof(text) - used,
             ": the fifths of one run lie that far apart by themselves; only more is a difference");
    st_change_print(0, "drift:", text);
}

static const char *when(const struct st_proof_run *run, char *buf, size_t buf_bytes)
{
    const time_t seconds = (time_t)(run->started_wall_ns / ST_NS_PER_S);
    struct tm tm;
    if (run->started_wall_ns <= 0 || gmtime_r(&seconds, &tm) == NULL ||
        strftime(buf, buf_bytes, "%Y-%m-%d %H:%M UTC", &tm) == 0)
        snprintf(buf, buf_bytes, "at an unknown time");
    return buf;
}

static int64_t duration_ns(const struct st_proof_run *run)
{
    return st_period_due_ns(&run->pass.period, 0, run->pass.end);
}

void st_proof_print(const struct st_proof *proof)
{
    char text[3 * TEXT_BYTES], times[2][24], dates[2][40], cpu[32] = "any CPU";
    const struct st_proof_run *runs[2] = {&proof->before, &proof->now};
    if (!proof->compared) {
        st_change_print(0, "proof:", proof->why);
        return;
    }
    st_change_print(0, "proof:", sentence(proof, text, sizeof(text)));
    table(proof);
    print_drift(proof);
    for (int i = 0; i < 2; i++) {
        st_ns_format(duration_ns(runs[i]), times[i], sizeof(times[i]));
        when(runs[i], dates[i], sizeof(dates[i]));
    }
    if (proof->cpu >= 0)
        snprintf(cpu, sizeof(cpu), "CPU %d", proof->cpu);
    snprintf(text, sizeof(text),
             "%" PRIu32 " frames at %" PRIu32
             " Hz, %s %d, %s; before: %s, %s%s; now: %s, %s%s; lateness of waking, "
             "intervals from %" PRIu32
             " blocks. Each ran once: whatever else changed is in the difference, too",
             proof->frames, proof->rate_hz, st_policy_name(proof->policy), proof->priority, cpu, dates[0],
             times[0], runs[0]->interrupted ? " (ended early)" : "", dates[1], times[1],
             runs[1]->interrupted ? " (ended early)" : "", proof->difference.blocks_n);
    st_change_print(0, "runs:", text);
    for (size_t i = 0; i < proof->changes_n; i++) {
        const struct st_circumstance_pair *change = &proof->changes[i];
        char label[96];
        snprintf(label, sizeof(label), "differs: %s:", change->key);
        snprintf(text, sizeof(text), "%.500s -> %.500s",
                 change->before[0] != '\0' ? change->before : "not known",
                 change->now[0] != '\0' ? change->now : "not known");
        st_change_print(0, label, text);
    }
}

/* --- JSON ------------------------------------------------------------------------------------------------
 */

static json_t *figure_json(const struct st_pass_figure *figure)
{
    const struct st_estimate *e = &figure->difference;
    return e->known ? json_pack("{s:f, s:f, s:f, s:f, s:b}", "value", e->value, "low", e->low, "high",
                                e->high, "drift", figure->drift, "shown", st_pass_shows(figure))
                    : json_null();
}

static json_t *quantile_json(const struct st_pass_figure *figure, int k)
{
    return figure->known[k] ? json_integer((json_int_t)figure->value[k]) : json_null();
}

static json_t *run_json(const struct st_proof *proof, const struct st_proof_run *run, int k)
{
    const struct st_pass_figure *figures = proof->difference.figures;
    const bool dated = run->started_wall_ns > 0;
    return json_pack("{s:o, s:I, s:b, s:I, s:I, s:I, s:I, s:o, s:o}", "started_wall_ns",
                     dated ? json_integer(run->started_wall_ns) : json_null(), "duration_ns",
                     (json_int_t)duration_ns(run), "interrupted", run->interrupted, "cycles",
                     (json_int_t)run->pass.n, "periods", (json_int_t)run->pass.end, "misses",
                     (json_int_t)run->pass.missed_n, "records_lost", (json_int_t)run->pass.lost_n,
                     "median_ns", quantile_json(&figures[ST_PASS_MEDIAN], k), "p99_ns",
                     quantile_json(&figures[ST_PASS_P99], k));
}

json_t *st_proof_json(const struct st_proof *proof)
{
    char text[3 * TEXT_BYTES];
    const struct st_pass_figure *figures = proof->difference.figures;
    if (!proof->compared)
        return json_pack("{s:b, s:s}", "compared", 0, "sentence", proof->why);
    json_t *changes = json_array();
    for (size_t i = 0; i < proof->changes_n; i++) {
        const struct st_circumstance_pair *change = &proof->changes[i];
        (void)json_array_append_new(changes, json_pack("{s:s, s:s, s:s}", "key", change->key, "before",
                                                       change->before, "now", change->now));
    }
    return json_pack("{s:b, s:s, s:i, s:i, s:s, s:i, s:o, s:i, s:o, s:o, s:{s:o, s:o, s:o}, s:o}", "compared",
                     1, "sentence", sentence(proof, text, sizeof(text)), "frames", (int)proof->frames,
                     "rate_hz", (int)proof->rate_hz, "policy", st_policy_name(proof->policy), "priority",
                     proof->priority, "cpu", proof->cpu >= 0 ? json_integer(proof->cpu) : json_null(),
                     "blocks", (int)proof->difference.blocks_n, "before", run_json(proof, &proof->before, 0),
                     "now", run_json(proof, &proof->now, 1), "difference", "median_ns",
                     figure_json(&figures[ST_PASS_MEDIAN]), "p99_ns", figure_json(&figures[ST_PASS_P99]),
                     "misses_per_period", figure_json(&figures[ST_PASS_MISSED]), "differs", changes);
}
