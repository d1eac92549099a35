/* How each kind of change is written for ever: one row a kind. */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/change/change.h"

#include "core/safe_text.h"

#define SYSTEMD_DIR  "/etc/systemd/system/"
#define SYSTEMD_FILE ".d/90-sleeptune.conf"

#define GRUB_APPEND "GRUB_CMDLINE_LINUX_DEFAULT=\"$GRUB_CMDLINE_LINUX_DEFAULT "
#define THEN_BOOT   "counts after a reboot"

struct form {
    const char *path; /* NULL: no such kind on this OS */
    const char *before;
    const char *between; /* key and value; NULL: the key is not in the line */
    const char *after;
};

struct kind {
    struct form form[2]; /* by enum st_os */
    const char *then;
    bool bare; /* the file takes no comments */
};

static const struct kind kinds[ST_CHANGE_KINDS] = {
    [ST_CHANGE_SYSCTL] = {{{"/etc/sysctl.d/90-sleeptune.conf", "", " = ", ""},
                           {"/etc/sysctl.conf", "", "=", ""}},
                          NULL},
    [ST_CHANGE_SYSFS] = {{{"/etc/tmpfiles.d/sleeptune.conf", "w ", " - - - - ", ""}}, NULL},
    [ST_CHANGE_MODPROBE] = {{{"/etc/modprobe.d/sleeptune.conf", "options ", " ", ""}},
                            "counts when the module is loaded again, at the latest after a reboot"},
    [ST_CHANGE_UDEV] = {{{"/etc/udev/rules.d/90-sleeptune.rules", "", NULL, ""}},
                        "counts for what is plugged in after that, and for the rest after a reboot or "
                        "sudo udevadm trigger --action=add"},
    [ST_CHANGE_LIMITS] =
        {{{"/etc/security/limits.d/90-sleeptune.conf", "", " ", ""}},
         "counts for members of the group after the next login: sudo usermod -aG audio $USER"},
    [ST_CHANGE_SYSTEMD] = {{{SYSTEMD_DIR, "[Service]\n", NULL, ""}},
                           "counts when the unit is restarted after that"},
    [ST_CHANGE_BOOT] = {{{"/etc/default/grub.d/sleeptune.cfg", GRUB_APPEND, NULL, "\""}}, THEN_BOOT},
    [ST_CHANGE_BOOT_GRUB] = {{{"/etc/default/grub", GRUB_APPEND, NULL, "\""}}, THEN_BOOT},
    /* one command line, however many lines; older systemd hands comments to the kernel */
    [ST_CHANGE_BOOT_CMDLINE] = {{{"/etc/kernel/cmdline", "", NULL, ""}}, THEN_BOOT, .bare = true},
    [ST_CHANGE_LOADER] = {{{NULL}, {"/boot/loader.conf.d/sleeptune.conf", "", "=\"", "\""}},
                          "counts after a reboot"},
    [ST_CHANGE_RC_CONF] = {{{NULL}, {"/etc/rc.conf", "", "=\"", "\""}},
                           "counts after a reboot, or when its service is restarted"},
    [ST_CHANGE_LOGIN_CLASS] = {{{NULL}, {"/etc/login.conf", "", ":", ":tc=default:"}},
                               "counts for users of the class after the next login: "
                               "sudo pw usermod $USER -L audio"},
};

#define NAME_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

static bool is_of(const char *text, const char *chars)
{
    return text[0] != '\0' && strspn(text, chars) == strlen(text);
}

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
        return is_of(key, NAME_CHARS ".-:%") && key[0] != '.' && strstr(key, "..") == NULL;
    case ST_CHANGE_SYSFS:
    case ST_CHANGE_SYSFS_NOW:
        return strncmp(key, "/sys/", 5) == 0 && is_of(key, NAME_CHARS "/.-:*@") && strstr(key, "..") == NULL;
    case ST_CHANGE_SYSTEMD:
        return is_of(key, NAME_CHARS ".-@") && key[0] != '.';
    case ST_CHANGE_MODPROBE:
    case ST_CHANGE_RC_CONF:
    case ST_CHANGE_LOGIN_CLASS:
        return is_of(key, NAME_CHARS "-");
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

bool st_change_is_running_only(enum st_change_kind kind)
{
    return kind == ST_CHANGE_SYSCTL_NOW || kind == ST_CHANGE_SYSFS_NOW;
}

static const struct form *form_of(enum st_os os, enum st_change_kind kind)
{
    if ((unsigned)kind >= ST_CHANGE_KINDS)
        return NULL;
    const struct form *form = &kinds[kind].form[os];
    return form->path != NULL ? form : NULL;
}

static bool is_value(const struct form *form, enum st_change_kind kind, const char *value)
{
    /* the shells that read these would look into the quotes; the kernel's own line has no quotes at all */
    const bool quoted = form->after[0] == '"' || kind == ST_CHANGE_BOOT_CMDLINE;
    if (kind == ST_CHANGE_LOGIN_CLASS)
        return is_of(value, NAME_CHARS "=");
    return is_line(value) && !(quoted && strpbrk(value, "\"\\$`#") != NULL);
}

/* The form of a well-formed change; NULL with *ret_error otherwise. */
static const struct form *checked(enum st_os os, const struct st_change *change, int *ret_error)
{
    const struct form *form = form_of(os, change->kind);
    *ret_error = form == NULL ? -ENOTSUP : -EINVAL;
    if (form == NULL || !is_key(change->kind, change->key) || !is_value(form, change->kind, change->value))
        return NULL;
    *ret_error = 0;
    return form;
}

