/* How each kind of change is written for ever, one row a kind, and what is there now. */
#include "advisor/change/change.h"

#include <unistd.h>

#include "advisor/facts/text.h"
#include "core/text/safe.h"
#include "core/text/text.h"

#define GRUB_APPEND "GRUB_CMDLINE_LINUX_DEFAULT=\"$GRUB_CMDLINE_LINUX_DEFAULT "
#define THEN_BOOT   "takes effect after a reboot"
#define THEN_WIREPLUMBER                                                                                     \
    "takes effect when WirePlumber starts again: at the next login, or after systemctl --user restart "      \
    "wireplumber, which interrupts the sound"

struct row {
    const char *path; /* NULL: no such kind on this OS */
    const char *before;
    const char *between; /* key and value; NULL: the key is not in the line */
    const char *after;
};

struct kind {
    struct row row[2]; /* by enum st_os */
    const char *then;
    bool bare;          /* the file takes no comments */
    const char *behind; /* what follows the key in the path; NULL: the key is not in the path */
};

static const struct kind kinds[ST_CHANGE_KINDS] = {
    [ST_CHANGE_SYSCTL] = {{{"/etc/sysctl.d/90-sleeptune.conf", "", " = ", ""},
                           {"/etc/sysctl.conf", "", "=", ""}},
                          NULL},
    [ST_CHANGE_SYSFS] = {{{"/etc/tmpfiles.d/sleeptune.conf", "w ", " - - - - ", ""}}, NULL},
    [ST_CHANGE_MODPROBE] = {{{"/etc/modprobe.d/sleeptune.conf", "options ", " ", ""}},
                            "takes effect when the module is loaded again, at the latest after a reboot"},
    [ST_CHANGE_UDEV] =
        {{{"/etc/udev/rules.d/90-sleeptune.rules", "", NULL, ""}},
         "takes effect when a device is plugged in again. For a device that stays plugged in: reboot, or "
         "run sudo udevadm trigger --action=add"},
    [ST_CHANGE_LIMITS] = {{{"/etc/security/limits.d/90-sleeptune.conf", "", " ", ""}},
                          "takes effect at that user's next login: log out of every session and in again, "
                          "or restart"},
    [ST_CHANGE_SYSTEMD] = {{{"/etc/systemd/system/", "[Service]\n", NULL, ""}},
                           "takes effect when the unit is restarted",
                           .behind = ".d/90-sleeptune.conf"},
    [ST_CHANGE_PIPEWIRE] = {{{"", "context.properties = { ", NULL, " }"}},
                            "takes effect when PipeWire starts again: at the next login, or after systemctl "
                            "--user restart pipewire, which interrupts the sound",
                            .behind = "/pipewire/pipewire.conf.d/90-sleeptune.conf"},
    [ST_CHANGE_WIREPLUMBER] = {{{"", "monitor.alsa.rules = [ { matches = [ { node.name = \"~", NULL,
                                 ".*\" } ] actions = { update-props = { api.alsa.headroom = 512 } } } ]"}},
                               THEN_WIREPLUMBER,
                               .behind = "/wireplumber/wireplumber.conf.d/90-sleeptune.conf"},
    /* behind 50-alsa-config.lua, before 90-enable-all.lua */
    [ST_CHANGE_WIREPLUMBER_LUA] = {{{"",
                                     "table.insert(alsa_monitor.rules, { matches = { { { \"node.name\", "
                                     "\"matches\", \"",
                                     NULL,
                                     "*\" } } }, apply_properties = { [\"api.alsa.headroom\"] = 512 } })"}},
                                   THEN_WIREPLUMBER,
                                   .bare = true,
                                   .behind = "/wireplumber/main.lua.d/51-sleeptune.lua"},
    [ST_CHANGE_BOOT] = {{{"/etc/default/grub.d/sleeptune.cfg", GRUB_APPEND, NULL, "\""}}, THEN_BOOT},
    [ST_CHANGE_BOOT_GRUB] = {{{"/etc/default/grub", GRUB_APPEND, NULL, "\""}}, THEN_BOOT},
    /* one command line, however many lines; older systemd hands comments to the kernel */
    [ST_CHANGE_BOOT_CMDLINE] = {{{"/etc/kernel/cmdline", "", NULL, ""}}, THEN_BOOT, .bare = true},
    [ST_CHANGE_LOADER] = {{{NULL}, {"/boot/loader.conf.d/sleeptune.conf", "", "=\"", "\""}},
                          "takes effect after a reboot"},
    [ST_CHANGE_RC_CONF] = {{{NULL}, {"/etc/rc.conf", "", "=\"", "\""}},
                           "takes effect after a reboot, or when its service is restarted"},
    [ST_CHANGE_LOGIN_CLASS] = {{{NULL}, {"/etc/login.conf", "", ":", ":tc=default:"}},
                               "takes effect for users of the class audio at their next login"},
};

