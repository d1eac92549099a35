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

/* JSON with Pango markup, which Waybar expects. */
static const char *waybar_text(const struct st_status_line *line)
{
    const char *next = st_text_xml(st_text_joined(line->next, " - ", line->next_why)),
               *tooltip =
                   st_text("%s%s", st_text_xml(line->sentence), st_text_with("\nNext: ", next));
    char *json = st_json_into_text(
        st_json_object("class:t text:t tooltip:t", line->class, st_text_xml(line->brief), tooltip),
        JSON_COMPACT | JSON_ENSURE_ASCII);
    const char *text = st_text("%s", st_text_or(json, ""));
    free(json);
    return text;
}

static const char *brief_text(const struct st_status_line *line)
{
    return st_safe_text(st_text("%s", line->brief));
}

/* Polybar and lemonbar execute tags in a text, so "%{A1:reboot:}" becomes "% {A1:reboot:}". */
static const char *polybar_text(const struct st_status_line *line)
{
    const char *text = brief_text(line), *ret = "";
    for (const char *tag; (tag = strstr(text, "%{")) != NULL; text = tag + 1)
        ret = st_text("%s%.*s%% ", ret, (int)(tag - text), text);
    return st_text("%s%s", ret, text);
}

static const char *plain_text(const struct st_status_line *line)
{
    return st_safe_text(st_text("%s: %s", line->class, line->sentence));
}

const struct st_status_line_form st_status_line_forms[] = {{"waybar", waybar_text},
                                                           {"i3blocks", brief_text},
                                                           {"polybar", polybar_text},
                                                           {"plain", plain_text},
                                                           {NULL, NULL}};
