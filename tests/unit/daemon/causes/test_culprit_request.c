/* What the system's daemon answers a user's one about the trace, which is not trusted. */
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/causes/culprit_request.h"
#include "tests/unit/unit.h"

static int parsed(int r, const struct st_trace_culprit *culprit, struct st_trace_culprit *ret)
{
    json_t *document = st_culprit_request_answer(r, culprit);
    assert_non_null(document);
    char *text = json_dumps(document, JSON_COMPACT);
    json_decref(document);
    r = st_culprit_request_parse(text, ret);
    free(text);
    return r;
}

static void a_culprit_arrives_as_it_was_found(void **state)
{
    const struct st_trace_culprit found = {.name = "audiohog/4711",
                                           .ns = 2986000,
                                           .turns_ns = 3100000,
                                           .waking_was_seen = true,
                                           .explains = true};
    struct st_trace_culprit got;
    assert_int_equal(parsed(0, &found, &got), 0);
    assert_string_equal(got.name, "audiohog/4711");
    assert_int_equal(got.ns, 2986000);
    assert_int_equal(got.turns_ns, 3100000);
    assert_true(got.explains);
    assert_false(got.waking_was_seen); /* that of the thread is not traced there */
}

static void no_culprit_and_no_trace_are_two_things(void **state)
{
    struct st_trace_culprit got;
    assert_int_equal(parsed(-ENOENT, NULL, &got), -ENOENT);
    assert_int_equal(parsed(-ENODATA, NULL, &got), -ENOENT);
    assert_int_equal(parsed(-ENOTSUP, NULL, &got), -ENOTSUP);
}

#define ANSWER(name, ns)                                                                                     \
    "{\"schema\":\"sleeptune-culprit/1\",\"traces\":true,\"name\":" name ",\"ns\":" ns ",\"turns_ns\":0}"

static void other_answers_are_refused_and_names_are_made_safe(void **state)
{
    static const char *const bad[] = {"",
                                      "[]",
                                      "{}",
                                      "null",
                                      "{\"schema\":\"sleeptune-status/1\"}",
                                      ANSWER("\"x\"", "-1"),
                                      ANSWER("\"x\"", "1e3"),
                                      ANSWER("\"x\"", "\"1\""),
                                      ANSWER("\"x\"", "900000000000000000")};
    struct st_trace_culprit got;
    ST_EACH (text, bad)
        assert_int_equal(st_culprit_request_parse(*text, &got), -EBADMSG);
    assert_int_equal(st_culprit_request_parse(ANSWER("7", "1"), &got), -ENOENT);
    assert_int_equal(st_culprit_request_parse(ANSWER("\"a\\u001b[31m\\n\"", "1"), &got), 0);
    assert_null(strchr(got.name, '\033'));
    assert_null(strchr(got.name, '\n'));
    assert_int_equal(
        st_culprit_request_parse(
            ANSWER("\"0123456789012345678901234567890123456789012345678901234567890123456789\"", "1"), &got),
        0);
    assert_true(strlen(got.name) < sizeof(got.name));
}

static void without_a_daemon_the_error_says_so(void **state)
{
    struct st_trace_culprit got;
    assert_int_equal(st_culprit_request("/nonexistent/sock", 1, 0, 0, &got), -ECONNREFUSED);
}

/* Of a daemon that takes only a question about these times. */
static int answered(const char *answer, struct st_trace_culprit *ret)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "/tmp/sleeptune-test-XXXXXX"};
    const int in = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(rmdir(mkdtemp(address.sun_path)), 0);
    assert_int_equal(bind(in, (struct sockaddr *)&address, sizeof(address)) + listen(in, 1), 0);
    if (fork() == 0) {
        char asked[256] = "";
        const int fd = accept(in, NULL, NULL);
        (void)!read(fd, asked, sizeof(asked) - 1);
        if (strstr(asked, "?tid=7&since=1.200000003&until=4.050000006 ") != NULL)
            dprintf(fd, "HTTP/1.0 200 OK\r\n\r\n%s", answer);
        _exit(0);
    }
    const int r = st_culprit_request(address.sun_path, 7, 1200000003, 4050000006, ret);
    close(in);
    unlink(address.sun_path);
    return r;
}

static void what_is_asked_has_times_and_the_answer_a_limit(void **state)
{
    static char longer[4200];
    struct st_trace_culprit got;
    assert_int_equal(answered(ANSWER("\"hog\"", "5"), &got), 0);
    assert_int_equal(got.ns, 5);
    snprintf(longer, sizeof(longer), "%-4100s", ANSWER("\"hog\"", "5"));
    assert_int_equal(answered(longer, &got), -EBADMSG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_culprit_arrives_as_it_was_found),
        cmocka_unit_test(no_culprit_and_no_trace_are_two_things),
        cmocka_unit_test(other_answers_are_refused_and_names_are_made_safe),
        cmocka_unit_test(without_a_daemon_the_error_says_so),
        cmocka_unit_test(what_is_asked_has_times_and_the_answer_a_limit),
    };
    return cmocka_run_group_tests_name("culprit_request", tests, NULL, NULL);
}
