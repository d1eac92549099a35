#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "advisor/change/change.h"
#include "tests/fake/fake.h"

#define FOLDER "/var/lib/sleeptune-changes"

#define HEAD "sleeptune-changes/3\n"
#define HASH "cbf29ce484222325"
#define VALUE(rule, target, old, new)                                                              \
    rule "\tdone\t0\t0\t0\tvalue\t" target "\t" old "\t" new "\ta-1\n"
#define FILE_LINE(kind, part)                                                                      \
    "linux-swap\tdone\t128\t48000\t1\t" kind "\t" part "\t" HASH "\ta b\t\n"

static const char *parse(enum st_os os, const char *text, struct st_journal *ret)
{
    char copy[1024];
    snprintf(copy, sizeof(copy), "%s", text);
    return st_journal_parse(os, copy, ret);
}

static void check_refused(const char *text, const char *wanted)
{
    struct st_journal journal;
    const char *why = parse(ST_OS_LINUX, text, &journal);
    if (why == NULL || strstr(why, wanted) == NULL)
        fail_msg("\"%s\": %s", why, text);
}

static void what_was_written_is_read_back(void **state)
{
    struct st_platform *p = st_fake_new(ST_OS_LINUX, 0);
    struct st_journal journal = {0}, again;
    const struct st_entry entries[] = {
        {.rule = "linux-service-limits",
         .phase = ST_PHASE_DONE,
         .file = true,
         .kind = ST_CHANGE_SYSTEMD,
         .part = "jack.service",
         .names = "LimitRTPRIO LimitMEMLOCK",
         .hash = "ffffffffffffffff",
         .made = 2,
         .frames = 128,
         .rate_hz = 44100},
        {.rule = "linux-swap",
         .target = "vm.swappiness",
         .old_value = "60",
         .new_value = "10",
         .boot = "a-1"},
        {.rule = "linux-huge-pages",
         .target = "/sys/kernel/mm/transparent_hugepage/enabled",
         .old_value = "always",
         .new_value = "madvise"},
    };
    assert_non_null(p);
    ST_EACH (entry, entries)
        assert_int_equal(st_journal_add(&journal, entry), 0);
    assert_int_equal(st_journal_write(p, FOLDER, &journal), 0);
    assert_null(st_journal_read(p, FOLDER, &again));
    assert_int_equal(again.entries_n, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct st_entry *entry = &again.entries[i];
        assert_string_equal(entry->rule, entries[i].rule);
        assert_int_equal(entry->phase, entries[i].phase);
        assert_int_equal(entry->file, i == 0);
        assert_string_equal(entry->part, entries[i].part);
        assert_string_equal(entry->names, entries[i].names);
        assert_string_equal(entry->hash, entries[i].hash);
        assert_int_equal(entry->made, entries[i].made);
        assert_true(entry->frames == entries[i].frames && entry->rate_hz == entries[i].rate_hz);
        assert_string_equal(entry->old_value, entries[i].old_value);
        assert_string_equal(entry->new_value, entries[i].new_value);
        assert_string_equal(entry->boot, entries[i].boot);
    }
    /* the path of a file is made again */
    assert_string_equal(
        again.entries[0].target,
        "/etc/systemd/system/jack.service.d/90-sleeptune-linux-service-limits.conf");
    assert_string_equal(again.entries[1].target, "vm.swappiness");
    st_journal_finish(&again);
    st_journal_finish(&journal);
    st_fake_free(p);
}

/* Only what the boot that wrote it had running is forgotten, and only if no file of ours set it
 * again. */
