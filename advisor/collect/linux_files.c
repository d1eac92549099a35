/* Linux: configuration files of the system (limits, groups, units) and of sound servers. */
#include "advisor/change/change.h"
#include "advisor/collect/collector.h"
#include "advisor/parse/linux_text.h"
#include "advisor/rules/machine.h"

#define FILES_MAX    64  /* most files read of one folder */
#define SETTINGS_MAX 128 /* most facts of one kind; a user with limits has two */
/* most bytes read of one file; real configuration files are shorter */
#define FILE_BYTES (256 * 1024)

struct reader {
    struct st_collector *c;
    void (*parse)(struct reader *reader, char *text);
    st_setting_fn setting; /* called for each setting, if parse is parse_settings */
    /* key of the fact for a file or folder that exists but cannot be read; NULL: that is not
     * recorded */
    const char *failure_key;
    const char *folder, *path; /* names of the folder and file that are read now */
    bool of_guests;            /* the settings read now are in a rule for virtual machines */
    size_t files_n, settings_n;
    struct st_facts
        *unit; /* facts of a unit and its drop-ins; a later setting replaces an earlier one */
    const char *stem;      /* the unit's name without ".service" */
    bool ambient, bounded; /* ambient: the unit gets CAP_SYS_NICE; bounded: it cannot have it */
    bool bounding_set;
};

/** Does the text have only characters that are valid in a key? */
static bool is_plain(const char *text)
{
    return strlen(text) <= 64 && st_text_is_of(text, "@%*:_.-");
}

static void put(struct reader *reader, const char *key, const char *value)
{
    if (reader->settings_n++ < SETTINGS_MAX)
        st_collector_put_text(reader->c, key, value, reader->path);
}

static void failed(struct reader *reader, int r, const char *path)
{
    /* links of a captured tree are not followed, so their files count as missing */
    const bool missing = r == -ENOENT || r == -ENOTDIR || r == -ELOOP || r == -EXDEV;
    if (reader->failure_key != NULL && !missing)
        st_collector_put_failure(reader->c, reader->failure_key, r, path);
}

/** Reads and parses a file. @return true: the file exists and could be read. */
static bool read_file(struct reader *reader, const char *path)
{
    reader->path = path;
    const int r = st_collector_text(reader->c, path, reader->c->buf, FILE_BYTES);
    if (r == 0)
        reader->parse(reader, reader->c->buf);
    else
        failed(reader, r, path);
    return r == 0;
}

static int file_of_folder(void *ctx, const char *name)
{
    struct reader *reader = ctx;
    if (strlen(name) > 128 || (!st_text_ends(name, ".conf") && !st_text_ends(name, ".pa")))
        return 0;
    const char *path = st_text("%s/%s", reader->folder, name);
    (void)read_file(reader, path);
    return ++reader->files_n == FILES_MAX;
}

/** Reads the files *.conf of a folder, and *.pa, those of PulseAudio's default.pa.d. */
static void read_folder(struct reader *reader, const char *folder)
{
    reader->folder = folder;
    reader->files_n = 0;
    const int r = st_collector_list(reader->c, folder, file_of_folder, reader);
    if (r != 0)
        failed(reader, r, folder);
}

/* --- limits.conf and groups --- */

/** Reads lines of limits.conf(5), "domain type item value", and takes those that set the soft limit
 * of rtprio or memlock. */
static void parse_limits(struct reader *reader, char *text)
{
    struct st_pattern_parts parts;
    for (const char *at = text; st_pattern_next(&at, "%s %s %s %s", &parts);) {
        const char *domain = parts.text[0], *type = parts.text[1], *item = parts.text[2];
        char *value = parts.text[3];
        value[strcspn(value, "#")] = '\0';
        if (value[0] != '\0' && (st_text_is(type, "-") || st_text_is(type, "soft")) &&
            is_plain(domain) && (st_text_is(item, "rtprio") || st_text_is(item, "memlock")))
            put(reader, st_text(ST_KEYS_LIMITS "%s.%s", domain, item), value);
    }
}

/** Reads lines of /etc/group, "audio:x:29:ann,bob", and takes the groups that distributions use for
 * real-time rights, or that a limit names. */
static void parse_groups(struct reader *reader, char *text)
{
    static const char *const usual[] = {"audio", "jackuser", "pipewire", "realtime", NULL};
    ST_TEXT_EACH (line, text, "\n") {
        const char *members = strrchr(line, ':');
        line[strcspn(line, ":")] = '\0';
        if (members == NULL || members < line + strlen(line) || !is_plain(line) ||
            (!st_text_is_among(line, usual) &&
             !st_facts_has(reader->c->facts, st_text(ST_KEYS_LIMITS "@%s.rtprio", line))))
            continue;
        const char *key = st_text(ST_KEYS_GROUP "%s", line);
        put(reader, key, members + 1);
    }
}

