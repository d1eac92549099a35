#include "core/json_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/safe_text.h"

json_t *st_json_text(const char *text)
{
    if (st_safe_is(text))
        return json_string(text);
    char *safe = strdup(text);
    json_t *string = safe != NULL ? json_string(st_safe_text(safe)) : NULL;
    free(safe);
    return string;
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
