/* What a measurement adds to a report: facts "measured.*", and settings that are tried beside the present ones. */
#include "cli/report/report_measure.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/report/facts_input.h"
#include "core/ns.h"
#include "core/text/text.h"
#include "measure/experiments.h"
#include "measure/result.h"
#include "platform/program/rttime.h"
#include "platform/program/stop.h"
#include "platform/program/terminal.h"

#define SCHEMA         "sleeptune-measure/1"
#define SCHEMA_PREFIX  "sleeptune-measure/"
#define FILE_MAX_BYTES (16 * 1024 * 1024)

static int check_schema(const json_t *document, char *message, size_t message_bytes)
{
    const char *schema = json_string_value(json_object_get(document, "schema"));
    if (schema != NULL && strcmp(schema, SCHEMA) == 0)
        return 0;
    if (schema != NULL && strncmp(schema, SCHEMA_PREFIX, strlen(SCHEMA_PREFIX)) == 0) {
        snprintf(message, message_bytes, "its schema is not " SCHEMA ", which this sleeptune reads");
        return -EPROTONOSUPPORT;
    }
    snprintf(message, message_bytes, "not a result of 'sleeptune measure --json'");
    return -EBADMSG;
}

/** Whole numbers of the loop. */
static int put_numbers(struct st_facts *facts, const json_t *loop, char *message, size_t message_bytes)
{
    static const struct {
        const char *group, *name, *key;
    } rows[] = {
        {"circumstances", "frames", ST_MEASURED_FRAMES}, {"circumstances", "rate_hz", ST_MEASURED_RATE_HZ},
        {NULL, "elapsed_periods", ST_MEASURED_PERIODS},  {NULL, "misses", ST_MEASURED_MISSES},
        {NULL, "duration_ns", ST_MEASURED_DURATION_NS},
    };
    for (size_t i = 0; i < ST_ARRAY_LEN(rows); i++) {
        const json_t *group = rows[i].group != NULL ? json_object_get(loop, rows[i].group) : loop;
        const json_t *value = json_object_get(group, rows[i].name);
        if (!json_is_integer(value) || json_integer_value(value) < 0) {
            snprintf(message, message_bytes, "'%s' is not a whole number", rows[i].name);
            return -EBADMSG;
        }
        const int r = st_facts_put_int(facts, rows[i].key, json_integer_value(value), NULL, SCHEMA);
        if (r != 0)
            return r;
    }
    /* what the ring lost was not seen */
    const json_int_t lost = json_integer_value(json_object_get(loop, "records_lost"));
    const json_int_t seen = json_integer_value(json_object_get(loop, "elapsed_periods")) - lost;
    const int r =
        st_facts_put_int(facts, ST_MEASURED_PERIODS, lost >= 0 && seen > 0 ? seen : 0, NULL, SCHEMA);
    if (r != 0)
        return r;
    /* null when nothing was measured: the number of periods says so */
    const json_t *latest = json_object_get(json_object_get(loop, "lateness_ns"), "max");
    return st_facts_put_int(facts, ST_MEASURED_LATEST_NS, json_integer_value(latest), NULL, SCHEMA);
}

static int put_text_if(struct st_facts *facts, const char *key, const json_t *value)
{
    const char *text = json_string_value(value);
    return text != NULL ? st_facts_put_text(facts, key, text, NULL, SCHEMA) : 0;
}

/** How long ago it began; nothing when the clock says that it has not begun yet. */
static int put_age(struct st_facts *facts, const json_t *started_ns)
{
    const int64_t age_s = (int64_t)time(NULL) - json_integer_value(started_ns) / ST_NS_PER_S;
    if (!json_is_integer(started_ns) || age_s < 0)
        return 0;
    return st_facts_put_int(facts, ST_MEASURED_AGE_S, age_s, NULL, SCHEMA);
}

static int put_texts(struct st_facts *facts, const json_t *loop)
{
    const json_t *where = json_object_get(loop, "circumstances");
    const json_t *bound = json_object_get(loop, "misses_per_hour_max95");
    const json_t *events = json_object_get(loop, "miss_events");
    const char *policy = json_string_value(json_object_get(where, "policy"));
    const json_int_t priority = json_integer_value(json_object_get(where, "priority"));
    char text[64];
    int r = put_text_if(facts, ST_MEASURED_DEGRADED, json_object_get(where, "degraded"));
    if (r == 0)
        r = put_text_if(facts, ST_MEASURED_ERROR, json_object_get(loop, "error"));
    if (r == 0)
        r = put_text_if(facts, ST_MEASURED_KERNEL, json_object_get(where, "kernel_release"));
    if (r == 0)
        r = put_age(facts, json_object_get(loop, "started_ns"));
    if (r == 0 && json_is_integer(events) && json_integer_value(events) >= 0)
        r = st_facts_put_int(facts, ST_MEASURED_EVENTS, json_integer_value(events), NULL, SCHEMA);
    if (r == 0 && json_is_number(bound))
        r = st_facts_put_text(facts, ST_MEASURED_BOUND,
                              st_miss_events_rate_text(json_number_value(bound), text, sizeof(text)), NULL,
                              SCHEMA);
    if (r != 0 || policy == NULL)
        return r;
    if (priority > 0)
        snprintf(text, sizeof(text), "%.20s %lld", policy, (long long)priority);
    else
        snprintf(text, sizeof(text), "%.20s", policy);
    return st_facts_put_text(facts, ST_MEASURED_POLICY, text, NULL, SCHEMA);
}

