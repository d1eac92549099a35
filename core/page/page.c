/* Fills the template of the page from the status document. It only arranges what the document
 * says. */
#include "core/page/page.h"

#include "core/ns.h"

static const json_t *get(const json_t *object, const char *key)
{
    return json_object_get(object, key);
}

/* Text escaped for HTML, as content or within an attribute. */
static const char *string(const json_t *object, const char *key)
{
    return st_text_xml(json_string_value(get(object, key)));
}

/* A <time> element: in UTC; the page's script changes it to the reader's time zone. */
static const char *time_text(const json_t *value)
{
    const time_t seconds = (time_t)(json_integer_value(value) / ST_NS_PER_S);
    struct tm utc;
    char machine[40], text[40];
    if (!json_is_integer(value) || gmtime_r(&seconds, &utc) == NULL ||
        strftime(machine, sizeof(machine), "%Y-%m-%dT%H:%M:%SZ", &utc) == 0 ||
        strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &utc) == 0)
        return "";
    return st_text("<time datetime=\"%s\">%s</time>", machine, text);
}

/* The class of the style sheet for an object's state; "" for an unknown state. */
static const char *class_of(const json_t *object)
{
    static const char *const classes[] = {"ok", "warn", "bad", "unknown", NULL};
    const char *state = json_string_value(get(object, "state"));
    return state != NULL && st_text_is_among(state, classes) ? st_text(" class=\"%s\"", state) : "";
}

/* Are all cells of this column numbers? Then the page aligns the column to the right. */
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
        const char *begin = i == 0 ? "th scope=\"row\"" : "td";
        if (head)
            begin = "th scope=\"col\"";
        fprintf(out, "<%s%s>%s</%.2s>", begin,
                i > 0 && is_number(rows, i) ? " class=\"number\"" : "",
                st_text_xml(json_string_value(cell)), begin);
    }
}

/* Writes a row of two columns. Without a label, the text takes both columns. */
static void put_row(FILE *out, const json_t *row)
{
    const char *label = string(row, "label"), *time = time_text(get(row, "time_ns"));
    fputs(label[0] != '\0' ? st_text("<th scope=\"row\">%s</th><td>", label) : "<td colspan=\"2\">",
          out);
    fprintf(out, "%s</td>", st_text_joined(time, " ", string(row, "text")));
}

static void put_section(FILE *out, const json_t *section, bool details)
{
    size_t i, n = 0;
    const json_t *row, *rows = get(section, "rows");
    const bool is_table = json_is_array(get(section, "columns"));
    const char *title = string(section, "title");
    json_array_foreach(rows, i, row)
    {
        if (json_is_true(get(row, "detail")) != details)
            continue;
        if (n++ == 0) {
            fprintf(out, "<section>%s<table%s",
                    title[0] != '\0' ? st_text("<h2>%s</h2>", title) : "",
                    is_table ? " class=\"columns\"><thead><tr>" : "><tbody>");
            put_cells(out, get(section, "columns"), rows, true);
            fputs(is_table ? "</tr></thead><tbody>" : "", out);
        }
        fprintf(out, "<tr%s>", class_of(row));
        if (is_table)
            put_cells(out, get(row, "cells"), rows, false);
        else
            put_row(out, row);
        fputs("</tr>", out);
    }
    fputs(n > 0 ? "</tbody></table></section>\n" : "", out);
}

/* --- the picture of a dropout's cycle: colours for the SVG file, classes for the page --- */

#define ROW_PX      32 /* height of a client's row */
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
    fprintf(out, "<text x=\"8\" y=\"%zu\">%s</text>", ROW_PX * row + 15, string(client, "name"));
    put_span(out, "class=\"wait\" fill=\"none\" stroke=\"#2a6fbb\"", row, 0, woken_px);
    put_span(out, "class=\"bar\" fill=\"#2a6fbb\"", row, woken_px, end_px);
    put_span(out, "class=\"bar bad\" fill=\"#b42318\"", row, fmax(woken_px, DEADLINE_PX), end_px);
}

/* Writes the picture of a dropout's cycle as SVG. Bars are cut off at the right edge, after two
 * cycles.
 * @return false: there is no cycle. */
