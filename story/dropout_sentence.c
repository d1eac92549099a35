#include "story/dropout_sentence.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/text/text.h"

const char *st_dropout_sentence(const struct st_dropout_sentence *about, char *buf, size_t buf_bytes)
{
    char made[64];
    snprintf(buf, buf_bytes, "%s %s %s: ", about->name,
             st_dropout_reason_made(about->reason, about->n, about->all_n, made, sizeof(made)), about->when);
    if (about->reason_n > 0 && 10 * about->reason_n < 9 * about->n)
        st_text_append(buf, buf_bytes, "%" PRIu64 " time%s ", about->reason_n,
                       about->reason_n == 1 ? "" : "s");
    st_text_append(buf, buf_bytes, "it %s.", about->why);
    return buf;
}
