/* Fills the template. */
#include "daemon/page/page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base.h"
#include "core/ns.h"
#include "core/xml_text.h"

static const json_t *get(const json_t *object, const char *key)
{
    return json_object_get(object, key);
}

static void put_string(FILE *out, const json_t *object, const char *key)
{
    st_xml_put(out, json_string_value(get(object, key)));
}

static void put_ns(FILE *out, const json_t *value)
{
    char text[32];
    if (json_is_integer(value))
        st_xml_put(out, st_ns_format(json_integer_value(value), text, sizeof(text)));
    else
        fputs("not yet", out);
}

static void put_number(FILE *out, const json_t *value)
{
    if (json_is_integer(value))
        fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else
        fputs("not known", out);
}

static void put_clock(FILE *out, const json_t *value)
{
    const time_t seconds = (time_t)(json_integer_value(value) / ST_NS_PER_S);
    struct tm utc;
    char text[40];
    if (gmtime_r(&seconds, &utc) != NULL && strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &utc) > 0)
        st_xml_put(out, text);
}

/* --- what stands for {{NAME}} --- */

static void state(FILE *out, const json_t *live)
{
    put_string(out, live, "state");
}

static void verdict(FILE *out, const json_t *live)
{
    put_string(out, live, "verdict");
}

static void version(FILE *out, const json_t *live)
{
    put_string(out, live, "version");
}

static void when(FILE *out, const json_t *live)
{
    put_clock(out, get(live, "time_ns"));
}

static void degraded(FILE *out, const json_t *live)
{
    size_t i;
    const json_t *entry;
    json_array_foreach(get(live, "degraded"), i, entry)
    {
        fputs("<li>Degraded, ", out);
        put_string(out, entry, "what");
        fputs(": ", out);
        put_string(out, entry, "why");
        fputs("</li>", out);
    }
}

static void loop(FILE *out, const json_t *live)
{
    const json_t *of = get(live, "loop");
    if (!json_is_object(of)) {
        fputs("The loop has not begun.", out);
        return;
    }
    put_number(out, get(of, "frames"));
    fputs(" frames at ", out);
    put_number(out, get(of, "rate_hz"));
    fputs(" Hz (", out);
    put_ns(out, get(of, "period_ns"));
    fputs("), ", out);
    put_string(out, of, "policy");
    fputc(' ', out);
    put_number(out, get(of, "priority"));
    if (json_is_integer(get(of, "cpu"))) {
        fputs(", CPU ", out);
        put_number(out, get(of, "cpu"));
    } else {
        fputs(", any CPU", out);
    }
    fprintf(out, ", load %g %%", json_number_value(get(of, "load_percent")));
}

static void lateness(FILE *out, const json_t *live)
{
    static const struct {
        const char *key, *name;
    } quantiles[] = {
        {"min", "earliest"}, {"median", "median"}, {"p99", "99 %"}, {"p999", "99.9 %"}, {"max", "latest"}};
    const json_t *of = get(live, "lateness_ns");
    if (!json_is_object(of))
        return;
    fputs("<tr><td>cycles</td><td>", out);
    put_number(out, get(of, "n"));
    fputs("</td></tr>", out);
    for (size_t i = 0; i < ST_ARRAY_LEN(quantiles); i++) {
        fprintf(out, "<tr><td>%s</td><td>", quantiles[i].name);
        put_ns(out, get(of, quantiles[i].key));
        fputs("</td></tr>", out);
    }
}

static void put_xruns(FILE *out, const json_t *of)
{
    const json_int_t starved = json_integer_value(get(of, "starved"));
    if (!json_is_integer(get(of, "count"))) {
        fputs("not watched", out);
        return;
    }
    put_number(out, get(of, "count"));
    if (starved > 0)
        fprintf(out, ", %" JSON_INTEGER_FORMAT " starved client%s", starved, starved == 1 ? "" : "s");
    if (!json_is_true(get(of, "watched")))
        fputs(" (not watched now)", out);
}