int st_change_check(enum st_os os, const struct st_change *change)
{
    int r;
    if (st_change_is_running_only(change->kind))
        return is_key(change->kind, change->key) && is_line(change->value) ? 0 : -EINVAL;
    (void)checked(os, change, &r);
    return r;
}

int st_change_path(enum st_os os, const struct st_change *change, char *buf, size_t buf_bytes)
{
    int r;
    const struct form *form = checked(os, change, &r);
    if (form == NULL)
        return r;
    const bool unit = change->kind == ST_CHANGE_SYSTEMD;
    const int n =
        snprintf(buf, buf_bytes, "%s%s%s", form->path, unit ? change->key : "", unit ? SYSTEMD_FILE : "");
    return n < 0 || (size_t)n >= buf_bytes ? -EINVAL : 0;
}

int st_change_line(enum st_os os, const struct st_change *change, char *buf, size_t buf_bytes)
{
    int r;
    const struct form *form = checked(os, change, &r);
    if (form == NULL)
        return r;
    const bool key = form->between != NULL;
    const int n = snprintf(buf, buf_bytes, "%s%s%s%s%s\n", form->before, key ? change->key : "",
                           key ? form->between : "", change->value, form->after);
    return n < 0 || (size_t)n >= buf_bytes ? -EINVAL : 0;
}

const char *st_change_then(enum st_change_kind kind)
{
    return (unsigned)kind < ST_CHANGE_KINDS ? kinds[kind].then : NULL;
}

bool st_change_takes_comments(enum st_change_kind kind)
{
    return (unsigned)kind < ST_CHANGE_KINDS && !kinds[kind].bare;
}

/* The unit of a drop-in of ours. */
static bool unit_of(const char *path, char *ret, size_t ret_bytes)
{
    const size_t dir = strlen(SYSTEMD_DIR), file = strlen(SYSTEMD_FILE), len = strlen(path);
    if (len <= dir + file || len - dir - file >= ret_bytes || strncmp(path, SYSTEMD_DIR, dir) != 0 ||
        strcmp(path + len - file, SYSTEMD_FILE) != 0)
        return false;
    memcpy(ret, path + dir, len - dir - file);
    ret[len - dir - file] = '\0';
    return is_key(ST_CHANGE_SYSTEMD, ret);
}

int st_change_kind_of(enum st_os os, const char *path, enum st_change_kind *ret)
{
    char unit[ST_CHANGE_KEY_BYTES];
    for (unsigned kind = 0; kind < ST_CHANGE_KINDS; kind++) {
        const struct form *form = form_of(os, (enum st_change_kind)kind);
        if (form != NULL &&
            (kind == ST_CHANGE_SYSTEMD ? unit_of(path, unit, sizeof(unit)) : strcmp(form->path, path) == 0)) {
            *ret = (enum st_change_kind)kind;
            return 0;
        }
    }
    return -ENOENT;
}

static bool cut(const char *text, size_t len, char *ret, size_t ret_bytes)
{
    if (len >= ret_bytes)
        return false;
    memcpy(ret, text, len);
    ret[len] = '\0';
    return true;
}

int st_change_parse(enum st_os os, const char *path, const char *line, struct st_change *ret)
{
    struct st_change change = {0};
    int r = st_change_kind_of(os, path, &change.kind);
    const struct form *form = r == 0 ? form_of(os, change.kind) : NULL;
    if (form == NULL)
        return -ENOENT;
    if (line[0] == '#' || (change.kind == ST_CHANGE_SYSTEMD && line[0] == '['))
        return -EINVAL;
    /* the section of a unit's drop-in is a line of its own */
    const char *before = change.kind == ST_CHANGE_SYSTEMD ? "" : form->before;
    const size_t len = strcspn(line, "\n"), before_len = strlen(before), after_len = strlen(form->after);
    if (len < before_len + after_len || strncmp(line, before, before_len) != 0 ||
        strncmp(line + len - after_len, form->after, after_len) != 0)
        return -EINVAL;
    const char *value = line + before_len, *end = line + len - after_len;
    if (form->between != NULL) {
        /* limits: the value is the last word */
        const char *at = change.kind == ST_CHANGE_LIMITS ? memrchr(value, ' ', (size_t)(end - value))
                                                         : strstr(value, form->between);
        if (at == NULL || at >= end || !cut(value, (size_t)(at - value), change.key, sizeof(change.key)))
            return -EINVAL;
        value = at + strlen(form->between);
    } else if (change.kind != ST_CHANGE_SYSTEMD || !unit_of(path, change.key, sizeof(change.key))) {
        strcpy(change.key, change.kind == ST_CHANGE_UDEV ? "rule" : "boot");
    }
    if (value > end || !cut(value, (size_t)(end - value), change.value, sizeof(change.value)))
        return -EINVAL;
    r = st_change_check(os, &change);
    if (r == 0)
        *ret = change;
    return r;
}

bool st_journal_target_allowed(enum st_os os, enum st_entry_type type, const struct st_rule *rule,
                               const char *target)
{
    enum st_change_kind kind;
    if (type == ST_ENTRY_FILE)
        return st_change_kind_of(os, target, &kind) == 0;
    if (strlen(target) >= 512 || rule == NULL || !st_rule_writes(rule, target))
        return false;
    if (type == ST_ENTRY_SYSFS)
        return os == ST_OS_LINUX && is_key(ST_CHANGE_SYSFS, target) && strchr(target, '*') == NULL;
    return is_key(ST_CHANGE_SYSCTL, target);
}
