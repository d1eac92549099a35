/* The rights that another user would get at login. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "advisor/collect/collect.h"
#include "core/text/text.h"
#include "tests/fake/fake.h"

static struct st_platform *p;
static struct st_facts *facts;

static void file(const char *path, const char *text)
{
    assert_int_equal(st_fake_set_file(p, path, text, 0), 0);
}

static int setup(void **state)
{
    (void)state;
    p = st_fake_new(ST_OS_LINUX, 0);
    facts = st_facts_new(ST_OS_LINUX);
    if (p == NULL || facts == NULL)
        return -1;
    file("/etc/passwd", "root:x:0:0:root:/:/bin/sh\nann:x:1000:1000:Ann,,,:/:/bin/sh\n"
                        "bob:x:1001:29::/:/bin/sh\nbroken:x:none\n");
    file("/etc/group", "root:x:0:\naudio:x:29:ann,eve\nann:x:1000:\nvideo:x:44:annabel\n");
    file("/etc/pam.d/login", "session required pam_limits.so\n");
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    st_facts_free(facts);
    st_fake_free(p);
    return 0;
}

static void check(const char *user, const char *key, int64_t wanted)
{
    int64_t number;
    assert_int_equal(st_collect_user(&p->machine, user, facts), 0);
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
    (void)state;
    const char *groups;
    file("/etc/security/limits.d/audio.conf", "@audio - rtprio 95\n@audio - memlock unlimited\n");
    check("ann", RTPRIO, 95);
    check("ann", FIFO, 0);
    check("ann", MEMLOCK, -1);
    check("ann", "user.uid", 1000);
    assert_int_equal(st_facts_text(facts, "user.groups", &groups), 0);
    assert_string_equal(groups, "audio ann");
    /* bob by his own group */
    check("bob", RTPRIO, 95);
    assert_string_equal(st_facts_find(facts, RTPRIO)->source, "/etc/security/limits.d/audio.conf");
}

static void without_a_limit_there_is_no_right(void **state)
{
    (void)state;
    file("/etc/security/limits.d/audio.conf", "@video - rtprio 95\n@aud - rtprio 95\n# * - rtprio 95\n");
    check("ann", RTPRIO, 0);
    check("ann", FIFO, EPERM);
    assert_int_equal(st_facts_find(facts, MEMLOCK)->state, ST_FACT_ABSENT);
}

static int no_folder(struct st_machine *machine, const char *path, st_name_fn fn, void *ctx)
{
    (void)machine;
    (void)path;
    (void)fn;
    (void)ctx;
    return -ENOENT;
}

/* /etc/pam.d may be missing where another folder has the files */
static void without_pam_no_file_gives_it(void **state)
{
    (void)state;
    file("/etc/security/limits.conf", "ann - rtprio 95\n");
    p->machine.list = no_folder;
    check("ann", RTPRIO, 95);
    assert_int_equal(st_facts_put_int(facts, ST_KEY_PAM_MISSING, 1, NULL, "/etc/pam.d"), 0);
    check("ann", RTPRIO, 0);
}

/* sudo passes on the limit of memory that the session of its user has */
static void a_limit_that_no_file_sets_is_that_of_all(void **state)
{
    (void)state;
    assert_int_equal(st_facts_put_int(facts, MEMLOCK, 8388608, NULL, "getrlimit"), 0);
    check("ann", MEMLOCK, 8388608);
    assert_int_equal(st_facts_put_text(facts, ST_KEY_SYSTEM_LACKS, "", NULL, "/"), 0);
    assert_int_equal(st_collect_user(&p->machine, "ann", facts), 0);
    assert_int_equal(st_facts_find(facts, MEMLOCK)->state, ST_FACT_ABSENT); /* root may have saved it */
}

static void the_more_special_limit_counts(void **state)
{
    (void)state;
    file("/etc/security/limits.conf", "ann soft rtprio 10\n@audio - rtprio 80\n* - rtprio 5\n");
    file("/etc/security/limits.d/99.conf", "* - rtprio 90\n@audio hard memlock 1\n* soft memlock 65536\n");
    check("ann", RTPRIO, 10);
    check("ann", MEMLOCK, INT64_C(65536) * 1024);
    check("bob", RTPRIO, 80);
}

static void of_equal_limits_the_later_counts(void **state)
{
    (void)state;
    file("/etc/security/limits.conf", "* - rtprio 90\n");
    file("/etc/security/limits.d/10.conf", "* - rtprio 91\n");
    file("/etc/security/limits.d/20.conf", "* - rtprio 92\n* - rtprio many\n");
    file("/etc/security/limits.d/30.off", "* - rtprio 93\n");
    check("ann", RTPRIO, 92);
}

static void root_has_the_right_and_no_group_limits(void **state)
{
    (void)state;
    file("/etc/security/limits.conf", "* - rtprio 90\n@root - rtprio 80\n");
    check("root", FIFO, 0);
    check("root", RTPRIO, 0);
    check("root", "linux.rt.ipc_lock", 1);
}

