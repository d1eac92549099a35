/* Members of documents. */
#include "cli/json_field.h"

int64_t st_json_field(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

const char *st_json_safe(const json_t *value, char *buf, size_t buf_bytes)
{
    const char *text = json_string_value(value);
    size_t n = 0;
    for (; text != NULL && text[n] != '\0' && n + 1 < buf_bytes; n++)
        buf[n] = (unsigned char)text[n] < 0x20 || text[n] == 0x7f ? '?' : text[n];
    buf[n] = '\0';
    return buf;
}
