/* jansson refuses what is not UTF-8; a status must not lose a key by it. */
#include "store/json_text.h"

#include <stdlib.h>
#include <string.h>

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
