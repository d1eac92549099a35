/* Heads of requests. */
#include "daemon/http/request.h"

#include <ctype.h>
#include <strings.h>

#include "core/text/text.h"

static const char *const names[ST_REQUEST_FIELDS] = {"Host", "Origin", "Authorization", "Sec-Fetch-Site",
                                                     "Sec-Fetch-Dest"};

bool st_request_read(char *head, size_t bytes, struct st_request *ret)
{
    char *rest = head;
    *ret = (struct st_request){.method = ""};
    head[bytes] = '\0';
    if (strlen(head) != bytes)
        return false;
    char *line = strsep(&rest, "\n");
    ret->method = strsep(&line, " ");
    ret->query = strsep(&line, " ");
    if (line == NULL || !st_text_begins(line, "HTTP/1."))
        return false;
    ret->target = strsep(&ret->query, "?");
    while ((line = strsep(&rest, "\n")) != NULL) {
        char *value = line;
        const char *name = strsep(&value, ":");
        if (value == NULL || name[0] == '\0' || isblank((unsigned char)name[0]))
            return false;
        value += strspn(value, " \t");
        size_t len = strlen(value);
        while (len > 0 && isspace((unsigned char)value[len - 1]))
            value[--len] = '\0';
        for (size_t i = 0; i < ST_REQUEST_FIELDS; i++) {
            if (strcasecmp(name, names[i]) == 0 && ret->fields[i] == NULL)
                ret->fields[i] = value;
        }
        ret->hosts_n += strcasecmp(name, names[ST_REQUEST_HOST]) == 0;
    }
    return true;
}

static void decode(char *text)
{
    char *to = text;
    for (; *text != '\0'; text++) {
        unsigned code = *text == '+' ? ' ' : (unsigned char)*text;
        if (*text == '%' && isxdigit((unsigned char)text[1]) && sscanf(text + 1, "%2x", &code) == 1)
            text += isxdigit((unsigned char)text[2]) ? 2 : 1;
        *to++ = (char)(code != 0 ? code : 1);
    }
    *to = '\0';
}

const char *st_request_next(char **query, const char **ret_value)
{
    char *value;
    do
        value = strsep(query, "&");
    while (value != NULL && value[0] == '\0');
    const char *key = strsep(&value, "=");
    if (value != NULL)
        decode(value);
    *ret_value = value;
    return key;
}