static void running_values_of_another_boot_are_forgotten(void **state)
{
    static const char text[] = "# ours\n";
    static const struct {
        enum st_os os;
        const char *boot_id, *path;
        struct st_entry value, file;
    } rows[] = {
        {ST_OS_LINUX,
         "kernel.random.boot_id",
         "/etc/sysctl.d/99-zz-sleeptune-linux-swap.conf",
         {.rule = "linux-swap",
          .target = "vm.swappiness",
          .old_value = "60",
          .new_value = "10",
          .boot = "a-1"},
         {.rule = "linux-swap", .phase = ST_PHASE_DONE, .file = true, .kind = ST_CHANGE_SYSCTL}},
        {ST_OS_FREEBSD,
         "kern.boot_id",
         "/boot/loader.conf.d/zz-sleeptune-freebsd-snd-latency.conf",
         {.rule = "freebsd-snd-latency",
          .target = "hw.snd.latency",
          .old_value = "5",
          .new_value = "0",
          .boot = "a-1"},
         {.rule = "freebsd-snd-latency",
          .phase = ST_PHASE_DONE,
          .file = true,
          .kind = ST_CHANGE_LOADER}},
    };
    ST_EACH (row, rows) {
        struct st_platform *p = st_fake_new(row->os, 0);
        struct st_journal journal = {0}, again;
        struct st_entry file = row->file;
        ST_PRINT(file.hash, "%s", st_change_hash(text, strlen(text)));
        assert_int_equal(st_fake_set_sysctl(p, row->boot_id, "a-1", 0), 0);
        assert_int_equal(st_journal_add(&journal, &row->value), 0);
        assert_int_equal(st_journal_add(&journal, &file), 0);
        assert_int_equal(st_journal_write(p, FOLDER, &journal), 0);
        for (int boot = 1; boot <= 4;
             boot++) { /* the same, another, another with the file, unknown */
            if (boot == 2)
                assert_int_equal(st_fake_set_sysctl(p, row->boot_id, "b-2", 0), 0);
            if (boot == 3)
                assert_int_equal(st_fake_set_file(p, row->path, text, 0), 0);
            if (boot == 4)
                assert_int_equal(st_fake_set_sysctl(p, row->boot_id, "", -ENOENT), 0);
            assert_null(st_journal_read(p, FOLDER, &again));
            assert_int_equal(again.entries_n, 2);
            assert_int_equal(again.entries[0].phase == ST_PHASE_FORGOTTEN, boot == 2);
            assert_int_equal(st_journal_is_interrupted(&again), boot != 2);
            assert_int_equal(again.entries[1].phase, ST_PHASE_DONE);
            st_journal_finish(&again);
        }
        st_journal_finish(&journal);
        st_fake_free(p);
    }
}

static void an_empty_journal_is_no_file(void **state)
{
    struct st_platform *p = st_fake_new(ST_OS_LINUX, 0);
    struct st_journal journal;
    char buf[16];
    size_t len;
    assert_non_null(p);
    assert_null(st_journal_read(p, FOLDER, &journal));
    assert_int_equal(journal.entries_n, 0);
    assert_int_equal(st_fake_set_file(p, FOLDER "/journal", "x", 0), 0);
    assert_int_equal(st_journal_write(p, FOLDER, &journal), 0);
    assert_int_equal(p->read_text(p, FOLDER "/journal", buf, sizeof(buf), &len), -ENOENT);
    st_fake_free(p);
}

static void another_version_is_refused_by_name(void **state)
{
    check_refused("sleeptune-changes/7\n", "another version");
    check_refused("sleeptune-changes/3x\n", "another version");
    check_refused("sleeptune-report/1\n", "line 1 ");
}

static void a_damaged_journal_is_refused(void **state)
{
    static const char good[] =
        HEAD VALUE("linux-swap", "vm.swappiness", "60", "10") FILE_LINE("sysctl", "");
    char text[sizeof(good)];
    struct st_journal journal;
    assert_null(parse(ST_OS_LINUX, good, &journal));
    assert_int_equal(journal.entries_n, 2);
    st_journal_finish(&journal);
    for (size_t bytes = 0; bytes < strlen(good); bytes++) { /* cut off, but behind a line */
        memcpy(text, good, bytes);
        text[bytes] = '\0';
        if (bytes == 0 || text[bytes - 1] != '\n')
            check_refused(text, "damaged");
    }
    check_refused(HEAD "x\n", "line 2");
    check_refused(HEAD VALUE("linux-swap", "vm.swappiness", "60", "10") "\n", "line 3");
    check_refused(HEAD VALUE("linux-swap", "vm.swappiness", "60", ""), "line 2");
    check_refused(HEAD VALUE("linux-swap", "vm.swappiness", "6\0010", "1"), "line 2");
    check_refused(HEAD VALUE("linux-swap", "vm.swappiness", "60", "1\t2"), "line 2");
    check_refused(HEAD "linux-swap\tperhaps\t0\t0\t0\tvalue\tvm.swappiness\t6\t1\t\n", "line 2");
    check_refused(HEAD "linux-swap\tdone\t0\t0\t9\tsysctl\t\t" HASH "\t\t\n", "line 2");
    check_refused(HEAD "linux-swap\tdone\t0\t0\t0\tsysctl\t\t" HASH "0\t\t\n", "line 2");
    check_refused(HEAD "linux/../x\tdone\t0\t0\t0\tsysctl\t\t" HASH "\t\t\n", "line 2");
}

