/* A captured tree as the tunables of a platform; clocks and threads stay the native ones. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "platform/platform.h"
#include "platform/posix/beneath_posix.h"
#include "platform/posix/posix.h"
#include "platform/tree.h"

struct root {
    struct st_platform row; /* first: a row's functions get a pointer to it */
    int dir_fd;
};

static int root_read_text(struct st_platform *p, const char *path, char *buf, size_t buf_bytes,
                          size_t *ret_len)
{
    const struct root *root = (const struct root *)p;
    const int fd = st_open_beneath(root->dir_fd, path, 0);
    return fd < 0 ? fd : st_posix_read_text_fd(fd, buf, buf_bytes, ret_len);
}

static int root_list(struct st_platform *p, const char *path, st_name_fn fn, void *ctx)
{
    const struct root *root = (const struct root *)p;
    const int fd = st_open_beneath(root->dir_fd, path, O_DIRECTORY);
    return fd < 0 ? fd : st_posix_list_fd(fd, fn, ctx);
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
    root->row.circumstances = st_tree_circumstances;
    root->row.steal_accounted = st_tree_steal_accounted;
    root->row.virtualised = st_tree_virtualised;
    root->row.smi_count = root_smi_count;
    root->row.timer_slack_ns = root_timer_slack_ns;
    root->row.rt_rights = root_rt_rights;
    *ret = &root->row;
    return 0;
}

void st_platform_root_free(struct st_platform *p)
{
    if (p == NULL)
        return;
    struct root *root = (struct root *)p;
    close(root->dir_fd);
    free(root);
}
