#include "cli/show/predict_text.h"

#include "advisor/facts/owner.h"
#include "cli/command.h"
#include "cli/report/facts_input.h"
#include "core/ns.h"
#include "core/text/json.h"
#include "evidence/miss_events.h"
#include "xruns/xrun.h"

#define LONGEST 2048u
#define WIDE    64 /* least columns of a screen whose rows have the headroom */

void st_predict_text_fill(struct st_predict_table *table, uint32_t wanted_frames)
{
    uint32_t next = table->run->frames;
    table->n = 0;
    while (next <= LONGEST || table->n == 0 || wanted_frames > 0) {
        struct st_predict_row *row = &table->rows[table->n];
        const bool wanted =
            wanted_frames > 0 && (wanted_frames <= next || (next > LONGEST && table->n > 0));
        st_predict_row(table->run, wanted ? wanted_frames : next, row);
        next *= row->frames == next ? 2 : 1;
        if (wanted)
            wanted_frames = 0;
        table->known = table->known || row->known;
        table->n++;
    }
    /* the smallest size whose bound, and the bound of each larger size, keeps the target */
    for (size_t i = table->n; i-- > 0 && st_predict_holds(&table->rows[i]);)
        table->held = &table->rows[i];
}

static json_t *row_json(const struct st_predict_row *row)
{
    return st_json_object(
        "frames:u period_us:d episodes:o per_hour:o at_most_per_hour:o reason:e headroom_percent:o",
        row->frames, row->period_us,
        st_json_integer_or_null(row->known, (json_int_t)row->episodes_n),
        st_json_real_or_null(row->known, row->per_hour),
        st_json_real_or_null(row->known, row->high), row->reason,
        st_json_real_or_null(row->headroom_percent >= 0, row->headroom_percent));
}

json_t *st_predict_text_rows_json(const struct st_predict_table *table)
{
    json_t *rows = json_array();
    ST_EACH_OF (row, table->rows, table->n)
        json_array_append_new(rows, row_json(row));
    return rows;
}

const char *st_predict_text_answer(const struct st_predict_table *table)
{
    const struct st_predict_row *held = table->held, *longest = &table->rows[table->n - 1];
    const char *text = st_text("Not even %u frames were enough", longest->frames), *bound = "";
    if (!table->known)
        return st_text("Which buffer size is enough is unknown: %s.", longest->reason);
    if (held != NULL) {
        text = st_text("This computer alone can play with %u frames (%.1f ms)%s", held->frames,
                       held->period_us / 1000, held->episodes_n == 0 ? ": no dropout" : "");
        bound = st_text(", at most %s per hour (95 %%)", st_miss_events_rate_text(held->high));
    }
    if (table->brief)
        return st_text("%s.", text);
    return st_text("%s in %s%s.", text,
                   st_ns_short((int64_t)(st_predict_seconds(table->run) * 1e9)), bound);
}

enum mark { HELD, DOUBT, DROPOUTS };

static void put_mark(enum mark mark, bool colour, FILE *out)
{
    static const char *const marks[][2] = {[HELD] = {"✔", "\033[32m✔\033[0m"},
                                           [DOUBT] = {"!", "\033[1;33m!\033[0m"},
                                           [DROPOUTS] = {"✘", "\033[1;31m✘\033[0m"}};
    fputs(marks[mark][colour], out);
}

static enum mark mark_of(const struct st_predict_row *row)
{
    if (row == NULL || !row->known)
        return DOUBT;
    if (st_predict_holds(row))
        return HELD;
    return row->per_hour > 1 ? DROPOUTS : DOUBT;
}

void st_predict_text_mark(const struct st_predict_row *row, bool colour, FILE *out)
{
    put_mark(mark_of(row), colour, out);
}

/* @return the dropouts at this size as text: "none, at most 18", "120". */
static const char *dropouts_text(const struct st_predict_row *row,
                                 const struct st_predict_view *view,
                                 const struct st_predict_table *table)
{
    const bool wide = view->width >= WIDE;
    const char *text = "none";
    if (!row->known)
        text = st_text_joined("unknown", ": ", wide ? row->reason : NULL);
    else if (row->episodes_n > 0)
        text = st_miss_events_seen_text(row->per_hour);
    if (wide && !table->brief && row->high < ST_PREDICT_MOST)
        text = st_text("%s, at most %s", text, st_miss_events_rate_text(row->high));
    if (row->frames != view->used_frames)
        return text;
    if (view->music_n > 0)
        text = st_text("%s; music: %ju", text, view->music_n);
    return st_text("%s, in use", text);
}

static void say_row(const struct st_predict_row *row, const struct st_predict_view *view,
                    const struct st_predict_table *table, FILE *out)
{
    const char *dropouts = dropouts_text(row, view, table);
    enum mark mark = mark_of(row);
    if (view->music_n > 0 && row->frames == view->used_frames)
        mark = DROPOUTS;
    else if (view->music_n > 0 && row->frames < view->used_frames && mark == HELD)
        mark = DOUBT; /* a smaller size leaves less time to the programs that had dropouts */
    put_mark(mark, view->colour, out);
    fprintf(out, " %6u %8.1f ms  ", row->frames, row->period_us / 1000);
    if (view->width >= WIDE && row->headroom_percent >= 0) {
        st_text_pad(out, dropouts, 32);
        fprintf(out, "%5.0f %%\n", floor(row->headroom_percent));
    } else {
        fprintf(out, "%s\n", dropouts);
    }
}

void st_predict_text_rows(const struct st_predict_table *table, const struct st_predict_view *view,
                          FILE *out)
{
    fprintf(out, "  frames       lasts  %s\n",
            view->width >= WIDE ? "dropouts/h, computer alone      headroom" : "dropouts/h");
    ST_EACH_OF (row, table->rows, table->n)
        say_row(row, view, table, out);
}

const char *st_predict_text_setting(uint32_t frames)
{
    const struct st_facts_input input = {.no_servers = true};
    struct st_facts *facts = NULL;
    const char *server = NULL;
    const bool known = st_facts_input_load(&input, &facts) == ST_EXIT_DONE;
    /* the last server that runs decides: JACK, if it runs beside PipeWire */
    for (size_t i = 0; known && st_xrun_sources[i] != NULL; i++) {
        if (st_owner_runs(facts, st_xrun_sources[i]->daemons) &&
            st_xrun_sources[i]->set_frames != NULL)
            server = st_xrun_sources[i]->name;
    }
    if (known)
        st_facts_free(facts);
    if (server == NULL)
        return st_text("set %u frames in your sound server or program: man sleeptune-size", frames);
    return st_text("%s (%s)", st_xrun_sources_set_frames(server, frames),
                   st_text_joined(st_xrun_sources_keep_frames(server, frames), "; ",
                                  "where else to set it: man sleeptune-size"));
}
