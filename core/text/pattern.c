#include "core/text/pattern.h"

#include "core/text/text.h"

/** Length of the literal text at the beginning of the pattern. */
static size_t plain(const char *pattern)
{
    return strcspn(pattern, "*%$");
}

/** Finds the literal text at the beginning of the pattern in a line. @return NULL: it is not
 * there. */
static const char *find(const char *line, const char *pattern)
{
    return memmem(line, strlen(line), pattern, plain(pattern));
}

static size_t part_length(const char *at, char kind, const char *behind)
{
    const char stops[] = {' ', '\t',
                          *behind != '\0' && strchr("*%", *behind) == NULL ? *behind : '`', '\0'};
    const char *end;
    size_t len;
    switch (kind) {
    case 'd':
        len = strspn(at, "+-.0123456789");
        len -= len > 0 && at[len - 1] == '.'; /* the full stop at the end of a sentence */
        return strcspn(at, "0123456789") < len ? len : 0;
    case 'v':
        return *at >= '0' && *at <= '9' ? strcspn(at, stops) : 0;
    case 's':
        return strcspn(at, stops);
    default:
        end = plain(behind) > 0 ? find(at, behind) : NULL;
        return plain(behind) == 0 ? strlen(at) : end != NULL ? (size_t)(end - at) : 0;
    }
}

bool st_pattern_match(const char *line, const char *pattern, struct st_pattern_parts *ret)
{
    ret->n = 0;
    for (const char *at = line;; pattern++) {
        if (*pattern == '\0')
            return true;
        if (*pattern == '*') {
            at = plain(pattern + 1) > 0 ? find(at, pattern + 1) : at + strcspn(at, "0123456789");
            if (at == NULL)
                return false;
        } else if (*pattern == '%') {
            pattern++;
            const size_t len = part_length(at, *pattern, pattern + 1);
            if (len == 0 || ret->n == ST_PATTERN_PARTS)
                return false;
            char *part = ret->text[ret->n++];
            snprintf(part, ST_PATTERN_PART_BYTES, "%.*s",
                     (int)ST_MIN(len, ST_PATTERN_PART_BYTES - 1), at);
            at += len;
        } else if (*pattern == '$') {
            return at[strspn(at, " ")] == '\0';
        } else if (*pattern == ' ') {
            if (*at != ' ' && *at != '\t')
                return false;
            at += strspn(at, " \t");
        } else if (*at++ != *pattern) {
            return false;
        }
    }
}

bool st_pattern_next(const char **text, const char *pattern, struct st_pattern_parts *ret)
{
    char line[512];
    while (**text != '\0') {
        const char *at = *text + strspn(*text, " \t");
        *text = st_text_next_line(*text);
        if (strchr("*%", *pattern) == NULL && *at != *pattern)
            continue;
        snprintf(line, sizeof(line), "%.*s", (int)ST_MIN(strcspn(at, "\r\n"), sizeof(line) - 1),
                 at);
        if (st_pattern_match(line, pattern, ret))
            return true;
    }
    return false;
}
