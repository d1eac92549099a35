#include "lab/bench_text.h"

#include "core/ns.h"
#include "core/text/text.h"
#include "measure/result.h"

#define LINE_BYTES 600

static void condition(void *ctx, const char *key, const char *value)
{
    static const char *const shown[] = {
        "kernel_release",    "cpu_model",     "hypervisor", "clocksource",
        "governor",          "idle_governor", "eventtimer", "alloweddeviation_pct",
        "nanosleep_precise", "timer_slack_ns"};
    char *line = ctx;
    ST_EACH (word, shown) {
        if (strcmp(key, *word) == 0)
            st_text_join(line, LINE_BYTES, ", ", "%s %s", key, value);
    }
}

void st_bench_text_conditions(struct st_platform *machine, FILE *out, int width)
{
    char line[LINE_BYTES] = "";
    machine->conditions(machine, -1, condition, line);
    st_text_wrap(out, line, 0, width);
}

json_t *st_bench_text_conditions_json(struct st_platform *machine)
{
    json_t *o = json_object();
    machine->conditions(machine, -1, st_result_condition_json, o);
    return o;
}

const char *st_bench_text_rough(int64_t ns, char *buf, size_t buf_bytes)
{
    if (ns < 600 * ST_NS_PER_S)
        snprintf(buf, buf_bytes, "%.0f s", ceil((double)ns / 1e9));
    else if (ns < 7200 * ST_NS_PER_S)
        snprintf(buf, buf_bytes, "%.0f min", (double)ns / 60e9);
    else
        snprintf(buf, buf_bytes, "%.1f h", (double)ns / 3600e9);
    return buf;
}

const char *st_bench_text_digits(double value, char *buf, size_t buf_bytes)
{
    const double size = fabs(value);
    snprintf(buf, buf_bytes, "%.*f", size < 9.995 ? 2 : size < 99.95 ? 1 : 0, value);
    return buf;
}

const char *st_bench_text_us(double ns, char *buf, size_t buf_bytes)
{
    return st_bench_text_digits(ns / 1e3, buf, buf_bytes);
}

void st_bench_text_missing(FILE *out, const char *name, const char *why, int error, int columns,
                           int width)
{
    char text[400] = "";
    ST_APPEND(text, "not measured: %s", why);
    if (error != 0)
        ST_APPEND(text, " (%s)", strerror(-error));
    st_text_field(out, name, text, columns, width);
}
