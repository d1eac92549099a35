/* Asking the daemon: one that has other readers is asked again, for 20 s in all, however long each of its
 * answers takes. Time is the test's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/show/daemon_client.h"

#define SCHEMA "sleeptune-status/1"
#define FINE                                                                                                 \
    "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 31\r\n\r\n{\"schema\":\"sleeptune-status/1\"}"
#define BUSY(retry_after)                                                                                    \
    "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: " retry_after                     \
    "\r\nContent-Length: 17\r\n\r\n{\"error\":\"later\"}"

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret);
int __wrap_nanosleep(const struct timespec *wish, struct timespec *ret_left);

static atomic_int_fast64_t now_s; /* the clock of the client; libcurl has the real one */

int __wrap_clock_gettime(clockid_t clock, struct timespec *ret)
{
    assert_int_equal(clock, CLOCK_MONOTONIC);
    *ret = (struct timespec){.tv_sec = (time_t)now_s};
    return 0;
}

int __wrap_nanosleep(const struct timespec *wish, struct timespec *ret_left)
{
    (void)ret_left;
    assert_int_equal(wish->tv_nsec, 0);
    now_s += wish->tv_sec;
    return 0;
}

/* A daemon that answers its first questions with `busy`, the others well; each answer takes a while. */
struct server {
    char folder[64], path[96];
    int fd;
    pthread_t thread;
    const char *busy;
    int busy_n;
    int64_t answer_s;
    atomic_int asked_n;
};

static void answer(struct server *server, int fd)
{
    char question[4096] = "";
    size_t len = 0;
    ssize_t n;
    while (strstr(question, "\r\n\r\n") == NULL &&
           (n = read(fd, question + len, sizeof(question) - 1 - len)) > 0) {
        len += (size_t)n;
        question[len] = '\0';
    }
    const char *text = server->asked_n++ < server->busy_n ? server->busy : FINE;
    now_s += server->answer_s;
    if (write(fd, text, strlen(text)) != (ssize_t)strlen(text))
        abort();
    close(fd);
}

static void *serve(void *ctx)
{
    struct server *server = ctx;
    int fd;
    while ((fd = accept(server->fd, NULL, NULL)) >= 0)
        answer(server, fd);
    return NULL;
}

static void start(struct server *server)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(server->folder, sizeof(server->folder), "/tmp/test_daemon_client.XXXXXX");
    assert_non_null(mkdtemp(server->folder));
    snprintf(server->path, sizeof(server->path), "%s/socket", server->folder);
    memcpy(address.sun_path, server->path, strlen(server->path) + 1);
    server->fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_true(server->fd >= 0);
    assert_int_equal(bind(server->fd, (const struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(listen(server->fd, 1), 0);
    assert_int_equal(pthread_create(&server->thread, NULL, serve, server), 0);
}

static void stop_server(struct server *server)
{
    shutdown(server->fd, SHUT_RDWR);
    pthread_join(server->thread, NULL);
    close(server->fd);
    unlink(server->path);
    rmdir(server->folder);
}

/* @return the client's; how long it took and how often it asked are in now_s and in the server. */
static int ask(struct server *server, char *error, size_t error_bytes)
{
    struct st_daemon_answer got;
    start(server);
    now_s = 1000000;
    const int status =
        st_daemon_client_try(server->path, "/v1/history", SCHEMA, 60000, &got, error, error_bytes);
    assert_int_equal(status == 0, got.document != NULL);
    st_daemon_client_finish(&got);
    stop_server(server);
    now_s -= 1000000;
    return status;
}

static void a_daemon_with_other_readers_is_asked_again(void **state)
{
    (void)state;
    char error[512] = "";
    struct server server = {.busy = BUSY("1"), .busy_n = 3};
    assert_int_equal(ask(&server, error, sizeof(error)), 0);
    assert_int_equal(server.asked_n, 4);
    assert_int_equal(now_s, 3);
}

static void one_that_is_busy_for_ever_is_asked_for_20_s(void **state)
{
    (void)state;
    char error[512] = "";
    struct server server = {.busy = BUSY("1"), .busy_n = 1000};
    assert_int_equal(ask(&server, error, sizeof(error)), ST_EXIT_FAILURE);
    assert_string_equal(error, "later");
    assert_int_equal(server.asked_n, 21);
    assert_int_equal(now_s, 20);
}

static void all_its_answers_share_the_20_s(void **state)
{
    (void)state;
    char error[512] = "";
    struct server server = {.busy = BUSY("1"), .busy_n = 1000, .answer_s = 4};
    assert_int_equal(ask(&server, error, sizeof(error)), ST_EXIT_FAILURE);
    assert_string_equal(error, "later");
    assert_int_equal(server.asked_n, 5);
    assert_int_equal(now_s, 4 + 20);
}

static void one_that_does_not_say_soon_is_asked_once(void **state)
{
    (void)state;
    char error[512] = "";
    struct server server = {.busy = BUSY("10"), .busy_n = 1};
    assert_int_equal(ask(&server, error, sizeof(error)), ST_EXIT_FAILURE);
    assert_int_equal(server.asked_n, 1);
    assert_int_equal(now_s, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_daemon_with_other_readers_is_asked_again),
        cmocka_unit_test(one_that_is_busy_for_ever_is_asked_for_20_s),
        cmocka_unit_test(all_its_answers_share_the_20_s),
        cmocka_unit_test(one_that_does_not_say_soon_is_asked_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
