/* How long interrupt handlers and softirqs ran: a capture of the kernel's trace, and events in which runs end
 * otherwise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/causes/handlers.h"

#define US INT64_C(1000)

static struct st_handlers handlers;

static int setup(void **state)
{
    (void)state;
    memset(&handlers, 0, sizeof(handlers));
    return 0;
}

static void take(int64_t at_us, int cpu, enum st_trace_kind kind, int number, const char *name)
{
    struct st_trace_event event = {.at_ns = at_us * US, .cpu = cpu, .kind = kind, .number = number};
    snprintf(event.name, sizeof(event.name), "%s", name);
    st_handlers_take(&handlers, &event);
}

/* The row of that name; NULL: none. */
static const json_t *row(const json_t *document, const char *name)
{
    const json_t *rows = json_object_get(document, "rows"), *each;
    size_t i;
    json_array_foreach(rows, i, each)
    {
        if (strcmp(json_string_value(json_object_get(each, "name")), name) == 0)
            return each;
    }
    return NULL;
}

static int64_t field(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static void expect_runs(const json_t *document, const char *name, int64_t n, int64_t total_us)
{
    const json_t *found = row(document, name);
    if (n == 0) {
        assert_null(found);
        return;
    }
    assert_non_null(found);
    assert_int_equal(field(found, "count"), n);
    assert_int_equal(field(found, "total_ns"), total_us * US);
}

static void runs_are_in_the_band_of_their_length(void **state)
{
    (void)state;
    static const int64_t lengths_us[] = {49, 50, 249, 250, 500, 999, 1000, 3999, 4000, 90000};
    static const int64_t expected[] = {1, 2, 1, 2, 2, 2};
    int64_t at_us = 1000;
    for (size_t i = 0; i < ST_ARRAY_LEN(lengths_us); i++) {
        take(at_us, 0, ST_TRACE_IRQ_ENTRY, 27, "hda");
        take(at_us + lengths_us[i], 0, ST_TRACE_IRQ_EXIT, 27, "");
        at_us += 100000;
    }
    json_t *document = st_handlers_json(&handlers.table);
    const json_t *bands = json_object_get(row(document, "irq/27-hda"), "bands");
    assert_int_equal(json_array_size(bands), ST_ARRAY_LEN(expected));
    for (size_t i = 0; i < ST_ARRAY_LEN(expected); i++)
        assert_int_equal(json_integer_value(json_array_get(bands, i)), expected[i]);
    assert_int_equal(field(row(document, "irq/27-hda"), "longest_ns"), 90000 * US);
    assert_int_equal(field(document, "seen_ns"), (9 * 100000 + 90000) * US);
    json_decref(document);
}

static void softirq_has_not_the_time_of_interrupts_on_top_of_it(void **state)
{
    (void)state;
    take(1000, 0, ST_TRACE_SOFTIRQ_ENTRY, 3, "");
    take(1010, 0, ST_TRACE_IRQ_ENTRY, 27, "hda");
    take(1011, 1, ST_TRACE_SOFTIRQ_ENTRY, 3, ""); /* on the other CPU */
    take(1040, 0, ST_TRACE_IRQ_EXIT, 27, "");
    take(1100, 0, ST_TRACE_SOFTIRQ_EXIT, 3, "");
    take(1111, 1, ST_TRACE_SOFTIRQ_EXIT, 3, "");
    json_t *document = st_handlers_json(&handlers.table);
    expect_runs(document, "softirq/NET_RX", 2, 70 + 100);
    expect_runs(document, "irq/27-hda", 1, 30);
    json_decref(document);
}

/* With PREEMPT_RT a softirq can be preempted: how long another thread has the CPU is not its own */
static void run_without_its_end_counts_nothing(void **state)
{
    (void)state;
    take(1000, 0, ST_TRACE_SOFTIRQ_ENTRY, 3, "");
    take(1010, 0, ST_TRACE_SWITCH, 0, "other");
    take(1500, 0, ST_TRACE_SOFTIRQ_EXIT, 3, "");
    take(2000, 0, ST_TRACE_IRQ_ENTRY, 27, "hda");
    take(9000, 0, ST_TRACE_LOST, 0, "");
    take(9000, 0, ST_TRACE_IRQ_EXIT, 27, "");
    take(9100, 0, ST_TRACE_SOFTIRQ_ENTRY, 1, "");
    memset(handlers.cpus, 0, sizeof(handlers.cpus));
    take(50000, 0, ST_TRACE_SOFTIRQ_EXIT, 1, ""); /* of another trace */
    json_t *document = st_handlers_json(&handlers.table);
    assert_int_equal(json_array_size(json_object_get(document, "rows")), 0);
    assert_int_equal(field(document, "lost_ns"), 7000 * US);
    assert_int_equal(field(document, "seen_ns"), 1100 * US);
    json_decref(document);
}

static void handlers_of_one_line_are_rows_and_the_last_row_is_all_others(void **state)
{
    (void)state;
    char name[ST_TRACE_NAME_BYTES];
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof(name), "dev%d", i);
        take(1000 + 10 * i, 0, ST_TRACE_IRQ_ENTRY, 16, name);
        take(1001 + 10 * i, 0, ST_TRACE_IRQ_EXIT, 16, "");
    }
    json_t *document = st_handlers_json(&handlers.table);
    assert_int_equal(json_array_size(json_object_get(document, "rows")), ST_HANDLERS_MAX);
    expect_runs(document, "irq/16-dev62", 1, 1);
    expect_runs(document, "irq/16-dev63", 0, 0);
    expect_runs(document, "other", 37, 37);
    json_decref(document);
}

