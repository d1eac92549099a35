/* The head of a request. */
#include "daemon/http/request.h"
#include "tests/unit/unit.h"

static bool reads(char *head, struct st_request *ret)
{
    return st_request_read(head, strlen(head), ret);
}

static void its_parts_are_found(void **state)
{
    struct st_request request;
    char head[] = "GET /v1/events?kind=late-wake&since=1%68+a%00&x HTTP/1.1\r\nhOST:\tstudio \r\nX: y\r\n"
                  "Sec-Fetch-Site: none\r\nHost: other";
    const char *value;
    assert_true(reads(head, &request));
    assert_string_equal(request.method, "GET");
    assert_string_equal(request.target, "/v1/events");
    assert_string_equal(request.fields[ST_REQUEST_HOST], "studio");
    assert_string_equal(request.fields[ST_REQUEST_FETCH_SITE], "none");
    assert_null(request.fields[ST_REQUEST_ORIGIN]);
    assert_int_equal(request.hosts_n, 2);
    assert_string_equal(st_request_next(&request.query, &value), "kind");
    assert_string_equal(value, "late-wake");
    assert_string_equal(st_request_next(&request.query, &value), "since");
    assert_string_equal(value, "1h a\1");
    assert_string_equal(st_request_next(&request.query, &value), "x");
    assert_null(value);
    assert_null(st_request_next(&request.query, &value));
}

static void what_is_no_request_is_refused(void **state)
{
    static const char *const heads[] = {"",
                                        "GET /",
                                        "GET / HTTP/2",
                                        "GET  / HTTP/1.1",
                                        "GET / HTTP/1.1\r\nHost",
                                        "GET / HTTP/1.1\r\nX: y\r\n folded: z",
                                        "GET / HTTP/1.1\r\n: y"};
    struct st_request request;
    ST_EACH (head, heads) {
        char copy[64];
        ST_PRINT(copy, "%s", *head);
        assert_false(reads(copy, &request));
    }
    char zero[] = "GET / HTTP/1.1\r\nHost: a\0b";
    assert_false(st_request_read(zero, sizeof(zero) - 1, &request));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_parts_are_found),
        cmocka_unit_test(what_is_no_request_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
