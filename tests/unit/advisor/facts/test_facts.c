

#include "advisor/facts/facts.h"
#include "tests/unit/unit.h"

static int setup(void **state)
{
    *state = st_facts_new(ST_OS_LINUX);
    return *state != NULL ? 0 : -1;
}

static int teardown(void **state)
{
    st_facts_free(*state);
    return 0;
}

static void facts_are_kept_in_order_of_key(void **state)
{
    struct st_facts *facts = *state;
    static const char *const keys[] = {"m", "a", "z", "b", "y", "c"};
    for (size_t i = 0; i < ST_ARRAY_LEN(keys); i++)
        assert_int_equal(st_facts_put_int(facts, keys[i], (int64_t)i, NULL), 0);
    assert_int_equal(facts->n, ST_ARRAY_LEN(keys));
    for (size_t i = 1; i < facts->n; i++)
        assert_true(strcmp(facts->rows[i - 1]->key, facts->rows[i]->key) < 0);
    assert_int_equal(st_facts_find(facts, "z")->i64, 2);
}

static void a_second_put_replaces_and_keeps_the_pointer(void **state)
{
    struct st_facts *facts = *state;
    assert_int_equal(st_facts_put_state(facts, "k", ST_FACT_UNREADABLE, EACCES, NULL, "/proc/k"),
                     0);
    const struct st_fact *fact = st_facts_find(facts, "k");
    assert_int_equal(st_facts_put_text(facts, "k", "tsc", "/proc/k"), 0);
    assert_ptr_equal(st_facts_find(facts, "k"), fact);
    assert_int_equal(fact->state, ST_FACT_OK);
    assert_int_equal(fact->error, 0);
    assert_string_equal(fact->text, "tsc");
    assert_int_equal(facts->n, 1);
}

static void the_four_states_read_differently(void **state)
{
    struct st_facts *facts = *state;
    int64_t value = 42;
    const char *text = "untouched";
    assert_int_equal(st_facts_put_state(facts, "absent", ST_FACT_ABSENT, 0, NULL, "/x"), 0);
    assert_int_equal(st_facts_put_state(facts, "unreadable", ST_FACT_UNREADABLE, EIO, NULL, "/x"),
                     0);
    assert_int_equal(st_facts_put_state(facts, "malformed", ST_FACT_MALFORMED, 0, "?", "/x"), 0);
    assert_int_equal(st_facts_put_text(facts, "ok", " 950000\n", "/x"), 0);
    assert_int_equal(st_facts_put_text(facts, "word", "tsc", "/x"), 0);
    assert_int_equal(st_facts_int(facts, "nobody", &value), -ENOENT);
    assert_int_equal(st_facts_int(facts, "absent", &value), -ENOENT);
    assert_int_equal(st_facts_int(facts, "unreadable", &value), -EACCES);
    assert_int_equal(st_facts_int(facts, "malformed", &value), -EBADMSG);
    assert_int_equal(st_facts_int(facts, "word", &value), -EBADMSG);
    assert_int_equal(st_facts_text(facts, "absent", &text), -ENOENT);
    assert_int_equal(st_facts_text(facts, "malformed", &text), -EBADMSG);
    assert_int_equal(value, 42);
    assert_string_equal(text, "untouched");
    assert_int_equal(st_facts_int(facts, "ok", &value), 0);
    assert_int_equal(value, 950000);
    assert_int_equal(st_facts_text(facts, "ok", &text), 0);
    assert_string_equal(text, "950000");
    assert_int_equal(st_facts_find(facts, "unreadable")->error, EIO);
    assert_int_equal(st_facts_unreadable(facts), 2);
}

static void texts_are_valid(void **state)
{
    struct st_facts *facts = *state;
    assert_int_equal(st_facts_put_text(facts, "k\xFF", "v\xFF", "s\xFF"), 0);
    const struct st_fact *fact = facts->rows[0];
    assert_string_equal(fact->key, "k\xEF\xBF\xBD");
    assert_string_equal(fact->text, "v\xEF\xBF\xBD");
    assert_string_equal(fact->source, "s\xEF\xBF\xBD");
}

static void what_is_malformed_keeps_its_text_and_is_no_value(void **state)
{
    struct st_facts *facts = *state;
    int64_t value = 5;
    const char *text = "untouched";
    assert_int_equal(st_facts_put_number(facts, "k", "soon", "s"), 0);
    assert_int_equal(st_facts_put_state(facts, "n", ST_FACT_MALFORMED, 0, "7", "s"), 0);
    assert_string_equal(st_facts_find(facts, "k")->text, "soon");
    assert_false(st_facts_find(facts, "n")->is_int);
    assert_int_equal(st_facts_int(facts, "n", &value), -EBADMSG);
    assert_int_equal(st_facts_text(facts, "n", &text), -EBADMSG);
    assert_int_equal(value, 5);
    assert_string_equal(text, "untouched");
}

static void collect_keys(const struct st_facts *facts, const char *prefix, const char *suffix,
                         char *keys)
{
    keys[0] = '\0';
    for (const struct st_fact *fact = NULL;
         (fact = st_facts_next(facts, prefix, suffix, fact)) != NULL;) {
        strcat(keys, fact->key);
        strcat(keys, " ");
    }
}

static void a_walk_takes_prefix_and_suffix(void **state)
{
    struct st_facts *facts = *state;
    static const char *const keys[] = {"a.1.gov", "a.2.driver", "a.2.gov",
                                       "a.gov",   "ab",         "b.1.gov"};
    ST_EACH (key, keys)
        assert_int_equal(st_facts_put_int(facts, *key, 1, NULL), 0);
    char found[100];
    collect_keys(facts, "a.", ".gov", found);
    assert_string_equal(found, "a.1.gov a.2.gov ");
    collect_keys(facts, "a", "", found);
    assert_string_equal(found, "a.1.gov a.2.driver a.2.gov a.gov ab ");
    collect_keys(facts, "c", "", found);
    assert_string_equal(found, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(facts_are_kept_in_order_of_key),
        TEST(a_second_put_replaces_and_keeps_the_pointer),
        TEST(the_four_states_read_differently),
        TEST(texts_are_valid),
        TEST(what_is_malformed_keeps_its_text_and_is_no_value),
        TEST(a_walk_takes_prefix_and_suffix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
