#include "core/text/xml.h"

#include <string.h>

#include "core/text/safe.h"

void st_xml_put(FILE *out, const char *text)
{
    static const struct {
        char character;
        const char *entity;
    } entities[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
    while (text != NULL && *text != '\0') {
        const size_t plain = strcspn(text, "&<>\"'");
        st_safe_print(out, text, plain);
        text += plain;
        for (size_t i = 0; i < ST_ARRAY_LEN(entities) && *text != '\0'; i++) {
            if (*text == entities[i].character) {
                fputs(entities[i].entity, out);
                text++;
                break;
            }
        }
    }
}
