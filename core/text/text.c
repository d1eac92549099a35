/* Makes texts that the caller need not free: st_text_forget frees all of them. Prints texts on
 * terminals. */
#include "core/text/text.h"

#include "core/text/safe.h"

#define BLOCK_BYTES (2 * ST_TEXT_MAX_BYTES)

struct block {
    struct block *next;
    char room[BLOCK_BYTES];
};

static _Thread_local struct block oldest,
    *last; /* last: the block that is used now; NULL: `oldest` */
static _Thread_local size_t used_bytes,
    more_n; /* bytes used in `last`; number of blocks behind `oldest` */

char *st_text_room(size_t bytes)
{
    struct block *block = last != NULL ? last : &oldest;
    if (BLOCK_BYTES - used_bytes < bytes) {
        if (block->next == NULL && more_n < ST_TEXT_TURN_BYTES / BLOCK_BYTES &&
            (block->next = calloc(1, sizeof(*block))) != NULL)
            more_n++;
        block = block->next != NULL ? block->next : &oldest;
        used_bytes = 0;
    }
    last = block;
    used_bytes += bytes;
    return block->room + used_bytes - bytes;
}

char *st_text(const char *format, ...)
{
    char *text = st_text_room(ST_TEXT_MAX_BYTES);
    ST_PRINT_REST(text, ST_TEXT_MAX_BYTES, format);
    used_bytes -= ST_TEXT_MAX_BYTES - strlen(text) - 1;
    return text;
}

void st_text_forget(void)
{
    if (last == NULL)
        return;
    for (struct block *next; (next = oldest.next) != NULL; free(next))
        oldest.next = next->next;
    /* Overwrites the freed texts: a text that is still in use, by mistake, then appears as
     * "???". */
    memset(oldest.room, '?', sizeof(oldest.room));
    last = NULL;
    used_bytes = more_n = 0;
}

const char *st_text_with(const char *before, const char *text)
{
    text = st_text_or(text, "");
    return text[0] != '\0' ? st_text("%s%s", before, text) : text;
}

const char *st_text_joined(const char *one, const char *between, const char *other)
{
    one = st_text_or(one, "");
    return st_text("%s%s", one, st_text_with(one[0] != '\0' ? between : "", other));
}

const char *st_text_xml(const char *text)
{
    char *escaped = NULL;
    size_t bytes;
    FILE *out = open_memstream(&escaped, &bytes);
    if (out == NULL)
        return "";
    st_safe_print_xml(out, text);
    escaped = st_text_take(out, &escaped);
    text = st_text("%s", st_text_or(escaped, ""));
    free(escaped);
    return text;
}

bool st_text_is_among(const char *text, const char *const *words)
{
    while (*words != NULL && !st_text_is(text, *words))
        words++;
    return *words != NULL;
}

bool st_text_begins_among(const char *text, const char *const *words)
{
    while (*words != NULL && !st_text_begins(text, *words))
        words++;
    return *words != NULL;
}

bool st_text_has_among(const char *text, const char *const *words)
{
    while (*words != NULL && strstr(text, *words) == NULL)
        words++;
    return *words != NULL;
}

void st_text_trim(char *text)
{
    static const char white[] = " \t\r\n\f\v";
    size_t len = strlen(text);
    while (len > 0 && strchr(white, text[len - 1]) != NULL)
        len--;
    text[len] = '\0';
    const size_t begin = strspn(text, white);
    memmove(text, text + begin, len - begin + 1);
}

char *st_text_swap(char *text, char from, char to)
{
    for (char *at = text; (at = strchr(at, from)) != NULL;)
        *at = to;
    return text;
}

bool st_text_copy(char *ret, size_t ret_bytes, const char *text, size_t len)
{
    if (len >= ret_bytes)
        return false;
    memcpy(ret, text, len);
    ret[len] = '\0';
    return true;
}

void st_text_append(char *buf, size_t buf_bytes, const char *format, ...)
{
    const size_t at = strlen(buf);
    ST_PRINT_REST(buf + at, buf_bytes - at, format);
}

void st_text_join(char *buf, size_t buf_bytes, const char *separator, const char *format, ...)
{
    if (buf[0] != '\0')
        st_text_append(buf, buf_bytes, "%s", separator);
    const size_t at = strlen(buf);
    ST_PRINT_REST(buf + at, buf_bytes - at, format);
}

/* Width in terminal columns of the character that begins at text. 0: a combining mark, or a byte
 * within a character. Source: Unicode's EastAsianWidth.txt, simplified. */
