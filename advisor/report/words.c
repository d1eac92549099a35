/* Words that the formats of a report share. */
#include "advisor/report/words.h"

#include <stdio.h>
#include <string.h>

#include "advisor/facts/text.h"
#include "advisor/rules/buffer.h"

const char *st_words_period(const struct st_wish *wish, char *buf, size_t buf_bytes)
{
    struct st_wish alone = *wish;
    char period[ST_BUFFER_TEXT_BYTES];
    const bool short_one = wish->period_ns < 1000000;
    alone.why[0] = '\0'; /* a row of its own says that */
    snprintf(buf, buf_bytes, "%s (%.1f %s)", st_buffer_text(&alone, period, sizeof(period)),
             (double)wish->period_ns / (short_one ? 1e3 : 1e6), short_one ? "µs" : "ms");
    return buf;
}

const char *st_words_effect(const struct st_finding *finding, const struct st_wish *wish, char *buf,
                            size_t buf_bytes)
{
    const double period_us = (double)wish->period_ns / 1000;
    if (!finding->effect_known)
        snprintf(buf, buf_bytes, "no bound is known");
    else if (finding->effect_us > 0)
        snprintf(buf, buf_bytes, "up to %.1f µs of each period of %.1f µs (%.1f %%)", finding->effect_us,
                 period_us, 100 * finding->effect_us / period_us);
    else
        snprintf(buf, buf_bytes, "0 µs of each period of %.1f µs", period_us);
    return buf;
}

const char *st_words_left_out(const struct st_report *report, const struct st_finding *finding, char *buf,
                              size_t buf_bytes)
{
    if (finding->mute != NULL)
        snprintf(buf, buf_bytes, "muted%s%s%s%s", finding->mute->until != NULL ? " until " : "",
                 finding->mute->until != NULL ? finding->mute->until : "",
                 finding->mute->reason != NULL ? ": " : "",
                 finding->mute->reason != NULL ? finding->mute->reason : "");
    else if (finding->set_aside != NULL)
        snprintf(buf, buf_bytes, "not recommended by the profile %s, because it costs %s",
                 st_report_profile_name(report->profile), finding->set_aside);
    else
        return NULL;
    return buf;
}

const char *st_words_fact(const struct st_fact *fact, char *buf, size_t buf_bytes)
{
    const char *raw = fact->raw != NULL ? fact->raw : "";
    switch (fact->state) {
    case ST_FACT_OK:
        snprintf(buf, buf_bytes, "%s = %.*s", fact->key, st_text_cut(fact->text, 200), fact->text);
        break;
    case ST_FACT_ABSENT:
        snprintf(buf, buf_bytes, "%s is absent", fact->key);
        break;
    case ST_FACT_UNREADABLE:
        snprintf(buf, buf_bytes, "%s could not be read: %s", fact->key, strerror(fact->error));
        break;
    case ST_FACT_MALFORMED:
        snprintf(buf, buf_bytes, "%s is malformed: \"%.*s\"", fact->key, st_text_cut(raw, 60), raw);
        break;
    }
    return buf;
}

const char *st_words_needs_name(enum st_needs needs)
{
    static const char *const names[] = {
        [ST_NEEDS_NOTHING] = "nothing",
        [ST_NEEDS_REOPEN] = "reopen",
        [ST_NEEDS_RELOGIN] = "relogin",
        [ST_NEEDS_REBOOT] = "reboot",
    };
    return names[needs];
}

const char *st_words_needs(enum st_needs needs)
{
    static const char *const texts[] = {
        [ST_NEEDS_NOTHING] = "works at once",
        [ST_NEEDS_REOPEN] = "programs must open the sound device again",
        [ST_NEEDS_RELOGIN] = "log out and in again",
        [ST_NEEDS_REBOOT] = "reboot",
    };
    return texts[needs];
}

const char *st_words_applicability_name(enum st_applicability applicability)
{
    static const char *const names[] = {
        [ST_APPLY_AUTO] = "auto",
        [ST_APPLY_MANUAL] = "manual",
        [ST_APPLY_DANGEROUS] = "dangerous",
    };
    return names[applicability];
}

const char *st_words_applicability(enum st_applicability applicability)
{
    static const char *const texts[] = {
        [ST_APPLY_AUTO] = "safe: revert can undo it",
        [ST_APPLY_MANUAL] = "by hand only: it depends on the machine",
        [ST_APPLY_DANGEROUS] = "dangerous: read 'not when' first",
    };
    return texts[applicability];
}
