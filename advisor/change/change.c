/* Where and how each kind of change is written permanently (a table with one row for each kind),
 * and how the current values and files are read. */
#include "advisor/change/change.h"

#include <ctype.h>
#include <regex.h>
#include <unistd.h>

#include "core/text/safe.h"

#define THEN_BOOT "takes effect after a reboot"
#define THEN_WIREPLUMBER                                                                           \
    "takes effect when WirePlumber starts again: at the next login, or after systemctl --user "    \
    "restart "                                                                                     \
    "wireplumber, which interrupts the sound"

#define NAME "_.-@$+" /* characters in the name of a unit, a user or a service */
#define WORDS                                                                                      \
    "=,._-:/@+% " /* characters in values between quotes: none of them ends the quotes             \
                   */

/* If several files set the same thing, their folders and names decide which file wins
 * (docs/adr/0022-whole-files.md has the source of each order). */
const struct st_change_row st_change_rows[ST_CHANGE_KINDS] = {
    /* sysctl.d(5): the file with the last name wins. FreeBSD: rc.d/sysctl reads sysctl.conf, then
       sysctl.conf.local */
    [ST_CHANGE_SYSCTL] = {"sysctl",
                          {{"/etc/sysctl.d/99-zz-sleeptune-%r.conf", "%k = %v",
                            "/etc/sysctl.d /run/sysctl.d /usr/local/lib/sysctl.d /usr/lib/sysctl.d "
                            "/etc/sysctl.conf"},
                           {"/etc/sysctl.conf", "%k=%v",
                            "/etc/sysctl.conf /etc/sysctl.conf.local"}},
                          .key = {"_.-:%"},
                          .running = true,
                          .by_name = true},
    [ST_CHANGE_SYSCTL_NOW] = {"value", .key = {"_.-:%"}, .running = true},
    [ST_CHANGE_SYSFS_NOW] = {"value", .key = {"_/.-:*@", "/sys/"}, .running = true},
    /* tmpfiles.d(5): of several lines for one path, the one in the file with the earliest name is
       used */
    [ST_CHANGE_SYSFS] =
        {"sysfs",
         {{"/etc/tmpfiles.d/00-sleeptune-%r.conf", "w %k - - - - %v",
           "/etc/tmpfiles.d /run/tmpfiles.d /usr/local/lib/tmpfiles.d /usr/lib/tmpfiles.d"}},
         .key = {"_/.-:*@", "/sys/"},
         .running = true,
         .named_behind = '/'},
    /* modprobe.d(5), libkmod: options of all files are joined in the order of file names; if an
       option is given twice, the kernel takes the last value */
    [ST_CHANGE_MODPROBE] =
        {"modprobe",
         {{"/etc/modprobe.d/zz-sleeptune-%r.conf", "options %k %v",
           "/etc/modprobe.d /run/modprobe.d /usr/local/lib/modprobe.d /usr/lib/modprobe.d"}},
         "takes effect when the kernel module is loaded again, at the latest after a reboot",
         .key = {"_-"},
         .by_name = true},
    /* udev(7): rules are read in the order of file names; an assignment replaces an earlier one.
       The name of the setting is the attribute that the rule sets, or the device. */
    [ST_CHANGE_UDEV] = {"udev",
                        {{"/etc/udev/rules.d/90-sleeptune-%r.rules", "%v",
                          "/etc/udev/rules.d /run/udev/rules.d /usr/local/lib/udev/rules.d "
                          "/usr/lib/udev/rules.d"}},
                        "takes effect when a device is plugged in again. For a device that stays "
                        "plugged in: reboot, or run sudo udevadm trigger --action=add",
                        .command = "udevadm control --reload",
                        .by_name = true,
                        .named_by_value = true,
                        .named_behind = '{'},
    /* pam_limits(8): files are read in the order of their names; the last line for a user wins */
    [ST_CHANGE_LIMITS] = {"limits",
                          {{"/etc/security/limits.d/99-sleeptune-%r-%p.conf", "%k %v",
                            "/etc/security/limits.conf /etc/security/limits.d"}},
                          "takes effect at that user's next login: log out of every session and in "
                          "again, or restart",
                          .key = {NAME " "},
                          .part = " ",
                          .by_name = true,
                          .named_behind = ' '},
    /* systemd.unit(5): drop-ins are read in the order of their names, whatever their folder; the
       last one wins */
    [ST_CHANGE_SYSTEMD] =
        {"systemd",
         {{"/etc/systemd/system/%p.d/90-sleeptune-%r.conf", "%v",
           "/etc/systemd/system/%p.d /run/systemd/system/%p.d /usr/lib/systemd/system/%p.d"}},
         "takes effect when the service is restarted",
         {NAME},
         .head = "[Service]\n",
         .part = "",
         .command = "systemctl daemon-reload",
         .by_name = true,
         .named_by_value = true},
    /* pipewire.conf(5): the user's folder is read last, the files of a folder in the order of their
       names */
    [ST_CHANGE_PIPEWIRE] =
        {"pipewire",
         {{"%p/pipewire/pipewire.conf.d/90-sleeptune-%r.conf", "context.properties = { %v }",
           "%p/pipewire/pipewire.conf.d %p/pipewire/pipewire.conf /etc/pipewire/pipewire.conf.d"}},
         "takes effect when PipeWire starts again: at the next login, or after systemctl --user "
         "restart pipewire, which interrupts the sound",
         {NULL, "/"},
         {"_.-={} "},
         .part = "",
         .users = true,
         .named_by_value = true},
    [ST_CHANGE_WIREPLUMBER] =
        {"wireplumber",
         {{"%p/wireplumber/wireplumber.conf.d/90-sleeptune-%r.conf",
           "monitor.alsa.rules = [ { matches = [ { node.name = \"~%v.*\" } ] actions = { "
           "update-props = { api.alsa.headroom = 512 } } } ]",
           "%p/wireplumber/wireplumber.conf.d /etc/wireplumber/wireplumber.conf.d"}},
         THEN_WIREPLUMBER,
         {NULL, "/"},
         {"_.-:", "alsa_"},
         .part = "",
         .users = true,
         .named_by_value = true,
         .named = "api.alsa.headroom "},
    /* WirePlumber 0.4 reads this file after 50-alsa-config.lua and before 90-enable-all.lua */
    [ST_CHANGE_WIREPLUMBER_LUA] =
        {"wireplumber-lua",
         {{"%p/wireplumber/main.lua.d/51-sleeptune-%r.lua",
           "table.insert(alsa_monitor.rules, { matches = { { { \"node.name\", \"matches\", \"%v*\" "
           "} } }, apply_properties = { [\"api.alsa.headroom\"] = 512 } })",
           "%p/wireplumber/main.lua.d /etc/wireplumber/main.lua.d"}},
         THEN_WIREPLUMBER,
         {NULL, "/"},
         {"_.-:", "alsa_"},
         .comment = "--",
         .part = "",
         .users = true,
         .named_by_value = true,
         .named = "api.alsa.headroom "},
    /* Debian's grub-mkconfig sources the files of default/grub.d in the order of their names */
    [ST_CHANGE_BOOT] = {"grub",
                        {{"/etc/default/grub.d/zz-sleeptune-%r.cfg",
                          "GRUB_CMDLINE_LINUX_DEFAULT=\"$GRUB_CMDLINE_LINUX_DEFAULT %v\"",
                          "/etc/default/grub /etc/default/grub.d"}},
                        THEN_BOOT,
                        .value = {WORDS},
                        .command = "update-grub",
                        .by_name = true,
                        .named_by_value = true},
    /* FreeBSD, loader.conf(5): the files of loader.conf.d are read after loader.conf, in the order
       in which the file system lists them */
    [ST_CHANGE_LOADER] = {"loader",
                          {{NULL},
                           {"/boot/loader.conf.d/zz-sleeptune-%r.conf", "%k=\"%v\"",
                            "/boot/loader.conf /boot/loader.conf.d /boot/loader.conf.local"}},
                          THEN_BOOT,
                          {"_.-:%"},
                          {WORDS}},
    /* FreeBSD, rc.conf(5) and rc.subr: the files of a service in rc.conf.d are read after rc.conf
     */
    [ST_CHANGE_RC_CONF] =
        {"rc",
         {{NULL},
          {"/etc/rc.conf.d/%p/zz-sleeptune-%r", "%k=\"%v\"",
           "/etc/rc.conf /etc/rc.conf.local /etc/rc.conf.d/%p /usr/local/etc/rc.conf.d/%p"}},
         "takes effect after a reboot, or when its service is restarted",
         {NAME ":"},
         {WORDS},
         .part = ":"},
};

