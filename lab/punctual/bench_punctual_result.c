/* What the bench measured, as text and as JSON. */
#include "core/ns.h"
#include "core/stats/stats.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "lab/punctual/bench_punctual.h"
#include "measure/result.h"

#define NAME_COLUMNS 8

/* Nine columns, as st_text_columns counts them. */
static void cell_right(FILE *out, const char *text)
{
    fprintf(out, "%*s%s", st_text_columns(text) < 9 ? 9 - st_text_columns(text) : 0, "", text);
}

/* Explains a dash for too few turns: the time in which each way gets two whole turns, with one to spare. */
static void dash_sentence(const struct st_bench_punctual *bench, FILE *out, int width)
{
    const struct st_bench_punctual_config *config = &bench->config;
    bool few = false;
    for (size_t i = 1; i < config->arms_n; i++)
        few |= bench->results[i].blocks_n < 2;
    if (!few || bench->results[0].cpu_ns_per_cycle < 0)
        return; /* without a CPU clock a longer measurement does not help */
    const double periods = (double)((2 * config->arms_n + 1) * ST_ARM_BLOCK);
    double seconds = ceil(periods * st_period_seconds(&config->period));
    if ((double)bench->elapsed_periods >= periods) /* turns were lost to periods that were skipped */
        seconds = ceil(2 * (double)bench->elapsed_periods * st_period_seconds(&config->period));
    st_text_say(out, width,
                "A dash: the run was too short. All figures need about %.0f s: use --duration %.0fs.",
                seconds, seconds);
}

static void put_row(const struct st_arm_result *arm, FILE *out)
{
    const struct st_quantile median = st_stats_quantile(&arm->lateness, 0.5);
    const bool plain = arm->choice.kind == ST_ARM_PLAIN;
    char cell[64];
    double share, low, high;
    st_text_pad(out, arm->choice.name, NAME_COLUMNS);
    snprintf(cell, sizeof(cell), "%" PRIu64, arm->lateness.total_n);
    cell_right(out, cell);
    cell_right(out, arm->margin_known && !plain ? st_ns_format(arm->margin_ns, cell, sizeof(cell)) : "-");
    cell_right(out, median.known ? st_ns_format(median.value_ns, cell, sizeof(cell)) : "-");
    fputc(' ', out);
    snprintf(cell, sizeof(cell), "-");
    if (st_arm_on_time(arm, &share, &low, &high))
        snprintf(cell, sizeof(cell), "%.1f [%.1f .. %.1f]", 100 * share, 100 * low, 100 * high);
    st_text_pad(out, cell, 22);
    if (arm->blocks_n >= 2)
        fprintf(out, "%.2f [%.2f .. %.2f]\n", arm->cpu_to_plain, arm->cpu_to_plain_low,
                arm->cpu_to_plain_high);
    else
        fputs(plain ? "1\n" : "-\n", out);
}

void st_bench_punctual_print(const struct st_bench_punctual *bench, FILE *out, int width)
{
    char plain[24];
    const double plain_ns = bench->results[0].cpu_ns_per_cycle;
    st_text_say(
        out, width,
        "The ways of waiting take turns of %d periods. On time: at most %d ns from the due time. CPU / "
        "plain: CPU time of a cycle, divided by that of the way plain (%s). In brackets: 95 %% intervals.",
        ST_ARM_BLOCK, ST_ON_TIME_NS,
        plain_ns >= 0 ? st_ns_format((int64_t)plain_ns, plain, sizeof(plain)) : "not known");
    fprintf(out, "\n%-*s%9s%9s%9s %-22s%s\n", NAME_COLUMNS, "", "n", "margin", "median", "on time, %",
            "CPU / plain");
    ST_EACH_OF (result, bench->results, bench->config.arms_n)
        put_row(result, out);
    dash_sentence(bench, out, width);
}

static json_t *result_json(const struct st_arm_result *arm)
{
    static const char *const kinds[] = {"plain", "free", "factor", "share", "quantile", "fixed"};
    const bool margin = arm->margin_known && arm->choice.kind != ST_ARM_PLAIN, ratio = arm->blocks_n >= 2;
    double share = 0, low = 0, high = 0;
    const bool counted = st_arm_on_time(arm, &share, &low, &high);
    json_t *o = json_object();
    st_json_set(o, "name", arm->choice.name);
    st_json_set(o, "kind", kinds[arm->choice.kind]);
    st_json_set(o, "margin_ns", st_json_integer_or_null(margin, arm->margin_ns));
    st_json_set(o, "margin_min_ns", st_json_integer_or_null(margin, arm->margin_min_ns));
    st_json_set(o, "margin_max_ns", st_json_integer_or_null(margin, arm->margin_max_ns));
    st_json_set(o, "on_time", arm->on_time_n);
    st_json_set(o, "on_time_share", st_json_real_or_null(counted, share));
    st_json_set(o, "on_time_share_ci95", counted ? json_pack("[f,f]", low, high) : json_null());
    st_json_set(o, "cpu_ns_per_cycle",
                st_json_real_or_null(arm->cpu_ns_per_cycle >= 0, arm->cpu_ns_per_cycle));
    st_json_set(o, "cpu_to_plain", st_json_real_or_null(ratio, arm->cpu_to_plain));
    st_json_set(o, "cpu_to_plain_ci95",
                ratio ? json_pack("[f,f]", arm->cpu_to_plain_low, arm->cpu_to_plain_high) : json_null());
    st_json_set(o, "lateness_ns", st_result_distribution_json(&arm->lateness));
    return o;
}

void st_bench_punctual_json(const struct st_bench_punctual *bench, json_t *document)
{
    json_t *results = json_array();
    ST_EACH_OF (result, bench->results, bench->config.arms_n)
        (void)json_array_append_new(results, result_json(result));
    st_json_set(document, "block_periods", ST_ARM_BLOCK);
    st_json_set(document, "on_time_ns", ST_ON_TIME_NS);
    st_json_set(document, "cycles", bench->cycles);
    st_json_set(document, "skipped_periods", bench->skipped_periods);
    st_json_set(document, "elapsed_periods", bench->elapsed_periods);
    st_json_set(document, "results", results);
}
