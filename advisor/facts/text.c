/* Foreign text: made valid, read as a number. */
#include "advisor/facts/text.h"

#include <strings.h>

#include "core/text/number.h"
#include "core/text/safe.h"

char *st_text_utf8(const char *text, size_t bytes)
{
    char *copy = bytes < SIZE_MAX / 4 ? malloc(3 * bytes + 1) : NULL, *to = copy;
    for (size_t i = 0; copy != NULL && i < bytes;) {
        uint32_t point;
        const size_t n = st_safe_utf8_read(text + i, bytes - i, &point);
        const bool valid = n > 0 && point != 0;
        memcpy(to, valid ? text + i : "\xEF\xBF\xBD", valid ? n : 3);
        to += valid ? n : 3;
        i += valid ? n : 1;
    }
    if (copy == NULL)
        return NULL;
    *to = '\0';
    to = realloc(copy, (size_t)(to - copy) + 1);
    return to != NULL ? to : copy;
}

bool st_text_line(const char **at, const char *end, char *line, size_t line_bytes)
{
    if (*at >= end)
        return false;
    const char *newline = memchr(*at, '\n', (size_t)(end - *at));
    const char *stop = newline != NULL ? newline : end;
    const size_t len = ST_MIN((size_t)(stop - *at), line_bytes - 1);
    for (size_t i = 0; i < len; i++)
        line[i] = (*at)[i] != '\0' ? (*at)[i] : '?';
    line[len] = '\0';
    if (len > 0 && line[len - 1] == '\r')
        line[len - 1] = '\0';
    *at = stop + (newline != NULL);
    return true;
}

int st_text_int(const char *text, int64_t *ret)
{
    return st_number_i64(text, INT64_MIN, INT64_MAX, ret);
}

bool st_text_is_of(const char *text, const char *others)
{
    static const char usual[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    const char *at = text;
    while (*at != '\0' && (strchr(usual, *at) != NULL || strchr(others, *at) != NULL))
        at++;
    return at > text && *at == '\0';
}

int st_text_cut(const char *text, size_t max_bytes)
{
    size_t n = strnlen(text, max_bytes);
    if (text[n] != '\0') {
        while (n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80)
            n--;
    }
    return (int)n;
}

/* --- values in files of systemd --- */

bool st_text_unit_boolean(const char *text, bool *ret)
{
    static const char *const words[] = {"0", "no",  "n", "false", "f", "off",
                                        "1", "yes", "y", "true",  "t", "on"};
    size_t i = 0;
    while (i < ST_ARRAY_LEN(words) && strcasecmp(text, words[i]) != 0)
        i++;
    *ret = i >= ST_ARRAY_LEN(words) / 2;
    return i < ST_ARRAY_LEN(words);
}

static bool is_limit(const char *text, size_t len, int64_t *ret)
{
    char word[24];
    ST_PRINT(word, "%.*s", (int)(len < sizeof(word) ? len : 0), text);
    *ret = INT64_MAX;
    return strcmp(word, "infinity") == 0 || (st_text_int(word, ret) == 0 && *ret >= 0);
}

bool st_text_unit_limit(const char *text, int64_t *ret_soft)
{
    int64_t hard;
    const size_t len = strcspn(text, ":");
    return is_limit(text, len, ret_soft) &&
           (text[len] == '\0' ||
            (is_limit(text + len + 1, strlen(text + len + 1), &hard) && *ret_soft <= hard));
}
