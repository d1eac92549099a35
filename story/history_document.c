#include "story/history_document.h"

#include "core/text/json.h"
#include "platform/posix/posix.h"
#include "story/dropout_list.h"
#include "story/event_list.h"
#include "story/heard_list.h"
#include "story/size_list.h"

#define USUAL_EVENTS 500

static int64_t given_or(int64_t ns, int64_t usual_ns)
{
    return ns != INT64_MIN ? ns : usual_ns;
}

int st_history_document_text(struct st_history_reader *reader, const struct st_history_asked *asked,
                             const struct st_cause_sums *sums, const struct st_cause_span *span,
                             char **ret)
{
    const int64_t now_ns = given_or(asked->until_ns, st_posix_wall_ns(NULL));
    int64_t since_ns = asked->since_ns, until_ns = given_or(asked->until_ns, INT64_MAX);
    struct st_history_asked events = *asked;
    events.until_ns = until_ns;
    events.limit = given_or(asked->limit, USUAL_EVENTS);
    json_t *document = NULL;
    char *text = NULL;
    switch (asked->document) {
    case ST_HISTORY_OF_STEPS:
        since_ns = given_or(since_ns, now_ns - ST_NS_PER_DAY);
        if (since_ns > now_ns)
            return -ERANGE;
        document = st_history_read_steps(reader, since_ns, now_ns, given_or(asked->step_ns, 0));
        since_ns = st_json_integer(document, "since_ns");
        until_ns = st_json_integer(document, "until_ns");
        break;
    case ST_HISTORY_OF_EVENTS:
        text = st_event_list_text(reader, &events);
        break;
    case ST_HISTORY_OF_CAUSES:
        document = st_history_read_causes(reader, since_ns, until_ns, sums, span);
        break;
    case ST_HISTORY_OF_HEARD:
        document = st_heard_list_read(reader, since_ns, until_ns);
        break;
    case ST_HISTORY_OF_SIZES:
        document = st_size_list_read(reader, since_ns, until_ns);
    }
    if (asked->document == ST_HISTORY_OF_STEPS || asked->document == ST_HISTORY_OF_CAUSES)
        st_json_add(document, "dropouts:o", st_dropout_list_read(reader, since_ns, until_ns));
    const int r = st_history_read_result(reader);
    if (document != NULL)
        text = st_json_into_text(document, ST_JSON_PRETTY);
    if (r == 0 && text != NULL)
        *ret = text;
    else
        free(text);
    return r == 0 && text == NULL ? -ENOMEM : r;
}

const char *st_history_document_error(const struct st_history_reader *reader, int r)
{
    return r == -ERANGE  ? "'since' is later than 'until'"
           : r == -E2BIG ? "the answer would be too large: ask for a shorter time, or for longer "
                           "steps (--step)"
                         : st_history_read_error(reader, r);
}
