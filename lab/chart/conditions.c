#include "lab/chart/conditions.h"

#include "core/text/text.h"
#include "measure/result.h"

static void add(char *buf, size_t buf_bytes, const char *key, const char *value)
{
    if (strcmp(key, "kernel_version") == 0)
        return; /* kernel_release identifies the kernel in fewer words */
    st_text_join(buf, buf_bytes, ", ", "%s %s", key, st_result_condition_shown(key, value));
}

char *st_conditions_text(const json_t *conditions, char *buf, size_t buf_bytes)
{
    const char *key;
    const json_t *value;
    char number[32];
    buf[0] = '\0';
    for (void *at = json_object_iter((json_t *)(uintptr_t)conditions); at != NULL;
         at = json_object_iter_next((json_t *)(uintptr_t)conditions, at)) {
        key = json_object_iter_key(at);
        value = json_object_iter_value(at);
        ST_PRINT(number, "%lld", (long long)json_integer_value(value));
        const char *text = json_is_integer(value) ? number : json_string_value(value);
        if (text != NULL)
            add(buf, buf_bytes, key, text);
    }
    return buf;
}

char *st_conditions_lines(const char *lines, char *buf, size_t buf_bytes)
{
    char key[64], value[1024];
    buf[0] = '\0';
    for (const char *line = lines; *line != '\0';) {
        const size_t bytes = strcspn(line, "\n");
        const char *colon = memchr(line, ':', bytes);
        if (colon != NULL) {
            const char *from = colon + 1 + (colon[1] == ' ');
            ST_PRINT(key, "%.*s", (int)(colon - line), line);
            ST_PRINT(value, "%.*s", (int)(line + bytes - from), from);
            add(buf, buf_bytes, key, value);
        }
        line += bytes + (line[bytes] == '\n');
    }
    return buf;
}
