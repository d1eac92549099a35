/* A screen of character cells, which is drawn as a whole. */
#include "cli/show/screen.h"

#include "core/text/safe.h"
#include "core/text/text.h"
#include "platform/program/locale.h"

int st_screen_init(struct st_screen *screen, int rows, int columns, bool unicode)
{
    if (rows < 1 || columns < 1)
        return -EINVAL;
    struct st_cell *cells = calloc((size_t)rows * (size_t)columns, sizeof(*cells));
    if (cells == NULL)
        return -ENOMEM;
    ST_EACH_OF (cell, cells, (size_t)rows * (size_t)columns)
        cell->text[0] = ' ';
    *screen =
        (struct st_screen){.rows = rows, .columns = columns, .unicode = unicode, .cells = cells};
    return 0;
}

void st_screen_finish(struct st_screen *screen)
{
    free(screen->cells);
    screen->cells = NULL;
}

struct st_cell *st_screen_cell(const struct st_screen *screen, int row, int column)
{
    return &screen->cells[(size_t)row * (size_t)screen->columns + (size_t)column];
}

/* Converts the first character of `text` into one that this screen can show. @return bytes of text;
 * glyph: UTF-8, width in columns. */
static size_t next_glyph(const struct st_screen *screen, const char *text, char glyph[5],
                         int *ret_width)
{
    uint32_t point;
    const size_t bytes = st_safe_utf8_read(text, ST_TEXT_TO_NUL, &point);
    const bool safe = bytes > 0 && st_safe_point(point);
    const char *ascii = "?";
    *ret_width = 1;
    glyph[1] = '\0';
    glyph[0] = safe && point < 0x80 ? (char)point : '?';
    if (!safe || point < 0x80)
        return bytes > 0 ? bytes : 1;
    if (!screen->unicode) {
        (void)st_locale_character(text, &ascii);
        glyph[0] = ascii[0];
        return bytes;
    }
    memcpy(glyph, text, bytes);
    glyph[bytes] = '\0';
    *ret_width = st_text_columns(glyph);
    return bytes;
}

static void set_cell(struct st_screen *screen, int row, int column, enum st_style style,
                     const char *glyph)
{
    struct st_cell *cell = st_screen_cell(screen, row, column);
    ST_PRINT(cell->text, "%s", glyph);
    cell->style = (unsigned char)style;
}

/* Puts the text up to `end` into at most `width` cells of a row; marks text that is cut with "…".
 * @return cells used. */
static int put(struct st_screen *screen, int row, int column, int width, enum st_style style,
               const char *text, const char *end)
{
    if (row < 0 || row >= screen->rows || column < 0)
        return 0;
    if (width > screen->columns - column)
        width = screen->columns - column;
    int used = 0;
    while (text < end && width > 0) {
        char glyph[5];
        int glyph_width;
        text += next_glyph(screen, text, glyph, &glyph_width);
        if (glyph_width == 0)
            continue;
        if (used + glyph_width > width || (used + glyph_width == width && text < end)) {
            int at = column + ST_MIN(used, width - 1);
            /* remove a cut number: its first digits would be another number */
            while (at > column &&
                   strspn(st_screen_cell(screen, row, at - 1)->text, "0123456789.,") > 0)
                set_cell(screen, row, at--, style, " ");
            set_cell(screen, row, at, style, screen->unicode ? "…" : "~");
            return width;
        }
        set_cell(screen, row, column + used, style, glyph);
        if (glyph_width == 2)
            set_cell(screen, row, column + used + 1, style, "");
        used += glyph_width;
    }
    return used;
}

int st_screen_put(struct st_screen *screen, int row, int column, int width, enum st_style style,
                  const char *text)
{
    return put(screen, row, column, width, style, text, text + strlen(text));
}

/* How much of the text goes into one row: up to a space, or what fits of a word longer than a
 * row. */
static const char *row_end(const struct st_screen *screen, const char *text, int width)
{
    const char *space = NULL;
    int used = 0;
    for (const char *at = text; *at != '\0';) {
        char glyph[5];
        int glyph_width;
        const char *before = at;
        if (*at == ' ')
            space = at;
        at += next_glyph(screen, at, glyph, &glyph_width);
        used += glyph_width;
        if (used > width)
            return space != NULL ? space : before > text ? before : at;
    }
    return text + strlen(text);
}

int st_screen_wrap(struct st_screen *screen, int row, int column, int width, int max_rows,
                   enum st_style style, const char *text)
{
    int used = 0;
    while (*text != '\0' && used < max_rows) {
        const char *end = used + 1 < max_rows ? row_end(screen, text, width) : text + strlen(text);
        put(screen, row + used, column, width, style, text, end);
        text = end + strspn(end, " ");
        used++;
    }
    return used;
}

int st_screen_width(const struct st_screen *screen, const char *text)
{
    int width = 0;
    while (*text != '\0' && width < screen->columns) {
        char glyph[5];
        int glyph_width;
        text += next_glyph(screen, text, glyph, &glyph_width);
        width += glyph_width;
    }
    return width;
}

int st_screen_wrapped_rows(const struct st_screen *screen, int width, const char *text)
{
    int rows = 0;
    while (*text != '\0') {
        text = row_end(screen, text, width);
        text += strspn(text, " ");
        rows++;
    }
    return rows;
}

static int row_columns(const struct st_screen *screen, int row)
{
    int columns = screen->columns;
    while (columns > 0 && st_text_is(st_screen_cell(screen, row, columns - 1)->text, " "))
        columns--;
    return columns;
}

void st_screen_print(const struct st_screen *screen, FILE *out)
{
    int rows = screen->rows;
    while (rows > 0 && row_columns(screen, rows - 1) == 0)
        rows--;
    for (int row = 0; row < rows; row++) {
        const int columns = row_columns(screen, row);
        for (int column = 0; column < columns; column++)
            fputs(st_screen_cell(screen, row, column)->text, out);
        fputc('\n', out);
    }
}
