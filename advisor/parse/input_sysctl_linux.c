/* `sysctl -a` of Linux. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "advisor/facts/text.h"
#include "advisor/parse/capture.h"
#include "advisor/parse/input_parse.h"

#define LINE_BYTES 4096
#define NAMES_MAX  65536

static int put(struct st_facts *facts, const char *name, const char *value, const char *source)
{
    static const struct {
        const char *name, *key;
    } others[] = {{"kernel.osrelease", "linux.kernel.release"}, {"kernel.version", "linux.kernel.version"}};
    char key[128], from[400];
    snprintf(from, sizeof(from), "sysctl %s (%s)", name, source);
    for (size_t i = 0; i < ST_ARRAY_LEN(others); i++) {
        if (strcmp(name, others[i].name) == 0)
            return st_facts_put_text(facts, others[i].key, value, value, from);
    }
    snprintf(key, sizeof(key), "linux.sysctl.%s", name);
    return st_facts_put_text(facts, key, value, value, from);
}

int st_input_sysctl_linux(struct st_facts *facts, const char *text, size_t bytes, const char *source)
{
    char line[LINE_BYTES];
    const char *at = text, *end = text + bytes;
    size_t n = 0;
    while (n < NAMES_MAX && st_capture_line(&at, end, line, sizeof(line))) {
        char *value = strstr(line, " = ");
        char *empty = value == NULL && strlen(line) > 2 ? line + strlen(line) - 2 : NULL;
        if (value == NULL && empty != NULL && strcmp(empty, " =") == 0)
            value = empty; /* a trailing blank went lost on the way */
        if (value == NULL)
            continue;
        *value = '\0';
        value += value[1] == '=' ? 2 : 1;
        st_text_trim(value);
        if (!st_input_is_name(line) || strchr(line, '.') == NULL)
            continue;
        const int r = put(facts, line, value, source);
        if (r != 0)
            return r;
        n++;
    }
    return n > 0 ? 0 : -EBADMSG;
}