static bool is_line(const char *text)
{
    return text[0] != '\0' && st_safe_is(text);
}

static bool is_key(enum st_change_kind kind, const char *key)
{
    switch (kind) {
    case ST_CHANGE_SYSCTL:
    case ST_CHANGE_SYSCTL_NOW:
    case ST_CHANGE_LOADER:
        return st_text_is_of(key, "_.-:%") && key[0] != '.' && strstr(key, "..") == NULL;
    case ST_CHANGE_SYSFS:
    case ST_CHANGE_SYSFS_NOW:
        return st_text_begins(key, "/sys/") && st_text_is_of(key, "_/.-:*@") && strstr(key, "..") == NULL;
    case ST_CHANGE_SYSTEMD:
        return st_text_is_of(key, "_.-@") && key[0] != '.';
    case ST_CHANGE_PIPEWIRE:
    case ST_CHANGE_WIREPLUMBER:
    case ST_CHANGE_WIREPLUMBER_LUA:
        return key[0] == '/' && is_line(key) && strstr(key, "/..") == NULL;
    case ST_CHANGE_MODPROBE:
    case ST_CHANGE_RC_CONF:
    case ST_CHANGE_LOGIN_CLASS:
        return st_text_is_of(key, "_-");
    case ST_CHANGE_UDEV:
    case ST_CHANGE_LIMITS:
    case ST_CHANGE_BOOT:
    case ST_CHANGE_BOOT_GRUB:
    case ST_CHANGE_BOOT_CMDLINE:
        return is_line(key);
    case ST_CHANGE_KINDS:
        break;
    }
    return false;
}

static const struct row *row_of(enum st_os os, enum st_change_kind kind)
{
    if ((unsigned)kind >= ST_CHANGE_KINDS)
        return NULL;
    const struct row *row = &kinds[kind].row[os];
    return row->path != NULL ? row : NULL;
}

static bool is_value(const struct row *row, enum st_change_kind kind, const char *value)
{
    /* the shells that read these would look into the quotes; the kernel's own line has no quotes at all */
    const bool quoted = row->after[0] == '"' || kind == ST_CHANGE_BOOT_CMDLINE;
    if (kind == ST_CHANGE_LOGIN_CLASS)
        return st_text_is_of(value, "_=");
    if (kind == ST_CHANGE_PIPEWIRE)
        return st_text_is_of(value, "_.-={} ");
    if (kind == ST_CHANGE_WIREPLUMBER || kind == ST_CHANGE_WIREPLUMBER_LUA)
        return st_text_begins(value, "alsa_") && st_text_is_of(value, "_.-:");
    return is_line(value) && !(quoted && strpbrk(value, "\"\\$`#") != NULL);
}

/* The row of a well-formed change; NULL with *ret_error otherwise. */
static bool is_running_only(enum st_change_kind kind)
{
    return kind == ST_CHANGE_SYSCTL_NOW || kind == ST_CHANGE_SYSFS_NOW;
}

