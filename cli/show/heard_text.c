#include "cli/show/heard_text.h"

#include "cli/show/daemon_client.h"
#include "core/ns.h"
#include "core/text/json.h"
#include "core/when.h"

#define INDENT 4

/* A mark (a moment at which the user heard something) as text: "15:04:05 \"in the second
 * verse\" 1.2 s before it: Synth lost sound ..., and 2 more events in 2.5 s" */
static const char *mark_text(const json_t *mark, const struct st_history_text_look *look)
{
    const int64_t n = st_json_integer(mark, "events"), at_ns = st_json_integer(mark, "time_ns"),
                  before_ns = st_ns_sub(at_ns, st_json_integer(mark, "cause_time_ns"));
    const double window_s = st_ns_seconds(st_json_integer(mark, "window_ns"));
    const char *unheard = st_json_safe_text(mark, "unheard"),
               *text = st_json_safe_text(mark, "text"), *note = st_json_safe_text(mark, "note"),
               *line = st_when_text_near(at_ns, look->now_wall_ns);
    if (note[0] != '\0')
        line = st_text("%s  \"%s\"", line, note);
    if (text[0] == '\0')
        line = st_text("%s  In the %.3g s before the click: sleeptune noticed nothing", line,
                       window_s);
    else if (before_ns < 0)
        line = st_text("%s  From before the click until %s after it: %s", line,
                       st_ns_short(-before_ns), text);
    else
        line = st_text("%s  %.*f s before the click: %s", line, before_ns < 10 * ST_NS_PER_S,
                       st_ns_seconds(before_ns), text);
    if (n > 1)
        line =
            st_text("%s, and %jd more event%s in %.3g s", line, n - 1, ST_PLURAL(n - 1), window_s);
    if (unheard[0] == '\0')
        return line;
    return st_text("%s; sleeptune does not notice sound that %s sends too late", line, unheard);
}

void st_heard_text(FILE *out, const json_t *document, const struct st_history_text_look *look)
{
    st_text_wrap(out, st_json_safe_text(document, "text"), 0, look->columns);
    if (json_array_size(json_object_get(document, "marks")) > 0)
        fputc('\n', out);
    ST_JSON_EACH (mark, document, "marks")
        st_text_wrap(out, mark_text(mark, look), INDENT, look->columns);
}

void st_heard_text_mark(FILE *out, const json_t *document, const struct st_history_text_look *look)
{
    const json_t *marks = json_object_get(document, "marks");
    /* NULL if there is none */
    const json_t *mark = json_array_get(marks, json_array_size(marks) - 1);
    const char *text =
        st_text("sleeptuned has this mark in its memory. Dropouts before this click are "
                "unknown: %s.",
                st_json_safe_text(document, "text"));
    if (mark != NULL)
        text = st_text("Saved: %s. Some dropouts are noticed a few seconds later.",
                       mark_text(mark, look));
    st_text_wrap(out, text, 0, look->columns);
    if (mark == NULL)
        return;
    if (st_json_integer(mark, "events") > 1)
        fprintf(
            out, "All events: %s --since %s\n",
            st_daemon_client_again("sleeptune history --events", look->socket, look->db),
            st_text_swap(st_text("%s", st_when_text(st_ns_sub(st_json_integer(mark, "time_ns"),
                                                              st_json_integer(mark, "window_ns")))),
                         ' ', 'T'));
    fprintf(out, "Next: %s\n",
            st_daemon_client_again("sleeptune history --heard", look->socket, look->db));
}
