#include "core/text/json.h"

#include "core/text/safe.h"

#define KEY_BYTES    64
#define ESCAPE_BYTES 6 /* bytes of an escape such as \u009b */

json_t *st_json_safe_string(const char *text)
{
    if (st_safe_is(text))
        return json_string(text);
    char *safe = strdup(text);
    json_t *string = safe != NULL ? json_string(st_safe_text(safe)) : NULL;
    free(safe);
    return string;
}

/* The next argument as JSON; NULL: null. */
static json_t *value_of(char type, va_list *args)
{
    int64_t number;
    switch (type) {
    case 'i':
        return json_integer(va_arg(*args, int64_t));
    case 'n':
        number = va_arg(*args, int64_t);
        return st_json_integer_or_null(number != INT64_MIN, number);
    case 'p':
        number = va_arg(*args, int64_t);
        return st_json_integer_or_null(number > 0, number);
    case 'u':
        return json_integer(va_arg(*args, int));
    case 'd':
        return json_real(va_arg(*args, double));
    case 'b':
        return json_boolean(va_arg(*args, int));
    case 't':
        return json_string(va_arg(*args, const char *));
    case 's':
        return st_json_safe_string(va_arg(*args, const char *));
    case 'e':
        return st_json_text_or_null(va_arg(*args, const char *));
    case 'o':
        return va_arg(*args, json_t *);
    default:
        return NULL;
    }
}

json_t *st_json_add(json_t *object, const char *members, ...)
{
    va_list args;
    char key[KEY_BYTES];
    va_start(args, members);
    while (*members != '\0') {
        const size_t len = strcspn(members, ": ");
        ST_PRINT(key, "%.*s", (int)len, members);
        members += len + (members[len] == ':');
        json_t *value = value_of(*members, &args);
        (void)json_object_set_new(object, key, value != NULL ? value : json_null());
        members += strcspn(members, " ");
        members += *members == ' ';
    }
    va_end(args);
    return object;
}

int st_json_write(const char *text, size_t bytes, void *ctx)
{
    struct st_text_buffer *buffer = ctx;
    st_text_buffer_add(buffer, text, bytes);
    return buffer->failed ? -1 : 0;
}

int st_json_written(char *text, json_t **ret)
{
    json_t *document = json_loads(text, 0, NULL);
    free(text);
    if (document == NULL)
        return -ENOMEM;
    *ret = document;
    return 0;
}

/** Is this a character that is not safe, but that JSON allows within a string? The newlines between
 * the members of an indented document are not within a string. @return its length in bytes; 0:
 * another character. */
static size_t unsafe(const char *at, uint32_t *ret_point)
{
    const size_t bytes =
        (unsigned char)*at >= 0x7F ? st_safe_utf8_read(at, ST_TEXT_TO_NUL, ret_point) : 0;
    return bytes > 0 && !st_safe_point(*ret_point) ? bytes : 0;
}

char *st_json_into_text(json_t *document, size_t flags)
{
    char *text = json_dumps(document, flags);
    json_decref(document);
    return text;
}

char *st_json_dump(const json_t *document)
{
    char *text = json_dumps(document, ST_JSON_PRETTY);
    size_t bytes = 0, unsafe_n = 0;
    uint32_t point;
    for (const char *at = text; at != NULL && *at != '\0'; at++)
        unsafe_n += unsafe(at, &point) > 0;
    if (unsafe_n == 0)
        return text;
    char *escaped = malloc(strlen(text) + unsafe_n * ESCAPE_BYTES + 1);
    for (const char *at = text; escaped != NULL && *at != '\0';) {
        const size_t n = unsafe(at, &point);
        if (n == 0)
            escaped[bytes++] = *at++;
        else
            bytes +=
                (size_t)snprintf(escaped + bytes, ESCAPE_BYTES + 1, "\\u%04x", (unsigned)point);
        at += n;
    }
    if (escaped != NULL)
        escaped[bytes] = '\0';
    free(text);
    return escaped;
}

const char *st_json_safe_text(const json_t *object, const char *key)
{
    return st_safe_text(st_text("%s", st_json_text_of(object, key)));
}
