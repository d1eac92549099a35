/* Undoes what pasting did to a text. */
#include "advisor/post/post.h"

#include "core/text/text.h"

/** UTF-16 with its mark, as Windows' editor saves it. */
static size_t from_utf16(const unsigned char *text, size_t bytes, char *to)
{
    const bool little = text[0] == 0xff;
    size_t n = 0;
    for (size_t i = 2; i + 1 < bytes; i += 2) {
        const unsigned c =
            little ? text[i] | (unsigned)text[i + 1] << 8 : text[i + 1] | (unsigned)text[i] << 8;
        if (c < 0x80) {
            to[n++] = (char)c;
        } else if (c < 0x800) {
            to[n++] = (char)(0xc0 | c >> 6);
            to[n++] = (char)(0x80 | (c & 0x3f));
        } else {
            to[n++] = (char)(0xe0 | c >> 12);
            to[n++] = (char)(0x80 | (c >> 6 & 0x3f));
            to[n++] = (char)(0x80 | (c & 0x3f));
        }
    }
    return n;
}

/** An entity of HTML, a blank of another kind, or a control sequence of a terminal at the beginning of
 * `text`.
 * @return its bytes; 0: none. */
static size_t special(const char *text, const char **ret)
{
    static const struct {
        const char *from, *to;
    } rows[] = {{"&gt;", ">"},        {"&lt;", "<"},         {"&amp;", "&"},        {"&quot;", "\""},
                {"&#39;", "'"},       {"&apos;", "'"},       {"&#x27;", "'"},       {"&nbsp;", " "},
                {"\xc2\xa0", " "},    {"\xe2\x80\xaf", " "}, {"\xef\xbb\xbf", ""},  {"\xe2\x80\x8b", ""},
                {"\r", ""},           {"\xe2\x80\x99", "'"}, {"\xe2\x80\x98", "'"}, {"\xe2\x97\x8f", ""},
                {"\xe2\x97\x8b", ""}, {"\xc3\x97", ""}};
    ST_EACH (row, rows) {
        if (st_text_begins(text, row->from)) {
            *ret = row->to;
            return strlen(row->from);
        }
    }
    *ret = "";
    if (text[0] != '\033' || text[1] != '[')
        return 0;
    const size_t len = 2 + strspn(text + 2, "0123456789;?");
    return len + (text[len] != '\0' && text[len] != '\n');
}

/** Without "> > " before it and blanks behind it. @return the line's new end. */
static char *unquote(char *line, char *end)
{
    char *from = line;
    while (from < end && *from == '>')
        from += from + 1 < end && from[1] == ' ' ? 2 : 1;
    memmove(line, from, (size_t)(end - from));
    end -= from - line;
    while (end > line && (end[-1] == ' ' || end[-1] == '`'))
        end--;
    return end;
}

char *st_post_clean(const char *text, size_t bytes, size_t *ret_bytes)
{
    const unsigned char *mark = (const unsigned char *)text;
    const bool wide =
        bytes > 1 && ((mark[0] == 0xff && mark[1] == 0xfe) || (mark[0] == 0xfe && mark[1] == 0xff));
    char *to = malloc(bytes + (wide ? bytes / 2 : 0) + 2);
    if (to == NULL)
        return NULL;
    size_t n = bytes;
    if (wide)
        n = from_utf16(mark, bytes, to);
    else
        memcpy(to, text, bytes);
    to[n] = '\0';
    char *out = to, *line = to;
    for (size_t i = 0; i < n;) {
        const char *with;
        const size_t len =
            strchr("&\xc2\xc3\xe2\xef\r\033", to[i]) != NULL && to[i] != '\0' ? special(to + i, &with) : 0;
        if (len > 0) {
            i += len;
            for (; *with != '\0'; with++)
                *out++ = *with;
        } else if (to[i] == '\n') {
            out = unquote(line, out);
            *out++ = to[i++];
            line = out;
        } else {
            *out++ = to[i] == '\0' ? '?' : to[i];
            i++;
        }
    }
    out = unquote(line, out);
    *out = '\0';
    *ret_bytes = (size_t)(out - to);
    return to;
}
