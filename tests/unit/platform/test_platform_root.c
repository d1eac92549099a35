

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/platform.h"
#include "platform/posix/posix.h"
#include "tests/unit/unit.h"

/* A folder with a tree in it and a file beside the tree. */
struct fixture {
    char dir[32];
    char tree[40];
    struct st_platform *root;
};

static void in(const struct fixture *f, const char *path, char *buf, size_t buf_bytes)
{
    const int n = snprintf(buf, buf_bytes, "%s/%s", f->dir, path);
    assert_true(n > 0 && (size_t)n < buf_bytes);
}

static void make_dir(const struct fixture *f, const char *path)
{
    char full[128];
    in(f, path, full, sizeof(full));
    assert_int_equal(mkdir(full, 0700), 0);
}

static void make_file(const struct fixture *f, const char *path, const char *text)
{
    char full[128];
    in(f, path, full, sizeof(full));
    FILE *file = fopen(full, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void make_link(const struct fixture *f, const char *path, const char *target)
{
    char full[128];
    in(f, path, full, sizeof(full));
    assert_int_equal(symlink(target, full), 0);
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    if (f == NULL)
        return -1;
    ST_PRINT(f->dir, "/tmp/st_root.XXXXXX");
    if (mkdtemp(f->dir) == NULL)
        return -1;
    ST_PRINT(f->tree, "%s/tree", f->dir);
    make_file(f, "secret", "secret\n");
    make_dir(f, "tree");
    make_dir(f, "tree/proc");
    make_dir(f, "tree/proc/sys");
    make_dir(f, "tree/proc/sys/kernel");
    make_file(f, "tree/proc/sys/kernel/osrelease", "6.1-captured\n");
    *state = f;
    return st_platform_root_new(f->tree, &f->root);
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    char command[64];
    st_platform_root_free(f->root);
    ST_PRINT(command, "rm -rf %s", f->dir);
    const int r = system(command);
    free(f);
    return r;
}

static int read_root(const struct fixture *f, const char *path, char *buf, size_t buf_bytes)
{
    size_t len;
    return f->root->read_text(f->root, path, buf, buf_bytes, &len);
}

static void files_are_the_trees(void **state)
{
    const struct fixture *f = *state;
    char buf[64];
    size_t len;
    assert_int_equal(read_root(f, "/proc/sys/kernel/osrelease", buf, sizeof(buf)), 0);
    assert_string_equal(buf, "6.1-captured\n");
    assert_int_equal(f->root->read_sysctl(f->root, "kernel.osrelease", buf, sizeof(buf), &len), 0);
    assert_string_equal(buf, "6.1-captured");
    assert_int_equal(read_root(f, "/proc/self/stat", buf, sizeof(buf)), -ENOENT);
    assert_int_equal(f->root->os, ST_OS_LINUX);
}

static void check_captured(struct st_platform *root, const char *name, int r, const char *value)
{
    char buf[16] = "";
    size_t len;
    assert_int_equal(root->read_sysctl(root, name, buf, sizeof(buf), &len), r);
    assert_string_equal(buf, value);
}

static void sysctls_are_those_of_the_text(void **state)
{
    const struct fixture *f = *state;
    static const char part[] =
        "kern.hz: 100\nx.kern.hz: 7\nkern.osreldate: 1302001\nkern.empty:\nkern.hz=1000\n"
        "kern.long: 0123456789abcdef\nkern.no line\nkern.last: 5",
                      whole[] = "kern.osreldate: 1302001\nsecurity.jail.jailed: 0\n";
    assert_false(st_platform_root_set_sysctls(f->root, part, sizeof(part) - 1));
    assert_int_equal(f->root->os, ST_OS_FREEBSD);
    check_captured(f->root, "kern.hz", 0, "1000");
    check_captured(f->root, "kern.empty", 0, "");
    check_captured(f->root, "kern.last", 0, " 5");
    check_captured(f->root, "kern.long", -EFBIG, "");
    check_captured(f->root, "kern.no", -ENOMSG, "");
    check_captured(f->root, "hz", -ENOMSG, "");
    assert_true(st_platform_root_set_sysctls(f->root, whole, sizeof(whole) - 1));
    check_captured(f->root, "kern.hz", -ENOENT, "");
}

static void links_never_lead_out_of_the_tree(void **state)
{
    const struct fixture *f = *state;
    char buf[64], absolute[64];
    ST_PRINT(absolute, "%s/secret", f->dir);
    make_link(f, "tree/up", "../secret");
    make_link(f, "tree/far", "../../../../../../../../etc/passwd");
    make_link(f, "tree/absolute", absolute);
    make_link(f, "tree/folder", "..");
    static const char *const paths[] = {"/up",        "/far",     "/absolute", "/folder/secret",
                                        "/../secret", "../secret"};
    ST_EACH (path, paths) {
        const int r = read_root(f, *path, buf, sizeof(buf));
        assert_true(r == -ENOENT || r == -EXDEV || r == -ELOOP);
    }
}

static void a_loop_of_links_ends(void **state)
{
    const struct fixture *f = *state;
    char buf[64];
    make_link(f, "tree/a", "b");
    make_link(f, "tree/b", "a");
    assert_int_equal(read_root(f, "/a", buf, sizeof(buf)), -ELOOP);
}

static void only_regular_files_are_read(void **state)
{
    const struct fixture *f = *state;
    char buf[64], fifo[64];
    in(f, "tree/fifo", fifo, sizeof(fifo));
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_int_equal(read_root(f, "/fifo", buf, sizeof(buf)),
                     -EINVAL); /* and does not wait for a writer */
    assert_int_equal(read_root(f, "/proc", buf, sizeof(buf)), -EISDIR);
    assert_int_equal(read_root(f, "/", buf, sizeof(buf)), -EISDIR);
}

static void a_huge_file_is_cut(void **state)
{
    const struct fixture *f = *state;
    char buf[8], path[64];
    make_file(f, "tree/huge", "12345678");
    in(f, "tree/huge", path, sizeof(path));
    assert_int_equal(truncate(path, (off_t)1 << 40), 0); /* sparse */
    assert_int_equal(read_root(f, "/huge", buf, sizeof(buf)), -EFBIG);
    assert_string_equal(buf, "1234567");
}

static int join(void *ctx, const char *name)
{
    char *names = ctx;
    strcat(names, name);
    strcat(names, " ");
    return 0;
}

static void folders_are_listed_sorted(void **state)
{
    const struct fixture *f = *state;
    make_file(f, "tree/proc/b", "");
    make_file(f, "tree/proc/a", "");
    make_link(f, "tree/out", "..");
    char names[64] = "";
    assert_int_equal(f->root->list(f->root, "/proc", join, names), 0);
    assert_string_equal(names, "a b sys ");
    assert_int_equal(f->root->list(f->root, "/proc/a", join, names), -ENOTDIR);
    assert_int_equal(f->root->list(f->root, "/none", join, names), -ENOENT);
    names[0] = '\0';
    (void)f->root->list(f->root, "/out", join, names);
    assert_lacks(names, "secret");
}

static void what_only_a_running_machine_can_say_is_not_supported(void **state)
{
    const struct fixture *f = *state;
    struct st_platform *p = f->root;
    struct st_rt_rights rights;
    int64_t ns;
    assert_int_equal(p->rt_rights(p, 70, &rights), -ENOTSUP);
    assert_int_equal(p->timer_slack_ns(p, &ns), -ENOTSUP);
}

static void a_root_that_is_no_folder_is_refused(void **state)
{
    const struct fixture *f = *state;
    struct st_platform *p = NULL;
    char path[64];
    in(f, "secret", path, sizeof(path));
    assert_int_equal(st_platform_root_new(path, &p), -ENOTDIR);
    in(f, "none", path, sizeof(path));
    assert_int_equal(st_platform_root_new(path, &p), -ENOENT);
    assert_null(p);
}

static int walk(const struct fixture *f, const char *path, int flags)
{
    const int dir = open(f->tree, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(dir >= 0);
    const int fd = st_posix_open_beneath(dir, path, flags);
    close(dir);
    if (fd < 0)
        return fd;
    close(fd);
    return 0;
}

static void a_walk_stays_inside(void **state)
{
    const struct fixture *f = *state;
    make_link(f, "tree/out", "..");
    make_link(f, "tree/inside", "proc");
    make_link(f, "tree/top", "/proc/sys/./kernel/../kernel");
    make_link(f, "tree/last", "proc/sys/kernel/osrelease");
    make_link(f, "tree/two", "inside/../last");
    make_link(f, "tree/loop", "loop");
    make_link(f, "tree/secret", "/../../secret");
    assert_int_equal(walk(f, "/proc/sys/kernel/osrelease", 0), 0);
    assert_int_equal(walk(f, "proc//sys/kernel/", O_DIRECTORY), 0);
    assert_int_equal(walk(f, "/", O_DIRECTORY), 0);
    assert_int_equal(walk(f, "/inside/sys", O_DIRECTORY), 0);
    assert_int_equal(walk(f, "/inside", O_DIRECTORY), 0);
    assert_int_equal(walk(f, "/top/osrelease", 0), 0);
    assert_int_equal(walk(f, "/last", 0), 0);
    assert_int_equal(walk(f, "/two", 0), 0);
    assert_int_equal(walk(f, "/out/proc", O_DIRECTORY), 0); /* the tree's own top */
    assert_int_equal(walk(f, "/loop", 0), -ELOOP);
    assert_int_equal(walk(f, "/secret", 0),
                     -ELOOP); /* itself: the tree's top has nothing above it */
    assert_int_equal(walk(f, "/last", O_NOFOLLOW), -ELOOP);
    assert_int_equal(walk(f, "/inside/sys", O_DIRECTORY | O_NOFOLLOW), 0);
    assert_int_equal(walk(f, "/out/absent", 0), -ENOENT);
    /* a link to what was not saved: no one knows whether it was there */
    make_link(f, "tree/dangling", "sys/devices/none");
    make_link(f, "tree/null", "/dev/null");
    assert_int_equal(walk(f, "/dangling", 0), -EXDEV);
    assert_int_equal(walk(f, "/dangling/uevent", 0), -EXDEV);
    assert_int_equal(walk(f, "/null", 0), -EXDEV);
    assert_int_equal(walk(f, "/inside/absent", 0), -ENOENT);
    assert_int_equal(walk(f, "/proc/../../absent", 0), -ENOENT);
    assert_int_equal(walk(f, "/proc/sys/kernel/osrelease/x", 0), -ENOTDIR);
    assert_int_equal(walk(f, "/none", 0), -ENOENT);
}

#define TREE_TEST(f) TEST(f)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TREE_TEST(files_are_the_trees),
        TREE_TEST(sysctls_are_those_of_the_text),
        TREE_TEST(links_never_lead_out_of_the_tree),
        TREE_TEST(a_loop_of_links_ends),
        TREE_TEST(only_regular_files_are_read),
        TREE_TEST(a_huge_file_is_cut),
        TREE_TEST(folders_are_listed_sorted),
        TREE_TEST(what_only_a_running_machine_can_say_is_not_supported),
        TREE_TEST(a_root_that_is_no_folder_is_refused),
        TREE_TEST(a_walk_stays_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
