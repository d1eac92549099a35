/* Lays out the daemon's status document on the screen. This code knows no figure by its name, and
 * does not trust the document. */
#include "cli/show/status_screen.h"

#include "core/text/json.h"
#include "core/when.h"

#define LABEL_COLUMNS 14
/* from this width on, a text of the screen without details fits into two rows */
#define BRIEF_COLUMNS 72
#define CELLS_MAX     8
/* if a table is too wide, names are cut to this width, then the widest column to CELL_COLUMNS; then
 * columns at the right are left out */
#define NAME_COLUMNS 17
#define CELL_COLUMNS 34
/* most rows of the screen without details, if it has at least BRIEF_COLUMNS */
#define FIRST_ROWS 20
#define TABLE_ROWS 3 /* rows of each table that other rows of the screen leave room for */

static enum st_style style_of(const json_t *object, enum st_style good)
{
    const char *state = st_json_text_of(object, "state");
    if (st_text_is(state, "bad"))
        return ST_STYLE_BAD;
    if (st_text_is(state, "warn"))
        return ST_STYLE_WARN;
    if (st_text_is(state, "unknown"))
        return ST_STYLE_DIM;
    return good;
}

/* Where on the screen the next row goes; `end` is the first row that must stay free. */
struct place {
    struct st_screen *screen;
    int row, end;
    bool narrow; /* the screen has few rows, so no empty row is drawn */
    bool brief;  /* at most two rows for each text */
    bool whole;  /* a table is drawn with its details, unless all of its rows are details */
};

static void put_field(struct place *place, enum st_style style, const char *label, const char *text)
{
    if (place->row >= place->end || text[0] == '\0')
        return;
    struct st_screen *screen = place->screen;
    st_screen_put(screen, place->row, 0, LABEL_COLUMNS - 1, ST_STYLE_DIM, label);
    place->row +=
        st_screen_wrap(screen, place->row, LABEL_COLUMNS, screen->columns - LABEL_COLUMNS,
                       ST_MIN(place->brief ? 2 : INT_MAX, place->end - place->row), style, text);
}

/* --- tables --- */

struct table {
    int columns_n, widths[CELLS_MAX];
    bool numbers[CELLS_MAX]; /* right-aligned */
};

static const char *cell_of(const json_t *cells, int column)
{
    return st_text_or(json_string_value(json_array_get(cells, (size_t)column)), "");
}

static int table_width(const struct table *table)
{
    int width = -2; /* two spaces are between columns */
    for (int i = 0; i < table->columns_n; i++)
        width += table->widths[i] + 2;
    return width;
}

/* Makes the widest column narrower, down to `least_columns`. @return false: none is wider. */
static bool shrink(struct table *table, int least_columns)
{
    int widest = 0;
    for (int i = 1; i < table->columns_n; i++) {
        if (table->widths[i] > table->widths[widest])
            widest = i;
    }
    if (table->widths[widest] <= least_columns)
        return false;
    table->widths[widest]--;
    return true;
}

enum rows { FIRST, DETAILS, ALL };

static bool is_in(const json_t *row, enum rows rows)
{
    return rows == ALL || json_is_true(json_object_get(row, "detail")) == (rows == DETAILS);
}

/* Computes the widths of columns. If the table is too wide, the last columns are left out first,
 * since names come before numbers. */
