/* `kldstat`: loaded modules of FreeBSD. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "advisor/parse/capture.h"
#include "advisor/parse/input_parse.h"

#define LINE_BYTES 1024
#define NAMES_MAX  4096

/** " 3    1 0xffffffff8111e000     2ae0 mac_priority.ko": the last word, when four stand before it. */
static const char *file_of(char *line)
{
    char *rest = NULL, *word = strtok_r(line, " \t", &rest), *last = NULL;
    size_t n = 0;
    if (word == NULL || strspn(word, "0123456789") != strlen(word))
        return NULL;
    for (; word != NULL && n < 5; word = strtok_r(NULL, " \t", &rest), n++)
        last = word;
    return n == 5 ? last : NULL;
}

int st_input_kldstat(struct st_facts *facts, const char *text, size_t bytes, const char *source)
{
    static const char suffix[] = ".ko";
    char line[LINE_BYTES];
    const char *at = text, *end = text + bytes;
    size_t n = 0;
    while (n < NAMES_MAX && st_capture_line(&at, end, line, sizeof(line))) {
        char name[LINE_BYTES], key[128];
        const char *file = file_of(line);
        if (file == NULL)
            continue;
        snprintf(name, sizeof(name), "%s", file);
        const size_t len = strlen(name);
        if (len > sizeof(suffix) && strcmp(name + len - (sizeof(suffix) - 1), suffix) == 0)
            name[len - (sizeof(suffix) - 1)] = '\0';
        if (!st_input_is_name(name))
            continue;
        snprintf(key, sizeof(key), "freebsd.kld.%s", name);
        int r = st_facts_put_text(facts, key, "loaded", file, source);
        if (r == 0 && strcmp(name, "cuse") == 0)
            r = st_facts_put_int(facts, "freebsd.kern.features.cuse", 1, file, source);
        if (r != 0)
            return r;
        n++;
    }
    return n > 0 ? 0 : -EBADMSG;
}