static void counts(FILE *out, const json_t *live)
{
    const json_t *misses = get(live, "misses"), *xruns;
    if (json_is_object(misses)) {
        fputs("<tr><td>missed periods</td><td>", out);
        put_number(out, get(misses, "count"));
        fputs(" of ", out);
        put_number(out, get(misses, "periods"));
        fputs("</td></tr><tr><td>of these, skipped</td><td>", out);
        put_number(out, get(misses, "skipped_periods"));
        fputs("</td></tr>", out);
        if (json_integer_value(get(misses, "records_lost")) > 0) {
            fputs("<tr><td>records lost</td><td>", out);
            put_number(out, get(misses, "records_lost"));
            fputs("</td></tr>", out);
        }
    }
    size_t i;
    json_array_foreach(get(live, "xruns"), i, xruns)
    {
        fputs("<tr><td>xruns, ", out);
        put_string(out, xruns, "source");
        fputs("</td><td>", out);
        put_xruns(out, xruns);
        fputs("</td></tr>", out);
    }
}

static void late(FILE *out, const json_t *live)
{
    const json_t *n = get(live, "late_wakes");
    if (!json_is_integer(n))
        return;
    put_number(out, n);
    fprintf(out, " wake-up%s later than ", json_integer_value(n) == 1 ? "" : "s");
    put_ns(out, get(live, "late_threshold_ns"));
    fputc('.', out);
}

static void causes(FILE *out, const json_t *live)
{
    size_t i;
    const json_t *cause;
    json_array_foreach(get(live, "causes"), i, cause)
    {
        fputs("<tr><td>", out);
        put_string(out, cause, "text");
        fputs("</td><td>", out);
        put_number(out, get(cause, "count"));
        fputs("</td><td>", out);
        put_ns(out, get(cause, "total_ns"));
        fputs("</td><td>", out);
        put_ns(out, get(cause, "worst_ns"));
        fputs("</td></tr>", out);
    }
}

static void events(FILE *out, const json_t *live)
{
    size_t i;
    const json_t *event;
    json_array_foreach(get(live, "events"), i, event)
    {
        fputs("<tr><td><time>", out);
        put_clock(out, get(event, "time_ns"));
        fputs("</time></td><td>", out);
        put_string(out, event, "event");
        fputs(": ", out);
        put_string(out, event, "text");
        fputs("</td></tr>", out);
    }
}

static void histogram(FILE *out, const json_t *live)
{
    const json_t *of = get(live, "histogram"), *count;
    const json_t *bounds = get(of, "bounds_ns");
    size_t i;
    json_array_foreach(get(of, "counts"), i, count)
    {
        if (json_integer_value(count) == 0)
            continue;
        fputs("<tr><td>", out);
        if (i < json_array_size(bounds))
            put_ns(out, json_array_get(bounds, i));
        else
            fputs("more", out);
        fputs("</td><td>", out);
        put_number(out, count);
        fputs("</td></tr>", out);
    }
}

static const struct {
    const char *name;
    void (*put)(FILE *out, const json_t *live);
} slots[] = {
    {"state", state},       {"verdict", verdict}, {"version", version},   {"time", when},
    {"degraded", degraded}, {"loop", loop},       {"lateness", lateness}, {"counts", counts},
    {"late", late},         {"causes", causes},   {"events", events},     {"histogram", histogram},
};

/* name: what stands between {{ and }}, without an end. */
static void put_slot(FILE *out, const json_t *live, const char *name, size_t len)
{
    for (size_t i = 0; i < ST_ARRAY_LEN(slots); i++) {
        if (strlen(slots[i].name) == len && strncmp(slots[i].name, name, len) == 0)
            slots[i].put(out, live);
    }
}

char *st_page_text(const json_t *live)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (out == NULL)
        return NULL;
    const char *at = st_page_template, *begin, *end;
    while ((begin = strstr(at, "{{")) != NULL && (end = strstr(begin, "}}")) != NULL) {
        fwrite(at, 1, (size_t)(begin - at), out);
        put_slot(out, live, begin + 2, (size_t)(end - begin) - 2);
        at = end + 2;
    }
    fputs(at, out);
    const int failed = ferror(out);
    if (fclose(out) != 0 || failed != 0) {
        free(text);
        return NULL;
    }
    return text;
}
