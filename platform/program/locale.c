/* Text for people: ASCII instead of UTF-8 in other locales. */
#include "platform/program/locale.h"

#include <strings.h>

#include "core/text/safe.h"

/* ASCII texts that replace UTF-8 characters; none is longer than the character. */
static const struct {
    const char *utf8, *ascii;
} replacements[] = {
    {"µ", "u"},   {"μ", "u"},  {"×", "x"}, {"±", "+-"}, {"–", "-"},  {"—", "-"},
    {"…", "..."}, {"‘", "'"},  {"’", "'"}, {"“", "\""}, {"”", "\""}, {"≥", ">="},
    {"≤", "<="},  {"→", "->"}, {"✔", "+"}, {"✘", "x"},
};

bool st_locale_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *value = NULL;
    for (size_t i = 0; i < ST_ARRAY_LEN(names) && (value == NULL || value[0] == '\0'); i++)
        value = getenv(names[i]);
    if (value == NULL)
        return false;
    const char *charset = strchr(value, '.');
    return charset != NULL &&
           (strncasecmp(charset, ".utf-8", 6) == 0 || strncasecmp(charset, ".utf8", 5) == 0);
}

/* Reads one non-ASCII character at text. @return its length in bytes; ret: the similar ASCII text,
 * or "?". */
static size_t character(const char *text, const char **ret)
{
    ST_EACH (replacement, replacements) {
        const size_t bytes = strlen(replacement->utf8);
        if (strncmp(text, replacement->utf8, bytes) == 0) {
            *ret = replacement->ascii;
            return bytes;
        }
    }
    size_t bytes = 1;
    while (((unsigned char)text[bytes] & 0xC0) == 0x80)
        bytes++;
    *ret = "?";
    return bytes;
}

char *st_locale_text(char *text)
{
    char *to = text;
    if (st_locale_utf8())
        return text;
    for (const char *from = text; *from != '\0';) {
        const char *ascii;
        if ((unsigned char)*from < 0x80) {
            *to++ = *from++;
            continue;
        }
        from += character(from, &ascii);
        const size_t bytes = strlen(ascii);
        /* without the '\0' of `ascii`, which could overwrite the next character */
        memcpy(to, ascii, bytes);
        to += bytes;
    }
    *to = '\0';
    return text;
}

FILE *st_locale_begin(struct st_locale_stream *stream, FILE *to)
{
    *stream = (struct st_locale_stream){.to = to};
    stream->memory = open_memstream(&stream->text, &stream->bytes);
    return stream->memory != NULL ? stream->memory : to;
}

int st_locale_end(struct st_locale_stream *stream)
{
    if (stream->memory == NULL || fclose(stream->memory) != 0)
        return -ENOMEM;
    st_safe_print_lines(stream->to, st_locale_text(stream->text), ST_TEXT_TO_NUL);
    free(stream->text);
    return 0;
}
