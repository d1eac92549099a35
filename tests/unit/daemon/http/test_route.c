/* Which answer a request gets, and the Host check that keeps web pages out. */
#include "daemon/http/route.h"
#include "tests/unit/unit.h"

static const struct st_route_names studio = {.machine = "studio", .others = ""};

static void paths_and_methods_are_a_closed_list(void **state)
{
    static const struct {
        const char *method, *path;
        unsigned http_status;
    } rows[] = {
        {"GET", "/v1/status", 200},
        {"HEAD", "/v1/status", 200},
        {"GET", "/metrics", 200},
        {"POST", "/v1/status", 405},
        {"DELETE", "/metrics", 405},
        {"get", "/metrics", 405},
        {"GET", "/", 200},
        {"HEAD", "/", 200},
        {"GET", "/v1/causes", 200},
        {"PUT", "/v1/causes", 405},
        {"GET", "/v1/sizes", 200},
        {"GET", "/v1/heard", 200},
        {"GET", "/v1/page", 200},
        {"GET", "/v1/live", 404},
        {"GET", "/v1/stream", 404},
        {"POST", "/v1/status", 405},
        {"GET", "//", 404},
        {"GET", "/index.html", 404},
        {"GET", "/v1/status/", 404},
        {"GET", "/v1/../metrics", 404},
        {"GET", "", 404},
        {"OPTIONS", "*", 405},
        {"GET", "/V1/STATUS", 404},
    };
    ST_EACH (row, rows) {
        const struct st_route route = st_route_choose(row->method, row->path, NULL, false, &studio);
        assert_int_equal(route.http_status, row->http_status);
        assert_true((route.body == ST_ROUTE_ERROR) == (route.http_status != 200));
        assert_true((route.error != NULL) == (route.http_status != 200));
    }
}

static void only_the_socket_has_the_address_of_the_page(void **state)
{
    assert_int_equal(st_route_choose("GET", "/v1/page", NULL, false, &studio).body,
                     ST_ROUTE_ADDRESS);
    assert_int_equal(st_route_choose("GET", "/v1/page", "127.0.0.1", true, &studio).http_status,
                     404);
    assert_int_equal(st_route_choose("GET", "/v1/status", "127.0.0.1", true, &studio).http_status,
                     200);
}

static bool is_allowed(const char *host, const struct st_route_names *names)
{
    return st_route_choose("GET", "/metrics", host, true, names).http_status == 200;
}

static void host_is_an_address_localhost_or_this_machine(void **state)
{
    static const struct {
        const char *host;
        bool allowed;
    } rows[] = {
        {"127.0.0.1:9733", true},
        {"127.0.0.1", true},
        {"192.168.1.7:9733", true},
        {"[::1]:9733", true},
        {"[::1]", true},
        {"localhost", true},
        {"LOCALHOST:80", true},
        {"studio", true},
        {"Studio:9733", true},
        {"studio.example.org", true},
        {"studio.example.org:1", true},
        {"A.lan:9733", true},
        {"b.lan", true},
        {"a", false},
        {"a.lan.evil.example", false},
        {"lan", false},
        {" ", false},
        {"a.lan  b.lan", false},
        {"evil.example", false},
        {"localhost.evil.example", false},
        {"studio.evil.example", false},
        {"127.0.0.1.evil.example", false},
        {"stud", false},
        {"studios", false},
        {"", false},
        {":80", false},
        {"[::1", false},
        {"[localhost]", false},
        {"localhost:", false},
        {"localhost:80x", false},
        {"[]", false},
        {"127.0.0.1:80:80", false},
        {"user@localhost", false},
    };
    const struct st_route_names names = {.machine = "studio.example.org",
                                         .others = " a.lan  B.lan"};
    ST_EACH (row, rows) {
        if (is_allowed(row->host, &names) != row->allowed)
            fail_msg("Host: %s", row->host);
    }
    const struct st_route_names none = {.machine = "", .others = ""};
    assert_false(is_allowed("x", &none));
    assert_false(is_allowed("", &none));
}

static void host_is_checked_on_tcp_only(void **state)
{
    assert_int_equal(st_route_choose("GET", "/metrics", "evil.example", false, &studio).http_status,
                     200);
    assert_int_equal(st_route_choose("GET", "/metrics", "evil.example", true, &studio).http_status,
                     403);
    assert_int_equal(st_route_choose("GET", "/metrics", NULL, true, &studio).http_status, 400);
    assert_int_equal(st_route_choose("GET", "/metrics", "studio", true, &studio).http_status, 200);
}

static void host_of_an_absolute_target_counts(void **state)
{
    static const struct {
        const char *target, *host;
        unsigned http_status;
    } rows[] = {
        {"http://studio/metrics", "evil.example", 200},
        {"HTTP://studio:9733/v1/status", "studio:9733", 200},
        {"http://127.0.0.1:9733", "127.0.0.1:9733", 200}, /* the page */
        {"http://evil.example/metrics", "studio", 403},
        {"http:///metrics", "studio", 403},
        {"http://studio/nothing", "studio", 404},
        {"https://studio/metrics", "studio", 404},
        {"http://studio/metrics", NULL, 200},
    };
    ST_EACH (row, rows) {
        if (st_route_choose("GET", row->target, row->host, true, &studio).http_status !=
            row->http_status)
            fail_msg("%s", row->target);
    }
    char longest[400] = "http://";
    memset(longest + 7, 'a', 300);
    assert_int_equal(st_route_choose("GET", longest, "studio", true, &studio).http_status, 403);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_and_methods_are_a_closed_list),
        cmocka_unit_test(only_the_socket_has_the_address_of_the_page),
        cmocka_unit_test(host_is_an_address_localhost_or_this_machine),
        cmocka_unit_test(host_is_checked_on_tcp_only),
        cmocka_unit_test(host_of_an_absolute_target_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
