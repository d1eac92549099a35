/* sleeptune-bench-syscall/1 */
#include <string.h>

#include "core/json.h"
#include "lab/summary_json.h"
#include "lab/syscall/bench_syscall.h"
#include "measure/result.h"

static json_t *path_json(enum st_call_path path)
{
    const char *name = st_call_path_name(path);
    return name != NULL ? json_string(name) : json_null();
}

static json_t *batches_json(const struct st_call_batches *b)
{
    if (!b->known)
        return json_null();
    json_t *o = json_object();
    st_json_set(o, "batches", ST_JSON(ST_SYSCALL_BATCHES));
    st_json_set(o, "calls", ST_JSON(b->calls_n));
    st_json_set(o, "call_ns", json_real(b->call_ns));
    st_json_set(o, "call_ci95_ns", json_pack("[f,f]", b->low_ns, b->high_ns));
    st_json_set(o, "syscall_ns", st_json_real_or_null(b->raw_known, b->raw_ns));
    st_json_set(o, "getppid_ns", json_real(b->getppid_ns));
    return o;
}

static json_t *row_json(const struct st_syscall_row *row)
{
    json_t *o = json_object();
    st_json_set(o, "call", json_string(row->method->name));
    st_json_set(o, "mode", json_string(st_call_mode_name(row->mode)));
    st_json_set(o, "path", path_json(row->path));
    st_json_set(o, "n", ST_JSON(row->summary.n));
    st_json_set(o, "ns", st_summary_json(&row->summary));
    st_json_set(o, "median_ci95_ns", st_median_interval_json(&row->summary));
    st_json_set(o, "offset_ns", row->n > 0 ? ST_JSON(row->offset_ns) : json_null());
    st_json_set(o, "below_clock", json_boolean(st_syscall_is_below_clock(row)));
    st_json_set(o, "warm_up", ST_JSON(row->warm_up_n));
    st_json_set(o, "outliers", st_json_integer_or_null(row->outliers_known, (json_int_t)row->outliers_n));
    st_json_set(o, "samples_enough", st_json_integer_or_null(row->enough_n > 0, (json_int_t)row->enough_n));
    st_json_set(o, "amortised", batches_json(&row->batches));
    st_json_set(o, "samples_ns", st_integers_json(row->ns, row->n));
    st_json_set(o, "missing", row->why != NULL ? json_string(row->why) : json_null());
    st_json_set(o, "error", row->error != 0 ? json_string(strerror(-row->error)) : json_null());
    return o;
}

static json_t *clock_json(const struct st_bench_syscall *bench, struct st_lab *lab)
{
    const char *finding = st_bench_syscall_finding(bench, lab);
    json_t *o = json_object();
    st_json_set(o, "path", path_json(bench->clock_path));
    st_json_set(o, "step_ns", st_json_integer_or_null(bench->clock_step_ns > 0, bench->clock_step_ns));
    st_json_set(o, "amortised", batches_json(&bench->clock));
    st_json_set(o, "finding", finding != NULL ? json_string(finding) : json_null());
    return o;
}

json_t *st_bench_syscall_json(const struct st_bench_syscall *bench, struct st_lab *lab)
{
    json_t *o = json_object(), *results = json_array();
    for (size_t i = 0; i < bench->rows_n; i++)
        (void)json_array_append_new(results, row_json(&bench->rows[i]));
    st_json_set(o, "schema", json_string("sleeptune-bench-syscall/1"));
    st_json_set(o, "elapsed_ns", ST_JSON(bench->elapsed_ns));
    st_json_set(o, "interrupted", json_boolean(bench->stopped));
    st_json_set(o, "clock", clock_json(bench, lab));
    st_json_set(o, "results", results);
    st_json_set(o, "circumstances", st_result_conditions_json(lab->platform));
    return o;
}
