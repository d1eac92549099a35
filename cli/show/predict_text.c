#include "cli/show/predict_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "advisor/facts/owner.h"
#include "cli/command.h"
#include "cli/report/facts_input.h"
#include "core/ns.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "evidence/miss_events.h"
#include "platform/xrun/dropout_reason.h"

#define ROWS_MAX     7   /* on the first screen */
#define COLUMNS_MIN  70  /* in a narrower terminal headroom and basis are left out */
#define USUAL_FRAMES 32u /* of a run that is to answer for the longer sizes */

void st_predict_text_fill(struct st_predict_table *table, const uint32_t *frames, size_t frames_n)
{
    uint32_t usual[ST_PREDICT_SIZES_MAX];
    if (frames_n == 0) {
        for (uint32_t f = 16; f <= 2048; f *= 2)
            usual[frames_n++] = f;
        frames = usual;
    }
    table->n = frames_n;
    for (size_t i = 0; i < frames_n; i++) {
        struct st_predict_row *row = &table->rows[i];
        st_predict_row(table->run, table->wish, frames[i], row);
        table->known = table->known || row->basis != ST_PREDICT_REFUSED || row->high < ST_PREDICT_MOST;
        const bool holds =
            row->high < ST_PREDICT_MOST && row->high <= table->wish->target_per_hour * (1 + 1e-9);
        if (holds && (table->held == NULL || row->frames < table->held->frames))
            table->held = row;
    }
}

static json_t *row_json(const struct st_predict_row *row)
{
    json_t *o = json_object();
    st_json_set(o, "frames", ST_JSON(row->frames));
    st_json_set(o, "period_us", json_real(row->period_us));
    st_json_set(o, "slack_us", json_real(row->slack_us));
    st_json_set(o, "events_per_hour",
                json_pack("{s:o, s:f, s:f}", "estimate", st_json_real_or_null(row->estimated, row->estimate),
                          "low", row->low, "high", row->high));
    st_json_set(o, "worst_tenth_per_hour", st_json_real_or_null(row->estimated, row->worst_tenth));
    st_json_set(o, "basis", json_string(st_predict_basis_name(row->basis)));
    st_json_set(o, "reason", row->reason[0] != '\0' ? json_string(row->reason) : json_null());
    st_json_set(o, "headroom_percent",
                st_json_real_or_null(row->headroom_percent >= 0, row->headroom_percent));
    st_json_set(o, "n_events", ST_JSON(row->n_events));
    st_json_set(o, "observed_s", json_real(row->observed_s));
    return o;
}

json_t *st_predict_text_rows_json(const struct st_predict_table *table)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < table->n; i++)
        (void)json_array_append_new(rows, row_json(&table->rows[i]));
    return rows;
}

static double latency_ms(const struct st_predict_table *table, const struct st_predict_row *row)
{
    return row->period_us * table->wish->periods / 1000;
}

/* A row of its own begins with the same words. */
static const char *without_prefix(const char *reason)
{
    static const char prefix[] = "not known: ";
    return strncmp(reason, prefix, sizeof(prefix) - 1) == 0 ? reason + sizeof(prefix) - 1 : reason;
}

const char *st_predict_text_time(double seconds, char *buf, size_t buf_bytes)
{
    if (seconds < 2 * 86400)
        return st_ns_format((int64_t)(seconds * 1e9), buf, buf_bytes);
    snprintf(buf, buf_bytes, "%.1f days", seconds / 86400);
    return buf;
}

void st_predict_text_answer(const struct st_predict_table *table, FILE *out, int width)
{
    char line[300], time[32], high[32];
    const struct st_predict_row *held = table->held;
    st_predict_text_time(st_predict_seconds(table->run), time, sizeof(time));
    if (held != NULL)
        snprintf(line, sizeof(line),
                 "%u frames held (%.1f ms with %u periods)%s in %s, at most %s per hour (95 %%).",
                 held->frames, latency_ms(table, held), table->wish->periods,
                 held->n_events == 0 ? ": no dropout" : "", time,
                 st_miss_events_rate_text(held->high, high, sizeof(high)));
    else if (!table->known)
        snprintf(line, sizeof(line), "Not known: %s.", without_prefix(table->rows[table->n - 1].reason));
    else
        snprintf(line, sizeof(line), "No size of %u to %u frames held in %s.", table->rows[0].frames,
                 table->rows[table->n - 1].frames, time);
    st_text_wrap(out, line, 0, width);
    fputc('\n', out);
}

