#include "core/json_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/safe_text.h"

#define STEP_BYTES (size_t)(64 * 1024)

json_t *st_json_text(const char *text)
{
    if (st_safe_is(text))
        return json_string(text);
    char *safe = strdup(text);
    json_t *string = safe != NULL ? json_string(st_safe_text(safe)) : NULL;
    free(safe);
    return string;
}

/* glibc's realloc moves the pages of a large text and copies none; others copy, so the steps grow with it. */
int st_json_write(const char *text, size_t bytes, void *ctx)
{
    struct st_json_writing *writing = ctx;
    if (bytes >= writing->room - writing->bytes) {
        const size_t room = writing->room + writing->room / 4 + bytes + STEP_BYTES;
        char *larger = realloc(writing->text, room);
        if (larger == NULL)
            return -1;
        writing->text = larger;
        writing->room = room;
    }
    memcpy(writing->text + writing->bytes, text, bytes);
    writing->bytes += bytes;
    writing->text[writing->bytes] = '\0';
    return 0;
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
