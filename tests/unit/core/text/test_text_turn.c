#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "core/base.h"
#include "core/text/text.h"

static void texts_of_a_turn_live_side_by_side(void **state)
{
    const char *texts[1000];
    for (int i = 0; i < 1000; i++)
        texts[i] = st_text("%d after %.40s", i, i > 0 ? texts[i - 1] : "nothing");
    for (int i = 0; i < 1000; i++)
        assert_string_equal(texts[i],
                            st_text("%d after %.40s", i, i > 0 ? texts[i - 1] : "nothing"));
    st_text_forget();
}

static void a_long_text_is_cut(void **state)
{
    char all[2 * ST_TEXT_MAX_BYTES];
    memset(all, 'x', sizeof(all));
    all[sizeof(all) - 1] = '\0';
    assert_int_equal(strlen(st_text("%s", all)), ST_TEXT_MAX_BYTES - 1);
    assert_string_equal(st_text("%s", "short"), "short");
    st_text_forget();
}

static void who_never_forgets_gets_the_oldest_room(void **state)
{
    const char *oldest = st_text("%s", "oldest");
    size_t bytes = 0;
    for (; st_text_is(oldest, "oldest") && bytes < 2 * ST_TEXT_TURN_BYTES; bytes += 100)
        assert_string_equal(st_text("%-99d", 7) + 1, st_text("%-98s", ""));
    assert_in_range(bytes, ST_TEXT_TURN_BYTES / 4, 2 * ST_TEXT_TURN_BYTES - 1);
    st_text_forget();
    assert_string_equal(st_text("%s", "new"), "new");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_of_a_turn_live_side_by_side),
        cmocka_unit_test(a_long_text_is_cut),
        cmocka_unit_test(who_never_forgets_gets_the_oldest_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