static void lay_out(struct table *table, const struct st_screen *screen, const json_t *section,
                    enum rows rows)
{
    const json_t *head = json_object_get(section, "columns");
    table->columns_n = (int)ST_MIN(json_array_size(head), CELLS_MAX);
    for (int i = 0; i < table->columns_n; i++) {
        table->widths[i] = st_screen_width(cell_of(head, i));
        table->numbers[i] = i > 0; /* the first column is the name of its row */
        ST_JSON_EACH (row, section, "rows") {
            if (!is_in(row, rows))
                continue;
            const char *text = cell_of(json_object_get(row, "cells"), i);
            const int width = st_screen_width(text);
            table->widths[i] = ST_MAX(width, table->widths[i]);
            /* "" fits both: strchr finds the end of its text, too */
            table->numbers[i] &= strchr("0123456789?-", text[0]) != NULL;
        }
    }
    while (table_width(table) > screen->columns) {
        if (table->widths[0] > NAME_COLUMNS)
            table->widths[0]--;
        else if (shrink(table, CELL_COLUMNS))
            continue;
        else if (table->columns_n > 3)
            table->columns_n--;
        else if (!shrink(table, 1))
            break;
    }
}

static void put_cells(struct place *place, const struct table *table, const json_t *cells,
                      enum st_style style)
{
    int column = 0;
    for (int i = 0; i < table->columns_n; i++) {
        const char *text = cell_of(cells, i);
        const int width = table->widths[i], used = st_screen_width(text),
                  indent = table->numbers[i] ? ST_MAX(width - used, 0) : 0;
        st_screen_put(place->screen, place->row, column + indent, width - indent, style, text);
        column += width + 2;
    }
    place->row++;
}

static int rows_n(const json_t *section, enum rows rows)
{
    int n = 0;
    ST_JSON_EACH (row, section, "rows")
        n += is_in(row, rows);
    return n;
}

/* Draws the table of a section, as far as there is room. @return false: the section is not a
 * table. */
static bool put_table(struct place *place, const json_t *section, enum rows rows)
{
    const json_t *head = json_object_get(section, "columns");
    struct table table;
    if (json_array_size(head) == 0)
        return false;
    if (place->whole && rows_n(section, FIRST) > 0) {
        if (rows == DETAILS)
            return true;
        rows = ALL;
    }
    const int n = rows_n(section, rows), later_n = rows == FIRST ? rows_n(section, DETAILS) : 0;
    place->row += n > 0 && place->row > 0 && !place->narrow;
    const int room = place->end - place->row - 1;
    if (n == 0 || room < 1)
        return true;
    lay_out(&table, place->screen, section, rows);
    put_cells(place, &table, head, ST_STYLE_DIM);
    const int shown = n + (later_n > 0) <= room ? n : room - 1;
    int left = shown;
    ST_JSON_EACH (row, section, "rows") {
        if (is_in(row, rows) && left-- > 0)
            put_cells(place, &table, json_object_get(row, "cells"), style_of(row, ST_STYLE_PLAIN));
    }
    if (n - shown + later_n > 0)
        st_screen_put(place->screen, place->row++, 0, place->screen->columns, ST_STYLE_DIM,
                      st_text("%d more: --details", n - shown + later_n));
    return true;
}

void st_status_screen_table(FILE *out, const json_t *section, bool details, int columns)
{
    struct st_screen screen = {.rows = ST_SCREEN_ROWS, .columns = columns};
    struct place place = {.screen = &screen, .end = ST_SCREEN_ROWS};
    (void)put_table(&place, section, details ? ALL : FIRST);
    st_screen_print(&screen, out);
}

/* @return the rows to keep free for tables, at most half of those that are left. */
static int room_for_tables(const struct place *place, const json_t *screen)
{
    int rows = 0;
    ST_JSON_EACH (section, screen, "sections") {
        const int n = rows_n(section, FIRST);
        if (n > 0 && json_is_array(json_object_get(section, "columns")))
            rows += ST_MIN(n, TABLE_ROWS) + 3; /* an empty row, the head, "5 more: --details" */
    }
    return ST_MIN(rows, (place->end - place->row) / 2);
}