static void only_what_sleeptune_writes_may_be_named(void **state)
{
    static const struct {
        enum st_os os;
        const char *text;
        bool allowed;
    } rows[] = {
        {ST_OS_LINUX, FILE_LINE("sysctl", ""), true},
        {ST_OS_LINUX, FILE_LINE("sysctl", "x"), false},
        {ST_OS_LINUX, FILE_LINE("systemd", "a@.service"), true},
        {ST_OS_LINUX, FILE_LINE("systemd", "../../x"), false},
        {ST_OS_LINUX, FILE_LINE("systemd", ""), false},
        {ST_OS_LINUX, FILE_LINE("limits", "ann"), true},
        {ST_OS_LINUX, FILE_LINE("limits", "../ann"), false},
        {ST_OS_LINUX, FILE_LINE("loader", ""), false},
        {ST_OS_FREEBSD, FILE_LINE("loader", ""), true},
        {ST_OS_FREEBSD, FILE_LINE("rc", "powerd"), true},
        {ST_OS_FREEBSD, FILE_LINE("rc", "a/b"), false},
        {ST_OS_LINUX, FILE_LINE("passwd", ""), false},
        {ST_OS_LINUX, VALUE("linux-swap", "vm.swappiness", "6", "1"), true},
        {ST_OS_LINUX, VALUE("linux-watchdogs", "vm.swappiness", "6", "1"), false},
        {ST_OS_LINUX, VALUE("linux-no-such-rule", "vm.swappiness", "6", "1"), false},
        {ST_OS_LINUX, VALUE("linux-memlock", "vm.swappiness", "6", "1"),
         false}, /* writes files only */
        {ST_OS_LINUX, VALUE("linux-swap", "kernel.core_pattern", "|/tmp/evil", "core"), false},
        {ST_OS_LINUX, VALUE("linux-swap", "../x", "6", "1"), false},
        {ST_OS_LINUX, VALUE("linux-swap", "/etc/passwd", "6", "1"), false},
        {ST_OS_LINUX, VALUE("linux-huge-pages", "/sys/kernel/uevent_helper", "6", "1"), false},
        {ST_OS_LINUX,
         VALUE("linux-cpu-frequency", "/sys/devices/system/cpu/cpufreq/policy12/scaling_governor",
               "a", "b"),
         true},
        {ST_OS_LINUX,
         VALUE("linux-cpu-frequency", "/sys/devices/system/cpu/cpufreq/policy0/a/scaling_governor",
               "a", "b"),
         false},
        {ST_OS_LINUX,
         VALUE("linux-cpu-frequency", "/sys/devices/system/cpu/cpufreq/policy*/scaling_governor",
               "a", "b"),
         false},
        {ST_OS_FREEBSD, VALUE("freebsd-epp", "dev.hwpstate_intel.7.epp", "50", "0"), true},
        {ST_OS_FREEBSD,
         VALUE("linux-huge-pages", "/sys/kernel/mm/transparent_hugepage/enabled", "a", "b"), false},
    };
    ST_EACH (row, rows) {
        struct st_journal journal = {0};
        char text[512];
        snprintf(text, sizeof(text), HEAD "%s", row->text);
        if ((parse(row->os, text, &journal) == NULL) != row->allowed)
            fail_msg("%s", row->text);
        st_journal_finish(&journal);
    }
    /* root follows no path into a user's folder, even if a journal names it */
    struct st_journal journal = {0};
    assert_true((parse(ST_OS_LINUX, HEAD FILE_LINE("pipewire", "/home/USER/.config"), &journal) ==
                 NULL) == (geteuid() != 0));
    st_journal_finish(&journal);
}

/* The reference values of FNV-1a, 64 bits. */
static void the_hash_is_fnv_1a(void **state)
{
    assert_string_equal(st_change_hash("", 0), "cbf29ce484222325");
    assert_string_equal(st_change_hash("a", 1), "af63dc4c8601ec8c");
    assert_string_equal(st_change_hash("foobar", 6), "85944171f73967e8");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_is_read_back),
        cmocka_unit_test(running_values_of_another_boot_are_forgotten),
        cmocka_unit_test(an_empty_journal_is_no_file),
        cmocka_unit_test(another_version_is_refused_by_name),
        cmocka_unit_test(a_damaged_journal_is_refused),
        cmocka_unit_test(only_what_sleeptune_writes_may_be_named),
        cmocka_unit_test(the_hash_is_fnv_1a),
    };
    return cmocka_run_group_tests_name("journal", tests, NULL, NULL);
}
