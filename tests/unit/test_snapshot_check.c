/* A snapshot's claims beside what this machine has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/change/snapshot_check.h"

#define MPD "linux.unit.mpd."

static struct st_facts *claimed, *here;
static char message[512];

static int setup(void **state)
{
    (void)state;
    claimed = st_facts_new(ST_OS_LINUX);
    here = st_facts_new(ST_OS_LINUX);
    return claimed != NULL && here != NULL ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    st_facts_free(claimed);
    st_facts_free(here);
    return 0;
}

static void says(struct st_facts *facts, const char *key, const char *value)
{
    assert_int_equal(st_facts_put_text(facts, key, value, NULL, "a test"), 0);
}

static void is(struct st_facts *facts, const char *key, enum st_fact_state state)
{
    assert_int_equal(
        st_facts_put_state(facts, key, state, state == ST_FACT_UNREADABLE ? EACCES : 0, NULL, "a test"), 0);
}

static bool agrees(const char *rule)
{
    return st_snapshot_check_agrees(claimed, here, st_rule_find(rule), message, sizeof(message));
}

static void the_same_agrees(void **state)
{
    (void)state;
    says(claimed, MPD "program", "/usr/bin/mpd");
    says(here, MPD "program", "/usr/bin/mpd");
    is(claimed, MPD "user", ST_FACT_ABSENT);                  /* as if it were not there at all */
    says(here, "linux.unit.jackd.program", "/usr/bin/jackd"); /* of which the snapshot says nothing */
    assert_true(agrees("linux-service-limits"));
}

static void another_value_disagrees(void **state)
{
    (void)state;
    says(claimed, MPD "restrict_realtime", "yes");
    says(here, MPD "restrict_realtime", "no");
    assert_false(agrees("linux-service-limits"));
    assert_string_equal(message, "linux-service-limits: the snapshot has " MPD
                                 "restrict_realtime = yes, this machine has no");
    assert_true(agrees("linux-usb-autosuspend")); /* which does not read it */
}

static void a_part_that_was_left_out_disagrees(void **state)
{
    (void)state;
    says(claimed, MPD "program", "/usr/bin/mpd");
    says(here, MPD "program", "/usr/bin/mpd");
    says(here, MPD "rtprio", "90"); /* without it the rule would want to set it */
    assert_false(agrees("linux-service-limits"));
    is(claimed, MPD "rtprio", ST_FACT_ABSENT);
    assert_false(agrees("linux-service-limits"));
}

static void what_could_not_be_read_is_no_claim(void **state)
{
    (void)state;
    is(claimed, MPD "rtprio", ST_FACT_UNREADABLE);
    says(here, MPD "rtprio", "90");
    assert_true(agrees("linux-service-limits"));
    says(claimed, MPD "user", "mpd");
    is(here, MPD "user", ST_FACT_UNREADABLE);
    assert_int_equal(agrees("linux-service-limits"), geteuid() != 0); /* root looks when it acts */
}

static void limits_of_the_user_are_believed(void **state)
{
    (void)state;
    says(claimed, "user.name", "ann");
    says(here, "user.name", "root");
    for (size_t i = 0; i < st_rules_n; i++)
        assert_true(st_snapshot_check_agrees(claimed, here, st_rules[i], message, sizeof(message)));
}

#define ROW(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROW(the_same_agrees),
        ROW(another_value_disagrees),
        ROW(a_part_that_was_left_out_disagrees),
        ROW(what_could_not_be_read_is_no_claim),
        ROW(limits_of_the_user_are_believed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