/* Draws the sections that are details, or those that are not. */
static void put_sections(struct place *place, const json_t *document, enum rows rows)
{
    const json_t *screen = json_object_get(document, "screen");
    const int end = place->end,
              fields_end = rows == DETAILS ? end : end - room_for_tables(place, screen);
    const int64_t now_ns = st_json_integer(document, "time_ns");
    ST_JSON_EACH (section, screen, "sections") {
        bool first = true;
        place->end = end;
        if (put_table(place, section, rows))
            continue;
        place->end = fields_end;
        ST_JSON_EACH (row, section, "rows") {
            if (!is_in(row, rows))
                continue;
            if (first && rows == DETAILS) {
                const int title = place->row + (place->row > 0 && !place->narrow);
                if (title + 1 >= place->end)
                    break;
                st_screen_put(place->screen, title, 0, place->screen->columns, ST_STYLE_BOLD,
                              st_json_text_of(section, "title"));
                place->row = title + 1;
            }
            first = false;
            const int64_t time_ns = st_json_integer(row, "time_ns");
            put_field(place, style_of(row, ST_STYLE_PLAIN), st_json_text_of(row, "label"),
                      st_text_joined(time_ns != 0 ? st_when_text_near(time_ns, now_ns) : "", " ",
                                     st_json_text_of(row, "text")));
        }
    }
    place->end = end;
}

/* --- the screen --- */

/* Draws the message at the bottom of the screen. @return the rows that are left above. */
static int put_message(struct st_screen *screen, const struct st_status_screen *how)
{
    int used = 1;
    if (how->message == NULL)
        return screen->rows;
    if (how->alert)
        used = ST_MIN(st_screen_wrapped_rows(screen, screen->columns, how->message),
                      ST_MAX(screen->rows / 4, 1));
    st_screen_wrap(screen, screen->rows - used, 0, screen->columns, used,
                   how->alert ? ST_STYLE_ALERT : ST_STYLE_DIM, how->message);
    return screen->rows - used;
}

void st_status_screen_draw(struct st_screen *screen, const json_t *document,
                           const struct st_status_screen *how)
{
    const json_t *of = json_object_get(document, "screen");
    struct place place = {.screen = screen, .end = put_message(screen, how)};
    if (of == NULL || place.end < 2) {
        if (place.end > 0)
            st_screen_put(screen, 0, 0, screen->columns, ST_STYLE_BOLD, "sleeptuned");
        return;
    }
    place.narrow = how->live && place.end < 22;
    place.row =
        st_screen_wrap(screen, 0, 0, screen->columns, how->live ? 2 + (place.end >= 10) : place.end,
                       style_of(of, ST_STYLE_GOOD), st_json_text_of(of, "answer"));
    const bool shortened = !how->live && !how->details && screen->columns >= BRIEF_COLUMNS;
    const int end = shortened ? ST_MIN(place.end, FIRST_ROWS) : place.end;
    place.brief = shortened || place.narrow;
    place.whole = how->details && !how->live;
    /* the next step: a command (may be ""), and its reason; then whose daemon answered */
    const char *next = st_json_text_of(of, "next");
    const bool command = next[0] != '\0';
    const struct {
        enum st_style style;
        const char *label, *text;
    } last[] = {{ST_STYLE_BOLD, "Next", next},
                {command ? ST_STYLE_PLAIN : ST_STYLE_BOLD, command ? "" : "Next",
                 st_json_text_of(of, "next_why")},
                {how->stale ? ST_STYLE_WARN : ST_STYLE_DIM, "Running", st_text_or(how->whose, "")}};
    int last_rows = 0;
    ST_EACH (field, last)
        last_rows += st_screen_wrapped_rows(screen, screen->columns - LABEL_COLUMNS, field->text);
    place.end = end - last_rows - !place.narrow;
    put_sections(&place, document, FIRST);
    place.brief = place.narrow;
    place.end = end;
    place.row += !place.narrow && place.row + last_rows < end;
    ST_EACH (field, last)
        put_field(&place, field->style, field->label, field->text);
    if (!how->live && !how->details)
        return;
    put_sections(&place, document, DETAILS);
    put_field(&place, ST_STYLE_PLAIN, "Socket", st_text_or(how->socket, ""));
}