static bool put_cycle(FILE *out, const json_t *cycle)
{
    const json_t *clients = get(cycle, "clients"), *client;
    const double px_per_ns = DEADLINE_PX / fmax(1, json_number_value(get(cycle, "deadline_ns")));
    const size_t high = ROW_PX * json_array_size(clients) + 6;
    size_t i;
    if (!json_is_object(cycle))
        return false;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"cycle\" role=\"img\" viewBox=\"0 0 "
            "360 %zu\" font-family=\"sans-serif\" font-size=\"12\" aria-label=\"%s\"><rect "
            "class=\"back\" fill=\"#fff\" width=\"360\" height=\"100%%\"/>",
            high + 36, string(cycle, "text"));
    json_array_foreach(clients, i, client) put_client(out, client, i, px_per_ns);
    fprintf(out,
            "<rect class=\"mark\" x=\"180\" width=\"1.5\" height=\"%zu\"/><text x=\"180\" "
            "y=\"%zu\" text-anchor=\"middle\">deadline</text><text x=\"8\" y=\"%zu\">Outline: "
            "waiting. Solid: computing.</text></svg>",
            high, high + 12, high + 30);
    return true;
}

/* Writes the picture into the page: under the answer while the answer is about dropouts, otherwise
 * among the details. */
static void put_cycle_figure(FILE *out, const json_t *document, bool details)
{
    const char *state = json_string_value(get(get(document, "screen"), "state"));
    const json_t *cycle = NULL, *source;
    size_t i;
    json_array_foreach(get(document, "observe"), i, source) cycle =
        json_is_object(cycle) ? cycle : get(source, "cycle");
    if (!json_is_object(cycle) || (state != NULL && st_text_is(state, "ok")) != details)
        return;
    fprintf(out,
            "<figure data-ms=\"%" JSON_INTEGER_FORMAT
            "\"><figcaption>A cycle with a dropout, at %s</figcaption>",
            json_integer_value(get(cycle, "time_ns")) / ST_NS_PER_MS,
            time_text(get(cycle, "time_ns")));
    (void)put_cycle(out, cycle);
    fprintf(out, "<p class=\"note\">%s</p></figure>\n", string(cycle, "text"));
}

/* --- the text for each {{NAME}} of the template --- */

/* Writes the next step: a command with a button that copies it, or what to do. */
static void put_next(FILE *out, const json_t *screen)
{
    const char *next = string(screen, "next");
    if (next[0] != '\0')
        next = st_text("<code>%s</code> <button type=\"button\" data-command=\"%s\">Copy</button> ",
                       next, next);
    fprintf(out, "<p id=\"next\">Next: %s%s</p>", next, string(screen, "next_why"));
}

static void put_sections(FILE *out, const json_t *document, bool details)
{
    const json_t *part;
    size_t i;
    if (details)
        put_cycle_figure(out, document, true);
    json_array_foreach(get(get(document, "screen"), "sections"), i, part)
        put_section(out, part, details);
}

/* Writes the text for a {{NAME}}. @param name the characters between {{ and }}, not terminated; len
 * of them.
 */
static void put_slot(FILE *out, const json_t *document, const char *name, size_t len)
{
    const json_t *of = get(document, "screen");
    const char *slot = st_text("%.*s", (int)len, name);
    if (st_text_is(slot, "state") || st_text_is(slot, "version"))
        fputs(string(document, slot), out);
    else if (st_text_is(slot, "next"))
        put_next(out, of);
    else if (st_text_is(slot, "time"))
        fputs(time_text(get(document, "time_ns")), out);
    else if (st_text_is(slot, "answer"))
        fprintf(out, "<p id=\"answer\"%s>%s</p>", class_of(of), string(of, "answer"));
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
            break; /* one picture only, since an SVG file has one root element */
    }
    while ((begin = strstr(at, "{{")) != NULL && (end = strstr(begin, "}}")) != NULL) {
        fwrite(at, 1, (size_t)(begin - at), out);
        /* Omits the manifest on the private address: that address changes at each start, so a
         * browser cannot install the page from there. */
        if (form == ST_PAGE_SERVED && st_text_begins(begin, "{{links}}"))
            fputs("<link rel=\"manifest\" href=\"/manifest.webmanifest\">\n", out);
        put_slot(out, document, begin + 2, (size_t)(end - begin) - 2);
        at = end + 2;
    }
    fputs(at, out);
    return st_text_take(out, &text);
}