static void without_pam_limits_the_files_mean_nothing(void **state)
{
    (void)state;
    file("/etc/pam.d/login", "# session required pam_limits.so\nsession required pam_unix.so\n");
    file("/etc/security/limits.conf", "* - rtprio 90\n");
    check("ann", FIFO, EPERM);
}

/* NixOS */
static void an_option_of_pam_limits_names_the_one_file(void **state)
{
    (void)state;
    file("/etc/pam.d/login",
         "session required /nix/store/p/lib/security/pam_limits.so conf=/nix/store/l.conf\n");
    file("/nix/store/l.conf", "@audio - rtprio 95\n");
    file("/etc/security/limits.conf", "ann - rtprio 20\n");
    check("ann", RTPRIO, 95);
}

static void an_unreadable_limits_file_leaves_it_open(void **state)
{
    (void)state;
    assert_int_equal(st_fake_set_file(p, "/etc/security/limits.d/90.conf", "", -EACCES), 0);
    assert_int_equal(st_collect_user(&p->machine, "ann", facts), 0);
    assert_int_equal(st_facts_find(facts, FIFO)->state, ST_FACT_UNREADABLE);
    assert_int_equal(st_facts_find(facts, FIFO)->error, EACCES);
    assert_int_equal(st_facts_find(facts, MEMLOCK)->state, ST_FACT_UNREADABLE);
    /* unless another file gives it */
    file("/etc/security/limits.conf", "@audio - rtprio 95\n");
    check("ann", FIFO, 0);
}

static void who_does_not_exist_is_said(void **state)
{
    (void)state;
    assert_int_equal(st_collect_user(&p->machine, "eve", facts), -ENOENT);
    assert_int_equal(st_collect_user(&p->machine, "", facts), -ENOENT);
    assert_int_equal(st_collect_user(&p->machine, "broken", facts), -EBADMSG);
    assert_int_equal(facts->n, 0);
    st_fake_free(p);
    p = st_fake_new(ST_OS_LINUX, 0);
    assert_int_equal(st_collect_user(&p->machine, "ann", facts), -ENODATA);
    file("/etc/passwd", "ann:x:1000:1000:Ann,,,:/:/bin/sh\n"); /* and no /etc/group */
    assert_int_equal(st_collect_user(&p->machine, "ann", facts), -ENODATA);
}

/* systemd.unit(5), and its src/core/exec-invoke.c: limits are set before PAM is called, "so that
 * pam_limits wins" */
static void the_manager_of_the_user_gives_the_limits_of_its_unit(void **state)
{
    (void)state;
    const char *from;
    file("/usr/lib/systemd/system/user@.service", "[Service]\nUser=%i\nPAMName=systemd-user\n");
    file("/etc/systemd/system/user@.service.d/rt.conf", "[Service]\nLimitRTPRIO=95\n");
    check("ann", RTPRIO, 95);
    check("ann", FIFO, 0);
    assert_string_equal(st_facts_find(facts, RTPRIO)->source, "/etc/systemd/system/user@.service.d/rt.conf");
    assert_int_equal(st_facts_text(facts, "user.limits_from", &from), 0);
    assert_string_equal(from, "user@.service");
    file("/etc/systemd/system/user@1001.service.d/rt.conf", "[Service]\nLimitRTPRIO=infinity\n");
    check("bob", RTPRIO, -1);
    file("/etc/security/limits.conf", "ann - rtprio 20\n");
    check("ann", RTPRIO, 20);
    check("ann", FIFO, EPERM);
}

static void so_does_the_default_of_all_units(void **state)
{
    (void)state;
    file("/etc/systemd/system.conf", "[Manager]\n#DefaultLimitRTPRIO=\nDefaultLimitRTPRIO=90\n");
    check("ann", RTPRIO, 90);
}

static mode_t device_mode;

/* An own file stands for the device: the group is the one that this test runs with. */
static int open_device(struct st_machine *machine, const char *path, int flags)
{
    (void)machine;
    (void)flags;
    char name[] = "/tmp/test_collect_user.XXXXXX";
    assert_string_equal(path, "/dev/cpu_dma_latency");
    const int fd = mkstemp(name);
    assert_true(fd >= 0 && unlink(name) == 0);
    assert_int_equal(fchown(fd, (uid_t)-1, getegid()), 0);
    assert_int_equal(fchmod(fd, device_mode), 0);
    return fd;
}

