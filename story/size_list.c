#include "story/size_list.h"

#include "core/stats/stats.h"
#include "core/text/json.h"
#include "evidence/miss_events.h"
#include "xruns/xrun.h"

#define HOUR_S 3600.0
/* a row with less playing time is left out, since times are precise to a minute only */
#define LEAST_S 60.0

struct st_size_rate st_size_list_rate(const struct st_history_size *size)
{
    const double seconds = st_ns_seconds(size->playing_ns), bursts = (double)size->bursts_n;
    struct st_size_rate rate = {
        .high = st_miss_events_per_hour_max95((uint64_t)size->bursts_n, seconds)};
    if (bursts <= 0)
        return rate;
    rate.per_hour = bursts * HOUR_S / seconds;
    rate.low = st_stats_gamma_quantile(0.05, bursts) * HOUR_S / seconds;
    return rate;
}

/* The rate of bursts with its bounds: "3.1 (2 to 4.61)", "none (at most 0.214)". */
static const char *rate_text(const struct st_size_rate *rate)
{
    const char *high = st_miss_events_rate_text(rate->high);
    if (rate->per_hour <= 0)
        return st_text("none (at most %s)", high);
    return st_text("%s (%s to %s)", st_miss_events_seen_text(rate->per_hour),
                   st_miss_events_seen_text(rate->low), high);
}

/* A row of the table, for the terminal and the page. */
static json_t *screen_row(const struct st_history_size *size, bool several)
{
    const struct st_size_rate bounds = st_size_list_rate(size);
    const char *played = st_ns_long(size->playing_ns), *rate = rate_text(&bounds),
               *label = st_text("%jd frames", size->frames);
    if (several)
        label = st_text_joined(label, ", ", st_xrun_sources_title(size->source));
    return st_json_object(
        "label:s text:t state:t detail:b cells:o", label,
        st_text("bursts of dropouts an hour: %s; played for %s", rate, played),
        size->dropouts_n > 0 ? "warn" : "ok", true,
        json_pack("[o, s, s, s, s]", st_json_safe_string(label), rate, played,
                  st_text("%jd", size->dropouts_n),
                  st_text("%.1f ms", (double)size->frames * 1e3 / (double)size->rate_hz)));
}

static json_t *row_json(const struct st_history_size *size)
{
    const struct st_size_rate rate = st_size_list_rate(size);
    return st_json_object("source:s frames:i rate_hz:i playing_ns:i dropouts:i bursts:i "
                          "per_hour:d low:d high:d",
                          size->source, size->frames, size->rate_hz, size->playing_ns,
                          size->dropouts_n, size->bursts_n, rate.per_hour, rate.low, rate.high);
}

static json_t *run_json(const struct st_history_run *run)
{
    return st_json_object("source:s from_ns:i to_ns:i frames:i rate_hz:i", run->source,
                          run->from_wall_ns, run->to_wall_ns, run->frames, run->rate_hz);
}

static json_t *document_of(struct st_history_sizes *sizes, int64_t since_ns, int64_t until_ns)
{
    /* of too many, none is said */
    json_t *list = json_array(), *rows = json_array(), *runs = NULL;
    const bool several =
        sizes->n > 0 && !st_text_is(sizes->sizes[0].source, sizes->sizes[sizes->n - 1].source);
    ST_EACH_OF (size, sizes->sizes, sizes->n) {
        json_array_append_new(list, row_json(size));
        if ((double)size->playing_ns >= LEAST_S * 1e9)
            json_array_append_new(rows, screen_row(size, several));
    }
    if (sizes->runs_n <= ST_HISTORY_RUNS_MAX)
        runs = json_array();
    ST_EACH_OF (run, sizes->runs, sizes->runs_n) {
        if (run->frames > 0)
            json_array_append_new(runs, run_json(run));
    }
    json_t *section = st_json_object("title:t columns:o rows:o",
                                     "Dropouts at each buffer size (within 10 s: one burst)",
                                     json_pack("[s, s, s, s, s]", "Buffer used", "Bursts/h (95 %)",
                                               "Played", "Dropouts", "Period"),
                                     rows);
    return st_json_object(
        "schema:t since_ns:n until_ns:o sizes:o runs:o section:o", "sleeptune-sizes/1", since_ns,
        st_json_integer_or_null(until_ns != INT64_MAX, until_ns), list, runs, section);
}

json_t *st_size_list_read(struct st_history_reader *reader, int64_t since_ns, int64_t until_ns)
{
    struct st_history_sizes *sizes = malloc(sizeof(*sizes));
    if (sizes == NULL)
        return NULL;
    st_history_read_sizes(reader, since_ns, until_ns, sizes);
    json_t *document = document_of(sizes, since_ns, until_ns);
    free(sizes);
    return document;
}
