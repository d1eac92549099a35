/* sleeptune-bench-wake/1 */
#include <math.h>
#include <string.h>

#include "core/json.h"
#include "lab/summary_json.h"
#include "lab/wake/bench_wake.h"
#include "measure/result.h"

static json_t *modes_json(const struct st_modes *modes)
{
    json_t *array = json_array();
    for (size_t i = 0; i < modes->n; i++) {
        json_t *o = json_object();
        st_json_set(o, "center_ns", ST_JSON(modes->mode[i].center_ns));
        st_json_set(o, "share", json_real(modes->mode[i].share));
        st_json_set(o, "n", ST_JSON(modes->mode[i].n));
        (void)json_array_append_new(array, o);
    }
    return array;
}

static json_t *cell_json(const struct st_bench_wake *bench, const struct st_wake_cell *cell)
{
    const struct st_wake_cell *timed_out = st_bench_wake_timed_out(bench, cell);
    json_t *o = json_object();
    st_json_set(o, "mechanism", json_string(cell->method->name));
    st_json_set(o, "peers", json_string(st_wake_peers_name(cell->peers)));
    st_json_set(o, "placement", json_string(st_wake_placement_name(cell->placement)));
    st_json_set(o, "kind", json_string(st_wake_kind_name(cell->kind)));
    st_json_set(o, "slice_ns", ST_JSON(cell->slice_ns));
    st_json_set(o, "n", ST_JSON(cell->n));
    st_json_set(o, "delay_ns", st_summary_json(&cell->delay));
    st_json_set(o, "median_ci95_ns", st_median_interval_json(&cell->delay));
    st_json_set(o, "modes", modes_json(&cell->modes));
    st_json_set(o, "timed_out", timed_out != NULL ? st_summary_json(&timed_out->delay) : json_null());
    st_json_set(o, "send_ns", cell->kind == ST_WAKE_INTERRUPTED ? st_summary_json(&cell->send) : json_null());
    st_json_set(o, "samples_ns", st_integers_json(cell->delay_ns, cell->n));
    st_json_set(o, "missing", cell->why != NULL ? json_string(cell->why) : json_null());
    st_json_set(o, "error", cell->error != 0 ? json_string(strerror(-cell->error)) : json_null());
    return o;
}

static json_t *growth_json(const struct st_wake_cell *cell, const struct st_wake_growth *growth)
{
    const struct st_estimate *by = &growth->by_ns;
    json_t *o = json_object();
    st_json_set(o, "mechanism", json_string(cell->method->name));
    st_json_set(o, "peers", json_string(st_wake_peers_name(cell->peers)));
    st_json_set(o, "placement", json_string(st_wake_placement_name(cell->placement)));
    st_json_set(o, "from_ns", ST_JSON(growth->from_ns));
    st_json_set(o, "to_ns", ST_JSON(growth->to_ns));
    st_json_set(o, "blocks", ST_JSON(growth->blocks_n));
    st_json_set(o, "by_ns", st_json_integer_or_null(by->known, llround(by->value)));
    st_json_set(o, "by_ci99_ns",
                by->known ? json_pack("[I,I]", (json_int_t)llround(by->low), (json_int_t)llround(by->high))
                          : json_null());
    st_json_set(o, "shown", by->known ? json_boolean(by->low > 0) : json_null());
    return o;
}

/* Of the interrupted ones; empty with one slice. */
static json_t *growths_json(const struct st_bench_wake *bench)
{
    const struct st_bench_wake_config *c = &bench->config;
    json_t *array = json_array();
    for (size_t i = 0; c->slices_n > 1 && i < bench->cells_n / c->slices_n; i++) {
        const struct st_wake_cell *cell = &bench->cells[i];
        struct st_wake_growth growth;
        if (cell->kind == ST_WAKE_INTERRUPTED && cell->n > 0 &&
            st_bench_wake_growth(bench, cell, &growth) == 0)
            (void)json_array_append_new(array, growth_json(cell, &growth));
    }
    return array;
}

json_t *st_bench_wake_json(const struct st_bench_wake *bench, struct st_lab *lab)
{
    const struct st_bench_wake_config *c = &bench->config;
    json_t *o = json_object(), *results = json_array();
    for (size_t i = 0; i < bench->cells_n; i++)
        (void)json_array_append_new(results, cell_json(bench, &bench->cells[i]));
    st_json_set(o, "schema", json_string("sleeptune-bench-wake/1"));
    st_json_set(o, "seed", json_sprintf("%llu", (unsigned long long)c->seed));
    st_json_set(o, "rounds", ST_JSON(c->rounds));
    st_json_set(o, "policy", json_string(st_policy_name(c->policy)));
    st_json_set(o, "priority", c->policy != ST_POLICY_OTHER ? ST_JSON(c->priority) : ST_JSON(0));
    st_json_set(o, "sender_cpu", ST_JSON(c->sender_cpu));
    st_json_set(o, "other_cpu", st_json_integer_or_null(c->other_cpu >= 0, c->other_cpu));
    st_json_set(o, "elapsed_ns", ST_JSON(bench->elapsed_ns));
    st_json_set(o, "interrupted", json_boolean(bench->stopped));
    st_json_set(o, "results", results);
    st_json_set(o, "growth", growths_json(bench));
    st_json_set(o, "circumstances", st_result_conditions_json(lab->platform));
    return o;
}