/* --- files of systemd --- */

/** Parses lines "name = value". A line that ends with a backslash continues on the next line:
 * systemd.syntax(7). */
static void parse_settings(struct reader *reader, char *text)
{
    for (char *at = strstr(text, "\\\n"); at != NULL; at = strstr(at, "\\\n"))
        at[0] = at[1] = ' ';
    st_linux_text_settings(text, reader->setting, reader);
}

/** Parses a file of systemd: the one in /etc or, if /etc has none, the package's. @return true: one
 * of them exists. */
static bool read_systemd(struct reader *reader, const char *name)
{
    return read_file(reader, st_text("/etc/systemd/%s", name)) ||
           read_file(reader, st_text("/usr/lib/systemd/%s", name)) ||
           read_file(reader, st_text("/lib/systemd/%s", name));
}

/** Reads the drop-ins of a unit in /etc. */
static void read_dropins(struct reader *reader, const char *name)
{
    read_folder(reader, st_text("/etc/systemd/%s.d", name));
}

/** Reads the unit of this name ("jack@ann.service"), or the file of its template, then the drop-ins
 * of both: systemd.unit(5). Only drop-ins in /etc are read. */
static void read_unit(struct reader *reader, const char *unit)
{
    const char *at = strchr(unit, '@'), *dot = strrchr(unit, '.'),
               *end = at != NULL && dot > at + 1 ? at + 1 : dot, *name = st_text("system/%s", unit),
               *template = st_text("system/%.*s%s", (int)(end - unit), unit, dot);
    if (!read_systemd(reader, name))
        (void)read_systemd(reader, template);
    if (end != dot)
        read_dropins(reader, template);
    read_dropins(reader, name);
}

/* --- units of audio programs --- */

/** Programs that play or make sound and are sometimes run as services. */
static const char *const programs[] = {
    "ardour",      "brutefir",    "camilladsp", "carla",          "carla-rack",
    "fluidsynth",  "jackd",       "jackdbus",   "jacktrip",       "linuxsampler",
    "mod-host",    "mpd",         "netjack",    "pipewire",       "pulseaudio",
    "puredata",    "pd",          "scsynth",    "shairport-sync", "sleeptuned",
    "squeezelite", "supernova",   "sushi",      "zita-a2j",       "zita-j2a",
    "zita-n2j",    "zynaddsubfx", NULL};

/** The first known program in "ExecStart=-/usr/bin/chrt -f 70 /usr/bin/jackd -d alsa"; NULL:
 * none. */
static const char *find_program(const char *command)
{
    ST_TEXT_EACH (word, st_text("%s", command), " \t") {
        const char *base = st_text_base(word), *name = base + strspn(base, "-@:+!");
        if (st_text_is_among(name, programs))
            return name;
    }
    return NULL;
}

static const struct unit_row {
    const char *name, *leaf;
    bool resets; /* an empty value restores the default of the setting */
} unit_rows[] = {{"LimitRTPRIO", "rtprio", false},
                 {"CPUSchedulingPolicy", "policy", true},
                 {"RestrictRealtime", "restrict_realtime", false},
                 {"DynamicUser", "dynamic_user", false},
                 {"User", "user", true}};

static const char *unit_key(const struct reader *reader, const char *leaf)
{
    return st_text(ST_KEYS_UNIT "%s.%s", reader->stem, leaf);
}

static void put_unit(struct reader *reader, const char *leaf, const char *value)
{
    st_facts_put_text(reader->unit, unit_key(reader, leaf), value, reader->path);
}

/** Applies a line with a list of capabilities to the unit: "~" before a list removes its
 * capabilities, an empty list removes all, several lines are joined (systemd.exec(5)). @param
 * of_bounding the line sets the bounding set, not the ambient set. */
static void capabilities(struct reader *unit, const char *value, bool of_bounding)
{
    const bool inverts = value[0] == '~', names = strcasestr(value, "CAP_SYS_NICE") != NULL,
               had =
                   of_bounding ? !unit->bounded && (unit->bounding_set || inverts) : unit->ambient,
               has = value[0] != '\0' && (inverts ? had && !names : had || names);
    if (of_bounding)
        unit->bounded = !has;
    else
        unit->ambient = has;
    unit->bounding_set = unit->bounding_set || of_bounding;
    put_unit(unit, "cap_sys_nice", unit->bounded ? "taken" : unit->ambient ? "granted" : "");
}

