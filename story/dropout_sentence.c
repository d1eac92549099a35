#include "story/dropout_sentence.h"

#include "core/ns.h"

static const char *count_text(uint64_t n)
{
    return n == 1 ? "once" : st_text("%ju times", n);
}

/* The program that had the CPU: "ffmpeg", or "sleeptune itself (sleeptuned)". */
static const char *culprit_text(const char *culprit)
{
    if (!st_text_begins(culprit, "sleeptune")) /* no other program has such a name */
        return culprit;
    return st_text("%s (%s)",
                   st_text_is(culprit, "sleeptune") /* sleeptune check, measure or tune */
                       ? "a test of sleeptune"
                       : "sleeptune itself",
                   culprit);
}

/* The reason why a client was not ready. @param figures include the times of the worst cycle. */
static const char *reason_text(const struct st_dropout_row *row, bool figures)
{
    const struct st_dropout_cycle *cycle = &row->worst;
    const char *name = row->culprit;
    const uint64_t n = row->sum.n, own_n = row->culprit_n;
    const bool known = own_n > 0 && 10 * own_n >= 9 * n;
    const char *culprit = culprit_text(name), *text = st_dropout_reason_text(row->reason);
    if (row->reason == ST_DROPOUT_CPU_TAKEN && known)
        text = st_text("lost the CPU to %s", culprit);
    else if (row->reason == ST_DROPOUT_WAITED_FOR_OTHER && known)
        text = st_text("waited for %s%s", name,
                       st_text_is(name, ST_DROPOUT_REASON_PULSE_SERVER) ||
                               st_text_is(name, ST_DROPOUT_REASON_PULSEAUDIO)
                           ? ", which did not answer"
                           : "");
    if (figures && row->reason == ST_DROPOUT_TOO_SLOW && cycle->period_ns > 0 &&
        cycle->busy_ns > cycle->period_ns)
        text = st_text("%s, %s%s in a buffer of %s", text,
                       cycle->error_ns > cycle->busy_ns / 50 ? "about "
                                                             : "", /* an error of more than 2 % */
                       st_ns_short(cycle->busy_ns), st_ns_short(cycle->period_ns));
    else if (figures && row->reason == ST_DROPOUT_WOKEN_LATE && cycle->wait_ns > 0)
        text = st_text("%s (by %s)", text, st_ns_short(cycle->wait_ns));
    if (row->reason == ST_DROPOUT_WOKEN_LATE && known)
        text = st_text("%s, %s had the CPU", text, culprit);
    /* Names a culprit that had the CPU at half of the dropouts, or at 3 and a fifth of them. Fewer
     * may be chance, and another program the next time. */
    else if (!known && own_n > 0 && (2 * own_n >= n || (own_n >= 3 && 5 * own_n >= n)))
        text = st_text("%s, at least %s %s", text, count_text(own_n), culprit);
    if (figures && row->reason == ST_DROPOUT_TOO_SLOW && row->slowed != ST_CAUSE_UNKNOWN)
        text = st_text("%s; meanwhile %s", text, st_cause_kind_text(row->slowed));
    return text;
}

const char *st_dropout_sentence_why(const struct st_dropout_client *client,
                                    const struct st_dropout_row *row, bool figures)
{
    const char *text;
    if (row->place == ST_DROPOUT_AT_BUS)
        return st_dropout_place_why(row->place);
    if (row->place == ST_DROPOUT_AT_RESYNC)
        text = st_text(
            "was resynchronised to the clock of %s%s", st_text_or(client->device, "another card"),
            client->drift_ppb == 0
                ? ""
                : st_text(", which is %.0f ppm %s", fabs((double)client->drift_ppb) / 1000,
                          client->drift_ppb < 0 ? "faster" : "slower"));
    else
        text = row->stream != NULL ? row->stream : reason_text(row, figures);
    if (client->rhythm.each_ns > 0 && row == client->rows)
        return st_text("%s, in a rhythm of %.1f s", text, st_ns_seconds(client->rhythm.each_ns));
    return text;
}

const char *st_dropout_sentence_lost(const struct st_dropout_client *client, const char *source,
                                     const char *when)
{
    const struct st_dropout_row *row = client->rows;
    const struct st_dropout_sum *sum = &client->sum;
    const char *text = st_text("%s lost sound %s%s", client->name, count_text(sum->n), when);
    if (sum->lost_ns > 0)
        text = st_text(sum->n == 1 ? "%s, for %s%s" : "%s, %s%s in all", text,
                       sum->unknown_n > 0 ? "at least " : "", st_ns_short(sum->lost_ns));
    if (sum->n > 1 && sum->longest_ns > 0)
        text = st_text("%s (longest %s)", text, st_ns_short(sum->longest_ns));
    if (row->place == ST_DROPOUT_AT_CLIENT_BUFFER && row->sum.n == sum->n)
        return st_text("%s, on the way from the program to %s", text,
                       st_xrun_sources_title(source));
    return text;
}

const char *st_dropout_sentence_of(const struct st_dropout_client *client, const char *source,
                                   const char *when)
{
    const struct st_dropout_row *row = client->rows;
    const char *times = ""; /* the main reason applied to all dropouts */
    if (row->sum.n == 0)    /* only while a dropout went on */
        times = st_text("; for %s", st_ns_short(row->sum.lost_ns));
    else if (row->sum.n < client->sum.n)
        times = st_text("; %s", count_text(row->sum.n));
    return st_text("%s%s: it %s.", st_dropout_sentence_lost(client, source, when), times,
                   st_dropout_sentence_why(client, row, true));
}

const char *st_dropout_sentence_forced(const struct st_dropout_table *table,
                                       const struct st_dropout_client *client, const char *source)
{
    if (st_dropout_table_is_forced(table, client))
        return st_text("%s is forced to %jd frames (%s). ", st_xrun_sources_title(source),
                       table->frames, st_ns_short(table->period_ns));
    return "";
}

const char *st_dropout_sentence_say(const struct st_dropout_table *table,
                                    const struct st_dropout_client *client, const char *source,
                                    const char *when)
{
    const char *terse = st_xrun_sources_find(source)->terse;
    const char *forced = st_dropout_sentence_forced(table, client, source);
    if (client->name[0] != '\0')
        return st_text("%s%s%s", forced, st_dropout_sentence_of(client, source, when),
                       st_dropout_table_lost_cpu(client) && st_dropout_table_is_normal(table)
                           ? " No program that plays has real-time priority."
                           : "");
    const char *why = st_dropout_sentence_why(client, client->rows, true);
    return st_text("%s%ju dropout%s happened on %s%s: %s.", forced, client->sum.n,
                   ST_PLURAL(client->sum.n), st_xrun_sources_title(source), when,
                   client->rows->stream == NULL ? st_text("a program %s; %s does not say which one",
                                                          why, st_xrun_sources_title(source))
                                                : st_text_or(terse, why));
}

const char *st_dropout_sentence_brief(const char *name, uint64_t n)
{
    return st_text("%s: %ju dropout%s", name, n, ST_PLURAL(n));
}
