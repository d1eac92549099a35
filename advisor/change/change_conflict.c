/* Somebody else's line that says otherwise and wins over ours: in the files that are read later, and behind
 * our line in its own file. (Where the first of several counts: earlier, and before it.) */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/change/change_line.h"
#include "advisor/facts/facts.h"
#include "advisor/facts/text.h"

#define DIRS_MAX  5
#define AFTER_MAX 3

/* In which files lines of a kind stand. */
struct order {
    enum st_change_kind kind;
    enum st_os os;
    st_line_fn line;
    bool first_wins;
    const char *suffix;
    /* A file in one of them hides those of its name in the ones below; all of them are read in the order of
     * names.
     * "%s": the unit. */
    const char *dirs[DIRS_MAX];
    const char *after[AFTER_MAX]; /* read after all of them. "%s": the script in rc.d */
};

#define EVERYWHERE(folder)                                                                                   \
    {                                                                                                        \
        "/etc/" folder, "/run/" folder, "/usr/local/lib/" folder, "/usr/lib/" folder, "/lib/" folder         \
    }

/* Sources: sysctl.d(5), tmpfiles.d(5), modprobe.d(5), udev(7), systemd.unit(5), pam_limits(8),
 * loader.conf(5), rc.conf(5), sysctl.conf(5), login.conf(5), Debian's grub-mkconfig. */
static const struct order orders[] = {
    {ST_CHANGE_SYSCTL, ST_OS_LINUX, st_line_sysctl, .suffix = ".conf", .dirs = EVERYWHERE("sysctl.d"),
     .after = {"/etc/sysctl.conf"}}, /* by sysctl --system; not by systemd-sysctl */
    {ST_CHANGE_SYSFS, ST_OS_LINUX, st_line_tmpfiles, .first_wins = true, .suffix = ".conf",
     .dirs = EVERYWHERE("tmpfiles.d")},
    {ST_CHANGE_MODPROBE, ST_OS_LINUX, st_line_modprobe, .suffix = ".conf", .dirs = EVERYWHERE("modprobe.d")},
    {ST_CHANGE_UDEV, ST_OS_LINUX, st_line_udev, .suffix = ".rules", .dirs = EVERYWHERE("udev/rules.d")},
    {ST_CHANGE_LIMITS, ST_OS_LINUX, st_line_limits, .suffix = ".conf", .dirs = {"/etc/security/limits.d"}},
    {ST_CHANGE_SYSTEMD, ST_OS_LINUX, st_line_systemd, .suffix = ".conf",
     .dirs = EVERYWHERE("systemd/system/%s.d")},
    {ST_CHANGE_BOOT, ST_OS_LINUX, st_line_grub, .suffix = ".cfg", .dirs = {"/etc/default/grub.d"}},
    {ST_CHANGE_BOOT_GRUB, ST_OS_LINUX, st_line_grub},
    {ST_CHANGE_BOOT_CMDLINE, ST_OS_LINUX, st_line_cmdline},
    {ST_CHANGE_SYSCTL, ST_OS_FREEBSD, st_line_assigned, .after = {"/etc/sysctl.conf.local"}},
    {ST_CHANGE_LOADER, ST_OS_FREEBSD, st_line_assigned, .suffix = ".conf", .dirs = {"/boot/loader.conf.d"},
     .after = {"/boot/loader.conf.local"}},
    {ST_CHANGE_RC_CONF, ST_OS_FREEBSD, st_line_assigned,
     .after = {"/etc/rc.conf.local", "/etc/rc.conf.d/%s", "/usr/local/etc/rc.conf.d/%s"}},
    {ST_CHANGE_LOGIN_CLASS, ST_OS_FREEBSD, st_line_login, .first_wins = true},
};