/** The program that the unit starts; NULL: no known program. */
static const char *program_of(const struct reader *unit)
{
    return st_facts_text_or(unit->unit, unit_key(unit, "program"), NULL);
}

static void unit_setting(void *ctx, const char *section, const char *name, const char *value)
{
    struct reader *unit = ctx;
    int64_t soft;
    if (!st_text_is(section, "Service"))
        return;
    if (st_text_is(name, "ExecStart") && value[0] == '\0')
        put_unit(unit, "program", "");
    else if (st_text_is(name, "ExecStart") && program_of(unit) == NULL &&
             find_program(value) != NULL)
        put_unit(unit, "program", find_program(value));
    else if (st_text_is(name, "AmbientCapabilities") || st_text_is(name, "CapabilityBoundingSet"))
        capabilities(unit, value, name[0] == 'C');
    ST_EACH (row, unit_rows) {
        if (st_text_is(name, row->name) && (value[0] != '\0' || row->resets) &&
            (row != unit_rows || st_text_unit_limit(value, &soft)))
            put_unit(unit, row->leaf, value);
    }
}

/** Reads a unit in /etc/systemd/system, or a packaged unit with drop-ins there. Units whose program
 * is not in `programs` are ignored. */
static int one_unit(void *ctx, const char *name)
{
    struct reader *outer = ctx;
    struct reader unit = {.c = outer->c, .parse = parse_settings, .setting = unit_setting};
    const bool is_folder = st_text_ends(name, ".service.d");
    if ((!is_folder && !st_text_ends(name, ".service")) || !is_plain(name))
        return 0;
    unit.stem =
        st_text("%.*s", (int)(strlen(name) - strlen(".service") - strlen(".d") * is_folder), name);
    /* skip drop-ins of a template, since they are read with each of its instances, and a unit that
     * was read already */
    if ((is_folder && st_text_ends(unit.stem, "@")) ||
        st_facts_has(outer->c->facts, unit_key(&unit, "program")))
        return 0;
    unit.unit = st_facts_new(outer->c->facts->os);
    if (unit.unit == NULL)
        return outer->c->facts->error = -ENOMEM;
    read_unit(&unit, st_text("%s.service", unit.stem));
    if (program_of(&unit) != NULL) {
        ST_EACH_OF (fact, unit.unit->rows, unit.unit->n)
            st_facts_add(outer->c->facts, *fact, (*fact)->source);
        outer->files_n++;
    }
    const int r = unit.unit->error;
    st_facts_free(unit.unit);
    return r == 0 ? outer->files_n == FILES_MAX : (outer->c->facts->error = r);
}

/* --- settings that are one fact each --- */

static const struct {
    const char *section; /* the section in which the setting counts; NULL: any */
    const char *name, *key;
    enum { TEXT, NUMBER, LIMIT, FORBIDS } form; /* FORBIDS: the fact is 1 for the value "no" */
} rows[] = {
    {"context.properties", "default.clock.quantum", ST_KEY_PIPEWIRE_QUANTUM, NUMBER},
    {"context.properties", "default.clock.min-quantum", ST_KEY_PIPEWIRE_MIN_QUANTUM, NUMBER},
    {"context.properties", "default.clock.max-quantum", ST_KEY_PIPEWIRE_MAX_QUANTUM, NUMBER},
    {"context.properties", "default.clock.rate", ST_KEY_PIPEWIRE_RATE_HZ, NUMBER},
    {"vm.overrides", "default.clock.min-quantum", ST_KEY_PIPEWIRE_VM_MIN_QUANTUM, NUMBER},
    {NULL, "realtime-scheduling", ST_KEY_PULSE_REALTIME_SCHEDULING, TEXT},
    {NULL, "default-fragments", ST_KEY_PULSE_DEFAULT_FRAGMENTS, NUMBER},
    {NULL, "default-fragment-size-msec", "linux.pulse.default-fragment-size-msec", NUMBER},
    {NULL, "default-sample-rate", ST_KEY_PULSE_DEFAULT_SAMPLE_RATE, NUMBER},
    {NULL, "DefaultLimitRTPRIO", ST_KEY_UNIT_DEFAULT_RTPRIO, LIMIT}, /* default of all units */
    {NULL, "AllowSuspend", ST_KEY_SUSPEND_FORBIDDEN, FORBIDS},
};

