/* The daemon's log on standard error: one line a message, whatever a name in it holds. */
#include <unistd.h>

#include "daemon/log.h"
#include "tests/unit/unit.h"

static void a_message_is_one_safe_line(void **state)
{
    char text[256] = "";
    FILE *file = tmpfile();
    assert_non_null(file);
    const int saved = dup(STDERR_FILENO);
    assert_true(saved >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
    st_log_init(true, ST_LOG_INFO);
    st_log(ST_LOG_WARN, "observe", "client=%s",
           "a\nsleeptuned error: loop: b\x1b[2J\xc2\x9b\xe2\x80\xae\xff");
    assert_true(dup2(saved, STDERR_FILENO) >= 0);
    close(saved);
    rewind(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(text,
                        "sleeptuned warning: observe: client=a?sleeptuned error: loop: b?[2J???\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_is_one_safe_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