int st_change_form(enum st_os os, const struct st_change *change, struct st_change_form *ret)
{
    struct st_change_form form = {.running_only = is_running_only(change->kind)};
    const struct row *row = row_of(os, change->kind);
    if (row == NULL && !form.running_only)
        return -ENOTSUP;
    if (!is_key(change->kind, change->key) ||
        !(form.running_only ? is_line(change->value) : is_value(row, change->kind, change->value)))
        return -EINVAL;
    if (row != NULL) {
        const char *behind = kinds[change->kind].behind;
        const bool key = row->between != NULL;
        const int path_bytes = ST_PRINT(form.path, "%s%s%s", row->path, behind != NULL ? change->key : "",
                                        behind != NULL ? behind : "");
        const int line_bytes = ST_PRINT(form.line, "%s%s%s%s%s\n", row->before, key ? change->key : "",
                                        key ? row->between : "", change->value, row->after);
        if (path_bytes < 0 || (size_t)path_bytes >= sizeof(form.path) || line_bytes < 0 ||
            (size_t)line_bytes >= sizeof(form.line))
            return -EINVAL;
        form.takes_comments = !kinds[change->kind].bare;
        form.section_bytes = change->kind == ST_CHANGE_SYSTEMD ? strlen(row->before) : 0;
    }
    *ret = form;
    return 0;
}

const char *st_change_then(enum st_change_kind kind)
{
    return (unsigned)kind < ST_CHANGE_KINDS ? kinds[kind].then : NULL;
}

/* The key in the path of a drop-in of ours: a unit, the folder of a user's settings. */
static bool key_in_path(const struct row *row, enum st_change_kind kind, const char *path, char *ret,
                        size_t ret_bytes)
{
    const char *behind = kinds[kind].behind;
    if (behind == NULL || !st_text_begins(path, row->path) || !st_text_ends(path, behind))
        return false;
    const size_t before = strlen(row->path), after = strlen(behind), len = strlen(path);
    return len > before + after && st_text_copy(ret, ret_bytes, path + before, len - before - after) &&
           is_key(kind, ret);
}

int st_change_kind_of(enum st_os os, const char *path, enum st_change_kind *ret)
{
    for (enum st_change_kind kind = 0; kind < ST_CHANGE_KINDS; kind++) {
        const struct row *row = row_of(os, kind);
        if (row != NULL &&
            (kinds[kind].behind == NULL ? st_text_is(row->path, path)
                                        : key_in_path(row, kind, path, ST_ROOM(ST_CHANGE_KEY_BYTES)))) {
            *ret = kind;
            return 0;
        }
    }
    return -ENOENT;
}

int st_change_parse(enum st_os os, const char *path, const char *line, struct st_change *ret)
{
    struct st_change change = {0};
    int r = st_change_kind_of(os, path, &change.kind);
    const struct row *row = r == 0 ? row_of(os, change.kind) : NULL;
    if (row == NULL)
        return -ENOENT;
    if (line[0] == '#' || (change.kind == ST_CHANGE_SYSTEMD && line[0] == '['))
        return -EINVAL;
    /* the section of a unit's drop-in is a line of its own */
    const char *before = change.kind == ST_CHANGE_SYSTEMD ? "" : row->before;
    const size_t len = strcspn(line, "\n"), before_len = strlen(before), after_len = strlen(row->after);
    if (len < before_len + after_len || strncmp(line, before, before_len) != 0 ||
        strncmp(line + len - after_len, row->after, after_len) != 0)
        return -EINVAL;
    const char *value = line + before_len, *end = line + len - after_len;
    if (row->between != NULL) {
        /* limits: the value is the last word */
        const char *at = change.kind == ST_CHANGE_LIMITS ? memrchr(value, ' ', (size_t)(end - value))
                                                         : strstr(value, row->between);
        if (at == NULL || at >= end ||
            !st_text_copy(change.key, sizeof(change.key), value, (size_t)(at - value)))
            return -EINVAL;
        value = at + strlen(row->between);
    } else if (!key_in_path(row, change.kind, path, change.key, sizeof(change.key))) {
        strcpy(change.key, change.kind == ST_CHANGE_UDEV ? "rule" : "boot");
    }
    if (value > end || !st_text_copy(change.value, sizeof(change.value), value, (size_t)(end - value)))
        return -EINVAL;
    struct st_change_form form;
    r = st_change_form(os, &change, &form);
    if (r == 0)
        *ret = change;
    return r;
}

