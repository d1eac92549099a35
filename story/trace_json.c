#include "story/trace_json.h"

#include "core/ns.h"
#include "core/text/json.h"

#define NAME_BYTES 300 /* longer names and texts are cut */

static void put_text(FILE *out, const char *text)
{
    json_t *value = st_json_safe_string(st_text("%.*s", NAME_BYTES - 1, text));
    (void)json_dumpf(value, out, JSON_ENCODE_ANY);
    json_decref(value);
}

static void put_event(const struct st_trace_json *json, char phase, enum st_trace_group group,
                      int track, const char *name)
{
    fprintf(json->out, ",\n{\"ph\":\"%c\",\"pid\":%d,\"tid\":%d,\"name\":", phase, (int)group,
            track);
    put_text(json->out, name);
}

static void put_us(const struct st_trace_json *json, const char *key, int64_t ns)
{
    fprintf(json->out, ",\"%s\":%jd.%03jd", key, ns / ST_NS_PER_US, ns % ST_NS_PER_US);
}

void st_trace_json_begin(const struct st_trace_json *json, int64_t wall_ns)
{
    fprintf(json->out,
            "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"begins_wall_ns\":\"%jd\"},"
            "\"traceEvents\":[{\"ph\":\"M\",\"pid\":%d,\"tid\":0,\"name\":\"process_name\","
            "\"args\":{\"name\":\"sleeptune: one moment\"}}",
            wall_ns, ST_TRACE_MOMENT);
}

void st_trace_json_end(const struct st_trace_json *json)
{
    fputs("\n]}\n", json->out);
}

void st_trace_json_name(const struct st_trace_json *json, enum st_trace_group group, int track,
                        const char *name)
{
    put_event(json, 'M', group, track, track == 0 ? "process_name" : "thread_name");
    fputs(",\"args\":{\"name\":", json->out);
    put_text(json->out, name);
    fputs("}}", json->out);
}

int64_t st_trace_json_slice(const struct st_trace_json *json, enum st_trace_group group, int track,
                            int64_t from_ns, int64_t to_ns, const char *text)
{
    if (to_ns <= from_ns)
        return from_ns;
    put_event(json, 'X', group, track, text);
    put_us(json, "ts", from_ns - json->from_ns);
    put_us(json, "dur", to_ns - from_ns);
    fputc('}', json->out);
    return to_ns;
}

void st_trace_json_instant(const struct st_trace_json *json, enum st_trace_group group, int track,
                           int64_t at_ns, const char *text)
{
    put_event(json, 'i', group, track, text);
    put_us(json, "ts", at_ns - json->from_ns);
    fputs(",\"s\":\"t\"}", json->out);
}

void st_trace_json_value(const struct st_trace_json *json, int64_t at_ns, const char *name,
                         int64_t value_ns)
{
    put_event(json, 'C', ST_TRACE_LEVELS, 0, name);
    put_us(json, "ts", at_ns - json->from_ns);
    fprintf(json->out, ",\"args\":{\"ms\":%jd.%06jd}}", value_ns / ST_NS_PER_MS,
            value_ns % ST_NS_PER_MS);
}
