/* The socket beside other daemons, dead ones and foreign files. */
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/http/socket.h"
#include "tests/unit/unit.h"

static char folder[] = "/tmp/sleeptune-test-XXXXXX";
static char path[64];
static const char *error;
static struct st_config config;

static int setup(void **state)
{
    st_config_defaults(&config);
    ST_PRINT(path, "%s/sock", folder);
    return 0;
}

static int teardown(void **state)
{
    char lock[80];
    ST_PRINT(lock, "%s.lock", path);
    unlink(lock);
    unlink(path);
    return 0;
}

static int connect_to(const char *to)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    ST_PRINT(address.sun_path, "%s", to);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    const int r = connect(fd, (const struct sockaddr *)&address, sizeof(address));
    const int saved = errno;
    close(fd);
    return r == 0 ? 0 : -saved;
}

static void socket_has_its_mode_and_takes_connections(void **state)
{
    struct st_socket held;
    config.socket.mode = 0604;
    assert_null(st_socket_open(&held, path, &config));
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0604);
    assert_int_equal(connect_to(path), 0);
    st_socket_close(&held);
    assert_int_equal(access(path, F_OK), -1);
}

static void second_daemon_is_told_the_pid_of_the_first(void **state)
{
    struct st_socket first, second;
    char pid[32];
    assert_null(st_socket_open(&first, path, &config));
    error = st_socket_open(&second, path, &config);
    ST_PRINT(pid, "PID %ld", (long)getpid());
    assert_has(error, pid);
    assert_int_equal(connect_to(path), 0); /* the first is not disturbed */
    st_socket_close(&first);
}

static void socket_of_a_killed_daemon_is_replaced(void **state)
{
    struct st_socket dead, held;
    assert_null(st_socket_open(&dead, path, &config));
    close(dead.fd); /* what the kernel does for a killed process */
    close(dead.lock_fd);
    assert_int_equal(connect_to(path), -ECONNREFUSED);
    assert_null(st_socket_open(&held, path, &config));
    assert_int_equal(connect_to(path), 0);
    st_socket_close(&held);
}

static void socket_that_another_program_listens_on_is_left_alone(void **state)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    ST_PRINT(address.sun_path, "%s", path);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(listen(fd, 4), 0);
    struct st_socket held;
    error = st_socket_open(&held, path, &config);
    assert_has(error, "another program listens");
    assert_int_equal(connect_to(path), 0);
    close(fd);
}

static void file_in_the_way_is_left_alone(void **state)
{
    const int fd = open(path, O_CREAT | O_WRONLY, 0600);
    assert_int_equal(write(fd, "x", 1), 1);
    close(fd);
    struct st_socket held;
    error = st_socket_open(&held, path, &config);
    assert_has(error, "not a socket");
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_size, 1);
}

static void path_that_the_kernel_does_not_take_is_told_with_its_length(void **state)
{
    char long_path[300];
    ST_PRINT(long_path, "%s/%0200d", folder, 1);
    struct st_socket held;
    error = st_socket_open(&held, long_path, &config);
    assert_has(error, "bytes, and this system takes at most");
}

static void missing_folder_is_named(void **state)
{
    char missing[100], expected[150];
    ST_PRINT(missing, "%s/no/such/sock", folder);
    ST_PRINT(expected, "cannot lock %s/no/such/sock.lock: No such file", folder);
    struct st_socket held;
    error = st_socket_open(&held, missing, &config);
    if (strstr(error, expected) == NULL)
        fail_msg("%s", error);
}

static void unknown_group_is_refused_and_leaves_no_socket(void **state)
{
    ST_PRINT(config.socket.group, "no-such-group-here");
    struct st_socket held;
    error = st_socket_open(&held, path, &config);
    assert_has(error, "there is no group \"no-such-group-here\"");
    assert_int_equal(access(path, F_OK), -1);
}

/* Whatever group the folder gives: a reload may have taken socket.group away. */
static void without_a_group_the_socket_has_the_daemons(void **state)
{
    struct st_socket held;
    struct stat status;
    assert_null(st_socket_open(&held, path, &config));
    if (chown(path, (uid_t)-1, getegid() + 1) != 0) {
        st_socket_close(&held);
        print_message("# not tried: needs root\n");
        return;
    }
    assert_null(st_socket_set_rights(&held, &config));
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_gid, getegid());
    st_socket_close(&held);
}

/* Whoever can write to the folder may put something else there before a reload. */
static void link_in_the_place_of_the_socket_is_not_followed(void **state)
{
    struct st_socket held;
    struct stat status;
    char victim[80];
    assert_null(st_socket_open(&held, path, &config));
    ST_PRINT(victim, "%s/victim", folder);
    const int fd = open(victim, O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink(victim, path), 0);
    config.socket.mode = 0666;
    error = st_socket_set_rights(&held, &config);
    assert_has(error, "the file is no longer a socket");
    assert_int_equal(stat(victim, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    st_socket_close(&held);
    unlink(victim);
}

static void root_refuses_a_folder_that_another_user_can_change(void **state)
{
    struct st_socket held;
    if (geteuid() != 0 || chown(folder, 65534, (gid_t)-1) != 0) {
        print_message("# not tried: needs root\n");
        return;
    }
    error = st_socket_open(&held, path, &config);
    assert_int_equal(chown(folder, 0, (gid_t)-1), 0);
    assert_has(error, "another user can change the folder of the socket");
    assert_int_equal(access(path, F_OK), -1);
}

static void root_follows_no_link_that_another_user_can_change(void **state)
{
    struct st_socket held;
    char link_path[ST_SOCKET_PATH_BYTES], lock[ST_SOCKET_PATH_BYTES];
    ST_PRINT(link_path, "%s.link", path);
    if (geteuid() != 0 || symlink(folder, link_path) != 0 || lchown(link_path, 65534, 65534) != 0) {
        print_message("# not tried: needs root\n");
        return;
    }
    char through[ST_SOCKET_PATH_BYTES + 8];
    ST_PRINT(through, "%s/new", link_path);
    error = st_socket_open(&held, through, &config);
    assert_has(error, "another user can change a symbolic link in this path");
    ST_PRINT(lock, "%s/new.lock", folder);
    assert_int_equal(access(lock, F_OK), -1);
    assert_int_equal(unlink(link_path), 0);
}

static void environment_wins_over_the_configuration(void **state)
{
    ST_PRINT(config.socket.path, "/a/b");
    unsetenv("SLEEPTUNE_SOCKET");
    assert_string_equal(st_socket_choose(&config, &error), "/a/b");
    setenv("SLEEPTUNE_SOCKET", "/c/d", 1);
    assert_string_equal(st_socket_choose(&config, &error), "/c/d");
    unsetenv("SLEEPTUNE_SOCKET");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(socket_has_its_mode_and_takes_connections),
        TEST(second_daemon_is_told_the_pid_of_the_first),
        TEST(socket_of_a_killed_daemon_is_replaced),
        TEST(socket_that_another_program_listens_on_is_left_alone),
        TEST(file_in_the_way_is_left_alone),
        TEST(path_that_the_kernel_does_not_take_is_told_with_its_length),
        TEST(missing_folder_is_named),
        TEST(unknown_group_is_refused_and_leaves_no_socket),
        TEST(without_a_group_the_socket_has_the_daemons),
        TEST(link_in_the_place_of_the_socket_is_not_followed),
        TEST(root_refuses_a_folder_that_another_user_can_change),
        TEST(root_follows_no_link_that_another_user_can_change),
        TEST(environment_wins_over_the_configuration),
    };
    if (mkdtemp(folder) == NULL)
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
