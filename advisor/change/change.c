/* Where and how each kind of change is written for ever, one row a kind, and what is there now. */
#include "advisor/change/change.h"

#include <ctype.h>
#include <unistd.h>

#include "advisor/facts/text.h"
#include "core/text/safe.h"
#include "core/text/text.h"
#include "core/text/text_buffer.h"

/* Gaps in the texts below. */
#define RULE  "\1"
#define PART  "\2" /* the key, or of it what stands before the blank or colon */
#define KEY   "\3" /* the key, or what stands behind the colon */
#define VALUE "\4"

#define OURS "sleeptune-" RULE

#define THEN_BOOT "takes effect after a reboot"
#define THEN_WIREPLUMBER                                                                                     \
    "takes effect when WirePlumber starts again: at the next login, or after systemctl --user restart "      \
    "wireplumber, which interrupts the sound"

struct form {
    const char *path, *line; /* NULL: no such kind on this OS */
    const char *read;        /* files and folders that the same program reads, with blanks between */
};

/* Folder and name decide who wins where several files set one thing (docs/adr/0022-whole-files.md has the
 * source of each order). */
static const struct kind {
    const char *name; /* in the journal */
    struct form form[ST_OS_N];
    const char *then;
    const char *head;    /* stands once in the file */
    const char *comment; /* NULL: "#" */
    const char *part; /* character that ends the key's first part; "": all of it is one; NULL: it has none */
    const char *command; /* makes it take effect; NULL: none is needed */
    bool by_name;        /* of two names the later one is read later, whatever its folder */
} kinds[ST_CHANGE_KINDS] = {
    /* sysctl.d(5): the last name wins. FreeBSD: rc.d/sysctl reads this file, then sysctl.conf.local */
    [ST_CHANGE_SYSCTL] =
        {"sysctl",
         {{"/etc/sysctl.d/99-zz-" OURS ".conf", KEY " = " VALUE,
           "/etc/sysctl.d /run/sysctl.d /usr/local/lib/sysctl.d /usr/lib/sysctl.d /etc/sysctl.conf"},
          {"/etc/sysctl.conf", KEY "=" VALUE, "/etc/sysctl.conf /etc/sysctl.conf.local"}},
         .by_name = true},
    [ST_CHANGE_SYSCTL_NOW] = {"value"}, /* any running value */
    [ST_CHANGE_SYSFS_NOW] = {"value"},
    /* tmpfiles.d(5): of lines for one path the one in the earliest name is used */
    [ST_CHANGE_SYSFS] = {"sysfs",
                         {{"/etc/tmpfiles.d/00-" OURS ".conf", "w " KEY " - - - - " VALUE,
                           "/etc/tmpfiles.d /run/tmpfiles.d /usr/local/lib/tmpfiles.d /usr/lib/tmpfiles.d"}}},
    /* modprobe.d(5), libkmod: options are joined in the order of names; the kernel takes the last */
    [ST_CHANGE_MODPROBE] =
        {"modprobe",
         {{"/etc/modprobe.d/zz-" OURS ".conf", "options " KEY " " VALUE,
           "/etc/modprobe.d /run/modprobe.d /usr/local/lib/modprobe.d /usr/lib/modprobe.d"}},
         "takes effect when the module is loaded again, at the latest after a reboot",
         .by_name = true},
    /* udev(7): in the order of names; an assignment replaces an earlier one */
    [ST_CHANGE_UDEV] =
        {"udev",
         {{"/etc/udev/rules.d/90-" OURS ".rules", VALUE,
           "/etc/udev/rules.d /run/udev/rules.d /usr/local/lib/udev/rules.d /usr/lib/udev/rules.d"}},
         "takes effect when a device is plugged in again. For a device that stays plugged in: "
         "reboot, or run sudo udevadm trigger --action=add",
         .command = "udevadm control --reload",
         .by_name = true},
    /* pam_limits(8): in the order of names; the last line for a user wins */
    [ST_CHANGE_LIMITS] = {"limits",
                          {{"/etc/security/limits.d/99-" OURS "-" PART ".conf", KEY " " VALUE,
                            "/etc/security/limits.conf /etc/security/limits.d"}},
                          "takes effect at that user's next login: log out of every session and in again, "
                          "or restart",
                          .part = " ",
                          .by_name = true},
    /* systemd.unit(5): in the order of names, whatever their folder; the last one wins */
    [ST_CHANGE_SYSTEMD] = {"systemd",
                           {{"/etc/systemd/system/" PART ".d/90-" OURS ".conf", VALUE,
                             "/etc/systemd/system/" PART ".d /run/systemd/system/" PART
                             ".d /usr/lib/systemd/system/" PART ".d"}},
                           "takes effect when the unit is restarted",
                           "[Service]\n",
                           .part = "",
                           .command = "systemctl daemon-reload",
                           .by_name = true},
    /* pipewire.conf(5): the user's folder last; in the order of names */
    [ST_CHANGE_PIPEWIRE] =
        {"pipewire",
         {{PART "/pipewire/pipewire.conf.d/90-" OURS ".conf", "context.properties = { " VALUE " }",
           PART "/pipewire/pipewire.conf.d " PART "/pipewire/pipewire.conf /etc/pipewire/pipewire.conf.d"}},
         "takes effect when PipeWire starts again: at the next login, or after systemctl --user restart "
         "pipewire, which interrupts the sound",
         .part = ""},
    [ST_CHANGE_WIREPLUMBER] = {"wireplumber",
                               {{PART "/wireplumber/wireplumber.conf.d/90-" OURS ".conf",
                                 "monitor.alsa.rules = [ { matches = [ { node.name = \"~" VALUE
                                 ".*\" } ] actions = { update-props = { api.alsa.headroom = 512 } } } ]",
                                 PART "/wireplumber/wireplumber.conf.d /etc/wireplumber/wireplumber.conf.d"}},
                               THEN_WIREPLUMBER,
                               .part = ""},
    /* WirePlumber 0.4: behind 50-alsa-config.lua, before 90-enable-all.lua */
    [ST_CHANGE_WIREPLUMBER_LUA] =
        {"wireplumber-lua",
         {{PART "/wireplumber/main.lua.d/51-" OURS ".lua",
           "table.insert(alsa_monitor.rules, { matches = { { { \"node.name\", \"matches\", \"" VALUE
           "*\" } } }, apply_properties = { [\"api.alsa.headroom\"] = 512 } })",
           PART "/wireplumber/main.lua.d /etc/wireplumber/main.lua.d"}},
         THEN_WIREPLUMBER,
         .comment = "--",
         .part = ""},
    /* Debian's grub-mkconfig: sourced in the order of names */
    [ST_CHANGE_BOOT] = {"grub",
                        {{"/etc/default/grub.d/zz-" OURS ".cfg",
                          "GRUB_CMDLINE_LINUX_DEFAULT=\"$GRUB_CMDLINE_LINUX_DEFAULT " VALUE "\"",
                          "/etc/default/grub /etc/default/grub.d"}},
                        THEN_BOOT,
                        .command = "update-grub",
                        .by_name = true},
    /* FreeBSD, loader.conf(5): read behind loader.conf, in the order of the file system */
    [ST_CHANGE_LOADER] = {"loader",
                          {{NULL},
                           {"/boot/loader.conf.d/zz-" OURS ".conf", KEY "=\"" VALUE "\"",
                            "/boot/loader.conf /boot/loader.conf.d /boot/loader.conf.local"}},
                          THEN_BOOT},
    /* FreeBSD, rc.conf(5) and rc.subr: the files of this folder, behind rc.conf */
    [ST_CHANGE_RC_CONF] = {"rc",
                           {{NULL},
                            {"/etc/rc.conf.d/" PART "/zz-" OURS, KEY "=\"" VALUE "\"",
                             "/etc/rc.conf /etc/rc.conf.local /etc/rc.conf.d/" PART
                             " /usr/local/etc/rc.conf.d/" PART}},
                           "takes effect after a reboot, or when its service is restarted",
                           .part = ":"},
};