/* --- the text and the path that are written --- */

static const char *fill(const char *form, const char *rule, const char *part, const char *key,
                        const char *value)
{
    const char *const gaps['v' + 1] = {['r'] = rule, ['p'] = part, ['k'] = key, ['v'] = value};
    const char *text = "";
    for (const char *gap; (gap = strchr(form, '%')) != NULL; form = gap + 2)
        text = st_text("%s%.*s%s", text, (int)(gap - form), form, gaps[(size_t)gap[1]]);
    return st_text("%s%s", text, form);
}

static bool fits(const char *text, const struct st_change_fit *fit)
{
    return text[0] != '\0' && text[0] != '.' && strstr(text, "..") == NULL && st_safe_is(text) &&
           (fit->of == NULL || st_text_is_of(text, fit->of)) &&
           (fit->begins == NULL || st_text_begins(text, fit->begins));
}

bool st_change_path(enum st_os os, struct st_entry *entry)
{
    const struct st_change_row *kind = &st_change_rows[entry->kind];
    const char *path = kind->form[os].path;
    entry->block = os == ST_OS_FREEBSD && entry->kind == ST_CHANGE_SYSCTL;
    if (path == NULL || !fits(entry->rule, &(struct st_change_fit){"-"}) ||
        (kind->part != NULL ? !fits(entry->part, &kind->key) : entry->part[0] != '\0'))
        return false;
    path = fill(path, entry->rule, entry->part, "", "");
    return st_text_copy(entry->target, sizeof(entry->target), path, strlen(path));
}

