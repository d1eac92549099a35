/* A screen of rows, which is drawn as a whole. */
#include "cli/show/screen.h"

#include "core/text/safe.h"
#include "platform/program/locale.h"

/* @return the text as the terminal can show it: safe, and in ASCII if need be. */
static char *shown(const char *text)
{
    return st_locale_text(st_safe_text(st_text("%s", text)));
}

void st_screen_put(struct st_screen *screen, int row, int column, int width, enum st_style style,
                   const char *text)
{
    char *put = shown(text);
    /* on a terminal the lower right corner stays empty: some terminals would scroll */
    width = ST_MIN(width,
                   screen->columns - column - (screen->styles != NULL && row + 1 == screen->rows));
    if (row >= screen->rows || width <= 0 || put[0] == '\0')
        return;
    if (st_text_columns(put) > width) {
        char *end = strchr(st_text_clip(put, width - 1), '\0');
        /* remove a cut number: its first digits would be another number */
        while (end > put && strchr("0123456789.,", end[-1]) != NULL)
            *--end = '\0';
        put = st_text("%s%s", put, st_locale_utf8() ? "…" : "~");
    }
    struct st_screen_row *to = &screen->all[row];
    const int used = st_text_columns(put);
    if (screen->styles != NULL)
        put = st_text("\033[%sm%s\033[0m", screen->styles[style], put);
    to->text = st_text("%s%*s%s", st_text_or(to->text, ""), column - to->columns, "", put);
    to->columns = column + used;
}

/* @return bytes of the text that go into one row: up to a space, or what fits of a word longer than
 * a row. */
static size_t row_bytes(const char *text, int width)
{
    /* a row has room for a wide character */
    const char *row = st_text_clip(st_text("%s", text), ST_MAX(width, 2));
    const size_t bytes = strlen(row);
    const char *space = strrchr(row, ' ');
    const bool is_end = text[bytes] == '\0' || text[bytes] == ' ';
    return is_end || space == NULL ? bytes : (size_t)(space - row);
}

int st_screen_wrap(struct st_screen *screen, int row, int column, int width, int max_rows,
                   enum st_style style, const char *text)
{
    int used = 0;
    for (text = shown(text); *text != '\0' && used < max_rows; used++) {
        const size_t bytes = used + 1 < max_rows ? row_bytes(text, width) : strlen(text);
        st_screen_put(screen, row + used, column, width, style, st_text("%.*s", (int)bytes, text));
        text += bytes + strspn(text + bytes, " ");
    }
    return used;
}

int st_screen_width(const char *text)
{
    return st_text_columns(shown(text));
}

int st_screen_wrapped_rows(struct st_screen *screen, int width, const char *text)
{
    return st_screen_wrap(screen, screen->rows, 0, width, INT_MAX, ST_STYLE_PLAIN, text);
}

void st_screen_print(const struct st_screen *screen, FILE *out)
{
    int rows = screen->rows;
    while (rows > 0 && screen->all[rows - 1].text == NULL)
        rows--;
    ST_EACH_OF (row, screen->all, rows)
        fprintf(out, "%s\n", st_text_or(row->text, ""));
}
