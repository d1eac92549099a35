/* Recognises a text by what its kind always has, and hands it to its parser. */
#include "advisor/parse/input.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "advisor/parse/capture.h"
#include "advisor/parse/collect_sysctl.h"
#include "advisor/parse/input_parse.h"

#define LINE_BYTES 1024
#define LOOK_LINES 40    /* of `sysctl -a`: most of them must look like it */
#define LOOK_BYTES 65536 /* for the marks of the others */

const char st_input_kinds[] = "sysctl -a, alsa-info.sh or /dev/sndstat";

bool st_input_is_name(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._%-";
    const size_t len = strlen(text);
    return len > 0 && len <= 100 && strspn(text, letters) == len;
}

/* --- recognising --- */

/** Does a line of the beginning begin with this? */
static bool has_line(const char *text, size_t bytes, const char *begin)
{
    char line[LINE_BYTES];
    const char *at = text, *end = text + (bytes < LOOK_BYTES ? bytes : LOOK_BYTES);
    while (st_capture_line(&at, end, line, sizeof(line))) {
        if (strncmp(line, begin, strlen(begin)) == 0)
            return true;
    }
    return false;
}

static bool is_alsa_info(const char *text, size_t bytes)
{
    return has_line(text, bytes, "!!ALSA Information Script") ||
           has_line(text, bytes, "!!Linux Distribution") || has_line(text, bytes, "!!Kernel Information");
}

static bool is_sndstat(const char *text, size_t bytes)
{
    return has_line(text, bytes, "FreeBSD Audio Driver") || has_line(text, bytes, "Installed devices:") ||
           has_line(text, bytes, "No devices installed.");
}

enum assignment { ASSIGN_NONE, ASSIGN_FREEBSD, ASSIGN_LINUX };

/** "name: value", "name=value"; "name = value". */
static enum assignment assignment(char *line)
{
    char *mark = line + strcspn(line, ":= ");
    const char was = *mark;
    const char next = was != '\0' ? mark[1] : '\0';
    *mark = '\0';
    if (was == '\0' || !st_input_is_name(line))
        return ASSIGN_NONE;
    if (was == '=' && next == '"') /* kenv */
        return ASSIGN_NONE;
    if (strchr(line, '.') == NULL)
        return ASSIGN_NONE;
    if (was == ' ')
        return next == '=' ? ASSIGN_LINUX : ASSIGN_NONE;
    return was == '=' || next == ' ' || next == '\0' ? ASSIGN_FREEBSD : ASSIGN_NONE;
}

/** Are most of the first lines of this kind? */
static bool mostly(const char *text, size_t bytes, enum assignment wanted)
{
    char line[LINE_BYTES];
    const char *at = text, *end = text + bytes;
    size_t lines_n = 0, n = 0;
    while (lines_n < LOOK_LINES && st_capture_line(&at, end, line, sizeof(line))) {
        if (line[0] == '\0')
            continue;
        lines_n++;
        n += assignment(line) == wanted;
    }
    return n > 0 && 2 * n >= lines_n;
}

static bool is_sysctl_freebsd(const char *text, size_t bytes)
{
    return mostly(text, bytes, ASSIGN_FREEBSD);
}

static bool is_sysctl_linux(const char *text, size_t bytes)
{
    return mostly(text, bytes, ASSIGN_LINUX);
}

/* --- parsing --- */

/** Also notes that it was read, as the collector of captures does, for the rules that ask. */
static int parse_sndstat(struct st_facts *facts, const char *text, size_t bytes, const char *source)
{
    const int r = st_capture_sndstat(facts, text, bytes, source);
    return r == 0 ? st_facts_put_text(facts, "freebsd.file.sndstat", "read", NULL, source) : r;
}

static const struct {
    const char *name;
    enum st_os os;
    bool is_all; /* what it does not have does not exist, if it is whole */
    bool (*is)(const char *text, size_t bytes);
    int (*parse)(struct st_facts *facts, const char *text, size_t bytes, const char *source);
} kinds[] = {
    {"alsa-info", ST_OS_LINUX, false, is_alsa_info, st_input_alsa_info},
    {"sndstat", ST_OS_FREEBSD, false, is_sndstat, parse_sndstat},
    {"sysctl", ST_OS_LINUX, false, is_sysctl_linux, st_input_sysctl_linux},
    {"sysctl", ST_OS_FREEBSD, true, is_sysctl_freebsd, st_collect_sysctl_text},
};

/** Adds a kind to those that are there. */
static int put_kind(struct st_facts *facts, const char *name, const char *source)
{
    const char *before;
    char text[256];
    if (st_facts_text(facts, ST_INPUT_KEY, &before) == 0)
        snprintf(text, sizeof(text), "%.200s, %s", before, name);
    else
        snprintf(text, sizeof(text), "%s", name);
    return st_facts_put_text(facts, ST_INPUT_KEY, text, NULL, source);
}

int st_input_add(const char *text, size_t bytes, const char *source, struct st_facts **facts)
{
    size_t i = 0;
    while (i < ST_ARRAY_LEN(kinds) && !kinds[i].is(text, bytes))
        i++;
    if (i == ST_ARRAY_LEN(kinds))
        return -EBADMSG;
    if (*facts != NULL && st_facts_os(*facts) != kinds[i].os)
        return -EXDEV;
    struct st_facts *into = *facts != NULL ? *facts : st_facts_new(kinds[i].os);
    if (into == NULL)
        return -ENOMEM;
    int r = kinds[i].parse(into, text, bytes, source);
    if (r == 0)
        r = put_kind(into, kinds[i].is_all && st_collect_sysctl_is_whole(into) ? ST_INPUT_ALL : kinds[i].name,
                     source);
    if (r != 0 && *facts == NULL)
        st_facts_free(into);
    else
        *facts = into;
    return r;
}
