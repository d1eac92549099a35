/* Recognises a text by what its kind always has, and hands it to its parser. */
#include "advisor/parse/input.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "advisor/parse/capture.h"
#include "advisor/parse/collect_sysctl.h"
#include "advisor/parse/input_parse.h"

#define LINE_BYTES  1024
#define LOOK_LINES  40    /* of `sysctl -a` and kenv: most of them must look like it */
#define LOOK_BYTES  65536 /* for the marks of the others */
#define KENV_PREFIX "freebsd.kenv."

const char st_input_kinds[] = "sysctl -a, sndstat, kldstat, kenv, ps, alsa-info.sh or rtcqs";

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

static bool is_rtcqs(const char *text, size_t bytes)
{
    return has_line(text, bytes, "rtcqs - version ") ||
           (has_line(text, bytes, "Group Limits") && has_line(text, bytes, "RT Priorities"));
}

static bool is_sndstat(const char *text, size_t bytes)
{
    return has_line(text, bytes, "FreeBSD Audio Driver") || has_line(text, bytes, "Installed devices:") ||
           has_line(text, bytes, "No devices installed.");
}

static bool is_kldstat(const char *text, size_t bytes)
{
    char line[LINE_BYTES];
    const char *at = text;
    return st_capture_line(&at, text + bytes, line, sizeof(line)) &&
           strncmp(line, "Id Refs Address", 15) == 0;
}

/** A header with PID that ends in COMMAND. Linux' has TTY where FreeBSD's has TT. */
static bool is_ps(const char *text, size_t bytes)
{
    char line[LINE_BYTES];
    const char *at = text;
    if (!st_capture_line(&at, text + bytes, line, sizeof(line)) || strstr(line, "PID") == NULL ||
        strstr(line, " TTY ") != NULL)
        return false;
    size_t len = strlen(line);
    while (len > 0 && line[len - 1] == ' ')
        len--;
    return len >= 7 && memcmp(line + len - 7, "COMMAND", 7) == 0;
}

enum assignment { ASSIGN_NONE, ASSIGN_FREEBSD, ASSIGN_LINUX, ASSIGN_KENV };

/** "name: value", "name=value"; "name = value"; "name=\"value\"". */
static enum assignment assignment(char *line)
{
    char *mark = line + strcspn(line, ":= ");
    const char was = *mark;
    const char next = was != '\0' ? mark[1] : '\0';
    *mark = '\0';
    if (was == '\0' || !st_input_is_name(line))
        return ASSIGN_NONE;
    if (was == '=' && next == '"')
        return ASSIGN_KENV;
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

static bool is_kenv(const char *text, size_t bytes)
{
    return mostly(text, bytes, ASSIGN_KENV);
}

/* --- parsing --- */

/** Says that this was read, for rules that ask, as the collector of captures does. */
static int read_file(struct st_facts *facts, const char *key, int r, const char *source)
{
    return r == 0 ? st_facts_put_text(facts, key, "read", NULL, source) : r;
}

static int parse_kenv(struct st_facts *facts, const char *text, size_t bytes, const char *source)
{
    static const char *const wanted[] = {"hint.pcm.", "kern.eventtimer.", "kern.hz", NULL};
    return read_file(facts, "freebsd.file.kenv",
                     st_capture_assignments(facts, KENV_PREFIX, wanted, text, bytes, source), source);
}

static int parse_sndstat(struct st_facts *facts, const char *text, size_t bytes, const char *source)
{
    return read_file(facts, "freebsd.file.sndstat", st_capture_sndstat(facts, text, bytes, source), source);
}

static int parse_ps(struct st_facts *facts, const char *text, size_t bytes, const char *source)
{
    int r = read_file(facts, "freebsd.file.ps", st_capture_ps(facts, text, bytes, source), source);
    if (r != 0)
        return r;
    const bool powerd = st_facts_find(facts, "freebsd.process.powerd.args") != NULL ||
                        st_facts_find(facts, "freebsd.process.powerdxx.args") != NULL;
    return st_facts_put_int(facts, "freebsd.powerd.running", powerd, NULL, source);
}

static const struct {
    const char *name;
    enum st_os os;
    bool is_all; /* what it does not have does not exist, if it is whole */
    bool (*is)(const char *text, size_t bytes);
    int (*parse)(struct st_facts *facts, const char *text, size_t bytes, const char *source);
} kinds[] = {
    {"alsa-info", ST_OS_LINUX, false, is_alsa_info, st_input_alsa_info},
    {"rtcqs", ST_OS_LINUX, false, is_rtcqs, st_input_rtcqs},
    {"sndstat", ST_OS_FREEBSD, false, is_sndstat, parse_sndstat},
    {"kldstat", ST_OS_FREEBSD, false, is_kldstat, st_input_kldstat},
    {"ps", ST_OS_FREEBSD, false, is_ps, parse_ps},
    {"kenv", ST_OS_FREEBSD, false, is_kenv, parse_kenv},
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
