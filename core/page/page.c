/* Fills the template with the screen of the status document: no figure is known here. */
#include "core/page/page.h"

#include "core/base.h"
#include "core/ns.h"
#include "core/text/safe.h"
#include "core/text/text.h"

static const json_t *get(const json_t *object, const char *key)
{
    return json_object_get(object, key);
}

static void put_string(FILE *out, const json_t *object, const char *key)
{
    st_safe_print_xml(out, json_string_value(get(object, key)));
}

/* <time>: UTC here, the reader's own time zone where scripts run. */
static void put_time(FILE *out, const json_t *value)
{
    if (!json_is_integer(value))
        return;
    const time_t seconds = (time_t)(json_integer_value(value) / ST_NS_PER_S);
    struct tm utc;
    char machine[40], text[40];
    if (gmtime_r(&seconds, &utc) == NULL ||
        strftime(machine, sizeof(machine), "%Y-%m-%dT%H:%M:%SZ", &utc) == 0 ||
        strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &utc) == 0)
        return;
    fprintf(out, "<time datetime=\"%s\">%s</time>", machine, text);
}

/* A class of the style sheet; unknown states have none. */
static void put_class(FILE *out, const json_t *object)
{
    static const char *const classes[] = {"ok", "warn", "bad", "unknown"};
    const char *state = json_string_value(get(object, "state"));
    ST_EACH (class, classes) {
        if (state != NULL && st_text_is(state, *class))
            fprintf(out, " class=\"%s\"", *class);
    }
}

/* Of a table: is all that stands in this column a number, which goes to the right? */
static bool is_number(const json_t *rows, size_t column)
{
    size_t i;
    const json_t *row;
    bool number = false;
    json_array_foreach(rows, i, row)
    {
        const char *text = json_string_value(json_array_get(get(row, "cells"), column));
        if (text == NULL || text[0] == '\0')
            continue;
        number = text[0] == '?' || (text[0] >= '0' && text[0] <= '9');
        if (!number)
            return false;
    }
    return number;
}

static void put_cells(FILE *out, const json_t *cells, const json_t *rows, bool head)
{
    size_t i;
    const json_t *cell;
    json_array_foreach(cells, i, cell)
    {
        const char *name = head || i == 0 ? "th" : "td";
        fprintf(out, "<%s%s%s>", name,
                head     ? " scope=\"col\""
                : i == 0 ? " scope=\"row\""
                         : "",
                i > 0 && is_number(rows, i) ? " class=\"number\"" : "");
        st_safe_print_xml(out, json_string_value(cell));
        fprintf(out, "</%s>", name);
    }
}

/* One without a label has the whole width. */
static void put_row(FILE *out, const json_t *row)
{
    const char *label = json_string_value(get(row, "label"));
    fputs("<tr", out);
    put_class(out, row);
    if (label != NULL && label[0] != '\0') {
        fputs("><th scope=\"row\">", out);
        st_safe_print_xml(out, label);
        fputs("</th><td>", out);
    } else {
        fputs("><td colspan=\"2\">", out);
    }
    if (json_is_integer(get(row, "time_ns"))) {
        put_time(out, get(row, "time_ns"));
        fputc(' ', out);
    }
    put_string(out, row, "text");
    fputs("</td></tr>", out);
}

static void put_table_row(FILE *out, const json_t *row, const json_t *rows)
{
    fputs("<tr", out);
    put_class(out, row);
    fputs(">", out);
    put_cells(out, get(row, "cells"), rows, false);
    fputs("</tr>", out);
}

static bool has_rows(const json_t *rows, bool details)
{
    size_t i;
    const json_t *row;
    json_array_foreach(rows, i, row)
    {
        if (json_is_true(get(row, "detail")) == details)
            return true;
    }
    return false;
}

static void put_section(FILE *out, const json_t *section, bool details)
{
    size_t i;
    const json_t *row, *rows = get(section, "rows");
    const bool is_table = json_is_array(get(section, "columns"));
    const char *title = json_string_value(get(section, "title"));
    if (!has_rows(rows, details))
        return;
    fputs("<section>", out);
    if (title != NULL && title[0] != '\0') {
        fputs("<h2>", out);
        st_safe_print_xml(out, title);
        fputs("</h2>", out);
    }
    if (is_table) {
        fputs("<table class=\"columns\"><thead><tr>", out);
        put_cells(out, get(section, "columns"), rows, true);
        fputs("</tr></thead><tbody>", out);
    } else {
        fputs("<table><tbody>", out);
    }
    json_array_foreach(rows, i, row)
    {
        if (json_is_true(get(row, "detail")) != details)
            continue;
        if (is_table)
            put_table_row(out, row, rows);
        else
            put_row(out, row);
    }
    fputs("</tbody></table></section>\n", out);
}

/* --- the cycle of a dropout: colours for the file, classes for the page --- */

#define ROW_PX      32 /* of a client */
#define DEADLINE_PX 172.0

static void put_span(FILE *out, const char *how, size_t row, double from_px, double to_px)
{
    fprintf(out, "<rect %s x=\"%.1f\" y=\"%zu\" width=\"%.1f\" height=\"9\"/>", how, 8 + from_px,
            ROW_PX * row + 20, fmax(0, to_px - from_px));
}

static void put_client(FILE *out, const json_t *client, size_t row, double px_per_ns)
{
    const double woken_px = json_number_value(get(client, "wait_ns")) * px_per_ns;
    const double end_px = woken_px + json_number_value(get(client, "busy_ns")) * px_per_ns;
    fprintf(out, "<text x=\"8\" y=\"%zu\">", ROW_PX * row + 15);
    put_string(out, client, "name");
    fputs("</text>", out);
    put_span(out, "class=\"wait\" fill=\"none\" stroke=\"#2a6fbb\"", row, 0, woken_px);
    put_span(out, "class=\"bar\" fill=\"#2a6fbb\"", row, woken_px, end_px);
    put_span(out, "class=\"bar bad\" fill=\"#b42318\"", row, fmax(woken_px, DEADLINE_PX), end_px);
}

