#include "cli/show/status_line.h"

#include "core/text/json.h"
#include "core/text/safe.h"

struct st_status_line st_status_line_of(const json_t *document, const char *error)
{
    static const char *const classes[][2] = {
        {"bad", "problem"}, {"warn", "warning"}, {"unknown", "warning"}};
    const json_t *screen = json_object_get(document, "screen");
    if (screen == NULL)
        return (struct st_status_line){"no sleeptuned", error, "", "", "warning"};
    struct st_status_line line = {
        st_json_text_of(screen, "brief"), st_json_text_of(screen, "answer"),
        st_json_text_of(screen, "next"), st_json_text_of(screen, "next_why"), "ok"};
    ST_EACH (row, classes) {
        if (st_text_is(st_json_text_of(screen, "state"), (*row)[0]))
            line.class = (*row)[1];
    }
    return line;
}

/* Sets a member whose text is Pango markup, which Waybar expects. */
static void set_markup(json_t *object, const char *key, const struct st_status_line *line,
                       bool tooltip)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (out == NULL)
        return;
    st_safe_print_xml(out, tooltip ? line->sentence : line->brief);
    const char *next = st_text_joined(line->next, " - ", line->next_why);
    if (tooltip && next[0] != '\0') {
        fputs("\nNext: ", out);
        st_safe_print_xml(out, next);
    }
    if (fclose(out) == 0)
        st_json_set(object, key, text);
    free(text);
}

static void print_waybar(FILE *out, const struct st_status_line *line)
{
    json_t *object = json_pack("{s:s}", "class", line->class);
    set_markup(object, "text", line, false);
    set_markup(object, "tooltip", line, true);
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
    const char *text = line->brief;
    for (const char *tag; (tag = strstr(text, "%{")) != NULL; text = tag + 1) {
        st_safe_print(out, text, (size_t)(tag + 1 - text));
        fputc(' ', out);
    }
    st_safe_print(out, text, ST_TEXT_TO_NUL);
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
