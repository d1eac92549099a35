#include "cli/circumstances.h"

#include <string.h>

static void add(char *buf, size_t buf_bytes, const char *key, size_t key_bytes, const char *value,
                size_t value_bytes)
{
    const size_t at = strlen(buf);
    snprintf(buf + at, buf_bytes - at, "%s%.*s %.*s", at > 0 ? ", " : "", (int)key_bytes, key,
             (int)value_bytes, value);
}

char *st_circumstances_text(const json_t *circumstances, char *buf, size_t buf_bytes)
{
    const char *key;
    const json_t *value;
    char number[32];
    buf[0] = '\0';
    for (void *at = json_object_iter((json_t *)(uintptr_t)circumstances); at != NULL;
         at = json_object_iter_next((json_t *)(uintptr_t)circumstances, at)) {
        key = json_object_iter_key(at);
        value = json_object_iter_value(at);
        snprintf(number, sizeof(number), "%lld", (long long)json_integer_value(value));
        const char *text = json_is_integer(value) ? number : json_string_value(value);
        if (text != NULL)
            add(buf, buf_bytes, key, strlen(key), text, strlen(text));
    }
    return buf;
}

char *st_circumstances_lines(const char *lines, char *buf, size_t buf_bytes)
{
    buf[0] = '\0';
    for (const char *line = lines; *line != '\0';) {
        const size_t bytes = strcspn(line, "\n");
        const char *colon = memchr(line, ':', bytes);
        if (colon != NULL) {
            const char *value = colon + 1 + (colon[1] == ' ');
            add(buf, buf_bytes, line, (size_t)(colon - line), value, (size_t)(line + bytes - value));
        }
        line += bytes + (line[bytes] == '\n');
    }
    return buf;
}