static void put_setting(void *ctx, const char *section, const char *name, const char *value)
{
    const struct reader *reader = ctx;
    int64_t soft;
    bool allowed;
    ST_EACH (row, rows) {
        if (!st_text_is(name, row->name) ||
            (row->section != NULL && !st_text_is(section, row->section)))
            continue;
        if (row->form == NUMBER)
            st_facts_put_number(reader->c->facts, row->key, value, reader->path);
        else if (row->form == FORBIDS && st_text_unit_boolean(value, &allowed))
            st_facts_put_int(reader->c->facts, row->key, !allowed, reader->path);
        else if (row->form == TEXT || (row->form == LIMIT && st_text_unit_limit(value, &soft)))
            st_collector_put_text(reader->c, row->key, value, reader->path);
    }
}

/** Is the unit masked, which means that its file is empty or a link to /dev/null? Links of a
 * captured tree are not followed, and a link that was not followed counts as masked. */
static bool is_masked(struct st_collector *c, const char *unit)
{
    char text[16];
    size_t len = 0;
    const int r = c->p->read_text(c->p, unit, text, sizeof(text), &len);
    return len == 0 && (r == 0 || r == -EINVAL || r == -ELOOP || r == -EXDEV);
}

static void collect_suspend(struct st_collector *c)
{
    static const char *const targets[] = {"/etc/systemd/system/sleep.target",
                                          "/etc/systemd/system/suspend.target"};
    static const char *const files[] = {"system.conf", "sleep.conf"}; /* systemd-system.conf(5) */
    struct reader manager = {.c = c, .parse = parse_settings, .setting = put_setting};
    ST_EACH (file, files) {
        (void)read_systemd(&manager, *file);
        read_dropins(&manager, *file);
    }
    ST_EACH (target, targets) {
        if (is_masked(c, *target))
            st_facts_put_int(c->facts, ST_KEY_SUSPEND_FORBIDDEN, 1, *target);
    }
}

static void exists(struct st_collector *c, const char *key, const char *path)
{
    int r = st_collector_begin(c, path, ST_ROOM(16));
    /* the links of a captured tree are not followed, but show that the file exists */
    if (r == -ELOOP || r == -EXDEV)
        r = 0;
    st_collector_put_result(c, key, r, 1, path);
}

/** Is rtkit available? D-Bus starts it when a program asks for it, so the file of its D-Bus service
 * counts. The D-Bus socket is looked for on a live machine only, since a captured tree has no
 * sockets. */
static void collect_rtkit(struct st_collector *c)
{
    static const char unit[] = "/etc/systemd/system/rtkit-daemon.service",
                      bus[] = "/run/dbus/system_bus_socket",
                      var_bus[] = "/var/run/dbus/system_bus_socket";
    if (is_masked(c, unit))
        st_collector_put_failure(c, ST_KEY_RTKIT_INSTALLED, -ENOENT, unit);
    else
        exists(c, ST_KEY_RTKIT_INSTALLED,
               "/usr/share/dbus-1/system-services/org.freedesktop.RealtimeKit1.service");
    if (c->live && getenv("DBUS_SYSTEM_BUS_ADDRESS") == NULL &&
        st_collector_text(c, bus, ST_ROOM(16)) == -ENOENT &&
        st_collector_text(c, var_bus, ST_ROOM(16)) == -ENOENT)
        st_collector_put_int(c, ST_KEY_RTKIT_NO_BUS, 1, bus);
}

/** Is PAM missing? The fact exists only for a live machine, since a captured tree may lack the
 * folders of PAM. */
static void collect_pam(struct st_collector *c)
{
    static const char *const folders[] = {"/etc/pam.d", "/usr/lib/pam.d", "/usr/etc/pam.d"};
    bool missing = c->live;
    ST_EACH (folder, folders)
        missing = missing && st_change_folder_look(c->p, *folder) == -ENOENT;
    if (missing)
        st_collector_put_int(c, ST_KEY_PAM_MISSING, 1, folders[0]);
}

