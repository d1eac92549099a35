/* Folders of the user, as his environment says. */
#include <sys/stat.h>
#include <unistd.h>

#include "core/text/text.h"
#include "platform/user_folder.h"
#include "tests/unit/unit.h"

static void what_the_environment_names_comes_first(void **state)
{
    setenv("HOME", "/users/amy", 1);
    setenv("XDG_STATE_HOME", "/state", 1);
    assert_string_equal(st_user_folder(ST_USER_STATE, "/sleeptune"), "/state/sleeptune");
    setenv("XDG_STATE_HOME", "relative", 1);
    assert_string_equal(st_user_folder(ST_USER_STATE, "/sleeptune"),
                        "/users/amy/.local/state/sleeptune");
}

static void no_home_no_folder(void **state)
{
    unsetenv("XDG_STATE_HOME");
    setenv("HOME", "amy", 1);
    assert_null(st_user_folder(ST_USER_STATE, "/sleeptune"));
    unsetenv("HOME");
    assert_null(st_user_folder(ST_USER_STATE, "/sleeptune"));
}

static void folders_are_made_for_the_user_alone(void **state)
{
    char base[] = "/tmp/sleeptune-user-folder-XXXXXX";
    struct stat status;
    assert_non_null(mkdtemp(base));
    const char *folder = st_text("%s/a/b", base), *above = st_text("%s/a", base);
    for (int twice = 0; twice < 2; twice++) {
        assert_int_equal(st_user_folder_make(folder), 0);
        assert_int_equal(stat(folder, &status), 0);
        assert_int_equal(status.st_mode & 07777, 0700);
    }
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(rmdir(above), 0);
    FILE *file = fopen(above, "w");
    assert_non_null(file);
    fclose(file);
    assert_int_equal(st_user_folder_make(folder), -ENOTDIR);
    assert_int_equal(unlink(above), 0);
    assert_int_equal(rmdir(base), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_environment_names_comes_first),
        cmocka_unit_test(no_home_no_folder),
        cmocka_unit_test(folders_are_made_for_the_user_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
