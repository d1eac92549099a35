/* A captured tree as the tunables of a platform; clocks and threads stay the native ones. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "platform/platform.h"
#include "platform/posix/beneath_posix.h"
#include "platform/posix/posix.h"
#include "platform/posix/write_posix.h"
#include "platform/tree.h"

struct root {
    struct st_platform row; /* first: a row's functions get a pointer to it */
    int dir_fd;
};

static int root_read_text(struct st_platform *p, const char *path, char *buf, size_t buf_bytes,
                          size_t *ret_len)
{
    const struct root *root = (const struct root *)p;
    const int fd = st_beneath_open(root->dir_fd, path, 0);
    return fd < 0 ? fd : st_posix_read_text_fd(fd, buf, buf_bytes, ret_len);
}

static int root_list(struct st_platform *p, const char *path, st_name_fn fn, void *ctx)
{
    const struct root *root = (const struct root *)p;
    const int fd = st_beneath_open(root->dir_fd, path, O_DIRECTORY);
    return fd < 0 ? fd : st_posix_list_fd(fd, fn, ctx);
}

/* --- writing --- */

static int open_in_root(struct st_platform *p, const char *path, int flags)
{
    return st_beneath_open(((const struct root *)p)->dir_fd, path, flags);
}

static int root_replace_file(struct st_platform *p, const char *path, const char *text, size_t bytes,
                             mode_t mode)
{
    return st_write_replace(p, open_in_root, path, text, bytes, mode);
}

static int root_clean_file(struct st_platform *p, const char *path)
{
    return st_write_clean(p, open_in_root, path);
}

static int root_remove_file(struct st_platform *p, const char *path)
{
    return st_write_remove(p, open_in_root, path);
}

static int root_make_folder(struct st_platform *p, const char *path, mode_t mode)
{
    return st_write_make_folder(p, open_in_root, path, mode);
}

static int root_remove_folder(struct st_platform *p, const char *path)
{
    return st_write_remove_folder(p, open_in_root, path);
}

static int root_write_value(struct st_platform *p, const char *path, const char *text)
{
    return st_write_value(p, open_in_root, path, text);
}

static int root_can_write(struct st_platform *p, const char *path, bool in_place)
{
    return st_write_allowed(p, open_in_root, path, in_place);
}

static int root_lock_folder(struct st_platform *p, const char *path)
{
    return st_write_lock(p, open_in_root, path);
}

static int no_read_sysctl(struct st_platform *p, const char *name, char *buf, size_t buf_bytes,
                          size_t *ret_len)
{
    (void)p;
    (void)name;
    (void)buf;
    (void)buf_bytes;
    (void)ret_len;
    return -ENOTSUP;
}

static int no_write_sysctl(struct st_platform *p, const char *name, const char *text)
{
    (void)p;
    (void)name;
    (void)text;
    return -ENOTSUP;
}

/* Of a machine that is not here only its files can be asked. */
static int root_smi_count(struct st_platform *p, int cpu, uint64_t *ret)
{
    (void)p;
    (void)cpu;
    (void)ret;
    return -ENOTSUP;
}

static int root_timer_slack_ns(struct st_platform *p, int64_t *ret_ns)
{
    (void)p;
    (void)ret_ns;
    return -ENOTSUP;
}

static int root_rt_rights(struct st_platform *p, int priority, struct st_rt_rights *ret)
{
    (void)p;
    (void)priority;
    (void)ret;
    return -ENOTSUP;
}

static int root_run(struct st_platform *p, struct st_run *runs, size_t runs_n, const struct st_run_as *as,
                    int64_t limit_ns)
{
    (void)p;
    (void)runs;
    (void)runs_n;
    (void)as;
    (void)limit_ns;
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
    root->row = *st_platform_native();
    root->dir_fd = dir_fd;
    root->row.name = "root";
    root->row.os =
        ST_OS_LINUX; /* a FreeBSD machine is captured as the text of its sysctls, which the advisor reads */
    root->row.read_text = root_read_text;
    root->row.list = root_list;
    root->row.read_sysctl = st_tree_read_sysctl_linux;
    root->row.replace_file = root_replace_file;
    root->row.clean_file = root_clean_file;
    root->row.remove_file = root_remove_file;
    root->row.make_folder = root_make_folder;
    root->row.remove_folder = root_remove_folder;
    root->row.write_value = root_write_value;
    root->row.write_sysctl = st_tree_write_sysctl_linux;
    root->row.can_write = root_can_write;
    root->row.lock_folder = root_lock_folder;
    root->row.conditions = st_tree_conditions;
    root->row.virtualised = st_tree_virtualised;
    root->row.smi_count = root_smi_count;
    root->row.timer_slack_ns = root_timer_slack_ns;
    root->row.rt_rights = root_rt_rights;
    root->row.run = root_run;
    *ret = &root->row;
    return 0;
}

void st_platform_root_set_freebsd(struct st_platform *p)
{
    p->os = ST_OS_FREEBSD;
    p->read_sysctl = no_read_sysctl;
    p->write_sysctl = no_write_sysctl;
}

void st_platform_root_free(struct st_platform *p)
{
    if (p == NULL)
        return;
    struct root *root = (struct root *)p;
    close(root->dir_fd);
    free(root);
}
