#include "cli/show/status_line.h"

#include "core/text/json.h"
#include "core/text/safe.h"

struct st_status_line st_status_line_of(const json_t *document, const char *error)
{
    const json_t *screen = json_object_get(document, "screen");
    const char *state = st_json_text_of(screen, "state");
    if (screen == NULL)
        return (struct st_status_line){"no sleeptuned", error, "", "", "warning"};
    return (struct st_status_line){
        st_json_text_of(screen, "brief"), st_json_text_of(screen, "answer"),
        st_json_text_of(screen, "next"), st_json_text_of(screen, "next_why"),
        st_text_is(state, "bad")                                    ? "problem"
        : st_text_is(state, "warn") || st_text_is(state, "unknown") ? "warning"
                                                                    : "ok"};
}

/* Pango markup, which Waybar expects. @param next "": none. */
static json_t *markup(const char *text, const char *next)
{
    char *written = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&written, &bytes);
    if (out == NULL)
        return NULL;
    st_safe_print_xml(out, text);
    if (next[0] != '\0') {
        fputs("\nNext: ", out);
        st_safe_print_xml(out, next);
    }
    written = st_text_take(out, &written);
    json_t *value = json_string(written);
    free(written);
    return value;
}

static void print_waybar(FILE *out, const struct st_status_line *line)
{
    const char *next = st_text_joined(line->next, " - ", line->next_why);
    json_t *object = st_json_object("class:t text:o tooltip:o", line->class,
                                    markup(line->brief, ""), markup(line->sentence, next));
    (void)json_dumpf(object, out, JSON_COMPACT | JSON_ENSURE_ASCII);
    json_decref(object);
}

static void print_brief(FILE *out, const struct st_status_line *line)
{
    st_safe_print(out, line->brief, ST_TEXT_TO_NUL);
}

/* Polybar and lemonbar execute tags in a text, so "%{A1:reboot:}" becomes "% {A1:reboot:}". */
static void print_polybar(FILE *out, const struct st_status_line *line)
{
    for (const char *at = st_safe_text(st_text("%s", line->brief)); *at != '\0'; at++) {
        fputc(*at, out);
        if (at[0] == '%' && at[1] == '{')
            fputc(' ', out);
    }
}

static void print_plain(FILE *out, const struct st_status_line *line)
{
    fprintf(out, "%s: ", line->class);
    st_safe_print(out, line->sentence, ST_TEXT_TO_NUL);
}

const struct st_status_line_form st_status_line_forms[] = {{"waybar", print_waybar},
                                                           {"i3blocks", print_brief},
                                                           {"polybar", print_polybar},
                                                           {"plain", print_plain},
                                                           {NULL, NULL}};