bool st_change_form(enum st_os os, const char *rule, const struct st_change *change,
                    struct st_entry *ret, const char **ret_line)
{
    const struct st_change_row *kind = &st_change_rows[change->kind];
    const struct st_change_place *form = &kind->form[os];
    const size_t len = kind->part != NULL ? strcspn(change->key, kind->part) : 0;
    const char *key = change->key + (change->key[len] == ':' ? len + 1 : 0);
    const char *word = kind->named_by_value ? change->value : key,
               *behind = strrchr(word, kind->named_behind);
    *ret = (struct st_entry){.kind = change->kind, .file = form->path != NULL};
    if (!fits(change->key, &kind->key) || !fits(change->value, &kind->value))
        return false;
    if (!ret->file)
        return kind->running;
    behind = behind != NULL ? behind : strchr(word, '"');
    word = kind->named_behind != '\0' && behind != NULL ? behind + 1 : word;
    ST_PRINT(ret->rule, "%s", rule);
    ST_PRINT(ret->part, "%.*s", (int)len, change->key);
    ST_PRINT(ret->names, "%s%.*s", st_text_or(kind->named, ""), (int)strcspn(word, " =\"}"), word);
    *ret_line = st_text("%s\n", fill(form->line, rule, ret->part, key, change->value));
    return st_change_path(os, ret);
}

bool st_change_finish(struct st_entry *step)
{
    const struct st_change_row *kind = &st_change_rows[step->kind];
    const char *begin = st_text_or(kind->comment, "#"), *end = "";
    char *lines = step->text;
    if (step->block) {
        /* the newline ends the last line of the other program's file, in case that line has no
         * newline */
        begin = "\n# >>> sleeptune";
        end = st_text("# <<< sleeptune %s\n", step->rule);
    }
    const int bytes = asprintf(
        &step->text, "%s %s: written by 'sleeptune apply', removed by 'sleeptune revert'\n%s%s%s",
        begin, step->rule, st_text_or(kind->head, ""), lines, end);
    free(lines);
    if (bytes < 0)
        step->text = NULL;
    else
        ST_PRINT(step->hash, "%s", st_change_hash(step->text, (size_t)bytes));
    return bytes >= 0;
}

