#include "story/dropout_sentence.h"

#include "core/ns.h"
#include "core/text/text.h"
#include "xruns/xrun.h"

/* One of few is chance, and another one at the next look. */
static bool is_named(uint64_t culprit_n, uint64_t all_n)
{
    return culprit_n > 0 && (2 * culprit_n >= all_n || (culprit_n >= 3 && 5 * culprit_n >= all_n));
}

/* Who had the CPU: "sleeptune itself (sleeptuned)" */
static const char *culprit_text(const char *culprit)
{
    if (!st_text_begins(culprit, "sleeptune")) /* no one else's */
        return culprit;
    return st_text("%s (%s)",
                   st_text_is(culprit, "sleeptune") /* of check, measure or tune */
                       ? "a test of sleeptune"
                       : "sleeptune itself",
                   culprit);
}

static const char *times_text(uint64_t n, const char *culprit)
{
    return st_text(", at least %ju time%s %s", n, ST_PLURAL(n), culprit_text(culprit));
}

/* Of a client that was not ready. */
static const char *reason_text(const struct st_dropout_row *row, bool figures)
{
    const struct st_dropout_cycle *cycle = &row->worst;
    const char *name = row->culprit;
    const uint64_t n = row->sum.n, own_n = row->culprit_n;
    const bool known = own_n > 0 && 10 * own_n >= 9 * n, some = !known && is_named(own_n, n);
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
        text = st_text("%s (%s%s of CPU time, the buffer lasts %s)", text,
                       cycle->error_ns > cycle->busy_ns / 50 ? "about " : "", /* more than 2 % */
                       st_ns_short(cycle->busy_ns), st_ns_short(cycle->period_ns));
    else if (figures && row->reason == ST_DROPOUT_WOKEN_LATE && cycle->wait_ns > 0)
        text = st_text("%s (by %s)", text, st_ns_short(cycle->wait_ns));
    if (row->reason == ST_DROPOUT_WOKEN_LATE && known)
        text = st_text("%s, %s had the CPU", text, culprit);
    else if (some)
        text = st_text("%s%s", text, times_text(own_n, name));
    if (figures && row->reason == ST_DROPOUT_TOO_SLOW && row->slowed != ST_CAUSE_UNKNOWN)
        text = st_text("%s; meanwhile %s", text, st_cause_kind_text(row->slowed));
    return text;
}

const char *st_dropout_sentence_why(const struct st_dropout_client *client, const struct st_dropout_row *row,
                                    bool figures)
{
    const char *text;
    if (row->place == ST_DROPOUT_AT_BUS)
        return st_dropout_place_why(row->place);
    if (row->place == ST_DROPOUT_AT_RESYNC)
        text = st_text("was put in step with %s%s", st_text_or(client->device, "another card"),
                       client->drift_ppb == 0
                           ? ""
                           : st_text(", which is %.0f ppm %s", fabs((double)client->drift_ppb) / 1000,
                                     client->drift_ppb < 0 ? "faster" : "slower"));
    else
        text = row->stream != NULL ? row->stream : reason_text(row, figures);
    return client->rhythm.each_ns > 0 && row == client->rows
               ? st_text("%s, each %.1f s", text, (double)client->rhythm.each_ns / (double)ST_NS_PER_S)
               : text;
}

/* "the only dropout", "all 9 dropouts", "3 of 9 dropouts"; "3 dropouts" for all_n 0. */
static const char *share_text(uint64_t n, uint64_t all_n)
{
    if (all_n == 0)
        return st_text("%ju dropout%s", n, ST_PLURAL(n));
    if (all_n == 1)
        return "the only dropout";
    if (n >= all_n)
        return st_text("all %ju dropouts", all_n);
    return st_text("%ju of %ju dropouts", n, all_n);
}

const char *st_dropout_sentence_lost(const struct st_dropout_client *client,
                                     const struct st_dropout_sentence_about *about)
{
    const struct st_dropout_row *row = client->rows;
    const uint64_t n = client->sum.n;
    const int64_t ns = client->sum.lost_ns, longest_ns = client->sum.longest_ns;
    if (ns == 0)
        return st_text("%s %s %s%s", client->name,
                       st_dropout_reason_blame(row->reason) == ST_DROPOUT_BLAME_ITSELF ? "made" : "had",
                       share_text(n, about->all_n), about->when);
    const char *times = n < about->all_n ? st_text("in %s", share_text(n, about->all_n))
                        : n == 1         ? "once"
                                         : st_text("%ju times", n);
    const char *text =
        n == 1 && longest_ns == ns
            ? st_text("%s lost sound %s%s, for %s", client->name, times, about->when, st_ns_short(ns))
            : st_text("%s lost sound %s%s, %s%s in all", client->name, times, about->when,
                      client->sum.unknown_n > 0 ? "at least " : "", st_ns_short(ns));
    if (n > 1 && longest_ns > 0)
        text = st_text("%s (longest %s)", text, st_ns_short(longest_ns));
    return row->place == ST_DROPOUT_AT_CLIENT_BUFFER && row->sum.n == n
               ? st_text("%s, between it and %s", text, st_xrun_sources_title(about->source))
               : text;
}

/* "3 times ": how often it was so; "for 4.00 s ", if it only was while one went on; "" of nearly all. */
static const char *times_of(const struct st_dropout_client *client, const struct st_dropout_row *row)
{
    if (10 * row->sum.n >= 9 * client->sum.n)
        return "";
    return row->sum.n == 0 ? st_text("for %s ", st_ns_short(row->sum.lost_ns))
                           : st_text("%ju time%s ", row->sum.n, ST_PLURAL(row->sum.n));
}

const char *st_dropout_sentence_of(const struct st_dropout_client *client,
                                   const struct st_dropout_sentence_about *about)
{
    const struct st_dropout_row *row = client->rows;
    return st_text("%s: %sit %s.", st_dropout_sentence_lost(client, about), times_of(client, row),
                   st_dropout_sentence_why(client, row, true));
}

const char *st_dropout_sentence_forced(const struct st_dropout_table *table,
                                       const struct st_dropout_client *client, const char *source)
{
    return st_dropout_table_is_forced(table, client)
               ? st_text("%s is forced to %jd frames (%s). ", st_xrun_sources_title(source), table->frames,
                         st_ns_short(table->period_ns))
               : "";
}

const char *st_dropout_sentence_say(const struct st_dropout_table *table,
                                    const struct st_dropout_client *client,
                                    const struct st_dropout_sentence_about *about)
{
    const char *terse = st_xrun_sources_find(about->source)->terse;
    const char *forced = st_dropout_sentence_forced(table, client, about->source);
    if (client->name[0] != '\0')
        return st_text("%s%s%s", forced, st_dropout_sentence_of(client, about),
                       st_dropout_table_lost_cpu(client) && st_dropout_table_is_normal(table)
                           ? " No program that plays has real-time rights."
                           : "");
    const char *why = st_dropout_sentence_why(client, client->rows, true);
    return st_text("%s%s%ju dropout%s happened%s: %s.", forced,
                   client->sum.n < about->all_n ? st_text("%ju of ", client->sum.n) : "", about->all_n,
                   ST_PLURAL(about->all_n), about->where,
                   client->rows->stream == NULL ? st_text("a program %s; %s does not say which one", why,
                                                          st_xrun_sources_title(about->source))
                                                : st_text_or(terse, why));
}

const char *st_dropout_sentence_brief(const char *name, uint64_t n)
{
    return st_text("%s: %ju dropout%s", name, n, ST_PLURAL(n));
}