struct search {
    struct st_platform *p;
    const struct st_change *change;
    const struct order *order;
    const struct st_pair *pair;
    const char *own; /* our file */
    const char *own_name;
    size_t dir; /* index into order->dirs */
    /* the line that wins so far */
    char path[512];
    unsigned line_n;
    char value[64];
    bool differs;
    bool found;
};

static void note(struct search *search, const char *path, unsigned line_n, const char *value)
{
    /* of several in one file the later one counts, or the first */
    if (search->found && search->order->first_wins && strcmp(search->path, path) == 0)
        return;
    snprintf(search->path, sizeof(search->path), "%s", path);
    snprintf(search->value, sizeof(search->value), "%.60s", value);
    search->line_n = line_n;
    search->differs = strcmp(value, search->pair->value) != 0;
    search->found = true;
}

static bool is_comment(const char *line)
{
    line += strspn(line, " \t");
    return line[0] == '#' || line[0] == ';' || line[0] == '\0';
}

/* Lines first_n to last_n. */
static void look_into(struct search *search, const char *path, char *text, unsigned first_n, unsigned last_n)
{
    unsigned line_n = 0;
    for (char *rest = text, *line; (line = strsep(&rest, "\n")) != NULL;) {
        line_n++;
        if (line_n < first_n || line_n > last_n || is_comment(line))
            continue;
        const char *value = search->order->line(search->change, search->pair->name, line);
        if (value != NULL)
            note(search, path, line_n, value);
    }
}

static void look_into_file(struct search *search, const char *path)
{
    char *text;
    if (st_change_file_read(search->p, path, &text) != 0)
        return; /* what cannot be read is no reason not to apply: verify tells after the boot */
    look_into(search, path, text, 1, UINT32_MAX);
    free(text);
}

static unsigned line_of(const char *text, const char *at)
{
    unsigned n = 1;
    for (; text < at; text++)
        n += *text == '\n';
    return n;
}

/* Behind our line, or before it where the first one counts. Not yet there, it will be the last one. */
static void look_into_own(struct search *search)
{
    char line[512], *text;
    if (st_change_line(search->p->os, search->change, line, sizeof(line)) != 0 ||
        st_change_file_read(search->p, search->own, &text) != 0)
        return;
    /* the section of a unit stands once, above the first line */
    const char *ours = search->change->kind == ST_CHANGE_SYSTEMD ? strchr(line, '\n') + 1 : line;
    const char *at = st_change_block_find(text, ours);
    const unsigned line_n = at != NULL ? line_of(text, at) : UINT32_MAX;
    if (search->order->first_wins)
        look_into(search, search->own, text, 1, line_n - 1);
    else if (at != NULL)
        look_into(search, search->own, text, line_n + 1, UINT32_MAX);
    free(text);
}

static bool in_dir(const struct search *search, size_t dir, const char *name, char *buf, size_t buf_bytes)
{
    char folder[256];
    const char *format = search->order->dirs[dir];
    if (strstr(format, "%s") == NULL)
        snprintf(folder, sizeof(folder), "%s", format);
    else
        snprintf(folder, sizeof(folder), "%.*s%s%s", (int)(strstr(format, "%s") - format), format,
                 search->change->key, strstr(format, "%s") + 2);
    const int n =
        snprintf(buf, buf_bytes, "%s%s%s", folder, name != NULL ? "/" : "", name != NULL ? name : "");
    return n > 0 && (size_t)n < buf_bytes;
}

static bool is_hidden(const struct search *search, const char *name)
{
    char path[512], buf[1];
    size_t len;
    for (size_t i = 0; i < search->dir; i++) {
        if (in_dir(search, i, name, path, sizeof(path)) &&
            search->p->read_text(search->p, path, buf, sizeof(buf), &len) != -ENOENT)
            return true;
    }
    return false;
}

/* Does it come behind the one that wins so far, or ahead of it where the first one counts? */
static bool wins(const struct search *search, const char *name)
{
    const char *best = search->found ? strrchr(search->path, '/') + 1 : search->own_name;
    const int order = strcmp(name, best);
    return search->order->first_wins ? order < 0 : order > 0;
}