static int columns_at(const char *text, size_t bytes)
{
    static const uint32_t wide[][2] = {{0x1100, 0x115f},   {0x2e80, 0x303e},  {0x3041, 0xa4cf},
                                       {0xac00, 0xd7a3},   {0xf900, 0xfaff},  {0xfe30, 0xfe6f},
                                       {0xff00, 0xff60},   {0xffe0, 0xffe6},  {0x1f300, 0x1f64f},
                                       {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};
    uint32_t point;
    if (((unsigned char)*text & 0xc0) == 0x80)
        return 0;
    if ((unsigned char)*text < 0x80 || st_safe_utf8_read(text, bytes, &point) == 0)
        return 1;
    if (point >= 0x300 && point <= 0x36f)
        return 0;
    ST_EACH (range, wide) {
        if (point >= (*range)[0] && point <= (*range)[1])
            return 2;
    }
    return 1;
}

static int columns_of(const char *text, size_t bytes)
{
    int n = 0;
    for (size_t i = 0; i < bytes; i++)
        n += columns_at(text + i, bytes - i);
    return n;
}

int st_text_columns(const char *text)
{
    return columns_of(text, strlen(text));
}

/* Bytes of the text's first `columns` columns, or of the whole text if it has fewer. */
static size_t bytes_of(const char *text, size_t bytes, int columns)
{
    size_t i = 0;
    for (int n = 0; i < bytes && (n += columns_at(text + i, bytes - i)) <= columns;)
        i++;
    return i;
}

char *st_text_clip(char *text, int columns)
{
    text[bytes_of(text, strlen(text), columns)] = '\0';
    return text;
}

void st_text_pad(FILE *out, const char *text, int columns)
{
    fputs(text, out);
    int n = st_text_columns(text);
    do
        fputc(' ', out);
    while (++n < columns);
}

/* Finds the end of the word that begins at `begin`. A number and the unit after it are one word, so
 * that both stay on one line. */
static size_t word_end(const char *text, size_t bytes, size_t begin)
{
    static const char *const units[] = {" %", " ns",  " us", " µs", " ms",
                                        " s", " min", " h",  " Hz", " kHz"};
    size_t end = begin;
    while (end < bytes && text[end] != ' ' && text[end] != '\t')
        end++;
    for (size_t i = 0; i < ST_ARRAY_LEN(units) && end > begin; i++) {
        const size_t unit = strlen(units[i]);
        if (text[end - 1] >= '0' && text[end - 1] <= '9' && end + unit <= bytes &&
            strncmp(text + end, units[i], unit) == 0 &&
            (end + unit == bytes || strchr(" .,;:)", text[end + unit]) != NULL))
            return word_end(text, bytes, end + 1);
    }
    return end;
}

void st_text_flow(FILE *out, const char *text, size_t bytes, const struct st_text_flow *flow)
{
    int column = flow->column;
    bool first = true;
    for (size_t i = strspn(text, " \t"); i < bytes; i += strspn(text + i, " \t")) {
        const size_t end = word_end(text, bytes, i);
        const int word = columns_of(text + i, end - i);
        if (!first && flow->width > 0 && column + 1 + word > flow->width) {
            fprintf(out, "\n%*s", flow->indent, "");
            column = flow->indent;
            first = true;
        }
        if (!first) {
            fputc(' ', out);
            column++;
        }
        st_safe_print(out, text + i, end - i);
        column += word;
        first = false;
        i = end;
    }
    fputc('\n', out);
}

void st_text_wrap(FILE *out, const char *text, int indent, int width)
{
    st_text_flow(out, text, strlen(text), &(struct st_text_flow){.indent = indent, .width = width});
}

void st_text_say(FILE *out, int width, const char *format, ...)
{
    char text[2048];
    ST_PRINT_REST(text, sizeof(text), format);
    st_text_wrap(out, text, 0, width);
}

void st_text_field(FILE *out, const char *label, const char *text, int label_columns, int width)
{
    const int columns = st_text_columns(label);
    st_text_pad(out, label, label_columns);
    st_text_flow(out, text, strlen(text),
                 &(struct st_text_flow){.column = ST_MAX(columns + 1, label_columns),
                                        .indent = label_columns,
                                        .width = width});
}

void st_text_row(const struct st_text_sheet *sheet, const char *label, const char *format, ...)
{
    char text[ST_TEXT_ROW_BYTES];
    ST_PRINT_REST(text, sizeof(text), format);
    st_text_field(sheet->out, label, text, sheet->label_columns, sheet->width);
}

char *st_text_take(FILE *out, char **text)
{
    const bool failed = ferror(out) != 0;
    if (fclose(out) == 0 && !failed)
        return *text;
    free(*text);
    return NULL;
}
