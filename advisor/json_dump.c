/* JSON as text that a terminal may show. */
#include "advisor/json_dump.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ESCAPE_BYTES 6 /* \u009b */

/** The control character that begins here, as code point; 0: none. They stand in strings only. */
static unsigned control(const char *at)
{
    const unsigned char byte = (unsigned char)at[0], next = byte != '\0' ? (unsigned char)at[1] : 0;
    if (byte == 0x7F)
        return byte;
    return byte == 0xC2 && next >= 0x80 && next <= 0x9F ? next : 0;
}

char *st_json_dump(const json_t *document, size_t flags, size_t *ret_bytes)
{
    char *text = document != NULL ? json_dumps(document, flags) : NULL;
    if (text == NULL)
        return NULL;
    size_t bytes = strlen(text), controls_n = 0;
    for (const char *at = text; *at != '\0'; at++)
        controls_n += control(at) != 0;
    if (controls_n > 0) {
        char *escaped = malloc(bytes + controls_n * ESCAPE_BYTES + 1);
        bytes = 0;
        for (const char *at = text; escaped != NULL && *at != '\0'; at++) {
            const unsigned code = control(at);
            if (code == 0)
                escaped[bytes++] = *at;
            else
                bytes += (size_t)snprintf(escaped + bytes, ESCAPE_BYTES + 1, "\\u%04x", code);
            at += code > 0x7F; /* two bytes */
        }
        free(text);
        text = escaped;
    }
    if (text == NULL)
        return NULL;
    text[bytes] = '\0';
    if (ret_bytes != NULL)
        *ret_bytes = bytes;
    return text;
}
