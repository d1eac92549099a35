/* Parts for all systems: names, and a captured tree as the tunables of a platform, whose clocks and
 * threads are those of the running system. */
#include <fcntl.h>
#include <unistd.h>

#include "core/text/text.h"
#include "platform/platform.h"
#include "platform/posix/posix.h"
#include "platform/tree.h"

const struct st_os_row st_os_rows[] = {
    [ST_OS_LINUX] = {"linux",
                     "sudo ",
                     "/var/lib/sleeptune-changes",
                     "kernel.random.boot_id",
                     "systemctl start sleeptuned",
                     "sudo systemctl restart sleeptuned",
                     "systemctl --user enable --now sleeptuned",
                     "systemctl --user restart sleeptuned",
                     "systemctl --user restart pipewire",
                     {"Run 'sudo usermod -aG ", " $USER'"},
                     "run sleeptuned as root with trace.enabled = \"on\": man sleeptuned.conf",
                     "'wpctl status', 'jack_lsp', 'arecord -l'"},
    [ST_OS_FREEBSD] = {"freebsd",
                       "",
                       "/var/db/sleeptune-changes",
                       "kern.boot_id",
                       "service sleeptuned onestart",
                       "service sleeptuned restart",
                       NULL,
                       NULL,
                       NULL,
                       {"As root, run 'pw groupmod ", " -m NAME'"},
                       NULL,
                       "'jack_lsp', 'cat /dev/sndstat'"},
};

const char *st_platform_policy_name(enum st_policy policy)
{
    static const char *const names[] = {
        [ST_POLICY_OTHER] = "other", [ST_POLICY_FIFO] = "fifo", [ST_POLICY_RR] = "rr"};
    return names[policy];
}

/* --- a captured tree --- */

struct root {
    struct st_platform row; /* must be first: the functions of a row get a pointer to this member */
    int dir_fd;
    const char *sysctls; /* sysctls of a FreeBSD capture, or NULL */
    size_t sysctls_bytes;
    bool has_all; /* `sysctls` is complete: a sysctl that it lacks does not exist */
};

static int root_open_path(struct st_platform *machine, const char *path, int flags)
{
    return st_posix_open_beneath(((const struct root *)machine)->dir_fd, path, flags);
}

static int no_write_sysctl(ST_UNUSED struct st_platform *platform, ST_UNUSED const char *name,
                           ST_UNUSED const char *text)
{
    return -ENOTSUP;
}

/** Finds "name: value" or "name=value"; of two lines the later one counts. */
static const char *captured_line(const struct root *root, const char *name)
{
    const size_t len = strlen(name);
    const char *end = root->sysctls + root->sysctls_bytes, *at = root->sysctls, *found = NULL;
    while ((at = memmem(at, (size_t)(end - at), name, len)) != NULL) {
        const bool is_first = at == root->sysctls || at[-1] == '\n';
        at += len;
        if (is_first && (*at == ':' || *at == '='))
            found = at + 1;
    }
    return found;
}

static int captured_sysctl(struct st_platform *machine, const char *name, char *buf,
                           size_t buf_bytes, size_t *ret_len)
{
    const struct root *root = (const struct root *)machine;
    if (root->sysctls == NULL)
        return -ENOTSUP;
    const char *value = captured_line(root, name), *end = root->sysctls + root->sysctls_bytes;
    if (value == NULL)
        return root->has_all ? -ENOENT : -ENOMSG;
    const char *newline = memchr(value, '\n', (size_t)(end - value));
    const size_t len = (size_t)((newline != NULL ? newline : end) - value);
    if (len >= buf_bytes)
        return -EFBIG;
    memcpy(buf, value, len);
    buf[len] = '\0';
    *ret_len = len;
    return 0;
}

/* Not available on a captured machine, of which only files can be read. */
static int root_timer_slack_ns(ST_UNUSED struct st_platform *platform, ST_UNUSED int64_t *ret_ns)
{
    return -ENOTSUP;
}

static int root_rt_rights(ST_UNUSED struct st_platform *platform, ST_UNUSED int priority,
                          ST_UNUSED struct st_rt_rights *ret)
{
    return -ENOTSUP;
}

static int root_run(ST_UNUSED struct st_platform *machine, ST_UNUSED struct st_run *runs,
                    ST_UNUSED size_t runs_n, ST_UNUSED const struct st_run_as *as,
                    ST_UNUSED int64_t limit_ns)
{
    return -ENOTSUP;
}

int st_platform_root_new(const char *dir, struct st_platform **ret)
{
    const int dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir_fd < 0)
        return -errno;
    struct root *root = malloc(sizeof(*root));
    if (root == NULL) {
        close(dir_fd);
        return -ENOMEM;
    }
    *root = (struct root){.row = *st_platform_native(), .dir_fd = dir_fd};
    root->row.os = ST_OS_LINUX;
    root->row.open_path = root_open_path;
    root->row.read_sysctl = st_tree_read_sysctl_linux;
    root->row.write_sysctl = st_tree_write_sysctl_linux;
    root->row.conditions = st_tree_conditions;
    root->row.timer_slack_ns = root_timer_slack_ns;
    root->row.rt_rights = root_rt_rights;
    root->row.run = root_run;
    *ret = &root->row;
    return 0;
}

void st_platform_root_set_freebsd(struct st_platform *p)
{
    p->os = ST_OS_FREEBSD;
    p->read_sysctl = captured_sysctl;
    p->write_sysctl = no_write_sysctl;
}

bool st_platform_root_set_sysctls(struct st_platform *p, const char *text, size_t bytes)
{
    struct root *root = (struct root *)p;
    st_platform_root_set_freebsd(p);
    root->sysctls = text;
    root->sysctls_bytes = bytes;
    root->has_all = captured_line(root, "kern.osreldate") != NULL &&
                    captured_line(root, "security.jail.jailed") != NULL;
    return root->has_all;
}

void st_platform_root_free(struct st_platform *p)
{
    if (p == NULL)
        return;
    struct root *root = (struct root *)p;
    close(root->dir_fd);
    free(root);
}
