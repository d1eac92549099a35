/* Fills the template with the screen of the status document: no figure is known here. */
#include "core/page/page.h"

#include <math.h>
#include <string.h>
#include <time.h>

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
        if (state != NULL && strcmp(state, *class) == 0)
            fprintf(out, " class=\"%s\"", *class);
    }
}

static void put_texts(FILE *out, const json_t *texts, const char *first, const char *other)
{
    size_t i;
    const json_t *text;
    json_array_foreach(texts, i, text)
    {
        const char *name = i == 0 ? first : other;
        fprintf(out, "<%s>", name);
        st_safe_print_xml(out, json_string_value(text));
        fprintf(out, "</%.2s>", name);
    }
}

static void put_row(FILE *out, const json_t *row)
{
    fputs("<tr", out);
    put_class(out, row);
    fputs("><th>", out);
    put_string(out, row, "label");
    fputs("</th><td>", out);
    if (json_is_integer(get(row, "time_ns"))) {
        put_time(out, get(row, "time_ns"));
        fputc(' ', out);
    }
    put_string(out, row, "text");
    fputs("</td></tr>", out);
}

static void put_table_row(FILE *out, const json_t *row)
{
    fputs("<tr", out);
    put_class(out, row);
    fputs(">", out);
    put_texts(out, get(row, "cells"), "th scope=\"row\"", "td");
    if (json_is_string(get(row, "command"))) {
        fputs("<td><button type=\"button\" data-command=\"", out);
        put_string(out, row, "command");
        fputs("\">Copy command</button></td>", out);
    }
    fputs("</tr>", out);
}

static void put_section(FILE *out, const json_t *section)
{
    size_t i;
    const json_t *row;
    const bool is_table = json_is_array(get(section, "columns"));
    const char *title = json_string_value(get(section, "title"));
    fputs("<section>", out);
    if (title != NULL && title[0] != '\0') {
        fputs("<h2>", out);
        st_safe_print_xml(out, title);
        fputs("</h2>", out);
    }
    if (is_table) {
        fputs("<table class=\"columns\"><thead><tr>", out);
        put_texts(out, get(section, "columns"), "th", "th");
        fputs("</tr></thead><tbody>", out);
    } else {
        fputs("<table><tbody>", out);
    }
    json_array_foreach(get(section, "rows"), i, row)
    {
        if (is_table)
            put_table_row(out, row);
        else
            put_row(out, row);
    }
    fputs("</tbody></table></section>\n", out);
}

/* --- charts: bars of height 0 .. 100 in slots of width 1 --- */

static bool is_in(const json_t *list, size_t number)
{
    size_t i;
    const json_t *index;
    json_array_foreach(list, i, index)
    {
        if (json_is_integer(index) && json_integer_value(index) == (json_int_t)number)
            return true;
    }
    return false;
}

static double height_of(const json_t *chart, const json_t *value)
{
    const double low = json_number_value(get(chart, "low")), high = json_number_value(get(chart, "high"));
    const double number = json_number_value(value);
    if (!(low > 0) || !(high > low) || !(number > low))
        return number > 0 ? 1 : 0;
    return fmax(1, fmin(100, 100 * log(number / low) / log(high / low)));
}

static void put_bar(FILE *out, double x, double height, const char *class_name)
{
    fprintf(out, "<rect class=\"%s\" x=\"%g\" y=\"%.1f\" width=\".8\" height=\"%.1f\"/>", class_name, x,
            100 - height, height);
}

static void put_bars(FILE *out, const json_t *chart)
{
    const json_t *values = get(chart, "values"), *value;
    const double room = fmax(1, json_number_value(get(chart, "room")));
    const double first = fmax(0, room - (double)json_array_size(values));
    size_t i;
    fprintf(out, "<svg role=\"img\" viewBox=\"0 0 %g 100\" preserveAspectRatio=\"none\" aria-label=\"", room);
    put_string(out, chart, "note");
    fputs("\">", out);
    json_array_foreach(values, i, value)
    {
        const json_t *mark = json_array_get(get(chart, "marks"), i);
        const double x = first + (double)i;
        const bool bad = is_in(get(chart, "bad"), i);
        if (json_is_number(value))
            put_bar(out, x, height_of(chart, value), bad ? "bar bad" : "bar");
        else
            put_bar(out, x, 100, bad ? "bar bad" : "gap");
        if (json_is_number(mark))
            fprintf(out, "<rect class=\"mark\" x=\"%g\" y=\"%.1f\" width=\".8\" height=\"1.5\"/>", x,
                    100 - height_of(chart, mark));
    }
    if (json_is_number(get(chart, "line")))
        fprintf(out, "<rect class=\"line\" x=\"0\" y=\"%.1f\" width=\"%g\" height=\".8\"/>",
                100 - height_of(chart, get(chart, "line")), room);
    fputs("</svg>", out);
}

