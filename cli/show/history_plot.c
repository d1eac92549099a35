/* A history as a picture: three panels over the same time. */
#include "cli/show/history_plot.h"

#include <stdio.h>
#include <string.h>

#include "chart/chart.h"
#include "cli/command.h"
#include "cli/show/json_field.h"
#include "core/ns.h"

/* The unit in which a step is a small number. */
static void choose_unit(int64_t step_ns, struct st_chart_set *set)
{
    static const struct {
        int64_t ns;
        const char *name;
    } units[] = {{86400 * ST_NS_PER_S, "d"}, {3600 * ST_NS_PER_S, "h"}, {60 * ST_NS_PER_S, "min"}};
    size_t i = 0;
    while (i + 1 < ST_ARRAY_LEN(units) && step_ns < units[i].ns)
        i++;
    set->step = (double)step_ns / (double)units[i].ns;
    set->step_unit = units[i].name;
}

static int fill(struct st_chart_set *set, const json_t *document, const char *key)
{
    const json_t *rows = json_object_get(document, "rows"), *row;
    const int64_t step_ns = st_json_field(document, "step_ns"),
                  since_ns = st_json_field(document, "since_ns");
    struct st_period second;
    size_t i;
    int r = st_period_init(&second, 1, 1); /* the unit takes its place */
    if (r == 0)
        r = st_chart_set_begin(set, &second);
    choose_unit(step_ns, set);
    uint64_t next = 0;
    json_array_foreach(rows, i, row)
    {
        const json_t *value = json_object_get(json_object_get(row, "lateness"), key);
        const int64_t after_ns = st_json_field(row, "from_ns") - since_ns;
        const uint64_t index = after_ns > 0 ? (uint64_t)(after_ns / step_ns) : 0;
        if (r != 0 || !json_is_integer(value) || index < next)
            continue; /* two rows of one step: the clock was set back */
        next = index + 1;
        const int64_t misses = st_json_field(row, "misses");
        st_chart_set_value(set, index, json_integer_value(value), misses > 0);
        if (r == 0 && misses > 1)
            set->missed_n += (uint64_t)misses - 1;
    }
    return r;
}

static void say_circumstances(struct st_chart_data *data, const json_t *document)
{
    const json_t *all = json_object_get(document, "circumstances"), *one = json_array_get(all, 0);
    char text[400];
    const char *kernel = json_string_value(json_object_get(one, "kernel"));
    const char *policy = json_string_value(json_object_get(one, "policy"));
    const char *governor = json_string_value(json_object_get(one, "governor"));
    snprintf(text, sizeof(text), "%lld frames at %lld Hz, %s %lld, load %g %%, kernel %s, governor %s%s",
             (long long)st_json_field(one, "frames"), (long long)st_json_field(one, "rate_hz"),
             policy != NULL ? policy : "?", (long long)st_json_field(one, "priority"),
             json_number_value(json_object_get(one, "load_percent")), kernel != NULL ? kernel : "?",
             governor != NULL ? governor : "not known",
             json_array_size(all) > 1 ? "; later under others, too" : "");
    st_chart_circumstances(data, text);
}

int st_history_plot(const char *command, const json_t *document, const char *path)
{
    static const struct {
        const char *label, *key;
    } panels[] = {{"median of each step", "p50_ns"},
                  {"p99 of each step", "p99_ns"},
                  {"latest wake of each step", "max_ns"}};
    const struct st_chart_options options = {.kind = ST_CHART_SERIES, .path = path};
    struct st_chart_data data;
    int r = 0;
    st_chart_init(&data, "lateness (woke - due)");
    say_circumstances(&data, document);
    for (size_t i = 0; r == 0 && i < ST_ARRAY_LEN(panels); i++) {
        struct st_chart_set *set = st_chart_add(&data, panels[i].label);
        r = set == NULL ? -ENOMEM : fill(set, document, panels[i].key);
    }
    if (strcmp(path, "-") == 0)
        putchar('\n');
    const int status =
        r == 0 ? st_chart_write(command, &data, &options) : st_failure(command, "%s", strerror(-r));
    st_chart_finish(&data);
    return status;
}
