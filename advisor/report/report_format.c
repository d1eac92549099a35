/* The formats of a report, and the words that they share. */
#include "advisor/report/report_format.h"

#include "advisor/facts/text.h"

const struct st_report_format *const st_report_formats[] = {
    &st_report_text,
    &st_report_json,
    &st_report_prometheus,
    NULL,
};

int st_report_format_write(const struct st_report_format *format, const struct st_report *report, FILE *out,
                           const struct st_report_view *view)
{
    const int r = format->write(report, out, view);
    if (r != 0)
        return r;
    return fflush(out) == 0 && ferror(out) == 0 ? 0 : -EIO;
}

/* --- words --- */

const char *st_report_format_effect(const struct st_finding *finding, const struct st_wish *wish, char *buf,
                                    size_t buf_bytes)
{
    const double period_us = (double)wish->period_ns / 1000;
    if (!finding->effect_known)
        snprintf(buf, buf_bytes, "no upper limit is known");
    else if (finding->effect_us > 0)
        snprintf(buf, buf_bytes, "up to %.1f µs of lateness in each period of %.1f µs (%.1f %%)",
                 finding->effect_us, period_us, 100 * finding->effect_us / period_us);
    else
        snprintf(buf, buf_bytes, "0 µs of lateness in each period of %.1f µs", period_us);
    return buf;
}

const char *st_report_format_left_out(const struct st_report *report, const struct st_finding *finding,
                                      char *buf, size_t buf_bytes)
{
    if (finding->set_aside == NULL && finding->needless == NULL)
        return NULL;
    snprintf(buf, buf_bytes, "%s", finding->needless != NULL ? finding->needless : "");
    if (finding->set_aside == NULL)
        return buf;
    snprintf(buf, buf_bytes, "not recommended by the profile %s, because it costs %s",
             st_report_profile_names[report->profile], finding->set_aside);
    return buf;
}

const char *st_report_format_fact(const struct st_fact *fact, char *buf, size_t buf_bytes)
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