static void collect_system(struct st_collector *c)
{
    static const char nixos[] = "/etc/NIXOS";
    const char *path, *boot = st_change_boot_by_hand(c->p, &path);
    struct reader limits = {.c = c, .parse = parse_limits, .failure_key = ST_KEY_LIMITS_ANY_RTPRIO};
    (void)read_file(&limits, "/etc/security/limits.conf");
    read_folder(&limits, "/etc/security/limits.d");
    struct reader groups = {.c = c, .parse = parse_groups, .failure_key = "linux.group.any"};
    (void)read_file(&groups, "/etc/group");
    struct reader units = {.c = c};
    /* an error is ignored: without systemd the folder is missing */
    (void)st_collector_list(c, "/etc/systemd/system", one_unit, &units);
    collect_suspend(c);
    if (boot != NULL && boot[0] != '\0')
        st_collector_put_text(c, ST_KEY_BOOT_OPTIONS, boot, path);
    else
        st_collector_put_failure(c, ST_KEY_BOOT_OPTIONS, -ENOENT, "/etc/kernel/cmdline, /boot");
    if (st_collector_begin(c, nixos, ST_ROOM(16)) == 0)
        st_collector_put_text(
            c, ST_KEY_SETTINGS_ELSEWHERE,
            "this is NixOS, where /etc is generated: put the setting into configuration.nix "
            "(limits: security.pam.loginLimits; sysctls: boot.kernel.sysctl; udev rules: "
            "services.udev.extraRules), then sudo nixos-rebuild switch",
            nixos);
    exists(c, ST_KEY_TLP_ENABLED, "/etc/systemd/system/multi-user.target.wants/tlp.service");
    collect_rtkit(c);
    collect_pam(c);
    /* The folders that WirePlumber's package installs show whether its version is 0.4 (Lua) or
     * newer. The version stays unknown if the folders are not where Debian has them */
    const bool lua = st_change_folder_look(c->p, "/usr/share/wireplumber/main.lua.d") == 0;
    if (lua || st_change_folder_look(c->p, "/usr/share/wireplumber/wireplumber.conf.d") == 0)
        st_collector_put_int(c, ST_KEY_WIREPLUMBER_LUA, lua, "/usr/share/wireplumber");
}

/* --- sound servers: files of the package, the system and the user --- */

/** Reads the configuration of a server. The user's file hides the system's, and the system's file
 * hides the package's (PulseAudio has no package file); drop-ins of all three are added, the user's
 * last. */
static void read_layers(struct reader *reader, const char *server, const char *name)
{
    const char *home = reader->c->home, *own = st_text("%s/.config", home);
    const char *const folders[] = {"/usr/share", "/etc", own};
    const size_t folders_n = ST_ARRAY_LEN(folders) - (home[0] == '\0');
    for (size_t i = folders_n;
         i > 0 && !read_file(reader, st_text("%s/%s/%s", folders[i - 1], server, name));)
        i--;
    /* errors are ignored, since most machines lack some of these folders */
    ST_EACH_OF (folder, folders, folders_n)
        read_folder(reader, st_text("%s/%s/%s.d", *folder, server, name));
}

/* --- PipeWire --- */

/** Takes a setting of PipeWire. Since 1.2 the minimum of virtual machines is written as a rule
 * (NEWS of 1.1.81: "This deprecates the vm.overrides"): context.properties.rules = [ { matches = [
 * { cpu.vm.name = !null } ] actions = { update-props = { ... } } } ]. Such a rule counts as
 * vm.overrides. */
static void pipewire_setting(void *ctx, const char *section, const char *name, const char *value)
{
    struct reader *reader = ctx;
    if (section[0] == '\0') /* a condition in `matches`: does the rule apply to virtual machines? */
        reader->of_guests = st_text_is(name, "cpu.vm.name") && st_text_is(value, "!null");
    if (reader->of_guests && st_text_is(section, "update-props"))
        section = "vm.overrides";
    put_setting(ctx, section, name, value);
}

static void parse_pipewire(struct reader *reader, char *text)
{
    st_linux_text_spa(text, pipewire_setting, reader);
}

/* --- PulseAudio --- */

/** Takes the option tsched of lines such as "load-module module-udev-detect tsched=0" in
 * default.pa. */
static void parse_pulse_script(struct reader *reader, char *text)
{
    struct st_pattern_parts parts;
    for (const char *at = text; st_pattern_next(&at, "load-module* tsched=%s", &parts);)
        st_collector_put_text(reader->c, ST_KEY_PULSE_TSCHED,
                              st_machine_is_off(parts.text[0]) ? "0" : "1", reader->path);
}

void st_linux_files_collect(struct st_collector *c)
{
    collect_system(c);
    struct reader reader = {
        .c = c, .parse = parse_pipewire, .failure_key = ST_KEY_PIPEWIRE_QUANTUM};
    read_layers(&reader, "pipewire", "pipewire.conf");
    reader = (struct reader){.c = c,
                             .parse = parse_settings,
                             .setting = put_setting,
                             .failure_key = ST_KEY_PULSE_REALTIME_SCHEDULING};
    read_layers(&reader, "pulse", "daemon.conf");
    reader =
        (struct reader){.c = c, .parse = parse_pulse_script, .failure_key = ST_KEY_PULSE_TSCHED};
    read_layers(&reader, "pulse", "default.pa");
}
