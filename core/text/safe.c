#include "core/text/safe.h"

size_t st_safe_utf8_read(const char *text, size_t bytes, uint32_t *ret_point)
{
    /* smallest character for each length; a smaller one is an overlong form, which is not valid */
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *p = (const unsigned char *)text;
    if (bytes == 0)
        return 0;
    if (p[0] < 0x80) {
        *ret_point = p[0];
        return 1;
    }
    size_t n = 0; /* leading one bits of the first byte: the length of the character */
    while (n < ST_ARRAY_LEN(least) && (p[0] & 0x80u >> n) != 0)
        n++;
    if (n < 2 || n >= ST_ARRAY_LEN(least) || n > bytes)
        return 0;
    uint32_t point = p[0] & (0x7Fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xC0) != 0x80)
            return 0;
        point = point << 6 | (p[i] & 0x3F);
    }
    if (point < least[n] || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF))
        return 0;
    *ret_point = point;
    return n;
}

bool st_safe_point(uint32_t point)
{
    static const struct {
        uint32_t first, last;
    } unsafe[] = {
        {0, 0x1F},        {0x7F, 0x9F},     {0x61C, 0x61C},   {0x200E, 0x200F},
        {0x2028, 0x202E}, {0x2066, 0x2069}, {0xFFFE, 0xFFFF},
    };
    ST_EACH (range, unsafe) {
        if (point <= range->last)
            return point < range->first;
    }
    return true;
}

/** Reads one character of foreign text. @param bytes at least 1. @return the number of bytes that
 * were read. The caller shows the *ret_bytes bytes at *ret_safe instead of them. */
static size_t next(const char *text, size_t bytes, const char **ret_safe, size_t *ret_bytes)
{
    uint32_t point;
    const size_t n = st_safe_utf8_read(text, bytes, &point);
    const bool safe = n > 0 && st_safe_point(point);
    *ret_safe = safe ? text : *text == '\t' ? " " : "?";
    *ret_bytes = safe ? n : 1;
    return n > 0 ? n : 1;
}

bool st_safe_is(const char *text)
{
    while (*text != '\0') {
        uint32_t point;
        const size_t n = st_safe_utf8_read(text, ST_TEXT_TO_NUL, &point);
        if (n == 0 || !st_safe_point(point))
            return false;
        text += n;
    }
    return true;
}

size_t st_safe_copy(char *buf, size_t buf_bytes, const char *text, size_t bytes)
{
    size_t used = 0;
    while (bytes > 0 && *text != '\0') {
        const char *safe;
        size_t safe_bytes;
        const size_t n = next(text, bytes, &safe, &safe_bytes);
        if (safe_bytes >= buf_bytes - used)
            break;
        memmove(buf + used, safe, safe_bytes);
        used += safe_bytes;
        text += n;
        bytes -= bytes == ST_TEXT_TO_NUL ? 0 : n;
    }
    buf[used] = '\0';
    return used;
}

char *st_safe_text(char *text)
{
    st_safe_copy(text, SIZE_MAX, text, ST_TEXT_TO_NUL);
    return text;
}

static void print(FILE *out, const char *text, size_t bytes, bool lines)
{
    while (bytes > 0 && *text != '\0') {
        const char *safe;
        size_t safe_bytes;
        const size_t n = next(text, bytes, &safe, &safe_bytes);
        if (lines && *text == '\n')
            safe = text;
        fwrite(safe, 1, safe_bytes, out);
        text += n;
        bytes -= bytes == ST_TEXT_TO_NUL ? 0 : n;
    }
}

void st_safe_print(FILE *out, const char *text, size_t bytes)
{
    print(out, text, bytes, false);
}

void st_safe_print_lines(FILE *out, const char *text, size_t bytes)
{
    print(out, text, bytes, true);
}

/* --- text in XML and HTML, and in commands that users copy from the screen --- */

void st_safe_print_xml(FILE *out, const char *text)
{
    static const struct {
        char character;
        const char *entity;
    } entities[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
    while (text != NULL && *text != '\0') {
        const size_t plain = strcspn(text, "&<>\"'");
        st_safe_print(out, text, plain);
        text += plain;
        for (size_t i = 0; i < ST_ARRAY_LEN(entities) && *text != '\0'; i++) {
            if (*text == entities[i].character) {
                fputs(entities[i].entity, out);
                text++;
                break;
            }
        }
    }
}

#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,@%+-"

/** Can the word be used without quotes? Not with '=' at its beginning, which zsh replaces by the
 * path of a command. */
static bool is_plain(const char *word)
{
    return word[0] != '\0' && word[0] != '=' && word[strspn(word, PLAIN)] == '\0';
}

const char *st_safe_shell_word(const char *word, char *buf, size_t buf_bytes)
{
    const size_t word_bytes = strlen(word);
    if (!st_safe_is(word))
        return NULL;
    if (is_plain(word)) {
        if (word_bytes >= buf_bytes)
            return NULL;
        return strcpy(buf, word);
    }
    if (buf_bytes < 3)
        return NULL;
    size_t used = 0;
    buf[used++] = '\'';
    for (; *word != '\0'; word++) {
        /* quoted separately: ' would end the quotes, and csh interprets ! even within them */
        const bool apart = *word == '\'' || *word == '!';
        if (used + 6 > buf_bytes)
            return NULL;
        if (apart) {
            memcpy(buf + used, "'\\", 2);
            used += 2;
        }
        buf[used++] = *word;
        if (apart)
            buf[used++] = '\'';
    }
    buf[used++] = '\'';
    buf[used] = '\0';
    return buf;
}
