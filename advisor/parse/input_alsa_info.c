/* What alsa-info.sh collects of the settings: kernel, sound modules, sound servers. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "advisor/facts/text.h"
#include "advisor/parse/capture.h"
#include "advisor/parse/input_parse.h"

#define LINE_BYTES 4096
#define FACTS_MAX  4096
#define KEY_BYTES  300

enum section { SECTION_OTHER, SECTION_KERNEL, SECTION_SERVERS, SECTION_MODPROBE, SECTION_OPTIONS };

struct reader {
    struct st_facts *facts;
    const char *source;
    enum section section;
    char module[104]; /* "!!Module: NAME" */
    char server[32];  /* "PipeWire:" */
    size_t n;
    int error;
};

static void put(struct reader *reader, const char *key, const char *value, const char *raw)
{
    if (reader->error != 0 || reader->n == FACTS_MAX)
        return;
    reader->error = st_facts_put_text(reader->facts, key, value, raw, reader->source);
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
                {"Modprobe options (Sound related)", SECTION_MODPROBE},
                {"Loaded sound module options", SECTION_OPTIONS}};
    static const char module[] = "Module: ";
    if (title[0] == '-' || title[0] == '#') /* the line below a title */
        return;
    reader->module[0] = reader->server[0] = '\0';
    if (reader->section == SECTION_OPTIONS && strncmp(title, module, strlen(module)) == 0) {
        const char *name = title + strlen(module);
        if (strncmp(name, "snd", 3) == 0 && st_input_is_name(name))
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

/** "snd_hda_intel: power_save=1 model=auto" */
static void modprobe_line(struct reader *reader, char *line)
{
    char *options = strstr(line, ": "), *rest = NULL, key[KEY_BYTES];
    if (options == NULL)
        return;
    *options = '\0';
    for (char *at = line; *at != '\0'; at++)
        *at = *at == '-' ? '_' : *at;
    if (strncmp(line, "snd", 3) != 0 || !st_input_is_name(line))
        return;
    for (char *word = strtok_r(options + 2, " \t", &rest); word != NULL;
         word = strtok_r(NULL, " \t", &rest)) {
        char *value = strchr(word, '=');
        if (value == NULL)
            continue;
        *value++ = '\0';
        if (!st_input_is_name(word))
            continue;
        snprintf(key, sizeof(key), "linux.modprobe.%.100s.%.100s", line, word);
        put(reader, key, value, NULL);
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
    if (!st_input_is_name(line))
        return;
    snprintf(key, sizeof(key), "linux.module.%.100s.%.100s", reader->module, line);
    put(reader, key, value + 3, value + 3);
}

int st_input_alsa_info(struct st_facts *facts, const char *text, size_t bytes, const char *source)
{
    struct reader reader = {.facts = facts, .source = source};
    char line[LINE_BYTES];
    const char *at = text, *end = text + bytes;
    while (reader.error == 0 && st_capture_line(&at, end, line, sizeof(line))) {
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
        case SECTION_MODPROBE:
            modprobe_line(&reader, line);
            break;
        case SECTION_OPTIONS:
            option_line(&reader, line);
            break;
        case SECTION_OTHER:
            break;
        }
    }
    if (reader.error != 0)
        return reader.error;
    return reader.n > 0 ? 0 : -EBADMSG;
}