bool st_journal_value_allowed(enum st_os os, const struct st_rule *rule, const char *target)
{
    const bool path = target[0] == '/';
    return rule != NULL && strlen(target) < sizeof(((struct st_entry *)0)->target) &&
           st_rule_writes(rule, target) && (!path || os == ST_OS_LINUX) &&
           strchr(target, '*') == NULL &&
           fits(target, &st_change_rows[path ? ST_CHANGE_SYSFS : ST_CHANGE_SYSCTL].key);
}

/* --- other files that name the same setting --- */

struct search {
    struct st_platform *machine;
    const struct st_entry *entry;
    regex_t names; /* matches the entry's settings as whole words */
    char shown[1024];
    const char *folder;
    bool later; /* the file is read after the entry's file, so that it may win */
};

static void look_into(struct search *search, const char *path)
{
    char *text;
    unsigned number = 0;
    if (st_change_file_read(search->machine, path, &text) != 0)
        return;
    bool ours = false; /* is this line inside a block of sleeptune? */
    for (char *rest = text, *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n")) {
        number++;
        ours = st_text_begins(line, "# >>> sleeptune ") ||
               (ours && !st_text_begins(line, "# <<< sleeptune "));
        const char *from = line + strspn(line, " \t");
        if (ours || strchr("#;", *from) != NULL || st_text_begins(from, "--") ||
            regexec(&search->names, from, 0, NULL, 0) != 0)
            continue;
        st_text_join(search->shown, sizeof(search->shown), ", ", "%s:%u%s", path, number,
                     search->later ? " (read later, so its value may win)" : "");
    }
    free(text);
}

static int look_at_name(void *ctx, const char *name)
{
    struct search *search = ctx;
    const char *slash = strrchr(search->entry->target, '/'), *suffix = strrchr(slash, '.');
    search->later = st_change_rows[search->entry->kind].by_name && strcmp(name, slash + 1) > 0;
    /* the program that reads our file ignores files with another suffix */
    if (strstr(name, "sleeptune-") == NULL && name[0] != '.' &&
        (suffix == NULL || st_text_ends(name, suffix)))
        look_into(search, st_text("%s/%s", search->folder, name));
    return 0;
}

const char *st_change_others(struct st_platform *machine, const struct st_entry *entry)
{
    struct search search = {.machine = machine, .entry = entry};
    char *names = st_text("%s", entry->names);
    /* in the pattern a '.', which matches any character, replaces punctuation: programs may write a
     * dot for a slash, or an underscore for a hyphen */
    for (char *c = names; *c != '\0'; c++)
        *c = isalnum((unsigned char)*c) ? *c : *c == ' ' ? '|' : '.';
    if (names[0] == '\0' ||
        regcomp(&search.names, st_text("(^|[^[:alnum:]_])(%s)([^[:alnum:]_]|$)", names),
                REG_EXTENDED | REG_NOSUB) != 0)
        return "";
    ST_TEXT_EACH (place, st_text("%s", st_change_rows[entry->kind].form[machine->os].read), " ") {
        search.folder = fill(place, "", entry->part, "", "");
        search.later = false;
        if (machine->list(machine, search.folder, look_at_name, &search) != 0)
            look_into(&search, search.folder);
    }
    regfree(&search.names);
    return st_text("%s", search.shown);
}

/* --- the current running values and files --- */

const char *st_change_hash(const char *text, size_t bytes)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    ST_EACH_OF (c, text, bytes)
        hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    return st_text("%016jx", hash);
}

/* Keeps the chosen word of a list: sysfs shows "always [madvise] never", debugfs "none voluntary
 * (full)". Only this word can be written back. */
static void keep_choice(char *text)
{
    char *open = strpbrk(text, "[(");
    const size_t len = open != NULL ? strcspn(open + 1, " []()") : 0;
    if (len == 0 || (open > text && open[-1] != ' ') ||
        open[1 + len] != (open[0] == '[' ? ']' : ')'))
        return;
    memmove(text, open + 1, len);
    text[len] = '\0';
}

