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

static int read_steps(struct st_history_reader *reader, const struct st_history_asked *asked, char **ret)
{
    const int64_t until_ns = given_or(asked->until_ns, st_posix_wall_ns(NULL));
    const struct st_history_span span = {.since_ns =
                                             given_or(asked->since_ns, until_ns - ST_HISTORY_USUAL_SPAN_NS),
                                         .until_ns = until_ns,
                                         .step_ns = given_or(asked->step_ns, 0)};
    return span.since_ns > until_ns ? -ERANGE : st_history_read_text(reader, &span, st_dropout_list_add, ret);
}

static int read_causes(struct st_history_reader *reader, const struct st_history_asked *asked,
                       const struct st_cause_sums *sums, const struct st_cause_span *span, char **ret)
{
    json_t *document;
    int r = st_history_read_causes(reader, asked->since_ns, asked->until_ns, sums, span, &document);
    if (r < 0)
        return r;
    r = st_dropout_list_add(reader, asked->since_ns, asked->until_ns, document);
    *ret = r == 0 ? json_dumps(document, ST_JSON_PRETTY) : NULL;
    json_decref(document);
    return r;
}

int st_history_document_text(struct st_history_reader *reader, const struct st_history_asked *asked,
                             const struct st_cause_sums *sums, const struct st_cause_span *span, char **ret)
{
    const struct st_history_events_wish events = {.since_ns = asked->since_ns,
                                                  .until_ns = given_or(asked->until_ns, INT64_MAX),
                                                  .limit = given_or(asked->limit, USUAL_EVENTS),
                                                  .kind = asked->kind};
    switch (asked->document) {
    case ST_HISTORY_OF_STEPS:
        return read_steps(reader, asked, ret);
    case ST_HISTORY_OF_EVENTS:
        return st_event_list_text(reader, &events, ret);
    case ST_HISTORY_OF_CAUSES:
        return read_causes(reader, asked, sums, span, ret);
    case ST_HISTORY_OF_HEARD:
        return st_heard_list_text(reader, asked->since_ns, asked->until_ns, ret);
    case ST_HISTORY_OF_SIZES:
        return st_size_list_text(reader, asked->since_ns, asked->until_ns, ret);
    }
    return -EINVAL;
}

const char *st_history_document_error(const struct st_history_reader *reader, int r)
{
    if (r == -ERANGE)
        return "'since' is later than 'until'";
    return r == -E2BIG ? "the answer would be too large: ask for a shorter time, or for longer steps"
                       : st_history_read_error(reader, r);
}
