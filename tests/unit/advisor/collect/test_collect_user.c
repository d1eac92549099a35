/* The rights of another user in a saved tree. Those that a login gives:
 * tests/integration/login.sh. */
#include "advisor/collect/collect.h"

#include <unistd.h>

#include "tests/fake/fake.h"
#include "tests/unit/unit.h"

static struct st_platform *p;
static struct st_facts *facts;

static void file(const char *path, const char *text)
{
    assert_int_equal(st_fake_set_file(p, path, text, 0), 0);
}

static int setup(void **state)
{
    p = st_fake_new(ST_OS_LINUX, 0);
    facts = st_facts_new(ST_OS_LINUX);
    if (p == NULL || facts == NULL)
        return -1;
    file("/etc/passwd",
         "root:x:0:0:root:/:/bin/sh\nann:x:1000:1000:Ann,,,:/:/bin/sh\n"
         "bob:x:1001:29::/:/bin/sh\nbroken:x:none:1\nmistyped:x:10x0:1000::/:/bin/sh\n");
    file("/etc/group", "root:x:0:\naudio:x:29:ann,eve\nann:x:1000:\nvideo:x:44:annabel\n");
    return 0;
}

static int teardown(void **state)
{
    st_facts_free(facts);
    st_fake_free(p);
    return 0;
}

/** A line of limits.d, as its collector puts it. */
static void line(const char *key, const char *value)
{
    assert_int_equal(st_facts_put_text(facts, key, value, "/etc/security/limits.d/audio.conf"), 0);
}

static void check(const char *user, const char *key, int64_t wanted)
{
    int64_t number;
    assert_int_equal(st_collect_user(p, user, facts), 0);
    if (st_facts_int(facts, key, &number) != 0)
        fail_msg("%s: no number %s", user, key);
    if (number != wanted)
        fail_msg("%s: %s is %lld, wanted %lld", user, key, (long long)number, (long long)wanted);
}

#define FIFO    "linux.rt.fifo_errno"
#define RTPRIO  "linux.rt.rtprio_limit"
#define MEMLOCK "linux.rt.memlock_limit_bytes"

static void a_group_gives_its_limits_to_members(void **state)
{
    line("linux.limits.@audio.rtprio", "95");
    line("linux.limits.@audio.memlock", "unlimited");
    check("ann", RTPRIO, 95);
    check("ann", FIFO, 0);
    check("ann", MEMLOCK, -1);
    check("ann", "user.uid", 1000);
    assert_string_equal(st_facts_text_or(facts, "user.groups", ""), "audio ann");
    assert_string_equal(st_facts_text_or(facts, "user.limits_from", ""), "limits.d");
    /* bob by his own group */
    check("bob", RTPRIO, 95);
}

static void so_does_a_line_with_the_name(void **state)
{
    line("linux.limits.@audio.rtprio", "95");
    line("linux.limits.ann.rtprio", "20");
    line("linux.limits.ann.memlock", "65536");
    check("ann", RTPRIO, 20);
    check("ann", FIFO, EPERM);
    check("ann", MEMLOCK, INT64_C(65536) * 1024);
}

static void without_a_line_there_is_no_right(void **state)
{
    line("linux.limits.@video.rtprio", "95");
    line("linux.limits.@aud.rtprio", "95");
    check("ann", RTPRIO, 0);
    check("ann", FIFO, EPERM);
    assert_int_equal(st_facts_find(facts, MEMLOCK)->state, ST_FACT_ABSENT);
    check("root", FIFO, 0);
    check("root", "linux.rt.ipc_lock", 1);
    /* a file of limits.d that could not be read may have one */
    st_facts_put_failure(facts, "linux.limits.any.rtprio", -EACCES, "limits.d/x.conf");
    assert_int_equal(st_collect_user(p, "ann", facts), 0);
    assert_int_equal(st_facts_find(facts, FIFO)->state, ST_FACT_UNREADABLE);
}

static void master_passwd_has_the_class_of_a_login(void **state)
{
    const char *name = geteuid() == 0 ? "nobody" : "root";
    file("/etc/master.passwd", st_text("%s:*:65534:65534:audio:0:0::/:/bin/sh\n", name));
    facts->os = ST_OS_FREEBSD;
    assert_int_not_equal(st_collect_login(p, name, facts), -ENOENT);
    assert_string_equal(st_facts_text_or(facts, "user.class", ""), "audio");
}

static void who_does_not_exist_is_said(void **state)
{
    assert_int_equal(st_collect_user(p, "eve", facts), -ENOENT);
    assert_int_equal(st_collect_user(p, "", facts), -ENOENT);
    assert_int_equal(st_collect_user(p, "broken", facts), -EBADMSG);
    assert_int_equal(st_collect_user(p, "mistyped", facts), -EBADMSG);
    assert_int_equal(facts->n, 0);
    st_fake_free(p);
    p = st_fake_new(ST_OS_LINUX, 0);
    assert_int_equal(st_collect_user(p, "ann", facts), -ENODATA);
    file("/etc/passwd", "ann:x:1000:1000:Ann,,,:/:/bin/sh\n"); /* and no /etc/group */
    assert_int_equal(st_collect_user(p, "ann", facts), -ENODATA);
}

#define USER(name) TEST(name)

int main(void)
{
    const struct CMUnitTest tests[] = {
        USER(a_group_gives_its_limits_to_members), USER(so_does_a_line_with_the_name),
        USER(without_a_line_there_is_no_right),    USER(master_passwd_has_the_class_of_a_login),
        USER(who_does_not_exist_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