int st_change_value_read(struct st_platform *machine, const char *target, const char **ret)
{
    char text[4096];
    size_t len;
    const int r = target[0] == '/'
                      ? machine->read_text(machine, target, text, sizeof(text), &len)
                      : machine->read_sysctl(machine, target, text, sizeof(text), &len);
    if (r == -EFBIG || (r == 0 && strlen(text) != len))
        return -EBADMSG;
    if (r < 0)
        return r;
    st_text_trim(text);
    keep_choice(text);
    *ret = st_text("%s", text);
    return st_safe_is(text) && strlen(text) < ST_CHANGE_VALUE_BYTES ? 0 : -EBADMSG;
}

bool st_change_value_is(struct st_platform *machine, const char *target, const char *value)
{
    const char *now;
    return st_change_value_read(machine, target, &now) == 0 && st_text_is(now, value);
}

int st_change_file_read(struct st_platform *machine, const char *path, char **ret)
{
    size_t len;
    char *text = malloc(ST_CHANGE_FILE_BYTES + 1);
    if (text == NULL)
        return -ENOMEM;
    int r = machine->read_text(machine, path, text, ST_CHANGE_FILE_BYTES + 1, &len);
    if (r == 0 && strlen(text) != len)
        r = -EBADMSG;
    if (r < 0) {
        free(text);
        /* -EXDEV: a link that leads out of the captured tree counts as a missing file; a write to
         * it fails */
        return r == -EXDEV ? -ENOENT : r;
    }
    *ret = text;
    return 0;
}

static int ignore_name(ST_UNUSED void *ctx, ST_UNUSED const char *name)
{
    return 1;
}

int st_change_folder_look(struct st_platform *machine, const char *path)
{
    return machine->list(machine, path, ignore_name, NULL);
}

const char *st_change_find(const struct st_entry *entry, const char *text, size_t *ret_bytes)
{
    const char *begin = text;
    size_t bytes = strlen(text);
    if (entry->block) {
        const char *last = st_text("\n# <<< sleeptune %s\n", entry->rule);
        begin = strstr(text, st_text("\n# >>> sleeptune %s:", entry->rule));
        const char *end = begin != NULL ? strstr(begin, last) : NULL;
        /* a block whose first or last line someone changed is there all the same */
        bytes = strstr(text, st_text("# >>> sleeptune %s:", entry->rule)) != NULL;
        if (end != NULL)
            bytes = (size_t)(end - begin) + strlen(last);
    }
    *ret_bytes = bytes;
    return begin != NULL && bytes > 0 && st_text_is(st_change_hash(begin, bytes), entry->hash)
               ? begin
               : NULL;
}

struct st_look st_change_look(struct st_platform *machine, const struct st_entry *entry)
{
    struct st_look look = {ST_ENTRY_UNREAD};
    char *text = NULL;
    const char *now = NULL;
    size_t bytes = 0;
    const int r = entry->file ? st_change_file_read(machine, entry->target, &text)
                              : st_change_value_read(machine, entry->target, &now);
    look.error = r;
    if (r == -ENOENT || r == -ENOTDIR) {
        look.state = ST_ENTRY_GONE;
    } else if (entry->file && !entry->block && (r == -EISDIR || r == -EBADMSG || r == -EFBIG)) {
        /* The path now leads to a folder, or to a file that is too long or has NUL bytes. apply
         * writes none of these, so another program did. The file of another program stays
         * ST_ENTRY_UNREAD instead, since it may still contain our block. */
        look.state = ST_ENTRY_DIFFERS;
    } else if (r == 0) {
        const bool same = entry->file ? st_change_find(entry, text, &bytes) != NULL
                                      : st_text_is(now, entry->new_value);
        look.now = now;
        look.state = same                         ? ST_ENTRY_IN_PLACE
                     : entry->block && bytes == 0 ? ST_ENTRY_GONE
                                                  : ST_ENTRY_DIFFERS;
    }
    free(text);
    return look;
}
