#include "cli/show/heard_text.h"

#include "cli/show/daemon_client.h"
#include "core/ns.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "core/when.h"
#include "story/event_story.h"

#define INDENT 4

/* "15:04:05  in the second verse" */
static void append_mark(const json_t *mark, const struct st_history_text_look *look, char *buf, size_t bytes)
{
    const char *note = st_json_safe_text(mark, "note");
    st_text_append(buf, bytes, "%s", st_when_text_near(st_json_integer(mark, "time_ns"), look->now_wall_ns));
    if (note[0] != '\0')
        st_text_append(buf, bytes, "  \"%s\"", note);
}

/* A moment as --since takes it on each day: "2026-11-20T15:04:05" */
static const char *word(int64_t wall_ns)
{
    return st_text_swap(st_text("%s", st_when_text(wall_ns)), ' ', 'T');
}

/* "1.2 s before it: Synth lost sound ..., and 2 more events in 2.5 s" and, if wanted, what lists them */
static void put_found(FILE *out, const json_t *mark, const char *nothing, bool all, int indent, char *line,
                      size_t bytes, const struct st_history_text_look *look)
{
    const int64_t n = st_json_integer(mark, "events"), at_ns = st_json_integer(mark, "time_ns"),
                  window_ns = st_json_integer(mark, "window_ns"),
                  before_ns = st_ns_sub(at_ns, st_json_integer(mark, "cause_time_ns"));
    const char *unheard = st_json_safe_text(mark, "unheard");
    const char *text = st_json_safe_text(mark, "text");
    if (text[0] == '\0')
        st_text_append(line, bytes, "In the %.3g s before it: %s", st_ns_seconds(window_ns), nothing);
    else if (before_ns < 0)
        st_text_append(line, bytes, "Before it and on until %s after it", st_ns_short(-before_ns));
    else
        st_text_append(line, bytes, "%.*f s before it", before_ns < 10 * ST_NS_PER_S,
                       st_ns_seconds(before_ns));
    if (text[0] != '\0')
        st_text_append(line, bytes, "%s: %s", indent == 0 ? ", so far" : "", text);
    if (n > 1)
        st_text_append(line, bytes, ", and %" PRId64 " more event%s in %.3g s", n - 1, ST_PLURAL(n - 1),
                       st_ns_seconds(window_ns));
    if (unheard[0] != '\0')
        st_text_append(line, bytes, "; what %s writes too late is not watched", unheard);
    st_text_append(line, bytes, indent == 0 ? "." : "");
    st_text_wrap(out, line, indent, look->columns);
    if (n > 1 && all) /* what is marked now needs no end, so that the command fits in 80 columns */
        fprintf(out, "%*sAll: %s --since %s%s\n", indent, "",
                st_daemon_client_again("sleeptune history --events", look->socket, look->db),
                word(st_ns_sub(at_ns, window_ns)),
                indent == 0 ? "" : st_text(" --until %s", word(st_ns_add(at_ns, ST_NS_PER_S))));
}

void st_heard_text(FILE *out, const json_t *document, const struct st_history_text_look *look)
{
    size_t i;
    const json_t *mark;
    st_text_wrap(out, st_json_safe_text(document, "text"), 0, look->columns);
    json_array_foreach(json_object_get(document, "marks"), i, mark)
    {
        char line[ST_EVENT_STORY_BYTES + 400] = "";
        append_mark(mark, look, line, sizeof(line));
        ST_APPEND(line, "  ");
        if (i == 0)
            fputc('\n', out);
        put_found(out, mark, "nothing that is watched happened", look->details, INDENT, line, sizeof(line),
                  look);
    }
}

void st_heard_text_mark(FILE *out, const json_t *document, const struct st_history_text_look *look)
{
    const json_t *marks = json_object_get(document, "marks");
    const json_t *mark =
        json_array_size(marks) > 0 ? json_array_get(marks, json_array_size(marks) - 1) : NULL;
    char line[ST_EVENT_STORY_BYTES + 400] = "Kept: ";
    if (mark == NULL) {
        ST_PRINT(line, "Kept. What was before it is not known: %s.", st_json_safe_text(document, "text"));
        st_text_wrap(out, line, 0, look->columns);
        return;
    }
    append_mark(mark, look, line, sizeof(line));
    ST_APPEND(line, ". ");
    put_found(out, mark, "nothing so far. Some dropouts are noticed a few seconds later", true, 0, line,
              sizeof(line), look);
    fprintf(out, "Next: %s\n", st_daemon_client_again("sleeptune history --heard", look->socket, look->db));
}