/* --- what is written --- */

/* Fills the gaps. @return false: it does not fit. */
static bool fill(const char *form, const char *rule, const char *part, const char *key, const char *value,
                 char *buf, size_t buf_bytes)
{
    const char *const gaps[] = {rule, part, key, value};
    size_t used = 0;
    for (; *form != '\0'; form++) {
        const bool gap = *form >= 1 && *form <= 4;
        const char *text = gap ? gaps[*form - 1] : form;
        const size_t len = gap ? strlen(text) : 1;
        if (used + len >= buf_bytes)
            return false;
        memcpy(buf + used, text, len);
        used += len;
    }
    buf[used] = '\0';
    return true;
}

static bool is_line(const char *text)
{
    return text[0] != '\0' && st_safe_is(text);
}

static bool is_sysfs(enum st_change_kind kind)
{
    return kind == ST_CHANGE_SYSFS || kind == ST_CHANGE_SYSFS_NOW;
}

static bool is_key(enum st_change_kind kind, const char *key)
{
    if (is_sysfs(kind))
        return st_text_begins(key, "/sys/") && st_text_is_of(key, "_/.-:*@") && strstr(key, "..") == NULL;
    if (kind == ST_CHANGE_SYSCTL || kind == ST_CHANGE_SYSCTL_NOW || kind == ST_CHANGE_LOADER)
        return st_text_is_of(key, "_.-:%") && key[0] != '.' && strstr(key, "..") == NULL;
    return kind == ST_CHANGE_MODPROBE || kind == ST_CHANGE_RC_CONF ? st_text_is_of(key, "_-:") : is_line(key);
}