int st_report_measure_put(struct st_facts *facts, const json_t *document, const char *source, char *message,
                          size_t message_bytes)
{
    int r = check_schema(document, message, message_bytes);
    if (r != 0)
        return r;
    /* several loops are sorted, the worst first */
    const json_t *loops = json_object_get(document, "loops");
    const json_t *loop = loops != NULL ? json_array_get(loops, 0) : document;
    r = put_numbers(facts, loop, message, message_bytes);
    if (r != 0)
        return r;
    r = put_texts(facts, loop);
    if (r == 0)
        r = st_facts_put_int(facts, ST_MEASURED_BOOKS_BALANCE,
                             json_is_true(json_object_get(loop, "books_balance")), NULL, SCHEMA);
    return r == 0 ? st_facts_put_text(facts, ST_MEASURED_SOURCE, source, NULL, SCHEMA) : r;
}

int st_report_measure_load(const char *command, const char *path, struct st_facts *facts)
{
    char message[200], source[128], *text;
    size_t bytes;
    int status = st_facts_input_read(command, path, FILE_MAX_BYTES, "a measurement", &text, &bytes);
    if (status != ST_EXIT_DONE)
        return status;
    const char *slash = strrchr(path, '/');
    snprintf(source, sizeof(source), "%s",
             strcmp(path, "-") == 0 ? "standard input"
             : slash != NULL        ? slash + 1
                                    : path);
    json_error_t error;
    json_t *document = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &error);
    if (document == NULL) {
        status = st_failure(command, "%s: not JSON: line %d", path, error.line);
    } else {
        const int r = st_report_measure_put(facts, document, source, message, sizeof(message));
        if (r == -ENOMEM)
            status = st_failure(command, "out of memory");
        else if (r != 0)
            status = st_failure(command, "%s: %s", path, message);
    }
    json_decref(document);
    free(text);
    return status;
}

/* --- trials --- */

#define PERIOD_MIN_NS (50 * ST_NS_PER_US)
#define PERIOD_MAX_NS (10 * ST_NS_PER_S)

static _Atomic bool stop;

static void on_stop(void)
{
    atomic_store(&stop, true);
}

static void look(void *ctx, const struct st_experiment *current, int64_t done_ns)
{
    const struct st_experiments *plan = ctx;
    char line[160];
    snprintf(line, sizeof(line), "%.0f of %.0f s: %s", (double)done_ns / ST_NS_PER_S,
             (double)plan->duration_ns / ST_NS_PER_S, current->title);
    st_text_clip(line, st_terminal_width(STDERR_FILENO) - 1);
    fprintf(stderr, "\r%s\033[K", line);
    fflush(stderr);
}

int st_report_measure_try(const char *command, const struct st_wish *wish, int64_t budget_ns,
                          struct st_trials *ret)
{
    struct st_platform *p = st_platform_native();
    const bool terminal = isatty(STDERR_FILENO) == 1;
    struct st_experiments plan;
    size_t tried_n = 0;
    if (wish->period_ns < PERIOD_MIN_NS || wish->period_ns > PERIOD_MAX_NS)
        return st_failure_usage(command,
                                "--measure: a period of %u frame%s at %u Hz is out of range: 50 us .. 10 s",
                                wish->frames, wish->frames == 1 ? "" : "s", wish->rate_hz);
    st_rttime_limit(p, on_stop);
    st_experiments_plan(p, &wish->period, budget_ns, &plan);
    for (size_t i = 0; i < plan.n; i++)
        tried_n += plan.rows[i].not_tried[0] == '\0';
    st_stop_catch(on_stop);
    fprintf(stderr,
            "sleeptune %s: %zu of %zu other settings can be tried on this machine; comparing them with the "
            "present settings takes %.1f s\n",
            command, tried_n, plan.n, (double)plan.duration_ns / ST_NS_PER_S);
    const struct st_experiments_run run = {
        .seed = (uint64_t)p->wall_ns(p),
        .stop = &stop,
        .look = terminal ? look : NULL,
        .look_ctx = &plan,
    };
    const int r = st_experiments_run(p, &plan, &run, ret);
    if (terminal)
        fputs("\r\033[K", stderr);
    return r == 0 ? ST_EXIT_DONE : st_failure(command, "%s", strerror(-r));
}