static void nothing_traced_is_null(void **state)
{
    (void)state;
    json_t *document = st_handlers_json(&handlers.table);
    assert_true(json_is_null(document));
    json_decref(document);
    take(1000, ST_HANDLERS_CPUS_MAX, ST_TRACE_IRQ_ENTRY, 27, "hda"); /* there is no room for such a CPU */
    take(1001, -1, ST_TRACE_IRQ_ENTRY, 27, "hda");
    assert_int_equal(handlers.table.n, 0);
}

/* A line of the file "trace". @return false: it is no event. */
static bool parse(const char *line, struct st_trace_event *ret)
{
    static const struct {
        const char *event;
        enum st_trace_kind kind;
    } kinds[] = {
        {"irq_handler_entry", ST_TRACE_IRQ_ENTRY}, {"irq_handler_exit", ST_TRACE_IRQ_EXIT},
        {"softirq_entry", ST_TRACE_SOFTIRQ_ENTRY}, {"softirq_exit", ST_TRACE_SOFTIRQ_EXIT},
        {"sched_switch", ST_TRACE_SWITCH},
    };
    const char *at = strstr(line, " [");
    char event[32], fields[256];
    int64_t s, us;
    *ret = (struct st_trace_event){0};
    if (line[0] == '#' || at == NULL ||
        sscanf(at, " [%d] %*s %" SCNd64 ".%" SCNd64 ": %31[^:]: %255[^\n]", &ret->cpu, &s, &us, event,
               fields) != 5)
        return false;
    ret->at_ns = (s * 1000000 + us) * US;
    for (size_t i = 0; i < ST_ARRAY_LEN(kinds); i++) {
        if (strcmp(event, kinds[i].event) != 0)
            continue;
        ret->kind = kinds[i].kind;
        (void)sscanf(fields, "%*[^=]=%d name=%15s", &ret->number, ret->name);
        return true;
    }
    return false;
}

static void capture_has_the_runs_that_another_program_computed(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t n, total_us, longest_us;
    } expected[] = {{"softirq/RCU", 17, 193, 28},
                    {"softirq/BLOCK", 8, 93, 22},
                    {"softirq/SCHED", 2, 23, 14},
                    {"irq/36-virtio1-req.0", 7, 12, 3},
                    {"softirq/TIMER", 1, 2, 2}};
    char path[512], line[512];
    struct st_trace_event event;
    snprintf(path, sizeof(path), "%s/tests/fixtures/traces/handlers", getenv("SLEEPTUNE_SRC"));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof(line), file) != NULL) {
        if (parse(line, &event))
            st_handlers_take(&handlers, &event);
    }
    fclose(file);
    json_t *document = st_handlers_json(&handlers.table);
    assert_int_equal(json_array_size(json_object_get(document, "rows")), ST_ARRAY_LEN(expected));
    for (size_t i = 0; i < ST_ARRAY_LEN(expected); i++) { /* the longest first */
        const json_t *each = json_array_get(json_object_get(document, "rows"), i);
        assert_string_equal(json_string_value(json_object_get(each, "name")), expected[i].name);
        expect_runs(document, expected[i].name, expected[i].n, expected[i].total_us);
        assert_int_equal(field(each, "longest_ns"), expected[i].longest_us * US);
    }
    assert_int_equal(field(document, "seen_ns"), (10476 + 8182) * US);
    json_decref(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(runs_are_in_the_band_of_their_length, setup),
        cmocka_unit_test_setup(softirq_has_not_the_time_of_interrupts_on_top_of_it, setup),
        cmocka_unit_test_setup(run_without_its_end_counts_nothing, setup),
        cmocka_unit_test_setup(handlers_of_one_line_are_rows_and_the_last_row_is_all_others, setup),
        cmocka_unit_test_setup(nothing_traced_is_null, setup),
        cmocka_unit_test_setup(capture_has_the_runs_that_another_program_computed, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