/* Is it fit for a path? */
static bool is_part(enum st_change_kind kind, const char *part)
{
    if (st_change_is_users(kind))
        return part[0] == '/' && is_line(part) && strstr(part, "/..") == NULL;
    if (kind == ST_CHANGE_SYSTEMD || kind == ST_CHANGE_LIMITS || kind == ST_CHANGE_RC_CONF)
        return st_text_is_of(part, "_.-@$+") && part[0] != '.';
    return part[0] == '\0';
}

static bool is_value(const char *line, enum st_change_kind kind, const char *value)
{
    if (kind == ST_CHANGE_PIPEWIRE)
        return st_text_is_of(value, "_.-={} ");
    if (st_change_is_users(kind))
        return st_text_begins(value, "alsa_") && st_text_is_of(value, "_.-:");
    /* the shells that read these would look into the quotes */
    return is_line(value) && !(strstr(line, VALUE "\"") != NULL && strpbrk(value, "\"\\$`#") != NULL);
}

static const struct form *form_of(enum st_os os, enum st_change_kind kind)
{
    return kinds[kind].form[os].path != NULL ? &kinds[kind].form[os] : NULL;
}

/* Of a rule of udev: the attribute that is set, or the device. */
static const char *udev_name(const char *value)
{
    const char *attribute = strrchr(value, '{'), *text = value + strcspn(value, "\"");
    return attribute != NULL ? attribute + 1 : text + (*text != '\0');
}

/* What other files would call it. */
static void name_of(const struct st_change *change, const char *key, char *ret, size_t ret_bytes)
{
    const enum st_change_kind kind = change->kind;
    const char *blank = strrchr(key, ' ');
    const char *from = kind == ST_CHANGE_LIMITS && blank != NULL ? blank + 1
                       : kind == ST_CHANGE_SYSFS                 ? strrchr(key, '/') + 1
                       : kind == ST_CHANGE_UDEV                  ? udev_name(change->value)
                       : kind == ST_CHANGE_PIPEWIRE || kind == ST_CHANGE_SYSTEMD || kind == ST_CHANGE_BOOT
                           ? change->value
                       : st_change_is_users(kind) ? "api.alsa.headroom"
                                                  : key;
    snprintf(ret, ret_bytes, "%.*s", (int)strcspn(from, " =\"}"), from);
    if (st_change_is_users(kind) && kind != ST_CHANGE_PIPEWIRE)
        st_text_append(ret, ret_bytes, " %s", change->value);
}

