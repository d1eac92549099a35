/* Each file, folder and sysctl is read once; what is handed out is what reading it would have given. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/cache.h"
#include "tests/fake/fake.h"

static struct st_platform *fake, *cached;

static int setup_os(enum st_os os)
{
    fake = st_fake_new(os, 0);
    return fake != NULL && st_cache_new(fake, &cached) == 0 ? 0 : -1;
}

static int setup(void **state)
{
    (void)state;
    return setup_os(ST_OS_LINUX);
}

static int setup_freebsd(void **state)
{
    (void)state;
    return setup_os(ST_OS_FREEBSD);
}

static int teardown(void **state)
{
    (void)state;
    st_cache_free(cached);
    st_fake_free(fake);
    return 0;
}

static void file(const char *path, const char *text, int error)
{
    assert_int_equal(st_fake_set_file(fake, path, text, error), 0);
}

/** What reading gives, by the cached view and, beside it, by the platform itself. */
static int read_both(const char *path, size_t bytes, char *buf, size_t *ret_len)
{
    char *beside = malloc(bytes);
    size_t len = SIZE_MAX;
    *ret_len = SIZE_MAX;
    assert_non_null(beside);
    beside[0] = buf[0] = '\0'; /* a failed reading leaves them alone, or empty */
    const int r = cached->read_text(cached, path, buf, bytes, ret_len);
    assert_int_equal(fake->read_text(fake, path, beside, bytes, &len), r);
    assert_int_equal(len, *ret_len);
    assert_string_equal(beside, buf);
    free(beside);
    return r;
}

static void it_gives_what_reading_gives(void **state)
{
    (void)state;
    static char buf[300000], big[200001];
    static const size_t sizes[] = {1, 2, 5, 6, 7, 4096, 65535, 65536, 65537, 200000, 200001, 200002, 300000};
    static const char *const paths[] = {"/five", "/empty", "/big", "/none", "/closed"};
    size_t len;
    memset(big, 'x', sizeof(big) - 1);
    file("/five", "12345", 0);
    file("/empty", "", 0);
    file("/big", big, 0);
    file("/closed", "", -EACCES);
    for (size_t rounds = 0; rounds < 2; rounds++) { /* up, and again with what is kept */
        for (size_t i = 0; i < ST_ARRAY_LEN(paths); i++) {
            for (size_t j = 0; j < ST_ARRAY_LEN(sizes); j++)
                (void)read_both(paths[i], sizes[j], buf, &len);
        }
    }
    for (size_t j = ST_ARRAY_LEN(sizes); j-- > 0;) /* and down */
        (void)read_both("/big", sizes[j], buf, &len);
    assert_int_equal(cached->read_text(cached, "/five", buf, 0, &len), -EINVAL);
}

static void a_file_is_read_once(void **state)
{
    (void)state;
    char buf[64];
    size_t len;
    file("/a", "before", 0);
    file("/closed", "", -EACCES);
    assert_int_equal(cached->read_text(cached, "/a", buf, 4, &len), -EFBIG); /* a small look first */
    assert_int_equal(cached->read_text(cached, "/closed", buf, sizeof(buf), &len), -EACCES);
    assert_int_equal(cached->read_text(cached, "/none", buf, sizeof(buf), &len), -ENOENT);
    file("/a", "after", 0);
    file("/closed", "open", 0);
    file("/none", "there", 0);
    assert_int_equal(cached->read_text(cached, "/a", buf, sizeof(buf), &len), 0);
    assert_string_equal(buf, "before");
    assert_int_equal(cached->read_text(cached, "/closed", buf, sizeof(buf), &len), -EACCES);
    assert_int_equal(cached->read_text(cached, "/none", buf, sizeof(buf), &len), -ENOENT);
}

static void a_process_is_not_kept(void **state)
{
    (void)state;
    char buf[64];
    size_t len;
    file("/proc/12/stat", "1", 0);
    assert_int_equal(cached->read_text(cached, "/proc/12/stat", buf, sizeof(buf), &len), 0);
    file("/proc/12/stat", "2", 0);
    assert_int_equal(cached->read_text(cached, "/proc/12/stat", buf, sizeof(buf), &len), 0);
    assert_string_equal(buf, "2");
}

static void a_sysctl_of_linux_is_its_file(void **state)
{
    (void)state;
    char buf[64];
    size_t len;
    file("/proc/sys/vm/swappiness", "60\n", 0);
    assert_int_equal(cached->read_text(cached, "/proc/sys/vm/swappiness", buf, sizeof(buf), &len), 0);
    file("/proc/sys/vm/swappiness", "10\n", 0);
    assert_int_equal(cached->read_sysctl(cached, "vm.swappiness", buf, sizeof(buf), &len), 0);
    assert_string_equal(buf, "60");
}

static void one_of_freebsd_is_kept_beside_files(void **state)
{
    (void)state;
    char buf[64];
    size_t len;
    assert_int_equal(st_fake_set_sysctl(fake, "kern.hz", "1000", 0), 0);
    file("kern.hz", "a file", 0);
    assert_int_equal(cached->read_sysctl(cached, "kern.hz", buf, sizeof(buf), &len), 0);
    assert_int_equal(st_fake_set_sysctl(fake, "kern.hz", "100", 0), 0);
    assert_int_equal(cached->read_sysctl(cached, "kern.hz", buf, sizeof(buf), &len), 0);
    assert_string_equal(buf, "1000");
    assert_int_equal(cached->read_text(cached, "kern.hz", buf, sizeof(buf), &len), 0);
    assert_string_equal(buf, "a file");
}

struct walk {
    char names[256];
    size_t stop_after_n;
};

static int one_name(void *ctx, const char *name)
{
    struct walk *walk = ctx;
    char path[64], buf[64];
    size_t len;
    snprintf(path, sizeof(path), "/etc/%.32s", name);
    (void)cached->read_text(cached, path, buf, sizeof(buf), &len); /* as collectors do while they walk */
    strcat(strcat(walk->names, name), " ");
    return walk->stop_after_n > 0 && --walk->stop_after_n == 0;
}

static void a_folder_is_read_once(void **state)
{
    (void)state;
    struct walk walk = {.stop_after_n = 1};
    file("/etc/a", "1", 0);
    file("/etc/b", "2", 0);
    file("/etc/c", "3", 0);
    assert_int_equal(cached->list(cached, "/etc", one_name, &walk), 0);
    assert_string_equal(walk.names, "a ");
    file("/etc/d", "4", 0);
    walk = (struct walk){0};
    assert_int_equal(cached->list(cached, "/etc", one_name, &walk), 0);
    assert_string_equal(walk.names, "a b c ");
    assert_int_equal(cached->list(cached, "/none", one_name, &walk), -ENOENT);
    file("/none/e", "5", 0);
    assert_int_equal(cached->list(cached, "/none", one_name, &walk), -ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(it_gives_what_reading_gives, setup, teardown),
        cmocka_unit_test_setup_teardown(a_file_is_read_once, setup, teardown),
        cmocka_unit_test_setup_teardown(a_process_is_not_kept, setup, teardown),
        cmocka_unit_test_setup_teardown(a_sysctl_of_linux_is_its_file, setup, teardown),
        cmocka_unit_test_setup_teardown(one_of_freebsd_is_kept_beside_files, setup_freebsd, teardown),
        cmocka_unit_test_setup_teardown(a_folder_is_read_once, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
