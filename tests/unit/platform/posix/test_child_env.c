/* What programs that are started get as their environment: of root nothing that it was handed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/child_env.h"
#include "tests/unit/cannot.h"

static const char *const kept[] = {"HOME", "SLEEPTUNE_NOT_SET", NULL};

static int setup(void **state)
{
    (void)state;
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
    (void)state;
    struct st_child_env env;
    for (int all = 0; all < 2; all++) {
        assert_int_equal(st_child_env_open(&env, geteuid(), all ? NULL : kept), 0);
        if (geteuid() == 0) {
            assert_string_equal(of(&env, "HOME"), getpwuid(0)->pw_dir);
            assert_string_equal(of(&env, "XDG_CONFIG_HOME"), "not set");
            assert_string_equal(of(&env, "PIPEWIRE_CONFIG_DIR"), "not set");
            assert_null(strstr(of(&env, "PATH"), "pyenv"));
            assert_int_equal(env.n, 5);
        } else {
            assert_string_equal(of(&env, "HOME"), "/nonexistent/ann");
            assert_string_equal(of(&env, "XDG_CONFIG_HOME"), all ? "/nonexistent/ann/.config" : "not set");
        }
        assert_string_not_equal(of(&env, "PATH"), "not set");
        assert_string_equal(of(&env, "SLEEPTUNE_NOT_SET"), "not set");
        st_child_env_close(&env);
    }
}

/** @return what of the variable is taken. */
static const char *taken(const char *value, char path[PATH_MAX])
{
    assert_int_equal(setenv("SLEEPTUNE_FOLDER", value, 1), 0);
    return st_child_env_folder("SLEEPTUNE_FOLDER", path);
}

static void code_is_taken_from_a_folder_that_root_alone_can_change(void **state)
{
    (void)state;
    char above[] = "/tmp/sleeptune-env-XXXXXX", folder[64], link_path[64], path[PATH_MAX];
    const bool root = geteuid() == 0;
    assert_non_null(mkdtemp(above));
    snprintf(folder, sizeof(folder), "%s/folder", above);
    snprintf(link_path, sizeof(link_path), "%s/link", above);
    assert_int_equal(mkdir(folder, 0755), 0);
    assert_int_equal(symlink("folder", link_path), 0);
    assert_string_equal(taken(link_path, path), folder); /* without the link */
    assert_int_equal(chmod(above, 01777), 0);            /* as /tmp itself */
    assert_string_equal(taken(folder, path), folder);
    assert_true((taken(above, path) == NULL) == root);
    assert_int_equal(chmod(above, 0775), 0);
    assert_true((taken(folder, path) == NULL) == root);
    assert_int_equal(chmod(above, 0700), 0);
    assert_int_equal(chmod(folder, 0757), 0);
    assert_true((taken(folder, path) == NULL) == root);
    assert_int_equal(chmod(folder, 0755), 0);
    if (root) {
        assert_int_equal(chown(folder, 65534, 65534), 0);
        assert_null(taken(folder, path));
        assert_int_equal(chown(folder, 0, 0), 0);
        assert_int_equal(chown(above, 65534, 65534), 0);
        assert_null(taken(folder, path));
        assert_null(taken(link_path, path));
    }
    assert_null(taken("/nonexistent", path));
    assert_int_equal(unsetenv("SLEEPTUNE_FOLDER"), 0);
    assert_null(st_child_env_folder("SLEEPTUNE_FOLDER", path));
    assert_int_equal(unlink(link_path), 0);
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(rmdir(above), 0);
}

static void another_user_gets_that_users(void **state)
{
    (void)state;
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

/* The libraries that sleeptuned loads read files there: ~/.asoundrc can name a plug-in. */
static void root_forgets_folders_of_others(void **state)
{
    (void)state;
    char theirs[] = "/tmp/test_child_env.XXXXXX", ours[] = "/tmp/test_child_env.XXXXXX", home[512];
    const struct passwd *nobody = getpwnam("nobody");
    if (geteuid() != 0 || nobody == NULL)
        ST_CANNOT("only root forgets");
    const uid_t uid = nobody->pw_uid;
    snprintf(home, sizeof(home), "%s", getpwuid(0)->pw_dir);
    assert_non_null(mkdtemp(theirs));
    assert_non_null(mkdtemp(ours));
    assert_int_equal(chown(theirs, uid, (gid_t)-1), 0);
    assert_int_equal(setenv("HOME", theirs, 1), 0);
    assert_int_equal(setenv("XDG_CONFIG_HOME", theirs, 1), 0);
    assert_int_equal(setenv("XDG_RUNTIME_DIR", ours, 1), 0);
    assert_int_equal(setenv("XDG_CONFIG_DIRS", theirs, 1), 0);
    st_child_env_forget_others();
    assert_string_equal(getenv("HOME"), home);
    assert_null(getenv("XDG_CONFIG_HOME"));
    assert_null(getenv("XDG_CONFIG_DIRS"));
    assert_string_equal(getenv("XDG_RUNTIME_DIR"), ours);
    assert_int_equal(setenv("HOME", ours, 1), 0);
    st_child_env_forget_others();
    assert_string_equal(getenv("HOME"), ours);
    assert_int_equal(rmdir(theirs), 0);
    assert_int_equal(rmdir(ours), 0);
}

static void root_forgets_what_loads_code_or_opens_files(void **state)
{
    (void)state;
    static const char *const theirs[] = {"PULSE_COOKIE", "ALSA_PLUGIN_DIR", "SPA_PLUGIN_DIR", "OPENSSL_CONF",
                                         "SSLKEYLOGFILE"};
    for (size_t i = 0; i < ST_ARRAY_LEN(theirs); i++)
        assert_int_equal(setenv(theirs[i], "/nonexistent/ann/it", 1), 0);
    assert_int_equal(setenv("PULSE_SERVER", "unix:/run/it", 1), 0);
    st_child_env_forget_libraries();
    for (size_t i = 0; i < ST_ARRAY_LEN(theirs); i++)
        assert_true((getenv(theirs[i]) == NULL) == (geteuid() == 0));
    assert_string_equal(getenv("PULSE_SERVER"), "unix:/run/it");
    for (size_t i = 0; i < ST_ARRAY_LEN(theirs); i++)
        assert_int_equal(unsetenv(theirs[i]), 0);
}

static void a_variable_is_there_once(void **state)
{
    (void)state;
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
    (void)state;
    char path[64];
    const char *const vars[] = {"HOME=/", "PATH=:.:relative:/nonexistent:/bin", NULL}, *const none[] = {NULL};
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
        cmocka_unit_test(code_is_taken_from_a_folder_that_root_alone_can_change),
        cmocka_unit_test(another_user_gets_that_users),
        cmocka_unit_test(root_forgets_folders_of_others),
        cmocka_unit_test(root_forgets_what_loads_code_or_opens_files),
        cmocka_unit_test(a_variable_is_there_once),
        cmocka_unit_test(programs_are_looked_for_in_absolute_folders),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