static void put_ticks(FILE *out, const json_t *chart)
{
    size_t i;
    const json_t *tick;
    fputs("<svg class=\"axis\" aria-hidden=\"true\">", out);
    json_array_foreach(get(chart, "ticks"), i, tick)
    {
        /* the lowest one is the foot of the bars */
        fprintf(out, "<text y=\"%.1f%%\" dy=\".35em\">",
                i == 0 ? 100 : 100 - height_of(chart, get(tick, "at")));
        put_string(out, tick, "text");
        fputs("</text>", out);
    }
    fputs("</svg>", out);
}

static void put_chart(FILE *out, const json_t *chart)
{
    static const char *const labels[] = {"left", "right"};
    fputs("<figure><figcaption>", out);
    put_string(out, chart, "title");
    fputs("</figcaption><div class=\"chart\">", out);
    put_ticks(out, chart);
    put_bars(out, chart);
    ST_EACH (label, labels) {
        fprintf(out, "<span class=\"%s\">", *label);
        put_string(out, chart, *label);
        fputs("</span>", out);
    }
    fputs("</div><p class=\"note\">", out);
    put_string(out, chart, "note");
    fputs(".<br>", out);
    put_string(out, chart, "legend");
    fputs(".</p></figure>\n", out);
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
            "text-anchor=\"middle\">deadline</text><text x=\"8\" y=\"%zu\">Frame: waited. Filled: "
            "computed.</text></svg>",
            high, high + 12, high + 30);
    return true;
}

static void put_cycle_figure(FILE *out, const json_t *cycle)
{
    if (!json_is_object(cycle))
        return;
    fputs("<figure><figcaption>The last dropout, at ", out);
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

/* The first section and the tables, the charts, then the rest. */
static void put_screen(FILE *out, const json_t *document)
{
    const json_t *of = get(document, "screen"), *part;
    size_t i;
    for (int rest = 0; rest < 2; rest++) {
        json_array_foreach(get(of, "sections"), i, part)
        {
            if ((i > 0 && !json_is_array(get(part, "columns"))) == (rest == 1))
                put_section(out, part);
        }
        for (i = 0; rest == 0 && i < json_array_size(get(of, "charts")); i++)
            put_chart(out, json_array_get(get(of, "charts"), i));
        json_array_foreach(rest == 0 ? get(document, "observe") : NULL, i, part)
            put_cycle_figure(out, get(part, "cycle"));
    }
}

/* name: what stands between {{ and }}, without an end. */
static void put_slot(FILE *out, const json_t *document, const char *name, size_t len)
{
    const json_t *of = get(document, "screen");
    const char *slot = ST_TEXT(16, "%.*s", (int)len, name);
    if (strcmp(slot, "state") == 0 || strcmp(slot, "version") == 0)
        put_string(out, document, slot);
    else if (strcmp(slot, "next") == 0 || strcmp(slot, "next_why") == 0)
        put_string(out, of, slot);
    else if (strcmp(slot, "time") == 0)
        put_time(out, get(document, "time_ns"));
    else if (strcmp(slot, "answer") == 0)
        put_answer(out, of);
    else if (strcmp(slot, "screen") == 0)
        put_screen(out, document);
}

char *st_page_text(const json_t *document, bool only_cycle)
{
    char *text = NULL;
    size_t bytes = 0, i;
    const json_t *source;
    FILE *out = open_memstream(&text, &bytes);
    if (out == NULL)
        return NULL;
    const char *at = only_cycle ? "" : st_page_template, *begin, *end;
    json_array_foreach(only_cycle ? get(document, "observe") : NULL, i, source)
    {
        if (put_cycle(out, get(source, "cycle")))
            break; /* an SVG file has one root */
    }
    while ((begin = strstr(at, "{{")) != NULL && (end = strstr(begin, "}}")) != NULL) {
        fwrite(at, 1, (size_t)(begin - at), out);
        put_slot(out, document, begin + 2, (size_t)(end - begin) - 2);
        at = end + 2;
    }
    fputs(at, out);
    return st_text_take(out, &text);
}
