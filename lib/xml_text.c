#include "lib/xml_text.h"

#include <stdbool.h>

/* Bytes of the character at text, 0 when it is none that XML may hold. */
static size_t character(const unsigned char *text)
{
    if (text[0] < 0x80)
        return (text[0] >= 0x20 && text[0] != 0x7f) || text[0] == '\t' ? 1 : 0;
    const size_t bytes = text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;
    if (text[0] < 0xc2 || text[0] > 0xf4)
        return 0;
    for (size_t i = 1; i < bytes; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    }
    const bool surrogate = text[0] == 0xed && text[1] >= 0xa0,
               none = text[0] == 0xef && text[1] == 0xbf && text[2] >= 0xbe;
    const bool overlong = (text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xf0 && text[1] < 0x90);
    return surrogate || none || overlong || (text[0] == 0xf4 && text[1] >= 0x90) ? 0 : bytes;
}

void st_xml_put(FILE *out, const char *text)
{
    while (text != NULL && *text != '\0') {
        const size_t bytes = character((const unsigned char *)text);
        switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        case '\'':
            fputs("&#39;", out);
            break;
        default:
            if (bytes == 0)
                fputc('?', out);
            else
                fwrite(text, 1, bytes, out);
        }
        text += bytes > 0 ? bytes : 1;
    }
}
