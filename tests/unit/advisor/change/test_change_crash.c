/* apply and revert, killed at every call that changes something on the disk: the linker puts the
 * functions below in front of those calls (-Wl,--wrap). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <sys/wait.h>

#include "tests/unit/change_tree.h"

#define DIED 77

/* --- dying --- */

static unsigned calls_n, die_at; /* 0: never */
static bool die_torn;            /* in write of a file: after half of it */

/* A running value is one write, which the kernel takes whole; in a captured tree the file is empty
 * before. */
#define VALUE_BYTES 32

ssize_t __real_write(int fd, const void *buf, size_t bytes);
int __real_renameat(int from_fd, const char *from, int to_fd, const char *to);
int __real_unlinkat(int fd, const char *path, int flags);
int __real_mkdirat(int fd, const char *path, mode_t mode);
int __real_fchmod(int fd, mode_t mode);
ssize_t __wrap_write(int fd, const void *buf, size_t bytes);
int __wrap_fsync(int fd);
int __wrap_renameat(int from_fd, const char *from, int to_fd, const char *to);
int __wrap_unlinkat(int fd, const char *path, int flags);
int __wrap_mkdirat(int fd, const char *path, mode_t mode);
int __wrap_fchmod(int fd, mode_t mode);

static bool is_last(void)
{
    return die_at > 0 && ++calls_n == die_at;
}

static void count(void)
{
    if (is_last())
        _exit(DIED);
}

ssize_t __wrap_write(int fd, const void *buf, size_t bytes)
{
    if (is_last()) {
        if (die_torn && bytes > VALUE_BYTES)
            (void)!__real_write(fd, buf, bytes / 2);
        _exit(DIED);
    }
    return __real_write(fd, buf, bytes);
}

int __wrap_fsync(int fd)
{
    (void)fd;
    count();
    return 0; /* the disk is not what is tested, and takes its time */
}

int __wrap_renameat(int from_fd, const char *from, int to_fd, const char *to)
{
    count();
    return __real_renameat(from_fd, from, to_fd, to);
}

int __wrap_unlinkat(int fd, const char *path, int flags)
{
    count();
    return __real_unlinkat(fd, path, flags);
}

int __wrap_mkdirat(int fd, const char *path, mode_t mode)
{
    count();
    return __real_mkdirat(fd, path, mode);
}

int __wrap_fchmod(int fd, mode_t mode)
{
    count();
    return __real_fchmod(fd, mode);
}

/* Runs `work` in a child that is killed at call n. @return whether it was. */
static bool dies(int (*work)(struct st_platform *p), struct st_platform *p, unsigned n, bool torn)
{
    int status;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        calls_n = 0;
        die_torn = torn;
        die_at = n;
        _exit(work(p));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == DIED)
        return true;
    assert_int_equal(WEXITSTATUS(status), 0);
    return false;
}

/* --- the work --- */

/* What is applied, and to what. */
static const struct set {
    void (*make)(struct tree *tree);
    void (*plan)(struct st_platform *p, struct st_journal *plan);
} linux_set = {tree_make, tree_plan}, boot_set = {tree_make_boot, tree_plan_boot},
  freebsd_set = {tree_make_freebsd, tree_plan_freebsd}, *set = &linux_set;

static const char *folder(struct st_platform *p)
{
    return st_os_rows[p->os].changes;
}

/* As the command does: what an earlier run left is taken back first. @return 0, or what went
 * wrong. */
static int apply(struct st_platform *p)
{
    struct st_applied changes;
    struct st_journal plan;
    if (st_applied_open(&changes, p, folder(p), NULL) != NULL)
        return 1;
    const char *why = st_applied_revert(&changes, false, NULL);
    int r = why != NULL || changes.n[ST_EVENT_CHANGED] > 0 ? -EBADMSG : 0;
    if (r == 0 && changes.journal.entries_n == 0) {
        set->plan(p, &plan);
        r = st_applied_add(&changes, &plan);
        st_journal_finish(&plan);
    }
    st_applied_close(&changes);
    return r == 0 ? 0 : 2;
}