bool st_change_is_users(enum st_change_kind kind)
{
    return kind == ST_CHANGE_PIPEWIRE || kind == ST_CHANGE_WIREPLUMBER || kind == ST_CHANGE_WIREPLUMBER_LUA;
}

bool st_journal_target_allowed(enum st_os os, enum st_entry_type type, const struct st_rule *rule,
                               const char *target)
{
    enum st_change_kind kind;
    if (type == ST_ENTRY_FILE)
        return st_change_kind_of(os, target, &kind) == 0 && (!st_change_is_users(kind) || geteuid() != 0);
    if (strlen(target) >= 512 || rule == NULL || !st_rule_writes(rule, target))
        return false;
    if (type == ST_ENTRY_SYSFS)
        return os == ST_OS_LINUX && is_key(ST_CHANGE_SYSFS, target) && strchr(target, '*') == NULL;
    return is_key(ST_CHANGE_SYSCTL, target);
}

/* --- what is there now: running values and blocks in files --- */

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

static void single_spaces(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; from++) {
        const bool blank = *from == ' ' || *from == '\t';
        if (!blank)
            *to++ = *from;
        else if (to > text && to[-1] != ' ')
            *to++ = ' ';
    }
    *to = '\0';
}

int st_change_value_read(struct st_machine *machine, enum st_entry_type type, const char *target, char *buf,
                         size_t buf_bytes)
{
    char text[ST_CHANGE_TEXT_BYTES];
    size_t len;
    const int r = type == ST_ENTRY_SYSCTL ? machine->read_sysctl(machine, target, text, sizeof(text), &len)
                                          : machine->read_text(machine, target, text, sizeof(text), &len);
    if (r < 0)
        return r == -EFBIG ? -EBADMSG : r;
    if (strlen(text) != len)
        return -EBADMSG;
    st_text_trim(text);
    single_spaces(text);
    keep_choice(text);
    if (!st_safe_is(text) || strlen(text) >= buf_bytes)
        return -EBADMSG;
    strcpy(buf, text);
    return 0;
}

bool st_change_value_is(struct st_machine *machine, const char *target, const char *value)
{
    char now[ST_CHANGE_VALUE_BYTES];
    const enum st_entry_type type = target[0] == '/' ? ST_ENTRY_SYSFS : ST_ENTRY_SYSCTL;
    return st_change_value_read(machine, type, target, now, sizeof(now)) == 0 && st_text_is(now, value);
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

const char *st_change_block_find(const char *text, const char *block)
{
    const char *last = NULL;
    for (const char *at = strstr(text, block); at != NULL; at = strstr(at + 1, block)) {
        if (at == text || at[-1] == '\n' || block[0] == '\n')
            last = at;
    }
    return last;
}

enum st_entry_state st_change_state(struct st_machine *machine, const struct st_entry *entry, char *buf,
                                    size_t buf_bytes, int *ret_error)
{
    const bool file = entry->type == ST_ENTRY_FILE;
    char *text = NULL;
    buf[0] = '\0';
    const int r = file ? st_change_file_read(machine, entry->target, &text)
                       : st_change_value_read(machine, entry->type, entry->target, buf, buf_bytes);
    if (r == -ENOENT)
        return ST_ENTRY_GONE;
    if (r < 0) {
        *ret_error = r;
        return ST_ENTRY_UNREAD;
    }
    const bool same =
        file ? st_change_block_find(text, entry->new_value) != NULL : st_text_is(buf, entry->new_value);
    free(text);
    return same ? ST_ENTRY_IN_PLACE : ST_ENTRY_DIFFERS;
}
