/* Members of JSON documents. */
#include "cli/show/json_field.h"

#include "core/text/safe.h"

int64_t st_json_field(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

const char *st_json_field_safe(const json_t *value, char *buf, size_t buf_bytes)
{
    const char *text = json_string_value(value);
    st_safe_copy(buf, buf_bytes, text != NULL ? text : "", ST_TEXT_TO_NUL);
    return buf;
}