static int look_at_name(void *ctx, const char *name)
{
    struct search *search = ctx;
    char path[512];
    const size_t len = strlen(name), suffix_len = strlen(search->order->suffix);
    if (len <= suffix_len || len > 255 || strcmp(name + len - suffix_len, search->order->suffix) != 0 ||
        !wins(search, name) || is_hidden(search, name))
        return 0;
    if (in_dir(search, search->dir, name, path, sizeof(path)))
        look_into_file(search, path);
    return 0;
}

static int ignore_name(void *ctx, const char *name)
{
    (void)ctx;
    (void)name;
    return 1;
}

/* Not every system reads the files that are said to come last. */
static bool is_read_last(struct search *search)
{
    char release[32];
    size_t len;
    struct st_platform *p = search->p;
    if (search->change->kind == ST_CHANGE_SYSCTL &&
        p->os == ST_OS_LINUX) /* systemd's own sign, sd_booted(3) */
        return p->list(p, "/run/systemd/system", ignore_name, NULL) != 0;
    return search->change->kind != ST_CHANGE_LOADER ||
           p->read_sysctl(p, "kern.osreldate", release, sizeof(release), &len) != 0 ||
           strtol(release, NULL, 10) >= ST_FREEBSD_LOADER_LOCAL_LAST;
}

/* Which script of rc.d reads the variable: its name begins with that, but for those of power_profile. */
static void look_after(struct search *search, const char *format)
{
    char path[512];
    const char *key = search->change->key, *at = strstr(format, "%s");
    const bool profile = strncmp(key, "performance_", 12) == 0 || strncmp(key, "economy_", 8) == 0;
    if (!is_read_last(search))
        return;
    if (at == NULL)
        snprintf(path, sizeof(path), "%s", format);
    else
        snprintf(path, sizeof(path), "%.*s%.*s", (int)(at - format), format,
                 profile ? (int)strlen("power_profile") : (int)strcspn(key, "_"),
                 profile ? "power_profile" : key);
    look_into_file(search, path);
}

static bool find(struct search *search)
{
    char folder[512];
    look_into_own(search);
    for (search->dir = 0; search->dir < DIRS_MAX && search->order->dirs[search->dir] != NULL; search->dir++) {
        if (in_dir(search, search->dir, NULL, folder, sizeof(folder)))
            (void)search->p->list(search->p, folder, look_at_name, search);
    }
    for (size_t i = 0; i < AFTER_MAX && search->order->after[i] != NULL; i++)
        look_after(search, search->order->after[i]);
    return search->found && search->differs;
}

static const struct order *order_of(enum st_os os, enum st_change_kind kind)
{
    for (size_t i = 0; i < ST_ARRAY_LEN(orders); i++) {
        if (orders[i].os == os && orders[i].kind == kind)
            return &orders[i];
    }
    return NULL;
}

bool st_change_conflict(struct st_platform *p, const struct st_change *change, char *buf, size_t buf_bytes)
{
    char own[512];
    struct st_pair pair;
    const struct order *order = order_of(p->os, change->kind);
    if (order == NULL || st_change_path(p->os, change, own, sizeof(own)) != 0)
        return false;
    for (size_t i = 0; st_change_pair(change, i, &pair); i++) {
        struct search search = {.p = p,
                                .change = change,
                                .order = order,
                                .pair = &pair,
                                .own = own,
                                .own_name = strrchr(own, '/') + 1};
        if (!find(&search))
            continue;
        snprintf(buf, buf_bytes,
                 "%.200s:%u sets %.80s to %.60s %s, and wins at the next boot or login: take that line out",
                 search.path, search.line_n, pair.name, search.value[0] != '\0' ? search.value : "nothing",
                 order->first_wins ? "first" : "later");
        return true;
    }
    return false;
}
