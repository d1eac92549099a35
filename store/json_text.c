/* jansson refuses what is not UTF-8; a status must not lose a key by it. */
#include "store/json_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define STEP_BYTES (size_t)(64 * 1024)

json_t *st_json_text(const char *text)
{
    json_t *string = json_string(text);
    if (string != NULL)
        return string;
    char *ascii = strdup(text);
    if (ascii == NULL)
        return NULL;
    for (char *p = ascii; *p != '\0'; p++) {
        if ((unsigned char)*p >= 0x80)
            *p = '?';
    }
    string = json_string(ascii);
    free(ascii);
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
