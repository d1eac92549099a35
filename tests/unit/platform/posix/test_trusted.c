/* What root takes of the environment that it was given, and from where code is taken.
 * Real clock: none; the machine is asked where this program is. */
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/platform.h"
#include "platform/trusted.h"
#include "tests/unit/cannot.h"
#include "tests/unit/unit.h"

/** What cmocka reads itself stays. */
static void clean(void)
{
    const char *output = getenv("CMOCKA_MESSAGE_OUTPUT");
    st_trusted_environment();
    if (output != NULL)
        assert_int_equal(setenv("CMOCKA_MESSAGE_OUTPUT", output, 1), 0);
}

/** @return what st_trusted_find says. */
static int taken(const char *value, char path[PATH_MAX])
{
    assert_int_equal(setenv("SLEEPTUNE_FOLDER", value, 1), 0);
    return st_trusted_find(st_platform_native(), "SLEEPTUNE_FOLDER", "../none", "/nonexistent",
                           "code.so", path);
}

static void code_is_taken_from_a_folder_that_root_alone_can_change(void **state)
{
    char above[] = "/tmp/sleeptune-env-XXXXXX", folder[64], link_path[64], file[80], path[PATH_MAX],
         sentence[240];
    const bool root = geteuid() == 0;
    const int refused = root ? -EPERM : 0;
    assert_non_null(mkdtemp(above));
    ST_PRINT(folder, "%s/folder", above);
    ST_PRINT(link_path, "%s/link", above);
    ST_PRINT(file, "%s/code.so", folder);
    snprintf(sentence, sizeof(sentence),
             "root does not load code.so: others can change %s. As root, run meson install -C "
             "build, or make that path root's alone (chown root, chmod go-w)",
             above);
    assert_int_equal(mkdir(folder, 0755), 0);
    assert_int_equal(symlink("folder", link_path), 0);
    assert_int_equal(taken(folder, path), -ENOENT);
    assert_string_equal(path, "code.so is not installed");
    fclose(fopen(file, "w"));
    assert_int_equal(chmod(file, 0755), 0);
    assert_int_equal(taken(link_path, path), 0);
    assert_string_equal(path, file);          /* without the link */
    assert_int_equal(chmod(above, 01777), 0); /* as /tmp itself */
    assert_int_equal(taken(folder, path), 0);
    assert_int_equal(chmod(folder, 01777), 0); /* others can put another one there */
    assert_int_equal(taken(folder, path), refused);
    assert_int_equal(chmod(folder, 0755), 0);
    assert_int_equal(chmod(above, 0775), 0);
    assert_int_equal(taken(folder, path), refused);
    if (root)
        assert_string_equal(path, sentence);
    assert_int_equal(chmod(above, 0700), 0);
    assert_int_equal(chmod(file, 0757), 0);
    assert_int_equal(taken(folder, path), refused);
    assert_int_equal(chmod(file, 0755), 0);
    assert_int_equal(taken(folder, path), 0);
    if (root) {
        assert_int_equal(chown(folder, 65534, 65534), 0);
        assert_int_equal(taken(folder, path), -EPERM);
        assert_true(st_trusted_path(folder, 65534)); /* whose code it is */
        assert_int_equal(chown(folder, 0, 0), 0);
        assert_int_equal(chown(above, 65534, 65534), 0);
        assert_int_equal(taken(link_path, path), -EPERM);
    }
    assert_int_equal(unsetenv("SLEEPTUNE_FOLDER"), 0);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(unlink(link_path), 0);
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(rmdir(above), 0);
}

static void address_that_names_a_program_is_forgotten_by_everyone(void **state)
{
    static const char *const refused[] = {"unixexec:path=/bin/true",
                                          "unix:path=/none;unixexec:path=/bin/true",
                                          "tcp:host=localhost", "autolaunch:", ""};
    for (size_t i = 0; i < ST_ARRAY_LEN(refused); i++) {
        assert_int_equal(setenv("DBUS_SESSION_BUS_ADDRESS", refused[i], 1), 0);
        assert_int_equal(setenv("DBUS_SYSTEM_BUS_ADDRESS", refused[i], 1), 0);
        clean();
        assert_null(getenv("DBUS_SESSION_BUS_ADDRESS"));
        assert_null(getenv("DBUS_SYSTEM_BUS_ADDRESS"));
    }
    assert_int_equal(setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/none", 1), 0);
    clean();
    assert_true((getenv("DBUS_SESSION_BUS_ADDRESS") == NULL) == (geteuid() == 0));
}

static void root_keeps_what_is_listed(void **state)
{
    char ours[] = "/tmp/test_trusted.XXXXXX", theirs[] = "/tmp/test_trusted.XXXXXX", link_path[64],
         socket[64], home[PATH_MAX];
    if (geteuid() != 0)
        ST_CANNOT("only root forgets");
    ST_PRINT(home, "%s", getpwuid(0)->pw_dir);
    assert_non_null(mkdtemp(ours));
    assert_non_null(mkdtemp(theirs));
    assert_int_equal(chown(theirs, 65534, (gid_t)-1), 0);
    ST_PRINT(link_path, "%s/link", ours);
    ST_PRINT(socket, "%s/not/there", ours /* its folder is not there */);
    assert_int_equal(symlink(ours, link_path), 0);
    const char *const given[][2] = {{"HOME", theirs},
                                    {"STATE_DIRECTORY", theirs},
                                    {"XDG_RUNTIME_DIR", link_path},
                                    {"TMPDIR", "/tmp"},
                                    {"SLEEPTUNE_SOCKET", socket},
                                    {"NOTIFY_SOCKET", "@abstract"},
                                    {"XDG_STATE_HOME", "relative"},
                                    {"LANG", "C.UTF-8"},
                                    {"LC_ALL", "/tmp/it"},
                                    {"TZ", ":it"},
                                    {"LC_CTYPE", "../it"},
                                    {"SUDO_USER", "ann"},
                                    {"JACK_PROMISCUOUS_SERVER", "1"},
                                    {"PIPEWIRE_REMOTE", ours},
                                    {"LD_AUDIT", "it"}};
    for (size_t i = 0; i < ST_ARRAY_LEN(given); i++)
        assert_int_equal(setenv(given[i][0], given[i][1], 1), 0);
    clean();
    assert_string_equal(getenv("HOME"), home);
    assert_string_equal(getenv("XDG_RUNTIME_DIR"), ours); /* without the link */
    assert_string_equal(getenv("LANG"), "C.UTF-8");
    assert_string_equal(getenv("SUDO_USER"), "ann");
    assert_non_null(getenv("PATH"));
    for (size_t i = 0; i < ST_ARRAY_LEN(given); i++) {
        const char *name = given[i][0];
        const bool kept = strcmp(name, "HOME") == 0 || strcmp(name, "XDG_RUNTIME_DIR") == 0 ||
                          strcmp(name, "LANG") == 0 || strcmp(name, "SUDO_USER") == 0;
        assert_true((getenv(name) != NULL) == kept);
    }
    ST_PRINT(socket, "%s/new", ours);
    assert_int_equal(setenv("SLEEPTUNE_SOCKET", socket, 1), 0);
    clean();
    assert_string_equal(getenv("SLEEPTUNE_SOCKET"), socket);
    assert_int_equal(unlink(link_path), 0);
    assert_int_equal(rmdir(ours), 0);
    assert_int_equal(rmdir(theirs), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_is_taken_from_a_folder_that_root_alone_can_change),
        cmocka_unit_test(address_that_names_a_program_is_forgotten_by_everyone),
        cmocka_unit_test(root_keeps_what_is_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
