#include "story/dropout_sentence.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/ns.h"
#include "core/text/text.h"

const char *st_dropout_sentence(const struct st_dropout_sentence *about, char *buf, size_t buf_bytes)
{
    char made[64], lost[32], longest[32], place[64];
    if (about->lost_ns == 0)
        snprintf(buf, buf_bytes, "%s %s %s: ", about->name,
                 st_dropout_reason_made(about->reason, about->n, about->all_n, made, sizeof(made)),
                 about->when);
    else if (about->n == about->all_n)
        snprintf(buf, buf_bytes, "%s lost sound %s %s, ", about->name,
                 about->n == 1 ? "once" : ST_TEXT(32, "%" PRIu64 " times", about->n), about->when);
    else
        snprintf(buf, buf_bytes, "%s lost sound in %s %s, ", about->name,
                 st_dropout_reason_share(about->n, about->all_n, made, sizeof(made)), about->when);
    if (about->lost_ns > 0 && about->n > 1)
        st_text_append(buf, buf_bytes, "%s%s in all (longest %s)", about->lost_partly ? "at least " : "",
                       st_ns_format_short(about->lost_ns, lost, sizeof(lost)),
                       st_ns_format_short(about->longest_ns, longest, sizeof(longest)));
    else if (about->lost_ns > 0)
        st_text_append(buf, buf_bytes, "for %s", st_ns_format_short(about->lost_ns, lost, sizeof(lost)));
    if (about->lost_ns > 0)
        st_text_append(buf, buf_bytes,
                       "%s: ", st_dropout_place_text(about->place, about->server, place, sizeof(place)));
    if (about->reason_n > 0 && 10 * about->reason_n < 9 * about->n)
        st_text_append(buf, buf_bytes, "%" PRIu64 " time%s ", about->reason_n,
                       about->reason_n == 1 ? "" : "s");
    st_text_append(buf, buf_bytes, "it %s.", about->why);
    return buf;
}

const char *st_dropout_sentence_brief(const char *name, uint64_t n, char *buf, size_t buf_bytes)
{
    snprintf(buf, buf_bytes, "%s: %" PRIu64 " dropout%s", name, n, n == 1 ? "" : "s");
    return buf;
}
