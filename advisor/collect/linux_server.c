/* Linux: the configuration of sound servers, of the system and of the user. */
#include <errno.h>
#include <string.h>

#include "advisor/collect/collector.h"
#include "advisor/facts/text.h"
#include "advisor/parse/linux_text.h"

#define FILES_MAX  32
#define FILE_BYTES (256 * 1024) /* people write less into these */
#define KEY_BYTES  128
#define PATH_BYTES 700

static const char *const patterns[] = {
    "linux.jack.jackdrc",
    "linux.pipewire.quantum",
    "linux.pipewire.min_quantum",
    "linux.pipewire.max_quantum",
    "linux.pipewire.rate_hz",
    "linux.pipewire.vm_min_quantum",
    "linux.pulse.*",
    NULL,
};

struct reader {
    struct st_collector *c;
    const char *folder;
    const char *path;
    const char *failure_key; /* of a file that is there and cannot be read */
    size_t files_n;
    void (*parse)(struct reader *reader, char *text);
};

/** @return whether it was there and could be read. */
static bool read_file(struct reader *reader, const char *path)
{
    size_t len;
    const int r = reader->c->p->read_text(reader->c->p, path, reader->c->buf, FILE_BYTES, &len);
    if (r == 0) {
        reader->path = path;
        reader->parse(reader, reader->c->buf);
    } else if (r != -ENOENT && r != -ENOTDIR && r != -ELOOP && r != -EXDEV) { /* links of a capture */
        st_collector_put_failure(reader->c, reader->failure_key, r, path);
    }
    return r == 0;
}

static int drop_in(void *ctx, const char *name)
{
    struct reader *reader = ctx;
    char path[PATH_BYTES + 140];
    const size_t len = strlen(name);
    if (len <= 5 || len > 128 || strcmp(name + len - 5, ".conf") != 0)
        return 0;
    snprintf(path, sizeof(path), "%s/%s", reader->folder, name);
    (void)read_file(reader, path);
    return ++reader->files_n == FILES_MAX;
}

/** The user's file hides the system's, and that the package's; drop-ins of all three are added, the user's
 * last. folders: from the package's to the user's, NULL for none. */
static void read_layers(struct reader *reader, const char *const *folders, size_t folders_n, const char *name)
{
    char path[PATH_BYTES];
    for (size_t i = folders_n; i-- > 0;) {
        if (folders[i] == NULL)
            continue;
        snprintf(path, sizeof(path), "%s/%s", folders[i], name);
        if (read_file(reader, path))
            break;
    }
    for (size_t i = 0; i < folders_n; i++) {
        if (folders[i] == NULL)
            continue;
        snprintf(path, sizeof(path), "%s/%s.d", folders[i], name);
        reader->folder = path;
        (void)reader->c->p->list(reader->c->p, path, drop_in, reader); /* most machines lack some */
    }
}

static void put_number(struct reader *reader, const char *key, const char *value)
{
    int64_t number;
    if (st_text_int(value, &number) == 0)
        st_collector_put_int(reader->c, key, number, value, reader->path);
    else
        st_collector_put_state(reader->c, key, ST_FACT_MALFORMED, 0, value, reader->path);
}

/* --- PipeWire --- */

static void pipewire_setting(void *ctx, const char *section, const char *name, const char *value)
{
    static const struct {
        const char *section;
        const char *name;
        const char *key;
    } rows[] = {
        {"context.properties", "default.clock.quantum", "linux.pipewire.quantum"},
        {"context.properties", "default.clock.min-quantum", "linux.pipewire.min_quantum"},
        {"context.properties", "default.clock.max-quantum", "linux.pipewire.max_quantum"},
        {"context.properties", "default.clock.rate", "linux.pipewire.rate_hz"},
        {"vm.overrides", "default.clock.min-quantum", "linux.pipewire.vm_min_quantum"},
    };
    for (size_t i = 0; i < ST_ARRAY_LEN(rows); i++) {
        if (strcmp(section, rows[i].section) == 0 && strcmp(name, rows[i].name) == 0)
            put_number(ctx, rows[i].key, value);
    }
}