/* The first part of a key and the rest of it, as paths and lines have them. */
static void split_key(const struct st_change *change, char *part, size_t part_bytes, const char **ret_key)
{
    const char *ends = kinds[change->kind].part;
    const size_t len = ends != NULL ? strcspn(change->key, ends) : 0;
    snprintf(part, part_bytes, "%.*s", (int)len, change->key);
    *ret_key = change->key + (change->key[len] == ':' && len > 0 ? len + 1 : 0);
}

int st_change_path(enum st_os os, enum st_change_kind kind, const char *rule, const char *part, char *buf,
                   size_t buf_bytes)
{
    const struct form *form = form_of(os, kind);
    if (form == NULL)
        return -ENOTSUP;
    const bool good = strspn(rule, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(rule) &&
                      rule[0] != '\0' && is_part(kind, part) &&
                      fill(form->path, rule, part, "", "", buf, buf_bytes);
    return good ? 0 : -EINVAL;
}

int st_change_form(enum st_os os, const char *rule, const struct st_change *change,
                   struct st_change_form *ret)
{
    *ret = (struct st_change_form){.running_only = change->kind == ST_CHANGE_SYSCTL_NOW ||
                                                   change->kind == ST_CHANGE_SYSFS_NOW};
    const struct form *form = form_of(os, change->kind);
    const char *key;
    if (ret->running_only)
        return is_key(change->kind, change->key) && is_line(change->value) ? 0 : -EINVAL;
    if (form == NULL)
        return -ENOTSUP;
    if (!is_key(change->kind, change->key) || !is_value(form->line, change->kind, change->value))
        return -EINVAL;
    split_key(change, ret->part, sizeof(ret->part), &key);
    name_of(change, key, ret->name, sizeof(ret->name));
    const int r = st_change_path(os, change->kind, rule, ret->part, ret->path, sizeof(ret->path));
    if (r == 0 && !fill(form->line, rule, ret->part, key, change->value, ret->line, sizeof(ret->line) - 1))
        return -EINVAL;
    strcat(ret->line, "\n");
    return r;
}

const char *st_change_name(enum st_change_kind kind)
{
    return kinds[kind].name;
}

bool st_change_is_block(enum st_os os, enum st_change_kind kind)
{
    return os == ST_OS_FREEBSD && kind == ST_CHANGE_SYSCTL;
}

char *st_change_text(enum st_os os, enum st_change_kind kind, const char *rule, const char *lines)
{
    struct st_text_buffer text = {0};
    if (st_change_is_block(os, kind)) /* the newline ends a last line that has none */
        st_text_buffer_printf(&text,
                              "\n# >>> sleeptune %s: written by 'sleeptune apply', taken back by 'sleeptune "
                              "revert'\n%s# <<< sleeptune %s\n",
                              rule, lines, rule);
    else
        st_text_buffer_printf(&text,
                              "%s %s: written by 'sleeptune apply', removed by 'sleeptune revert'\n%s%s",
                              kinds[kind].comment != NULL ? kinds[kind].comment : "#", rule,
                              kinds[kind].head != NULL ? kinds[kind].head : "", lines);
    return st_text_buffer_take(&text);
}

const char *st_change_then(enum st_change_kind kind)
{
    return kinds[kind].then;
}

const char *st_change_command(enum st_change_kind kind)
{
    return kinds[kind].command;
}

bool st_change_is_users(enum st_change_kind kind)
{
    return kind == ST_CHANGE_PIPEWIRE || kind == ST_CHANGE_WIREPLUMBER || kind == ST_CHANGE_WIREPLUMBER_LUA;
}

bool st_journal_value_allowed(enum st_os os, const struct st_rule *rule, const char *target)
{
    if (strlen(target) >= sizeof(((struct st_entry *)0)->target) || rule == NULL ||
        !st_rule_writes(rule, target))
        return false;
    return target[0] != '/'
               ? is_key(ST_CHANGE_SYSCTL, target)
               : os == ST_OS_LINUX && is_key(ST_CHANGE_SYSFS, target) && strchr(target, '*') == NULL;
}

/* --- others that name the same setting --- */

#define OTHERS_SHOWN 4

struct search {
    struct st_machine *machine;
    const struct st_entry *entry;
    char names[ST_CHANGE_VALUE_BYTES];
    const char *folder;
    bool later; /* read behind our file */
    char *buf;
    size_t buf_bytes, n;
};

/* Programs take a dot for a slash, and an underscore for a hyphen. */
static const char *same(char *text)
{
    return st_text_swap(st_text_swap(text, '/', '.'), '-', '_');
}

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Does the line have one of the names as a word of its own? */
static bool has_any(const char *line, const char *names)
{
    char copy[ST_CHANGE_VALUE_BYTES]; /* no st_text: there are many lines */
    bool found = false;
    ST_PRINT(copy, "%s", names);
    ST_TEXT_EACH (name, copy, " ") {
        for (const char *at = strstr(line, name); at != NULL && !found; at = strstr(at + 1, name))
            found = !(at > line && is_of_name(at[-1])) && !is_of_name(at[strlen(name)]);
    }
    return found;
}

static void look_into(struct search *search, const char *path)
{
    char *text;
    unsigned number = 0;
    if (st_change_file_read(search->machine, path, &text) != 0)
        return;
    bool ours = false; /* in a block of ours */
    for (char *rest = text, *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n")) {
        number++;
        ours =
            st_text_begins(line, "# >>> sleeptune ") || (ours && !st_text_begins(line, "# <<< sleeptune "));
        char *from = line + strspn(line, " \t");
        if (ours || strchr("#;", *from) != NULL || st_text_begins(from, "--") ||
            !has_any(same(from + (*from == '-')), search->names)) /* sysctl.d(5) has "-name = value" */
            continue;
        if (search->n++ < OTHERS_SHOWN)
            st_text_join(search->buf, search->buf_bytes, ", ", "%s:%u%s", path, number,
                         search->later ? " (read later)" : "");
    }
    free(text);
}

static int look_at_name(void *ctx, const char *name)
{
    struct search *search = ctx;
    const char *suffix = strrchr(search->entry->target, '.'); /* who reads ours reads no other */
    const char *slash = strrchr(search->entry->target, '/');
    if (suffix == NULL || strchr(suffix, '/') != NULL)
        suffix = "";
    search->later = kinds[search->entry->kind].by_name && slash != NULL && strcmp(name, slash + 1) > 0;
    if (strstr(name, "sleeptune-") == NULL && name[0] != '.' && st_text_ends(name, suffix))
        look_into(search, st_text("%s/%s", search->folder, name));
    return 0;
}

size_t st_change_others(struct st_machine *machine, const struct st_entry *entry, char *buf, size_t buf_bytes)
{
    const struct form *form = form_of(machine->os, entry->kind);
    struct search search = {.machine = machine, .entry = entry, .buf = buf, .buf_bytes = buf_bytes};
    char place[ST_CHANGE_PATH_BYTES], places[512];
    buf[0] = '\0';
    ST_PRINT(search.names, "%s", entry->names);
    ST_PRINT(places, "%s", form != NULL && entry->file ? form->read : "");
    (void)same(search.names);
    ST_TEXT_EACH (one, places, " ") {
        if (!fill(one, "", entry->part, "", "", place, sizeof(place)))
            continue;
        search.folder = place;
        search.later = false;
        if (machine->list(machine, place, look_at_name, &search) != 0)
            look_into(&search, place);
    }
    if (search.n > OTHERS_SHOWN)
        st_text_append(buf, buf_bytes, " and %zu more", search.n - OTHERS_SHOWN);
    return search.n;
}

/* --- what is there now: running values and files --- */

uint64_t st_change_hash(const char *text, size_t bytes)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    ST_EACH_OF (c, text, bytes)
        hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    return hash;
}