/* What takes longer than two cycles goes on beyond the edge. @return false: there is no cycle. */
static bool put_cycle(FILE *out, const json_t *cycle)
{
    const json_t *clients = get(cycle, "clients"), *client;
    const double px_per_ns = DEADLINE_PX / fmax(1, json_number_value(get(cycle, "deadline_ns")));
    const size_t high = ROW_PX * json_array_size(clients) + 6;
    size_t i;
    if (!json_is_object(cycle))
        return false;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"cycle\" role=\"img\" viewBox=\"0 0 360 %zu\" "
            "font-family=\"sans-serif\" font-size=\"12\" aria-label=\"",
            high + 36);
    put_string(out, cycle, "text");
    fputs("\"><rect class=\"back\" fill=\"#fff\" width=\"360\" height=\"100%\"/>", out);
    json_array_foreach(clients, i, client) put_client(out, client, i, px_per_ns);
    fprintf(out,
            "<rect class=\"mark\" x=\"180\" width=\"1.5\" height=\"%zu\"/><text x=\"180\" y=\"%zu\" "
            "text-anchor=\"middle\">deadline</text><text x=\"8\" y=\"%zu\">Outline: waiting. Solid: "
            "computing.</text></svg>",
            high, high + 12, high + 30);
    return true;
}

/* Under the answer while that is about dropouts, else among all figures. */
static void put_cycle_figure(FILE *out, const json_t *document, bool details)
{
    const char *state = json_string_value(get(get(document, "screen"), "state"));
    const json_t *cycle = NULL, *source;
    size_t i;
    json_array_foreach(get(document, "observe"), i, source) cycle =
        json_is_object(cycle) ? cycle : get(source, "cycle");
    if (!json_is_object(cycle) || (state != NULL && st_text_is(state, "ok")) != details)
        return;
    fprintf(out, "<figure data-ms=\"%" JSON_INTEGER_FORMAT "\"><figcaption>A cycle with a dropout, at ",
            json_integer_value(get(cycle, "time_ns")) / ST_NS_PER_MS);
    put_time(out, get(cycle, "time_ns"));
    fputs("</figcaption>", out);
    (void)put_cycle(out, cycle);
    fputs("<p class=\"note\">", out);
    put_string(out, cycle, "text");
    fputs("</p></figure>\n", out);
}

/* --- what stands for {{NAME}} --- */

static void put_answer(FILE *out, const json_t *screen)
{
    fputs("<p id=\"answer\"", out);
    put_class(out, screen);
    fputs(">", out);
    put_string(out, screen, "answer");
    fputs("</p>", out);
}

/* A command to copy, or else what to do. */
static void put_next(FILE *out, const json_t *screen)
{
    const char *next = json_string_value(get(screen, "next"));
    fputs("<p id=\"next\">Next: ", out);
    if (next != NULL && next[0] != '\0') {
        fputs("<code>", out);
        st_safe_print_xml(out, next);
        fputs("</code> <button type=\"button\" data-command=\"", out); /* that copies it */
        st_safe_print_xml(out, next);
        fputs("\">Copy</button> ", out);
    }
    put_string(out, screen, "next_why");
    fputs("</p>", out);
}

static void put_sections(FILE *out, const json_t *document, bool details)
{
    const json_t *part;
    size_t i;
    if (details)
        put_cycle_figure(out, document, true);
    json_array_foreach(get(get(document, "screen"), "sections"), i, part) put_section(out, part, details);
}

/* name: what stands between {{ and }}, without an end. */
static void put_slot(FILE *out, const json_t *document, const char *name, size_t len)
{
    const json_t *of = get(document, "screen");
    const char *slot = st_text("%.*s", (int)len, name);
    if (st_text_is(slot, "state") || st_text_is(slot, "version"))
        put_string(out, document, slot);
    else if (st_text_is(slot, "next"))
        put_next(out, of);
    else if (st_text_is(slot, "time"))
        put_time(out, get(document, "time_ns"));
    else if (st_text_is(slot, "answer"))
        put_answer(out, of);
    else if (st_text_is(slot, "cycle"))
        put_cycle_figure(out, document, false);
    else if (st_text_is(slot, "first") || st_text_is(slot, "rest"))
        put_sections(out, document, st_text_is(slot, "rest"));
}

char *st_page_text(const json_t *document, enum st_page_form form)
{
    char *text = NULL;
    size_t bytes = 0, i;
    const json_t *source;
    FILE *out = open_memstream(&text, &bytes);
    if (out == NULL)
        return NULL;
    const char *at = form == ST_PAGE_CYCLE ? "" : st_page_template, *begin, *end;
    json_array_foreach(form == ST_PAGE_CYCLE ? get(document, "observe") : NULL, i, source)
    {
        if (put_cycle(out, get(source, "cycle")))
            break; /* an SVG file has one root */
    }
    while ((begin = strstr(at, "{{")) != NULL && (end = strstr(begin, "}}")) != NULL) {
        fwrite(at, 1, (size_t)(begin - at), out);
        if (form == ST_PAGE_SERVED && st_text_begins(begin, "{{links}}")) /* another address at each start */
            fputs("<link rel=\"manifest\" href=\"/manifest.webmanifest\">\n", out);
        put_slot(out, document, begin + 2, (size_t)(end - begin) - 2);
        at = end + 2;
    }
    fputs(at, out);
    return st_text_take(out, &text);
}