static void parse_pipewire(struct reader *reader, char *text)
{
    st_linux_text_spa(text, pipewire_setting, reader);
}

/* --- PulseAudio --- */

static void pulse_setting(void *ctx, const char *section, const char *name, const char *value)
{
    static const char *const numbers[] = {"realtime-priority", "default-fragments",
                                          "default-fragment-size-msec"};
    struct reader *reader = ctx;
    char key[KEY_BYTES];
    (void)section;
    if (strcmp(name, "realtime-scheduling") == 0)
        st_collector_put_text(reader->c, "linux.pulse.realtime-scheduling", value, NULL, reader->path);
    for (size_t i = 0; i < ST_ARRAY_LEN(numbers); i++) {
        if (strcmp(name, numbers[i]) != 0)
            continue;
        snprintf(key, sizeof(key), "linux.pulse.%s", numbers[i]);
        put_number(reader, key, value);
    }
}

static void parse_pulse(struct reader *reader, char *text)
{
    st_linux_text_settings(text, '=', "#;", pulse_setting, reader);
}

/** default.pa: "load-module module-udev-detect tsched=0" */
static void parse_pulse_script(struct reader *reader, char *text)
{
    char *rest = NULL;
    for (char *line = strtok_r(text, "\r\n", &rest); line != NULL; line = strtok_r(NULL, "\r\n", &rest)) {
        st_text_trim(line);
        if (strncmp(line, "load-module", 11) != 0)
            continue;
        const char *option = strstr(line, " tsched=");
        if (option != NULL)
            st_collector_put_text(reader->c, "linux.pulse.tsched", option[8] == '0' ? "0" : "1", line,
                                  reader->path);
    }
}

/* --- JACK --- */

/** ~/.jackdrc: the command line that clients start jackd with. */
static void parse_jackdrc(struct reader *reader, char *text)
{
    st_text_trim(text);
    text[strcspn(text, "\r\n")] = '\0';
    st_collector_put_text(reader->c, "linux.jack.jackdrc", text, NULL, reader->path);
}

static const char *below_home(struct st_collector *c, const char *name, char *path, size_t bytes)
{
    if (c->home[0] == '\0')
        return NULL;
    snprintf(path, bytes, "%s/%s", c->home, name);
    return path;
}

static void collect(struct st_collector *c)
{
    char pipewire_home[600], pulse_home[600], jackdrc[600];
    const char *const pipewire[] = {"/usr/share/pipewire", "/etc/pipewire",
                                    below_home(c, ".config/pipewire", pipewire_home, sizeof(pipewire_home))};
    const char *const pulse[] = {"/etc/pulse",
                                 below_home(c, ".config/pulse", pulse_home, sizeof(pulse_home))};
    struct reader reader = {.c = c, .parse = parse_pipewire, .failure_key = "linux.pipewire.quantum"};
    read_layers(&reader, pipewire, ST_ARRAY_LEN(pipewire), "pipewire.conf");
    reader = (struct reader){.c = c, .parse = parse_pulse, .failure_key = "linux.pulse.realtime-scheduling"};
    read_layers(&reader, pulse, ST_ARRAY_LEN(pulse), "daemon.conf");
    reader = (struct reader){.c = c, .parse = parse_pulse_script, .failure_key = "linux.pulse.tsched"};
    read_layers(&reader, pulse, ST_ARRAY_LEN(pulse), "default.pa");
    reader = (struct reader){.c = c, .parse = parse_jackdrc, .failure_key = "linux.jack.jackdrc"};
    if (below_home(c, ".jackdrc", jackdrc, sizeof(jackdrc)) != NULL)
        (void)read_file(&reader, jackdrc);
}

const struct st_collect_source st_collect_linux_server = {
    .os = ST_OS_LINUX, .collect = collect, .patterns = patterns};
