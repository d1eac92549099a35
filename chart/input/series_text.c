#include "chart/input/series_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/ns.h"
#include "core/text/number.h"

#define LATENESS_MAX_NS (3600 * ST_NS_PER_S)
#define INDEX_MAX       (UINT64_C(1) << 62)
#define HEADER          "period,lateness_ns,skipped"
#define PERIOD_COMMENT  "# period_ns: "

const char *st_series_text_kind_name(enum st_series_text_kind kind)
{
    switch (kind) {
    case ST_SERIES_TEXT_SECONDS:
        return "seconds, one a line";
    case ST_SERIES_TEXT_NS:
        return "nanoseconds, one a line";
    case ST_SERIES_TEXT_CSV:
        return "CSV of sleeptune plot";
    case ST_SERIES_TEXT_EMPTY:
        break;
    }
    return "no figures";
}

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

/* An unsigned whole number at *at, no sign, no blanks. */
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
    if (strncmp(line, PERIOD_COMMENT, strlen(PERIOD_COMMENT)) != 0)
        return 0;
    if (!take_u64(&at, &num) || !take_char(&at, '/') || !take_u64(&at, &den) || *skip_blanks(at) != '\0')
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
    if (!take_u64(&at, &size) || !take_char(&at, ',') || !take_u64(&at, &skipped) || skipped > 1 ||
        *skip_blanks(at) != '\0')
        return -EBADMSG;
    if (size > LATENESS_MAX_NS || index > INDEX_MAX)
        return -ERANGE;
    return skipped == 1 ? 0 : st_series_add(&text->series, index, negative ? -(int64_t)size : (int64_t)size);
}

static int column_line(struct st_series_text *text, const char *line)
{
    const size_t bytes = strspn(line, "+-.0123456789eE"); /* strtod takes "inf" and hexadecimal, too */
    char *end;
    const double figure = strtod(line, &end);
    if (bytes == 0 || end != line + bytes || *skip_blanks(end) != '\0')
        return -EBADMSG;
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
    if (strcspn(line, ".eE") < bytes)
        text->kind = ST_SERIES_TEXT_SECONDS;
    else if (text->kind == ST_SERIES_TEXT_EMPTY)
        text->kind = ST_SERIES_TEXT_NS;
    return 0;
}

int st_series_text_line(struct st_series_text *text, const char *line, size_t bytes)
{
    if (strlen(line) != bytes)
        return -EBADMSG;
    line = skip_blanks(line);
    if (*line == '#')
        return comment(text, line);
    if (*line == '\0')
        return 0;
    if (!text->header_seen && text->column_n == 0 && strncmp(line, HEADER, strlen(HEADER)) == 0 &&
        *skip_blanks(line + strlen(HEADER)) == '\0') {
        text->header_seen = true;
        text->kind = ST_SERIES_TEXT_CSV;
        return 0;
    }
    return text->header_seen ? csv_line(text, line) : column_line(text, line);
}

int st_series_text_end(struct st_series_text *text)
{
    const double unit_ns = text->kind == ST_SERIES_TEXT_SECONDS ? 1e9 : 1;
    int r = 0;
    for (size_t i = 0; i < text->column_n && r == 0; i++) {
        const double ns = text->column[i] * unit_ns;
        r = fabs(ns) > (double)LATENESS_MAX_NS ? -ERANGE : st_series_add(&text->series, i, llrint(ns));
    }
    free(text->column);
    text->column = NULL;
    text->column_n = text->column_room = 0;
    return r == 0 && text->series.n == 0 ? -ENODATA : r;
}