static void say_row(const struct st_predict_table *table, const struct st_predict_row *row, bool details,
                    FILE *out, int width)
{
    char estimate[32] = "-", high[32], headroom[32] = "-", slack[32], line[200];
    if (row->estimated)
        snprintf(estimate, sizeof(estimate), row->estimate < 9.95 ? "%.2g" : "%.0f", row->estimate);
    if (row->headroom_percent >= 0)
        snprintf(headroom, sizeof(headroom), "%.0f %%", floor(row->headroom_percent));
    st_miss_events_rate_text(row->high, high, sizeof(high));
    const bool bounded = row->basis == ST_PREDICT_REFUSED && row->high < ST_PREDICT_MOST;
    if (width < COLUMNS_MIN)
        fprintf(out, "%6u %6.1f ms %11s %9s\n", row->frames, latency_ms(table, row), estimate, high);
    else
        fprintf(out, "%6u %8.1f ms %12s %12s %10s  %s\n", row->frames, latency_ms(table, row), estimate, high,
                headroom, bounded ? "no model" : st_predict_basis_name(row->basis));
    if (!details)
        return;
    snprintf(line, sizeof(line),
             "slack %s, at least %.2g per hour, %" PRIu64 " event%s, worst tenth %.3g per hour",
             st_ns_format((int64_t)(row->slack_us * 1e3), slack, sizeof(slack)), row->low, row->n_events,
             row->n_events == 1 ? "" : "s", row->worst_tenth);
    st_text_field(out, "", line, 7, width);
    if (row->reason[0] != '\0')
        st_text_field(out, "", row->reason, 7, width);
}

void st_predict_text_rows(const struct st_predict_table *table, bool details, FILE *out, int width)
{
    char line[300];
    size_t first = 0, end = table->n;
    if (!details) { /* sizes that cannot be known first, then the longest ones give way */
        while (end - first > ROWS_MAX && table->rows[first].frames < table->run->frames)
            first++;
        if (table->held != NULL && (size_t)(table->held - table->rows) >= first + ROWS_MAX)
            first = (size_t)(table->held - table->rows) + 1 - ROWS_MAX;
        end = end - first > ROWS_MAX ? first + ROWS_MAX : end;
    }
    fputs(width < COLUMNS_MIN ? "frames   latency  dropouts/h   at most\n"
                              : "frames     latency  dropouts/h      at most   headroom\n",
          out);
    for (size_t i = first; i < end; i++)
        say_row(table, &table->rows[i], details, out, width);
    fputc('\n', out);
    if (!details)
        return;
    snprintf(line, sizeof(line),
             "Dropouts less than " ST_MISS_EVENTS_GAP
             " apart are one. At most: 95 %% bound. Headroom: largest load "
             "with at most %.3g per hour. Measured at %u frames, %u Hz.",
             table->wish->target_per_hour, table->run->frames, table->run->rate_hz);
    st_text_wrap(out, line, 0, width);
}

/* How the size is set in the server that runs here, which is this user's. */
static void put_setting(uint32_t frames, char *buf, size_t bytes)
{
    static const char *const servers[][2] = {{"jack", "linux.daemon.jackd"},
                                             {"jack", "linux.daemon.jackdbus"},
                                             {"pipewire", "linux.daemon.pipewire"}};
    const struct st_facts_input input = {.no_servers = true};
    struct st_facts *facts = NULL;
    int64_t pid;
    char set[80] = "", lasts[64] = "";
    const bool known = st_facts_input_load("predict", &input, &facts) == ST_EXIT_DONE;
    for (size_t i = 0; known && set[0] == '\0' && i < ST_ARRAY_LEN(servers); i++) {
        if (st_facts_int(facts, servers[i][1], &pid) != 0 || st_owner_other(facts, servers[i][1]) != NULL)
            continue;
        st_dropout_reason_set_frames(servers[i][0], frames, set, sizeof(set));
        if (strcmp(servers[i][0], "pipewire") == 0 && frames >= 16 && (frames & (frames - 1)) == 0)
            snprintf(lasts, sizeof(lasts), "to last: sleeptune apply linux-pipewire-quantum=%u; ", frames);
    }
    if (known)
        st_facts_free(facts);
    if (set[0] != '\0')
        snprintf(buf, bytes, "%s (%sother places: man sleeptune-size)", set, lasts);
    else
        snprintf(buf, bytes, "set %u frames in your sound server or program (man sleeptune-size)", frames);
}

void st_predict_text_next(const struct st_predict_table *table, FILE *out, int width)
{
    char line[300];
    if (!table->known)
        snprintf(line, sizeof(line), "sleeptune measure --frames %u --duration 10m --record FILE",
                 table->rows[0].frames < USUAL_FRAMES ? table->rows[0].frames : USUAL_FRAMES);
    else if (table->held == NULL)
        snprintf(line, sizeof(line), "sleeptune report (what makes wake-ups late)");
    else if (table->wish->target_per_hour > 1)
        snprintf(
            line, sizeof(line),
            "sleeptune measure --frames %u --duration 3h --record FILE (3 h without a dropout show at most 1 "
            "per hour)",
            table->run->frames);
    else
        put_setting(table->held->frames, line, sizeof(line));
    st_text_field(out, "Next", line, 6, width);
}
