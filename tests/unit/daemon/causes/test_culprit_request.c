/* What the system's daemon answers a user's one about the trace, which is not trusted. */
#include "daemon/causes/tracer.c"
#include "tests/fake/fake.h"
#include "tests/unit/one_answer.h"

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

#define ANSWER(name, ns)                                                                           \
    "{\"schema\":\"sleeptune-culprit/1\",\"traces\":true,\"name\":" name ",\"ns\":" ns             \
    ",\"turns_ns\":0}"

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
            ANSWER("\"0123456789012345678901234567890123456789012345678901234567890123456789\"",
                   "1"),
            &got),
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
    struct sockaddr_un address;
    const int in = one_answer(&address, "?tid=7&since=1.200000003&until=4.050000006 ", answer);
    const int r = st_culprit_request(address.sun_path, 7, 1200000003, 4050000006, ret);
    one_answer_end(&address, in);
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

/* No one listens: who is asked is not reached. */
static void the_daemon_is_asked_about_what_it_can_know_and_in_time(void **state)
{
    static const struct {
        enum st_cause cause;
        int64_t left_ns, pause_ns, lateness_ns;
        int r;
    } rows[] = {
        {ST_CAUSE_RUN_QUEUE, 1, 0, 1, -ECONNREFUSED},
        {ST_CAUSE_KERNEL, 1, 0, ST_CULPRIT_SPAN_MAX_NS, -ECONNREFUSED},
        {ST_CAUSE_UNKNOWN, 1, 0, 1, -ENOENT},
        {ST_CAUSE_KERNEL, 0, 0, 1, -ENOENT},
        {ST_CAUSE_KERNEL, 1, 1, 1, -ENOENT},
        {ST_CAUSE_KERNEL, 1, 0, ST_CULPRIT_SPAN_MAX_NS + 1, -ENOENT},
    };
    const int64_t now_ns = 1000 * ST_NS_PER_S;
    struct st_trace_culprit got;
    struct st_tracer tracer = {.socket = "/nonexistent/sock",
                               .platform = st_fake_new(ST_OS_LINUX, now_ns)};
    ST_EACH (row, rows) {
        const struct st_cause_event late = {
            .cause = row->cause, .at_ns = now_ns, .lateness_ns = row->lateness_ns};
        tracer.ask_from_ns = now_ns + row->pause_ns;
        assert_int_equal(find(&tracer, &late, now_ns + row->left_ns, &got), row->r);
        assert_true(row->r == -ENOENT || tracer.ask_from_ns == now_ns + ASK_AGAIN_NS);
    }
    st_fake_free(tracer.platform);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_culprit_arrives_as_it_was_found),
        cmocka_unit_test(no_culprit_and_no_trace_are_two_things),
        cmocka_unit_test(other_answers_are_refused_and_names_are_made_safe),
        cmocka_unit_test(without_a_daemon_the_error_says_so),
        cmocka_unit_test(the_daemon_is_asked_about_what_it_can_know_and_in_time),
        cmocka_unit_test(what_is_asked_has_times_and_the_answer_a_limit),
    };
    return cmocka_run_group_tests_name("culprit_request", tests, NULL, NULL);
}
