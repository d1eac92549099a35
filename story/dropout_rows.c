#include "story/dropout_rows.h"

#include "core/ns.h"
#include "core/text/json.h"
#include "story/dropout_sentence.h"

#define FIRST_N 8 /* rows on the first screen */
/* a further reason is a detail if it made less than one in this number of the program's dropouts */
#define SELDOM 10

struct table {
    json_t *rows;
    bool live;
};

/* @param lost "": the program lost no sound. */
static void add(const struct table *table, const char *name, const char *dropouts, const char *why,
                const char *lost, const char *load, const char *peak, bool detail)
{
    json_t *cells =
        json_pack(table->live ? "[o, s, o, s, s, s]" : "[o, s, o, s]", st_json_safe_string(name),
                  dropouts, st_json_safe_string(why), lost, load, peak);
    (void)json_array_append_new(table->rows,
                                st_json_object("cells:o state:t detail:b", cells,
                                               lost[0] != '\0' ? "warn" : "ok",
                                               detail || json_array_size(table->rows) >= FIRST_N));
}

/* A time in percent of the period; below 0: not known. */
static double share(int64_t ns, int64_t period_ns)
{
    return period_ns > 0 ? 100 * (double)ns / (double)period_ns : -1;
}

/* "117 %"; "-": not known. */
static const char *share_text(double percent)
{
    return st_text(percent >= 0 ? "%.*f %%" : "-", percent >= 0.05 && percent < 0.95, percent);
}

/* The longest cycle of the client: that of its worst dropout if it computed too long then, or that
 * of the last seconds, whichever is longer. */
static const char *peak_text(const struct st_dropout_client *client)
{
    const struct st_xrun_load *load = &client->load;
    const struct st_dropout_cycle *worst = &client->rows[0].worst;
    /* with another reason, the time that the cycle needed is not known */
    const bool known = client->rows[0].reason == ST_DROPOUT_TOO_SLOW && worst->busy_ns > 0;
    return share_text(ST_MAX(known ? share(worst->busy_ns, worst->period_ns) : -1,
                             share(load->busy_max_ns, load->period_ns)));
}

/* Text for the column "Why" of a client that lost no sound: what is known about the client, or why
 * its dropouts may not be seen. */
static const char *quiet_text(const struct st_dropout_client *client)
{
    const struct st_xrun_load *load = &client->load;
    if (load->drift_ppb != 0)
        return st_text("second card, %.0f ppm %s than %.60s", fabs((double)load->drift_ppb) / 1000,
                       load->drift_ppb < 0 ? "slower" : "faster", client->device);
    if (load->between == ST_XRUN_BETWEEN_STOPS)
        return "losses seen only if the program stops";
    if (load->between == ST_XRUN_BETWEEN_UNSEEN)
        return "losses before PipeWire are not watched";
    if (client->reserve_ns > 0)
        return st_text("at least %s left of %s", st_ns_short(client->reserve_ns - 1),
                       st_ns_short(client->buffer_ns));
    return "";
}

static void add_client(const struct table *table, const struct st_dropout_client *client,
                       const struct st_dropout_source *of)
{
    const char *source = of->name, *terse = st_xrun_sources_find(source)->terse;
    bool unnamed = false; /* may this program be one that the server does not name? */
    ST_EACH_OF (one, of->table->clients, of->table->clients_n)
        unnamed = unnamed || (terse != NULL && one->name[0] == '\0' && one->sum.n > 0);
    const struct st_dropout_row *first = client->rows;
    const char *name = st_text_or(
        client->name, first->stream != NULL ? st_xrun_sources_title(source) : "not named");
    const char *usual =
        st_dropout_table_has_ended(client)
            ? "ended"
            : share_text(share(client->load.busy_median_ns, client->load.period_ns));
    const char *peak = peak_text(client);
    if (client->sum.n == 0 && table->live)
        add(table, name, unnamed || st_dropout_table_is_unheard(client) ? "?" : "0",
            quiet_text(client), "", usual, peak, false);
    if (client->sum.n == 0)
        return;
    ST_EACH_OF (row, first, client->rows_n) {
        const bool device = row->stream != NULL && client->name[0] == '\0';
        const char *why = st_dropout_sentence_why(client, row, false), *lost = "-", *dropouts = "-";
        if (device || row > first)
            usual = peak = "";
        if (device)
            why = st_text_or(terse, why);
        if (row->sum.lost_ns > 0)
            lost = st_text(row->sum.unknown_n > 0 ? "%s+" : "%s", st_ns_short(row->sum.lost_ns));
        /* 0: the row is about a dropout that was counted earlier and goes on */
        if (row->sum.n > 0)
            dropouts = st_text("%ju", row->sum.n);
        add(table, name, dropouts, why, lost, usual, peak,
            row > first && SELDOM * row->sum.n < client->sum.n);
    }
}

/* Rank of a source in the table; the highest comes first: 2 if the user asked about this time
 * (asked) and the source is watched now, 1 if one of both holds, else 0. */
static int rank(const struct st_dropout_source *source)
{
    return source->asked + source->watched;
}

/* Finds the client for the next row: of the sources of the highest rank, the client with the
 * largest loss that is not in the table yet. Each source has its clients sorted by loss. @return
 * its source; NULL: there is none. */
static const struct st_dropout_source *next(const struct st_dropout_source *sources, size_t n,
                                            size_t *at)
{
    const struct st_dropout_source *best = NULL;
    ST_EACH_OF (source, sources, n) {
        const struct st_dropout_table *table = source->table;
        const struct st_dropout_client *client = &table->clients[at[source - sources]];
        if (client < table->clients + table->clients_n &&
            (best == NULL ||
             (rank(source) == rank(best)
                  ? st_dropout_table_goes_first(client, &best->table->clients[at[best - sources]])
                  : rank(source) > rank(best))))
            best = source;
    }
    return best;
}

json_t *st_dropout_rows(const struct st_dropout_source *sources, size_t n, bool live)
{
    const struct table table = {json_array(), live};
    size_t at[ST_XRUN_SOURCES_MAX] = {0};
    uint64_t others_n = 0;
    for (const struct st_dropout_source *of; (of = next(sources, n, at)) != NULL;)
        add_client(&table, &of->table->clients[at[of - sources]++], of);
    ST_EACH_OF (source, sources, n)
        others_n += source->table->others_dropouts_n;
    if (others_n > 0)
        add(&table, "others", st_text("%ju", others_n), "programs that ended and are not listed",
            "-", "", "", false);
    /* Load and Peak are shares of the period, which audio programs call load. */
    return st_json_object("title:t columns:o rows:o", "Programs",
                          json_pack(live ? "[s, s, s, s, s, s]" : "[s, s, s, s]", "Program",
                                    "Dropouts", "Why", "Lost", "Load", "Peak"),
                          table.rows);
}
