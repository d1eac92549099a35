/* Texts that people post: each is recognised by what its kind always has, and parsed. */
#include "advisor/parse/posted.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "advisor/facts/text.h"
#include "advisor/parse/freebsd_text.h"
#include "advisor/parse/sysctl_text.h"

#define LINE_BYTES 4096
#define LOOK_LINES 40    /* of `sysctl -a`: most of them must look like it */
#define LOOK_BYTES 65536 /* for the marks of the others */

const char st_posted_kinds[] = "sysctl -a, alsa-info.sh or /dev/sndstat";

/* --- recognising --- */

/** Does a line of the beginning begin with this? */
static bool has_line(const char *text, size_t bytes, const char *begin)
{
    char line[LINE_BYTES];
    const char *at = text, *end = text + (bytes < LOOK_BYTES ? bytes : LOOK_BYTES);
    while (st_text_line(&at, end, line, sizeof(line))) {
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
    if (was == '\0' || !st_sysctl_text_is_name(line))
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
    while (lines_n < LOOK_LINES && st_text_line(&at, end, line, sizeof(line))) {
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
    const int r = st_freebsd_text_sndstat(facts, text, bytes, source);
    return r == 0 ? st_facts_put_text(facts, "freebsd.file.sndstat", "read", NULL, source) : r;
}

static const struct {
    const char *name;
    enum st_os os;
    bool is_all; /* what it does not have does not exist, if it is whole */
    bool (*is)(const char *text, size_t bytes);
    int (*parse)(struct st_facts *facts, const char *text, size_t bytes, const char *source);
} kinds[] = {
    {"alsa-info", ST_OS_LINUX, false, is_alsa_info, st_posted_alsa_info},
    {"sndstat", ST_OS_FREEBSD, false, is_sndstat, parse_sndstat},
    {"sysctl", ST_OS_LINUX, false, is_sysctl_linux, st_sysctl_text_linux},
    {"sysctl", ST_OS_FREEBSD, true, is_sysctl_freebsd, st_sysctl_text_freebsd},
};

/** Adds a kind to those that are there. */
static int put_kind(struct st_facts *facts, const char *name, const char *source)
{
    const char *before;
    char text[256];
    if (st_facts_text(facts, ST_POSTED_KEY, &before) == 0)
        snprintf(text, sizeof(text), "%.200s, %s", before, name);
    else
        snprintf(text, sizeof(text), "%s", name);
    return st_facts_put_text(facts, ST_POSTED_KEY, text, NULL, source);
}

int st_posted_add(const char *text, size_t bytes, const char *source, struct st_facts **facts)
{
    size_t i = 0;
    while (i < ST_ARRAY_LEN(kinds) && !kinds[i].is(text, bytes))
        i++;
    if (i == ST_ARRAY_LEN(kinds))
        return -EBADMSG;
    if (*facts != NULL && (*facts)->os != kinds[i].os)
        return -EXDEV;
    struct st_facts *into = *facts != NULL ? *facts : st_facts_new(kinds[i].os);
    if (into == NULL)
        return -ENOMEM;
    int r = kinds[i].parse(into, text, bytes, source);
    if (r == 0)
        r = put_kind(into, kinds[i].is_all && st_sysctl_text_is_whole(into) ? ST_POSTED_ALL : kinds[i].name,
                     source);
    if (r != 0 && *facts == NULL)
        st_facts_free(into);
    else
        *facts = into;
    return r;
}

/* --- alsa-info.sh: kernel, sound modules, sound servers --- */

#define FACTS_MAX 4096 /* of one alsa-info.sh */
#define KEY_BYTES 300

enum section { SECTION_OTHER, SECTION_KERNEL, SECTION_SERVERS, SECTION_OPTIONS };

struct reader {
    struct st_facts *facts;
    const char *source;
    enum section section;
    char module[104]; /* "!!Module: NAME" */
    char server[32];  /* "PipeWire:" */
    size_t n;
};

static void put(struct reader *reader, const char *key, const char *value, const char *raw)
{
    if (reader->n < FACTS_MAX)
        st_facts_put_text(reader->facts, key, value, raw, reader->source);
    reader->n++;
}

/** "!!Kernel Information" */
static void heading(struct reader *reader, const char *title)
{
    static const struct {
        const char *title;
        enum section section;
    } rows[] = {{"Kernel Information", SECTION_KERNEL},
                {"Sound Servers on this system", SECTION_SERVERS},
                {"Loaded sound module options", SECTION_OPTIONS}};
    static const char module[] = "Module: ";
    if (title[0] == '-' || title[0] == '#') /* the line below a title */
        return;
    reader->module[0] = reader->server[0] = '\0';
    if (reader->section == SECTION_OPTIONS && strncmp(title, module, strlen(module)) == 0) {
        const char *name = title + strlen(module);
        if (strncmp(name, "snd", 3) == 0 && st_sysctl_text_is_name(name))
            snprintf(reader->module, sizeof(reader->module), "%.100s", name);
        return;
    }
    reader->section = SECTION_OTHER;
    for (size_t i = 0; i < ST_ARRAY_LEN(rows); i++) {
        if (strcmp(title, rows[i].title) == 0)
            reader->section = rows[i].section;
    }
}

/** "Kernel release:    6.1.0-37-amd64"; very old scripts write "#1 SMP ..." behind it. */
static void kernel_line(struct reader *reader, const char *line)
{
    static const char label[] = "Kernel release:";
    char release[128];
    if (strncmp(line, label, strlen(label)) != 0)
        return;
    line += strlen(label);
    line += strspn(line, " \t");
    const size_t len = strcspn(line, " 	");
    snprintf(release, sizeof(release), "%.*s", len < sizeof(release) ? (int)len : 0, line);
    if (release[0] != '\0')
        put(reader, "linux.kernel.release", release, line);
}

/** "PipeWire:", then "      Running - Yes". */
static void server_line(struct reader *reader, const char *line)
{
    static const struct {
        const char *name, *key;
    } servers[] = {{"PipeWire", "linux.daemon.pipewire"},
                   {"Pulseaudio", "linux.daemon.pulseaudio"},
                   {"Jack", "linux.daemon.jackd"},
                   {"Jack2", "linux.daemon.jackdbus"}};
    const size_t len = strlen(line);
    if (len > 1 && len <= sizeof(reader->server) && line[0] != ' ' && line[len - 1] == ':') {
        snprintf(reader->server, sizeof(reader->server), "%.*s", (int)len - 1, line);
        return;
    }
    line += strspn(line, " \t");
    if (strcmp(line, "Running - Yes") != 0)
        return;
    for (size_t i = 0; i < ST_ARRAY_LEN(servers); i++) {
        if (strcmp(reader->server, servers[i].name) == 0)
            put(reader, servers[i].key, "1", line);
    }
}

/** "\tpower_save : 1" below "!!Module: snd_hda_intel" */
static void option_line(struct reader *reader, char *line)
{
    char *value = strstr(line, " : "), key[KEY_BYTES];
    if (reader->module[0] == '\0' || value == NULL)
        return;
    *value = '\0';
    line += strspn(line, " \t");
    if (!st_sysctl_text_is_name(line))
        return;
    snprintf(key, sizeof(key), "linux.module.%.100s.%.100s", reader->module, line);
    put(reader, key, value + 3, value + 3);
}

int st_posted_alsa_info(struct st_facts *facts, const char *text, size_t bytes, const char *source)
{
    struct reader reader = {.facts = facts, .source = source};
    char line[LINE_BYTES];
    const char *at = text, *end = text + bytes;
    while (st_text_line(&at, end, line, sizeof(line))) {
        if (line[0] == '!' && line[1] == '!') {
            heading(&reader, line + 2);
            continue;
        }
        switch (reader.section) {
        case SECTION_KERNEL:
            kernel_line(&reader, line);
            break;
        case SECTION_SERVERS:
            server_line(&reader, line);
            break;
        case SECTION_OPTIONS:
            option_line(&reader, line);
            break;
        case SECTION_OTHER:
            break;
        }
    }
    return reader.n > 0 ? facts->error : -EBADMSG;
}
