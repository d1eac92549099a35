/* Parsers of Linux' text files; pure, so that they can be fuzzed. */
#include "advisor/parse/parse_linux.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/facts/text.h"

void st_parse_settings(char *text, char separator, const char *comments, st_setting_fn fn, void *ctx)
{
    char *rest = NULL;
    const char *section = "";
    for (char *line = strtok_r(text, "\r\n", &rest); line != NULL; line = strtok_r(NULL, "\r\n", &rest)) {
        st_text_trim(line);
        const size_t len = strlen(line);
        if (len == 0 || strchr(comments, line[0]) != NULL)
            continue;
        if (line[0] == '[' && line[len - 1] == ']') {
            line[len - 1] = '\0';
            section = line + 1;
            continue;
        }
        char *value = strchr(line, separator);
        if (value == NULL)
            continue;
        *value++ = '\0';
        st_text_trim(line);
        st_text_trim(value);
        fn(ctx, section, line, value);
    }
}

void st_parse_limits(char *text, st_setting_fn fn, void *ctx)
{
    char *rest = NULL;
    for (char *line = strtok_r(text, "\r\n", &rest); line != NULL; line = strtok_r(NULL, "\r\n", &rest)) {
        char *words[4], *word_rest = NULL;
        size_t n = 0;
        line[strcspn(line, "#")] = '\0';
        for (char *word = strtok_r(line, " \t", &word_rest); word != NULL && n < 4;
             word = strtok_r(NULL, " \t", &word_rest))
            words[n++] = word;
        if (n == 4 && (strcmp(words[1], "-") == 0 || strcmp(words[1], "soft") == 0))
            fn(ctx, words[0], words[2], words[3]);
    }
}

void st_parse_modprobe(char *text, st_setting_fn fn, void *ctx)
{
    char *rest = NULL;
    for (char *line = strtok_r(text, "\r\n", &rest); line != NULL; line = strtok_r(NULL, "\r\n", &rest)) {
        char *word_rest = NULL;
        const char *command = strtok_r(line, " \t", &word_rest);
        char *module = strtok_r(NULL, " \t", &word_rest);
        if (command == NULL || strcmp(command, "options") != 0 || module == NULL)
            continue;
        for (char *at = module; *at != '\0'; at++)
            *at = *at == '-' ? '_' : *at;
        for (char *word = strtok_r(NULL, " \t", &word_rest); word != NULL;
             word = strtok_r(NULL, " \t", &word_rest)) {
            char *value = strchr(word, '=');
            if (value == NULL)
                continue;
            *value++ = '\0';
            fn(ctx, module, word, value);
        }
    }
}

/** The names are behind the last two blanks of the line ("16-fasteoi   i801_smbus, snd_hda_intel:card0"). */
static const char *interrupt_actions(const char *line)
{
    const char *last = NULL;
    for (const char *at = strstr(line, "  "); at != NULL; at = strstr(at + 1, "  "))
        last = at;
    return last != NULL ? last + 2 : NULL;
}

int st_parse_interrupts(char *text, st_interrupt_fn fn, void *ctx)
{
    char *rest = NULL;
    char *line = strtok_r(text, "\n", &rest);
    if (line == NULL || strstr(line, "CPU") == NULL)
        return -EBADMSG;
    while ((line = strtok_r(NULL, "\n", &rest)) != NULL) {
        char *end;
        const unsigned long number = strtoul(line, &end, 10);
        if (end == line || *end != ':' || number > 1000000)
            continue;
        st_text_trim(end + 1);
        const char *actions = interrupt_actions(end + 1);
        if (actions != NULL && actions[0] != '\0' && strspn(actions, "0123456789 ") != strlen(actions))
            fn(ctx, (unsigned)number, actions);
    }
    return 0;
}

int st_parse_swaps(char *text, struct st_swaps *ret)
{
    struct st_swaps swaps = {0};
    long zram_highest = LONG_MIN, other_highest = LONG_MIN;
    char *rest = NULL;
    char *line = strtok_r(text, "\n", &rest);
    if (line == NULL || strncmp(line, "Filename", 8) != 0)
        return -EBADMSG;
    while ((line = strtok_r(NULL, "\n", &rest)) != NULL) {
        size_t last = strlen(line); /* the priority is the last word */
        while (last > 0 && strchr(" \t", line[last - 1]) == NULL)
            last--;
        const long priority = strtol(line + last, NULL, 10);
        line[strcspn(line, " \t")] = '\0';
        const char *name = strrchr(line, '/');
        name = name != NULL ? name + 1 : line;
        if (name[0] == '\0')
            continue;
        const bool is_zram = strncmp(name, "zram", 4) == 0;
        long *highest = is_zram ? &zram_highest : &other_highest;
        if (priority > *highest)
            *highest = priority;
        swaps.zram_n += is_zram;
        swaps.other_n += !is_zram;
    }
    swaps.zram_first = swaps.zram_n > 0 && swaps.other_n > 0 && zram_highest > other_highest;
    *ret = swaps;
    return 0;
}

/** Length of the mount point if it is `path` or above it; SIZE_MAX if not. */
static size_t mount_covers(const char *point, const char *path)
{
    size_t len = strlen(point);
    while (len > 0 && point[len - 1] == '/')
        len--;
    if (strncmp(point, path, len) != 0 || (path[len] != '/' && path[len] != '\0'))
        return SIZE_MAX;
    return len;
}

int st_parse_mounts(char *text, const char *path, char *ret_type, size_t bytes)
{
    char *rest = NULL;
    size_t best = 0;
    int r = -ENOENT;
    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        char *word_rest = NULL;
        const char *device = strtok_r(line, " ", &word_rest);
        const char *point = strtok_r(NULL, " ", &word_rest), *type = strtok_r(NULL, " ", &word_rest);
        if (device == NULL || point == NULL || type == NULL || strlen(type) >= bytes)
            continue;
        const size_t len = mount_covers(point, path);
        if (len == SIZE_MAX || len < best)
            continue;
        best = len;
        snprintf(ret_type, bytes, "%s", type);
        r = 0;
    }
    return r;
}