static void a_device_is_for_its_owner_its_group_or_all(void **state)
{
    (void)state;
    static const char key[] = ST_KEY_PMQOS_USER_MAY_OPEN;
    const struct group *group = getgrgid(getegid());
    if (group == NULL)
        skip();
    file("/etc/passwd",
         "root:x:0:0:root:/:/bin/sh\nann:x:999999:999999::/:/bin/sh\nbob:x:999998:999998::/:/\n");
    file("/etc/group", ST_TEXT(128, "%s:x:999997:ann\nother:x:999996:bob\n", group->gr_name));
    assert_int_equal(st_collect_user(&p->machine, "ann", facts), 0);
    assert_null(st_facts_find(facts, key)); /* not there, or not for who asks */
    p->machine.open_path = open_device;
    device_mode = 0600;
    check("ann", key, 0);
    check("root", key, 1);
    device_mode = 0660;
    check("ann", key, 1);
    check("bob", key, 0);
    device_mode = 0606;
    check("ann", key, 0);
    check("bob", key, 1);
    /* root may have made the copy in a saved tree */
    st_facts_free(facts);
    facts = st_facts_new(ST_OS_LINUX);
    assert_int_equal(st_facts_put_text(facts, ST_KEY_SYSTEM_LACKS, "", NULL, "/"), 0);
    assert_int_equal(st_collect_user(&p->machine, "bob", facts), 0);
    assert_null(st_facts_find(facts, key));
}

/* login.conf(5): the record of the class, or of the class that its tc= names. default, daemon, root and
 * russian are as in FreeBSD's file. */
static void a_login_class_gives_its_limit(void **state)
{
    (void)state;
    static const char locked[] = "freebsd.limits.memorylocked_bytes";
    st_fake_free(p);
    st_facts_free(facts);
    p = st_fake_new(ST_OS_FREEBSD, 0);
    facts = st_facts_new(ST_OS_FREEBSD);
    file("/etc/passwd",
         "root:*:0:0:root:/:/bin/sh\nann:*:1000:1000:Ann:/:/bin/sh\nbob:*:1001:1001::/:/bin/sh\n"
         "cat:*:1002:1002::/:/bin/sh\ndan:*:1003:1003::/:/bin/sh\neve:*:1004:1004::/:/bin/sh\n");
    file("/etc/group", "audio:*:29:ann\n");
    assert_int_equal(st_collect_user(&p->machine, "ann", facts), 0);
    assert_int_equal(st_facts_find(facts, locked)->state, ST_FACT_ABSENT);
    assert_int_equal(st_fake_set_file(p, "/etc/master.passwd", "", EACCES), 0);
    assert_int_equal(st_collect_user(&p->machine, "ann", facts), 0);
    assert_int_equal(st_facts_find(facts, locked)->state, ST_FACT_UNREADABLE);
    file("/etc/master.passwd",
         "root:$6$x:0:0::0:0:root:/:/bin/sh\nann:$6$x:1000:1000::0:0:Ann:/:/bin/sh\n"
         "bob:*:1001:1001:audio:0:0::/:/bin/sh\ncat:*:1002:1002:odd:0:0::/:/bin/sh\n"
         "dan:*:1003:1003:russian:0:0::/:/bin/sh\neve:*:1004:1004:daemon:0:0::/:/bin/sh\n");
    file("/etc/login.conf", "default:\\\n\t:passwd_format=sha512:\\\n\t:memorylocked=64K:\\\n\t:umask=022:\n"
                            "#\n# audio:memorylocked=1K:\n"
                            "daemon:\\\n\t:memorylocked=128M:\\\n\t:tc=default:\n"
                            "root:\\\n\t:ignorenologin:\\\n\t:memorylocked=unlimited:\\\n\t:tc=default:\n"
                            "russian|Russian Users:\\\n\t:lang=ru_RU.UTF-8:\\\n\t:tc=default:\n"
                            "odd:memorylocked=12q:\n"
                            "audio:memorylocked=unlimited:tc=default:\n");
    check("ann", locked, 64 * 1024);
    check("root", locked, -1);
    assert_string_equal(st_facts_text_or(facts, "user.class", ""), "root");
    check("eve", locked, 128 * 1024 * 1024);
    check("bob", locked, -1);
    check("dan", locked, 64 * 1024);
    assert_int_equal(st_collect_user(&p->machine, "cat", facts), 0);
    assert_int_equal(st_facts_find(facts, locked)->state, ST_FACT_UNREADABLE);
}

#define USER(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        USER(a_group_gives_its_limits_to_members),
        USER(the_manager_of_the_user_gives_the_limits_of_its_unit),
        USER(so_does_the_default_of_all_units),
        USER(a_device_is_for_its_owner_its_group_or_all),
        USER(without_a_limit_there_is_no_right),
        USER(without_pam_no_file_gives_it),
        USER(a_limit_that_no_file_sets_is_that_of_all),
        USER(the_more_special_limit_counts),
        USER(of_equal_limits_the_later_counts),
        USER(root_has_the_right_and_no_group_limits),
        USER(without_pam_limits_the_files_mean_nothing),
        USER(an_option_of_pam_limits_names_the_one_file),
        USER(an_unreadable_limits_file_leaves_it_open),
        USER(who_does_not_exist_is_said),
        USER(a_login_class_gives_its_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
