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
static const char *reason_text(const struct st_dropout_client *client, bool figures)
{
    const enum st_dropout_reason reason = st_dropout_table_reason(client);
    const struct st_dropout_sum *sum = &client->by[reason];
    const struct st_dropout_cycle *cycle = &sum->worst;
    const char *name = sum->culprit;
    const uint64_t n = sum->n, own_n = sum->culprit_n;
    const bool known = own_n > 0 && 10 * own_n >= 9 * n, some = !known && is_named(own_n, n);
    const char *culprit = culprit_text(name), *text = st_dropout_reason_text(reason);
    if (reason == ST_DROPOUT_CPU_TAKEN && known)
        text = st_text("lost the CPU to %s", culprit);
    else if (reason == ST_DROPOUT_WAITED_FOR_OTHER && known)
        text = st_text("waited for %s%s", name,
                       st_text_is(name, ST_DROPOUT_REASON_PULSE_SERVER) ||
                               st_text_is(name, ST_DROPOUT_REASON_PULSEAUDIO)
                           ? ", which did not answer"
                           : "");
    if (figures && reason == ST_DROPOUT_TOO_SLOW && cycle->period_ns > 0 && cycle->busy_ns > cycle->period_ns)
        text = st_text("%s (%s%s of CPU time, the buffer lasts %s)", text,
                       cycle->error_ns > cycle->busy_ns / 50 ? "about " : "", /* more than 2 % */
                       st_ns_short(cycle->busy_ns), st_ns_short(cycle->period_ns));
    else if (figures && reason == ST_DROPOUT_WOKEN_LATE && cycle->wait_ns > 0)
        text = st_text("%s (by %s)", text, st_ns_short(cycle->wait_ns));
    if (reason == ST_DROPOUT_WOKEN_LATE && known)
        text = st_text("%s, %s had the CPU", text, culprit);
    else if (some)
        text = st_text("%s%s", text, times_text(own_n, name));
    return figures && reason == ST_DROPOUT_TOO_SLOW && sum->slowed != ST_CAUSE_UNKNOWN
               ? st_text("%s; meanwhile %s", text, st_cause_kind_text(sum->slowed))
               : text;
}

const char *st_dropout_sentence_why(const struct st_dropout_client *client, bool figures)
{
    const enum st_dropout_place place = st_dropout_table_place(client);
    const char *text;
    if (place == ST_DROPOUT_AT_BUS)
        return st_dropout_place_why(place);
    if (place == ST_DROPOUT_AT_RESYNC)
        text = st_text("was put in step with %s%s", st_text_or(client->device, "another card"),
                       client->drift_ppb == 0
                           ? ""
                           : st_text(", which is %.0f ppm %s", fabs((double)client->drift_ppb) / 1000,
                                     client->drift_ppb < 0 ? "faster" : "slower"));
    else if (client->device_dropouts_n > client->dropouts_n)
        text = st_dropout_reason_stream(client->stream);
    else
        text = reason_text(client, figures);
    return client->rhythm.each_ns > 0
               ? st_text("%s, each %.1f s", text, (double)client->rhythm.each_ns / (double)ST_NS_PER_S)
               : text;
}

const char *st_dropout_sentence_times(const struct st_dropout_client *client, enum st_dropout_reason reason)
{
    const uint64_t n = client->by[reason].n;
    return n == 0 ? st_text("for %s ", st_ns_short(client->by[reason].lost_ns))
                  : st_text("%ju time%s ", n, ST_PLURAL(n));
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
    const uint64_t n = st_dropout_table_count(client),
                   there_n = client->places_n[ST_DROPOUT_AT_CLIENT_BUFFER];
    const int64_t ns = client->lost.ns, longest_ns = client->lost.longest_ns;
    const enum st_dropout_blame blame = st_dropout_reason_blame(st_dropout_table_reason(client));
    if (ns == 0)
        return st_text("%s %s %s%s", client->name, blame == ST_DROPOUT_BLAME_ITSELF ? "made" : "had",
                       share_text(n, about->all_n), about->when);
    const char *times = n < about->all_n ? st_text("in %s", share_text(n, about->all_n))
                        : n == 1         ? "once"
                                         : st_text("%ju times", n);
    const char *text =
        n == 1 && longest_ns == ns
            ? st_text("%s lost sound %s%s, for %s", client->name, times, about->when, st_ns_short(ns))
            : st_text("%s lost sound %s%s, %s%s in all", client->name, times, about->when,
                      client->lost.unknown_n > 0 ? "at least " : "", st_ns_short(ns));
    if (n > 1 && longest_ns > 0)
        text = st_text("%s (longest %s)", text, st_ns_short(longest_ns));
    if (st_dropout_table_place(client) != ST_DROPOUT_AT_CLIENT_BUFFER)
        return text;
    return st_text("%s,%s between it and %s", text,
                   10 * there_n < 9 * n ? st_text(" %ju time%s", there_n, ST_PLURAL(there_n)) : "",
                   st_xrun_sources_title(about->source));
}

const char *st_dropout_sentence_of(const struct st_dropout_client *client,
                                   const struct st_dropout_sentence_about *about)
{
    const enum st_dropout_reason reason = st_dropout_table_reason(client);
    const bool some = client->device_dropouts_n <= client->dropouts_n &&
                      10 * client->by[reason].n < 9 * st_dropout_table_count(client);
    return st_text("%s: %sit %s.", st_dropout_sentence_lost(client, about),
                   some ? st_dropout_sentence_times(client, reason) : "",
                   st_dropout_sentence_why(client, true));
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
    const char *happened =
        st_text("%ju dropout%s happened%s:", about->all_n, ST_PLURAL(about->all_n), about->where);
    if (client == NULL)
        return st_text("%s%s%s %s.", forced,
                       table->clientless_dropouts_n < about->all_n
                           ? st_text("%ju of ", table->clientless_dropouts_n)
                           : "",
                       happened, terse != NULL ? terse : st_dropout_reason_device(table->clientless_device));
    if (client->name[0] == '\0')
        return st_text("%s%s a program %s. %s does not say which program.", forced, happened,
                       st_dropout_sentence_why(client, true), st_xrun_sources_title(about->source));
    return st_text("%s%s%s", forced, st_dropout_sentence_of(client, about),
                   st_dropout_table_lost_cpu(client) && st_dropout_table_is_normal(table)
                       ? " No program that plays has real-time rights."
                       : "");
}

const char *st_dropout_sentence_brief(const char *name, uint64_t n)
{
    return st_text("%s: %ju dropout%s", name, n, ST_PLURAL(n));
}
