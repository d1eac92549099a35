#include "daemon/causes/handlers.h"

#include <stdlib.h>
#include <string.h>

#include "core/text/json.h"

/* A run belongs to the first band that is longer; the last band has no end. Our own choice, after
 * LatencyMon's. */
static const int64_t bounds_ns[ST_HANDLERS_BANDS - 1] = {50000, 250000, 500000, 1000000, 4000000};

static const char others[] = "other";

static struct st_handlers_row *row_of(struct st_handlers_table *table, const struct st_trace_event *event)
{
    const bool softirq = event->kind == ST_TRACE_SOFTIRQ_ENTRY;
    struct st_handlers_row *row = table->rows;
    for (; row < table->rows + table->n; row++) {
        if (row->softirq == softirq && row->number == event->number && strcmp(row->name, event->name) == 0)
            return row;
    }
    if (table->n == ST_HANDLERS_MAX)
        return &table->rows[ST_HANDLERS_MAX - 1];
    *row = (struct st_handlers_row){.softirq = softirq, .number = event->number};
    memcpy(row->name, event->name, sizeof(row->name));
    if (++table->n == ST_HANDLERS_MAX) {
        row->number = -1;
        memcpy(row->name, others, sizeof(others));
    }
    return row;
}

/* @return how long the run was; 0: its entry is not known. */
static int64_t end_run(struct st_handlers_run *run, const struct st_trace_event *event)
{
    struct st_handlers_row *row = run->row;
    if (row == NULL)
        return 0;
    const int64_t ns = event->at_ns - run->from_ns - run->above_ns;
    size_t band = 0;
    while (band < ST_HANDLERS_BANDS - 1 && ns >= bounds_ns[band])
        band++;
    row->runs_n++;
    row->bands[band]++;
    row->total_ns += ns;
    row->longest_ns = ns > row->longest_ns ? ns : row->longest_ns;
    run->row = NULL;
    return ns;
}

void st_handlers_take(struct st_handlers *handlers, const struct st_trace_event *event)
{
    struct st_handlers_table *table = &handlers->table;
    if (event->cpu < 0 || event->cpu >= ST_HANDLERS_CPUS_MAX)
        return;
    struct st_handlers_cpu *cpu = &handlers->cpus[event->cpu];
    if (cpu->at_ns != 0)
        *(event->kind == ST_TRACE_LOST ? &table->lost_ns : &table->seen_ns) += event->at_ns - cpu->at_ns;
    cpu->at_ns = event->at_ns;
    switch (event->kind) {
    case ST_TRACE_IRQ_ENTRY:
        cpu->irq = (struct st_handlers_run){.row = row_of(table, event), .from_ns = event->at_ns};
        break;
    case ST_TRACE_IRQ_EXIT:
        cpu->softirq.above_ns += end_run(&cpu->irq, event);
        break;
    case ST_TRACE_SOFTIRQ_ENTRY:
        cpu->softirq = (struct st_handlers_run){.row = row_of(table, event), .from_ns = event->at_ns};
        break;
    case ST_TRACE_SOFTIRQ_EXIT:
        (void)end_run(&cpu->softirq, event);
        break;
    case ST_TRACE_SWITCH: /* how long the other thread has the CPU is not the handler's */
    case ST_TRACE_LOST:
        cpu->irq.row = cpu->softirq.row = NULL;
        break;
    case ST_TRACE_WAKING:
        break;
    }
}

static int longest_first(const void *a, const void *b)
{
    const struct st_handlers_row *x = a, *y = b;
    return (x->longest_ns < y->longest_ns) - (x->longest_ns > y->longest_ns);
}

static json_t *row_json(const struct st_handlers_row *row)
{
    char name[ST_TRACE_CULPRIT_BYTES];
    json_t *bands = json_array();
    for (size_t i = 0; i < ST_HANDLERS_BANDS; i++)
        json_array_append_new(bands, ST_JSON(row->bands[i]));
    st_cpu_trace_handler_name(row->softirq, row->number, row->name, name, sizeof(name));
    return json_pack("{s:s, s:I, s:I, s:I, s:o}", "name", row->number >= 0 ? name : others, "count",
                     (json_int_t)row->runs_n, "total_ns", (json_int_t)row->total_ns, "longest_ns",
                     (json_int_t)row->longest_ns, "bands", bands);
}

json_t *st_handlers_json(struct st_handlers_table *table)
{
    json_t *rows = json_array(), *bounds = json_array();
    qsort(table->rows, table->n, sizeof(table->rows[0]), longest_first);
    for (size_t i = 0; i < table->n && table->rows[i].runs_n > 0; i++)
        json_array_append_new(rows, row_json(&table->rows[i]));
    for (size_t i = 0; i < ST_ARRAY_LEN(bounds_ns); i++)
        json_array_append_new(bounds, json_integer(bounds_ns[i]));
    json_t *object = json_pack("{s:I, s:I, s:o, s:o}", "seen_ns", (json_int_t)table->seen_ns, "lost_ns",
                               (json_int_t)table->lost_ns, "bounds_ns", bounds, "rows", rows);
    if (table->seen_ns > 0)
        return object;
    json_decref(object);
    return json_null();
}