/* "always [madvise] never" is how sysfs shows a choice, "none voluntary (full)" debugfs; only the chosen word
 * can be written back. */
static void keep_choice(char *text)
{
    char *open = strpbrk(text, "[(");
    const size_t len = open != NULL ? strcspn(open + 1, " []()") : 0;
    if (len == 0 || (open > text && open[-1] != ' ') || open[1 + len] != (open[0] == '[' ? ']' : ')'))
        return;
    memmove(text, open + 1, len);
    text[len] = '\0';
}

int st_change_value_read(struct st_machine *machine, const char *target, char *buf, size_t buf_bytes)
{
    char text[ST_CHANGE_TEXT_BYTES];
    size_t len;
    const int r = target[0] == '/' ? machine->read_text(machine, target, text, sizeof(text), &len)
                                   : machine->read_sysctl(machine, target, text, sizeof(text), &len);
    if (r < 0)
        return r == -EFBIG ? -EBADMSG : r;
    if (strlen(text) != len)
        return -EBADMSG;
    st_text_trim(text);
    keep_choice(text);
    if (!st_safe_is(text) || strlen(text) >= buf_bytes)
        return -EBADMSG;
    strcpy(buf, text);
    return 0;
}

bool st_change_value_is(struct st_machine *machine, const char *target, const char *value)
{
    char now[ST_CHANGE_VALUE_BYTES];
    return st_change_value_read(machine, target, now, sizeof(now)) == 0 && st_text_is(now, value);
}

