/* sleeptune-bench-sleep/1 */
#include <string.h>

#include "core/json.h"
#include "core/ns.h"
#include "lab/sleep/bench_sleep_result.h"
#include "lab/summary_json.h"
#include "measure/result.h"

static json_t *interval(bool known, double low, double high)
{
    if (!known)
        return json_null();
    json_t *array = json_array();
    (void)json_array_append_new(array, json_real(low));
    (void)json_array_append_new(array, st_json_real_or_null(true, high));
    return array;
}

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
    st_json_set(o, "method", json_string(cell->method->name));
    st_json_set(o, "policy", json_string(st_policy_name(setting->policy)));
    st_json_set(o, "priority", setting->policy != ST_POLICY_OTHER ? ST_JSON(setting->priority) : ST_JSON(0));
    st_json_set(o, "timer_slack_ns", slack(bench, cell->setting));
    st_json_set(o, "slack_as_found", json_boolean(setting->slack_ns < 0));
    st_json_set(o, "requested_ns", ST_JSON(cell->requested_ns));
    st_json_set(o, "n", ST_JSON(cell->n));
    st_json_set(o, "interrupted", ST_JSON(cell->interrupted_n));
    st_json_set(o, "overshoot_ns", st_summary_json(&f->overshoot));
    st_json_set(o, "overshoot_percent", st_json_real_or_null(f->percent_known, f->percent));
    st_json_set(o, "on_time_share", st_json_real_or_null(cell->n > 0, f->on_time));
    st_json_set(o, "cpu_ns_per_sleep", st_json_real_or_null(f->cpu_ns >= 0, f->cpu_ns));
    st_json_set(o, "median_ci95_ns", st_median_interval_json(&f->overshoot));
    st_json_set(o, "rank", f->rank > 0 ? ST_JSON(f->rank) : json_null());
    st_json_set(o, "beaten_by", f->rank > 0 ? ST_JSON(f->beaten_by_n) : json_null());
    st_json_set(o, "sd_ratio", st_json_real_or_null(f->sd_ratio.known, f->sd_ratio.value));
    st_json_set(o, "sd_ratio_ci95", interval(f->sd_ratio.known, f->sd_ratio.low, f->sd_ratio.high));
    st_json_set(o, "range_ratio", st_json_real_or_null(f->range_ratio_known, f->range_ratio));
    st_json_set(o, "narrow", json_boolean(cell->narrow));
    st_json_set(o, "missing", cell->why != NULL ? json_string(cell->why) : json_null());
    st_json_set(o, "error", cell->error != 0 ? json_string(strerror(-cell->error)) : json_null());
    return o;
}

static json_t *method_json(const struct st_bench_sleep *bench, struct st_platform *p, size_t i)
{
    static const char *const words[] = {[ST_STRETCH_NOT_SEEN] = "no",
                                        [ST_STRETCH_SEEN] = "yes",
                                        [ST_STRETCH_UNCLEAR] = "unclear",
                                        [ST_STRETCH_UNTRIED] = "not measured"};
    const struct st_sleep_method *m = bench->config.methods[i];
    enum st_stretch_seen seen = ST_STRETCH_UNTRIED;
    struct st_quantile difference;
    json_t *o = json_object();
    st_json_set(o, "method", json_string(m->name));
    st_json_set(o, "missing", m->absent != NULL ? json_string(m->absent) : json_null());
    st_json_set(o, "clock", m->clock != NULL ? json_string(m->clock) : json_null());
    st_json_set(o, "asked", m->absent == NULL ? json_string(st_sleep_asked_name(m->asked)) : json_null());
    st_json_set(o, "unit_ns", m->absent == NULL ? ST_JSON(m->unit_ns) : json_null());
    st_json_set(o, "stretched_by_source",
                m->absent == NULL ? json_string(st_sleep_stretch_name(m->stretch)) : json_null());
    st_json_set(o, "source", m->stretch_source != NULL ? json_string(m->stretch_source) : json_null());
    if (st_bench_sleep_stretch(bench, p, i, &seen, &difference) != 0) {
        seen = ST_STRETCH_UNTRIED;
        difference.known = false;
    }
    st_json_set(o, "stretched_measured", json_string(words[seen]));
    st_json_set(o, "stretched_by_ns", difference.known ? ST_JSON(difference.value_ns) : json_null());
    st_json_set(o, "stretched_by_ci95_ns",
                difference.known
                    ? json_pack("[I,I]", (json_int_t)difference.low_ns, (json_int_t)difference.high_ns)
                    : json_null());
    return o;
}

json_t *st_bench_sleep_json(const struct st_bench_sleep *bench, const struct st_sleep_figures *figures,
                            struct st_platform *p)
{
    char sentence[ST_SLEEP_SENTENCE_BYTES];
    json_t *o = json_object(), *results = json_array(), *methods = json_array();
    for (size_t i = 0; i < bench->cells_n; i++)
        (void)json_array_append_new(results, cell_json(bench, &bench->cells[i], &figures[i]));
    for (size_t i = 0; i < bench->config.methods_n; i++)
        (void)json_array_append_new(methods, method_json(bench, p, i));
    st_json_set(o, "schema", json_string("sleeptune-bench-sleep/1"));
    st_json_set(o, "baseline", json_string(bench->config.methods[bench->config.baseline]->name));
    st_json_set(o, "seed", json_sprintf("%llu", (unsigned long long)bench->config.seed));
    st_json_set(o, "blocks", ST_JSON(bench->blocks_n));
    st_json_set(o, "elapsed_ns", ST_JSON(bench->elapsed_ns));
    st_json_set(o, "interrupted", json_boolean(bench->stopped));
    st_json_set(o, "results", results);
    st_json_set(o, "methods", methods);
    st_json_set(o, "stretch",
                st_bench_sleep_stretch_sentence(bench, p, sentence, sizeof(sentence)) == 0
                    ? json_string(sentence)
                    : json_null());
    st_json_set(o, "circumstances", st_result_conditions_json(p));
    return o;
}
