#include "lab/input/series_text.h"

#include "core/ns.h"
#include "core/text/number.h"
#include "core/text/text.h"

#define LATENESS_MAX_NS (3600 * ST_NS_PER_S)
#define INDEX_MAX       (UINT64_C(1) << 62)
#define HEADER          "period,lateness_ns,skipped"
#define PERIOD_COMMENT  "# period_ns: "

void st_series_text_init(struct st_series_text *text, const struct st_period *period)
{
    *text = (struct st_series_text){.kind = ST_SERIES_TEXT_EMPTY};
    st_series_init(&text->series, period);
}

void st_series_text_finish(struct st_series_text *text)
{
    st_series_finish(&text->series);
    free(text->column);
    text->column = NULL;
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t\r");
}

/* Reads a whole number without sign and blanks at *at, and moves *at behind it. */
static bool take_u64(const char **at, uint64_t *ret)
{
    return st_number_take(at, ret) == 0;
}

static bool take_char(const char **at, char c)
{
    if (**at != c)
        return false;
    ++*at;
    return true;
}

static int comment(struct st_series_text *text, const char *line)
{
    const char *at = line + strlen(PERIOD_COMMENT);
    uint64_t num, den;
    if (!st_text_begins(line, PERIOD_COMMENT))
        return 0;
    if (!take_u64(&at, &num) || !take_char(&at, '/') || !take_u64(&at, &den) ||
        *skip_blanks(at) != '\0')
        return -EBADMSG;
    text->period_known = true;
    return den == 0 ? -ERANGE : st_period_init_ns(&text->series.period, num, den);
}

static int csv_line(struct st_series_text *text, const char *at)
{
    uint64_t index, size, skipped;
    if (!take_u64(&at, &index) || !take_char(&at, ','))
        return -EBADMSG;
    const bool negative = take_char(&at, '-');
    if (!take_u64(&at, &size) || !take_char(&at, ',') || !take_u64(&at, &skipped) ||
        *skip_blanks(at) != '\0')
        return -EBADMSG;
    if (size > LATENESS_MAX_NS || index > INDEX_MAX)
        return -ERANGE;
    return skipped > 0
               ? 0
               : st_series_add(&text->series, index, negative ? -(int64_t)size : (int64_t)size);
}

/* The n-th cell (n > 0) of a row of a table. Cells end at tabs; in a row without tabs at
 * semicolons, else at commas, else at blanks. Quotes protect these characters. @return NULL: the
 * row has fewer cells. */
static const char *cell_at(const char *row, size_t n, size_t *ret_bytes)
{
    const char *end = "\t;, ";
    while (*end != ' ' && strchr(row, *end) == NULL)
        end++;
    for (;; n--) {
        bool quoted = false;
        row = *end == ' ' ? skip_blanks(row) : row;
        for (*ret_bytes = 0; row[*ret_bytes] != '\0' && (quoted || row[*ret_bytes] != *end);
             ++*ret_bytes)
            quoted ^= row[*ret_bytes] == '"';
        if (n == 1)
            return row;
        row += *ret_bytes;
        if (*row++ == '\0')
            return NULL;
    }
}

static int add_figure(struct st_series_text *text, double figure)
{
    if (fabs(figure) > (double)LATENESS_MAX_NS)
        return -ERANGE;
    if (text->column_n == text->column_room) {
        const size_t room = text->column_room == 0 ? 1024 : text->column_room * 2;
        double *column = realloc(text->column, room * sizeof(*column));
        if (column == NULL)
            return -ENOMEM;
        text->column = column;
        text->column_room = room;
    }
    text->column[text->column_n++] = figure;
    return 0;
}

static int column_line(struct st_series_text *text, const char *line)
{
    size_t cell_bytes = strlen(line);
    const char *cell = text->cell > 0 ? cell_at(line, text->cell, &cell_bytes) : line;
    if (cell == NULL)
        return -ENOENT;
    const char *from = skip_blanks(cell);
    if (text->cell > 0 && from >= cell + cell_bytes)
        return add_figure(text, (double)NAN); /* an empty cell: this row has no value */
    /* only these characters are allowed in a number: strtod accepts "inf" and hexadecimal numbers,
     * too */
    const size_t bytes = strspn(from, "+-.0123456789eE");
    char *end;
    const double figure = strtod(from, &end);
    if (bytes == 0 || end != from + bytes || skip_blanks(end) < cell + cell_bytes) {
        if (text->cell == 0 || text->column_n > 0 || text->heading[0] != '\0')
            return -EBADMSG;
        ST_PRINT(text->heading, "%.*s", (int)(cell + cell_bytes - from), from);
        return 0;
    }
    if (strcspn(from, ".eE") < bytes)
        text->kind = ST_SERIES_TEXT_SECONDS;
    else if (text->kind == ST_SERIES_TEXT_EMPTY)
        text->kind = ST_SERIES_TEXT_NS;
    return add_figure(text, figure);
}

int st_series_text_line(struct st_series_text *text, const char *line, size_t bytes)
{
    if (strlen(line) != bytes)
        return -EBADMSG;
    const char *from = skip_blanks(line);
    if (*from == '#')
        return comment(text, from);
    if (*from == '\0')
        return 0;
    if (text->cell == 0 && text->kind == ST_SERIES_TEXT_EMPTY && st_text_begins(from, HEADER) &&
        *skip_blanks(from + strlen(HEADER)) == '\0') {
        text->kind = ST_SERIES_TEXT_CSV;
        return 0;
    }
    return text->kind == ST_SERIES_TEXT_CSV ? csv_line(text, from) : column_line(text, line);
}

int st_series_text_end(struct st_series_text *text)
{
    const double unit_ns = text->unit_ns > 0                      ? (double)text->unit_ns
                           : text->kind == ST_SERIES_TEXT_SECONDS ? 1e9
                                                                  : 1;
    int r = 0;
    for (size_t i = 0; i < text->column_n && r == 0; i++) {
        const double ns = text->column[i] * unit_ns;
        if (isnan(ns))
            continue;
        r = fabs(ns) > (double)LATENESS_MAX_NS ? -ERANGE
                                               : st_series_add(&text->series, i, llrint(ns));
    }
    free(text->column);
    text->column = NULL;
    text->column_n = text->column_room = 0;
    return r == 0 && text->series.n == 0 ? -ENODATA : r;
}
