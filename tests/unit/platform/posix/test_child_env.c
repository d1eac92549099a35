/* What programs that are started get as their environment: of root nothing that it was handed. */
#include <pwd.h>
#include <unistd.h>

#include "platform/child_env.h"
#include "tests/unit/cannot.h"
#include "tests/unit/unit.h"

static const char *const kept[] = {"HOME", "SLEEPTUNE_NOT_SET", NULL};

static int setup(void **state)
{
    return setenv("HOME", "/nonexistent/ann", 1) != 0 ||
           setenv("XDG_CONFIG_HOME", "/nonexistent/ann/.config", 1) != 0 ||
           setenv("PIPEWIRE_CONFIG_DIR", "/nonexistent/ann", 1) != 0;
}

static const char *of(const struct st_child_env *env, const char *name)
{
    const char *value = st_child_env_get(env, name);
    return value != NULL ? value : "not set";
}

static void root_gets_its_own_folders(void **state)
{
    struct st_child_env env;
    for (int all = 0; all < 2; all++) {
        assert_int_equal(st_child_env_open(&env, geteuid(), all ? NULL : kept), 0);
        if (geteuid() == 0) {
            assert_string_equal(of(&env, "HOME"), getpwuid(0)->pw_dir);
            assert_string_equal(of(&env, "XDG_CONFIG_HOME"), "not set");
            assert_string_equal(of(&env, "PIPEWIRE_CONFIG_DIR"), "not set");
            assert_lacks(of(&env, "PATH"), "pyenv");
            assert_int_equal(env.n, 5);
        } else {
            assert_string_equal(of(&env, "HOME"), "/nonexistent/ann");
            assert_string_equal(of(&env, "XDG_CONFIG_HOME"),
                                all ? "/nonexistent/ann/.config" : "not set");
        }
        assert_string_not_equal(of(&env, "PATH"), "not set");
        assert_string_equal(of(&env, "SLEEPTUNE_NOT_SET"), "not set");
        st_child_env_close(&env);
    }
}

static void another_user_gets_that_users(void **state)
{
    struct st_child_env env;
    const struct passwd *entry = getpwnam(geteuid() == 0 ? "nobody" : "root");
    if (entry == NULL)
        ST_CANNOT("this system has no such user");
    const uid_t uid = entry->pw_uid;
    assert_int_equal(st_child_env_open(&env, uid, kept), 0);
    assert_string_equal(of(&env, "HOME"), getpwuid(uid)->pw_dir);
    assert_string_equal(of(&env, "USER"), getpwuid(uid)->pw_name);
    st_child_env_close(&env);
    assert_int_equal(st_child_env_open(&env, 4000000001u, NULL), -ENOENT);
    st_child_env_close(&env);
}

static void a_variable_is_there_once(void **state)
{
    struct st_child_env env;
    assert_int_equal(st_child_env_open(&env, geteuid(), NULL), 0);
    assert_int_equal(st_child_env_set(&env, "LC_ALL", "C"), 0);
    const size_t n = env.n;
    assert_int_equal(st_child_env_set(&env, "LC_ALL", "POSIX"), 0);
    assert_int_equal(st_child_env_set(&env, "LC_AL", "x"), 0);
    assert_int_equal(env.n, n + 1);
    assert_string_equal(of(&env, "LC_ALL"), "POSIX");
    assert_null(env.vars[env.n]);
    st_child_env_close(&env);
}

static void programs_are_looked_for_in_absolute_folders(void **state)
{
    char path[64];
    const char *const vars[] = {"HOME=/", "PATH=:.:relative:/nonexistent:/bin", NULL},
                      *const none[] = {NULL};
    assert_int_equal(st_child_env_find(vars, "sh", path, sizeof(path)), 0);
    assert_string_equal(path, "/bin/sh");
    assert_int_equal(st_child_env_find(vars, "sh", path, 7), -ENAMETOOLONG);
    assert_int_equal(st_child_env_find(none, "sh", path, sizeof(path)), -ENOENT);
    assert_int_equal(st_child_env_find(none, "/bin/sh", path, sizeof(path)), 0);
    assert_int_equal(st_child_env_find(none, "/etc/passwd", path, sizeof(path)), -EACCES);
    assert_int_equal(st_child_env_find(none, "/bin/no-such-program", path, sizeof(path)), -ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(root_gets_its_own_folders),
        cmocka_unit_test(another_user_gets_that_users),
        cmocka_unit_test(a_variable_is_there_once),
        cmocka_unit_test(programs_are_looked_for_in_absolute_folders),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