int st_change_file_read(struct st_machine *machine, const char *path, char **ret)
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
        return r == -EXDEV ? -ENOENT : r; /* a link to nothing in the tree, which writing refuses */
    }
    *ret = text;
    return 0;
}

static int ignore_name(ST_UNUSED void *ctx, ST_UNUSED const char *name)
{
    return 1;
}

int st_change_folder_look(struct st_machine *machine, const char *path)
{
    return machine->list(machine, path, ignore_name, NULL);
}

const char *st_change_find(enum st_os os, const struct st_entry *entry, const char *text, size_t *ret_bytes)
{
    const char *begin = text;
    size_t bytes = strlen(text);
    if (st_change_is_block(os, entry->kind)) {
        const char *first = st_text("\n# >>> sleeptune %s:", entry->rule);
        const char *last = st_text("\n# <<< sleeptune %s\n", entry->rule);
        begin = strstr(text, first);
        const char *end = begin != NULL ? strstr(begin, last) : NULL;
        bytes = end != NULL ? (size_t)(end - begin) + strlen(last) : 0;
    }
    *ret_bytes = bytes;
    return bytes > 0 && st_change_hash(begin, bytes) == entry->hash ? begin : NULL;
}

enum st_entry_state st_change_state(struct st_machine *machine, const struct st_entry *entry,
                                    const char **ret_detail)
{
    char *text = NULL, now[ST_CHANGE_VALUE_BYTES];
    size_t bytes = 1;
    *ret_detail = "";
    const int r = entry->file ? st_change_file_read(machine, entry->target, &text)
                              : st_change_value_read(machine, entry->target, now, sizeof(now));
    if (r < 0 && r != -ENOENT)
        *ret_detail = st_text("%s", strerror(-r));
    if (r < 0)
        return r == -ENOENT ? ST_ENTRY_GONE : ST_ENTRY_UNREAD;
    const bool same = entry->file ? st_change_find(machine->os, entry, text, &bytes) != NULL
                                  : st_text_is(now, entry->new_value);
    free(text);
    if (same || (bytes == 0 && st_change_is_block(machine->os, entry->kind)))
        return same ? ST_ENTRY_IN_PLACE : ST_ENTRY_GONE;
    *ret_detail = entry->file ? "someone changed it" : st_text("it is %s now", now);
    return ST_ENTRY_DIFFERS;
}