static int revert(struct st_platform *p, const char *const *ids)
{
    struct st_applied changes;
    if (st_applied_open(&changes, p, folder(p), NULL) != NULL)
        return 1;
    const char *why = st_applied_revert(&changes, ids == NULL, ids);
    st_applied_close(&changes);
    return why == NULL && changes.n[ST_EVENT_CHANGED] == 0 ? 0 : 2;
}

static int revert_all(struct st_platform *p)
{
    return revert(p, NULL);
}

static int revert_first(struct st_platform *p)
{
    return revert(p, (const char *const[]){
                         p->os == ST_OS_FREEBSD ? "freebsd-snd-latency" : "linux-swap", NULL});
}

static void check_as_before(const struct tree *tree, const char *before, unsigned n)
{
    char *after = tree_list(tree);
    struct stat info;
    char path[PATH_MAX];
    if (strcmp(before, after) != 0)
        fail_msg("killed at call %u, then reverted:\n%s\nnot:\n%s", n, after, before);
    free(after);
    snprintf(path, sizeof(path), "%s%s/journal", tree->dir, folder(tree->p));
    assert_int_equal(stat(path, &info), -1);
}

enum then { THEN_REVERT, THEN_APPLY_AND_REVERT };

/* Kills `work` at each call in turn, on a fresh tree each, until it ends by itself. @return how
 * many calls. */
static unsigned kill_everywhere(int (*work)(struct st_platform *p), bool applied_before, bool torn,
                                enum then then)
{
    for (unsigned n = 1;; n++) {
        struct tree tree;
        set->make(&tree);
        char *before = tree_list(&tree);
        if (applied_before)
            assert_int_equal(apply(tree.p), 0);
        const bool died = dies(work, tree.p, n, torn);
        if (then == THEN_APPLY_AND_REVERT)
            assert_int_equal(apply(tree.p), 0);
        assert_int_equal(revert_all(tree.p), 0);
        check_as_before(&tree, before, n);
        free(before);
        tree_remove(&tree);
        if (!died)
            return n - 1;
    }
}

static void other_kinds_killed_anywhere_are_reverted(void **state)
{
    static const struct set *const sets[] = {&boot_set, &freebsd_set};
    for (size_t i = 0; i < ST_ARRAY_LEN(sets); i++) {
        set = sets[i];
        assert_true(kill_everywhere(apply, false, false, THEN_REVERT) > 30);
        assert_true(kill_everywhere(apply, false, true, THEN_APPLY_AND_REVERT) > 30);
        assert_true(kill_everywhere(revert_all, true, true, THEN_REVERT) > 15);
        assert_true(kill_everywhere(revert_first, true, false, THEN_REVERT) > 8);
    }
    set = &linux_set;
}

static void apply_killed_anywhere_is_reverted(void **state)
{
    assert_true(kill_everywhere(apply, false, false, THEN_REVERT) > 50);
}

static void apply_killed_within_a_write_is_reverted(void **state)
{
    assert_true(kill_everywhere(apply, false, true, THEN_REVERT) > 50);
}

static void apply_killed_anywhere_can_be_run_again(void **state)
{
    assert_true(kill_everywhere(apply, false, true, THEN_APPLY_AND_REVERT) > 50);
}

static void revert_killed_anywhere_is_completed(void **state)
{
    assert_true(kill_everywhere(revert_all, true, false, THEN_REVERT) > 20);
}

static void revert_killed_within_a_write_is_completed(void **state)
{
    assert_true(kill_everywhere(revert_all, true, true, THEN_REVERT) > 20);
}

static void revert_of_one_rule_killed_anywhere_is_completed(void **state)
{
    assert_true(kill_everywhere(revert_first, true, false, THEN_REVERT) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(apply_killed_anywhere_is_reverted),
        cmocka_unit_test(apply_killed_within_a_write_is_reverted),
        cmocka_unit_test(apply_killed_anywhere_can_be_run_again),
        cmocka_unit_test(revert_killed_anywhere_is_completed),
        cmocka_unit_test(revert_killed_within_a_write_is_completed),
        cmocka_unit_test(revert_of_one_rule_killed_anywhere_is_completed),
        cmocka_unit_test(other_kinds_killed_anywhere_are_reverted),
    };
    return cmocka_run_group_tests_name("change_crash", tests, NULL, NULL);
}
