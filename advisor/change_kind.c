/* How each kind of change is written for ever: one row a kind. */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/change.h"

#define SYSTEMD_DIR  "/etc/systemd/system/"
#define SYSTEMD_FILE ".d/90-sleeptune.conf"

struct form {
    const char *path; /* NULL: no such kind on this OS */
    const char *before;
    const char *between; /* key and value; NULL: the key is not in the line */
    const char *after;
};

struct kind {
    struct form form[2]; /* by enum st_os */
    const char *then;
};

static const struct kind kinds[ST_CHANGE_KINDS] = {
    [ST_CHANGE_SYSCTL] = {{{"/etc/sysctl.d/90-sleeptune.conf", "", " = ", ""},
                           {"/etc/sysctl.conf", "", "=", ""}},
                          NULL},
    [ST_CHANGE_SYSFS] = {{{"/etc/tmpfiles.d/sleeptune.conf", "w ", " - - - - ", ""}}, NULL},
    [ST_CHANGE_MODPROBE] = {{{"/etc/modprobe.d/sleeptune.conf", "options ", " ", ""}},
                            "counts when the module is loaded again, at the latest after a reboot"},
    [ST_CHANGE_UDEV] = {{{"/etc/udev/rules.d/90-sleeptune.rules", "", NULL, ""}},
                        "to make it count now: sudo udevadm control --reload && sudo udevadm trigger"},
    [ST_CHANGE_LIMITS] =
        {{{"/etc/security/limits.d/90-sleeptune.conf", "", " ", ""}},
         "counts for members of the group after the next login: sudo usermod -aG audio $USER"},
    [ST_CHANGE_SYSTEMD] = {{{SYSTEMD_DIR, "[Service]\n", NULL, ""}},
                           "to make it count: sudo systemctl daemon-reload, then restart the unit"},
    [ST_CHANGE_GRUB] = {{{"/etc/default/grub.d/sleeptune.cfg",
                          "GRUB_CMDLINE_LINUX_DEFAULT=\"$GRUB_CMDLINE_LINUX_DEFAULT ", NULL, "\""}},
                        "to make it count: sudo update-grub, then reboot"},
    [ST_CHANGE_LOADER] = {{{NULL}, {"/boot/loader.conf.d/sleeptune.conf", "", "=\"", "\""}},
                          "counts after a reboot"},
    [ST_CHANGE_RC_CONF] = {{{NULL}, {"/etc/rc.conf", "", "=\"", "\""}}, "counts after a reboot"},
};

#define NAME_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

static bool is_of(const char *text, const char *chars)
{
    return text[0] != '\0' && strspn(text, chars) == strlen(text);
}

static bool is_line(const char *text)
{
    if (text[0] == '\0')
        return false;
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            return false;
    }
    return true;
}

static bool is_key(enum st_change_kind kind, const char *key)
{
    switch (kind) {
    case ST_CHANGE_SYSCTL:
    case ST_CHANGE_LOADER:
        return is_of(key, NAME_CHARS ".-:%") && key[0] != '.' && strstr(key, "..") == NULL;
    case ST_CHANGE_SYSFS:
        return strncmp(key, "/sys/", 5) == 0 && is_of(key, NAME_CHARS "/.-:*@") && strstr(key, "..") == NULL;
    case ST_CHANGE_SYSTEMD:
        return is_of(key, NAME_CHARS ".-@") && key[0] != '.';
    case ST_CHANGE_MODPROBE:
    case ST_CHANGE_RC_CONF:
        return is_of(key, NAME_CHARS "-");
    case ST_CHANGE_UDEV:
    case ST_CHANGE_LIMITS:
    case ST_CHANGE_GRUB:
        return is_line(key);
    case ST_CHANGE_KINDS:
        break;
    }
    return false;
}

static const struct form *form_of(enum st_os os, enum st_change_kind kind)
{
    if ((unsigned)kind >= ST_CHANGE_KINDS)
        return NULL;
    const struct form *form = &kinds[kind].form[os];
    return form->path != NULL ? form : NULL;
}

/* The form of a well-formed change; NULL with *ret_error otherwise. */
static const struct form *checked(enum st_os os, const struct st_change *change, int *ret_error)
{
    const struct form *form = form_of(os, change->kind);
    *ret_error = form == NULL ? -ENOTSUP : -EINVAL;
    if (form == NULL || !is_key(change->kind, change->key) || !is_line(change->value))
        return NULL;
    /* the shells that read these would look into the quotes */
    if (form->after[0] == '"' && strpbrk(change->value, "\"\\$`") != NULL)
        return NULL;
    *ret_error = 0;
    return form;
}

int st_change_check(enum st_os os, const struct st_change *change)
{
    int r;
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

static bool is_unit_file(const char *path)
{
    struct st_change change = {.kind = ST_CHANGE_SYSTEMD, .value = "x"};
    const size_t dir = strlen(SYSTEMD_DIR), file = strlen(SYSTEMD_FILE), len = strlen(path);
    if (len <= dir + file || len - dir - file >= sizeof(change.key) || strncmp(path, SYSTEMD_DIR, dir) != 0 ||
        strcmp(path + len - file, SYSTEMD_FILE) != 0)
        return false;
    memcpy(change.key, path + dir, len - dir - file);
    return st_change_check(ST_OS_LINUX, &change) == 0;
}

static bool is_our_file(enum st_os os, const char *path)
{
    for (unsigned kind = 0; kind < ST_CHANGE_KINDS; kind++) {
        const struct form *form = form_of(os, (enum st_change_kind)kind);
        if (form != NULL && kind != ST_CHANGE_SYSTEMD && strcmp(form->path, path) == 0)
            return true;
    }
    return os == ST_OS_LINUX && is_unit_file(path);
}

bool st_journal_target_allowed(enum st_os os, enum st_entry_type type, const char *target)
{
    if (type == ST_ENTRY_FILE)
        return is_our_file(os, target);
    if (strlen(target) >= 512)
        return false;
    if (type == ST_ENTRY_SYSFS)
        return os == ST_OS_LINUX && is_key(ST_CHANGE_SYSFS, target) && strchr(target, '*') == NULL;
    return is_key(ST_CHANGE_SYSCTL, target);
}
