#include "cli/show/heard_text.h"

#include "cli/show/daemon_client.h"
#include "core/ns.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "core/when.h"
#include "story/event_story.h"

#define INDENT 4

/* "15:04:05  in the second verse" */
static const char *mark_text(const json_t *mark, const struct st_history_text_look *look)
{
    const char *note = st_json_safe_text(mark, "note");
    const char *when = st_when_text_near(st_json_integer(mark, "time_ns"), look->now_wall_ns);
    return note[0] != '\0' ? st_text("%s  \"%s\"", when, note) : when;
}

/* A moment as --since takes it on each day: "2026-11-20T15:04:05" */
static const char *word(int64_t wall_ns)
{
    return st_text_swap(st_text("%s", st_when_text(wall_ns)), ' ', 'T');
}

/* "1.2 s before it: Synth lost sound ..., and 2 more events in 2.5 s" and, if wanted, what lists them.
 * @param fresh it was marked just now. */
static void put_found(FILE *out, const json_t *mark, const char *line, bool fresh, bool all,
                      const struct st_history_text_look *look)
{
    const int64_t n = st_json_integer(mark, "events"), at_ns = st_json_integer(mark, "time_ns"),
                  window_ns = st_json_integer(mark, "window_ns"),
                  before_ns = st_ns_sub(at_ns, st_json_integer(mark, "cause_time_ns"));
    const char *unheard = st_json_safe_text(mark, "unheard"), *text = st_json_safe_text(mark, "text");
    const int indent = fresh ? 0 : INDENT;
    const char *when =
        before_ns < 0 ? st_text("Before it and on until %s after it", st_ns_short(-before_ns))
                      : st_text("%.*f s before it", before_ns < 10 * ST_NS_PER_S, st_ns_seconds(before_ns));
    if (text[0] != '\0')
        line = st_text("%s%s%s: %s", line, when, fresh ? ", so far" : "", text);
    else
        line = st_text("%sIn the %.3g s before it: nothing %s", line, st_ns_seconds(window_ns),
                       fresh ? "so far. Some dropouts are noticed a few seconds later"
                             : "that is watched happened");
    if (n > 1)
        line = st_text("%s, and %jd more event%s in %.3g s", line, n - 1, ST_PLURAL(n - 1),
                       st_ns_seconds(window_ns));
    if (unheard[0] != '\0')
        line = st_text("%s; what %s writes too late is not watched", line, unheard);
    st_text_wrap(out, st_text("%s%s", line, fresh ? "." : ""), indent, look->columns);
    if (n > 1 && all) /* what is marked now needs no end, so that the command fits in 80 columns */
        fprintf(out, "%*sAll: %s --since %s%s\n", indent, "",
                st_daemon_client_again("sleeptune history --events", look->socket, look->db),
                word(st_ns_sub(at_ns, window_ns)),
                fresh ? "" : st_text(" --until %s", word(st_ns_add(at_ns, ST_NS_PER_S))));
}

void st_heard_text(FILE *out, const json_t *document, const struct st_history_text_look *look)
{
    st_text_wrap(out, st_json_safe_text(document, "text"), 0, look->columns);
    if (json_array_size(json_object_get(document, "marks")) > 0)
        fputc('\n', out);
    ST_JSON_EACH (mark, document, "marks")
        put_found(out, mark, st_text("%s  ", mark_text(mark, look)), false, look->details, look);
}

void st_heard_text_mark(FILE *out, const json_t *document, const struct st_history_text_look *look)
{
    const json_t *marks = json_object_get(document, "marks");
    const json_t *mark = json_array_get(marks, json_array_size(marks) - 1); /* NULL if there is none */
    if (mark == NULL) {
        st_text_wrap(
            out, st_text("Kept. What was before it is not known: %s.", st_json_safe_text(document, "text")),
            0, look->columns);
        return;
    }
    put_found(out, mark, st_text("Kept: %s. ", mark_text(mark, look)), true, true, look);
    fprintf(out, "Next: %s\n", st_daemon_client_again("sleeptune history --heard", look->socket, look->db));
}
