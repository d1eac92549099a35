#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "advisor/change/journal.h"
#include "tests/fake/fake.h"

#define FOLDER "/var/lib/sleeptune-changes"

#define FILES                                                                                                \
    "[{\"path\": \"/etc/sysctl.d/90-sleeptune.conf\", \"existed\": false, \"newline_added\": false,"         \
    " \"hash\": \"cbf29ce484222325\", \"folders_made\": 1}]"
#define ENTRY(type, target, more)                                                                            \
    "{\"rule\": \"linux-swap\", \"phase\": \"done\", \"type\": \"" type "\", \"target\": \"" target          \
    "\", " more "}"
#define DOCUMENT(schema, files, entries)                                                                     \
    "{\"schema\": \"" schema "\", \"boot\": \"\", \"files\": " files ", \"entries\": [" entries "]}"
#define HASHES "\"old_hash\": \"cbf29ce484222325\""

static int parse(const char *text, struct st_journal *ret, char *message)
{
    return st_journal_parse(ST_OS_LINUX, text, strlen(text), ret, message, 256);
}

static void check_refused(const char *text, int error, const char *wanted)
{
    struct st_journal journal;
    char message[256] = "";
    const int r = parse(text, &journal, message);
    if (r != error || strstr(message, wanted) == NULL)
        fail_msg("%d, \"%s\": %s", r, message, text);
}

static void what_was_written_is_read_back(void **state)
{
    struct st_platform *p = st_fake_new(ST_OS_LINUX, 0);
    struct st_journal journal = {0}, again;
    char message[256], file[] = "/etc/sysctl.d/90-sleeptune.conf", rule[] = "linux-swap",
                       block[] = "# \"x\"\na = 1\n";
    char name[] = "vm.swappiness", old_value[] = "60", new_value[] = "10";
    (void)state;
    assert_non_null(p);
    const struct st_journal_file record = {
        .path = file, .existed = true, .newline_added = true, .hash = UINT64_MAX, .folders_made = 2};
    const struct st_entry entries[] = {
        {.rule = rule,
         .phase = ST_PHASE_DONE,
         .target = file,
         .new_value = block,
         .old_hash = 1,
         .frames = 128,
         .rate_hz = 44100},
        {.rule = rule,
         .type = ST_ENTRY_SYSCTL,
         .phase = ST_PHASE_WRITING,
         .target = name,
         .old_value = old_value,
         .new_value = new_value},
    };
    assert_int_equal(st_journal_file_add(&journal, &record), 0);
    assert_int_equal(st_journal_add(&journal, &entries[0]), 0);
    assert_int_equal(st_journal_add(&journal, &entries[1]), 0);
    assert_int_equal(st_journal_write(p, FOLDER, &journal), 0);
    assert_int_equal(st_journal_read(&p->machine, FOLDER, &again, message, sizeof(message)), 0);
    assert_int_equal(again.entries_n, 2);
    assert_int_equal(again.files_n, 1);
    const struct st_journal_file *read = st_journal_file(&again, file);
    assert_non_null(read);
    assert_true(read->existed && read->newline_added && read->hash == UINT64_MAX && read->folders_made == 2);
    assert_string_equal(again.entries[0].new_value, block);
    assert_null(again.entries[0].old_value);
    assert_true(again.entries[0].old_hash == 1);
    assert_true(again.entries[0].frames == 128 && again.entries[0].rate_hz == 44100);
    assert_true(again.entries[1].frames == 0 && again.entries[1].rate_hz == 0);
    assert_false(again.entries[0].interrupted);
    assert_int_equal(again.entries[1].type, ST_ENTRY_SYSCTL);
    assert_string_equal(again.entries[1].old_value, "60");
    assert_true(again.entries[1].interrupted);
    assert_int_equal(again.entries[0].phase, ST_PHASE_DONE);
    st_journal_finish(&again);
    st_journal_finish(&journal);
    st_fake_free(p);
}

/* Only what the boot that wrote it had running is forgotten, and only if no file of ours set it again. */
static void running_values_of_another_boot_are_forgotten(void **state)
{
    static const struct {
        enum st_os os;
        const char *boot_id, *rule, *target, *file, *line;
    } rows[] = {
        {ST_OS_LINUX, "kernel.random.boot_id", "linux-swap", "vm.swappiness",
         "/etc/sysctl.d/90-sleeptune.conf", "vm.swappiness = 10\n"},
        {ST_OS_FREEBSD, "kern.boot_id", "freebsd-snd-latency", "hw.snd.latency", "/etc/sysctl.conf",
         "hw.snd.latency=10\n"},
    };
    (void)state;
    for (size_t i = 0; i < ST_ARRAY_LEN(rows); i++) {
        struct st_platform *p = st_fake_new(rows[i].os, 0);
        struct st_journal journal = {0}, again;
        char message[256], rule[64], target[64], path[64], line[64], old_value[] = "60", new_value[] = "10";
        snprintf(rule, sizeof(rule), "%s", rows[i].rule);
        snprintf(target, sizeof(target), "%s", rows[i].target);
        snprintf(path, sizeof(path), "%s", rows[i].file);
        snprintf(line, sizeof(line), "%s", rows[i].line);
        const struct st_entry value = {.rule = rule,
                                       .type = ST_ENTRY_SYSCTL,
                                       .phase = ST_PHASE_WRITING,
                                       .target = target,
                                       .old_value = old_value,
                                       .new_value = new_value};
        const struct st_entry block = {
            .rule = rule, .type = ST_ENTRY_FILE, .phase = ST_PHASE_DONE, .target = path, .new_value = line};
        const struct st_journal_file record = {.path = path};
        assert_int_equal(st_fake_set_sysctl(p, rows[i].boot_id, "a-1", 0), 0);
        assert_int_equal(st_journal_file_add(&journal, &record), 0);
        assert_int_equal(st_journal_add(&journal, &value), 0);
        assert_int_equal(st_journal_add(&journal, &block), 0);
        assert_int_equal(st_journal_write(p, FOLDER, &journal), 0);
        for (int boot = 1; boot <= 4; boot++) { /* the same, another, another with the file, unknown */
            if (boot == 2)
                assert_int_equal(st_fake_set_sysctl(p, rows[i].boot_id, "b-2", 0), 0);
            if (boot == 3)
                assert_int_equal(st_fake_set_file(p, path, line, 0), 0);
            if (boot == 4)
                assert_int_equal(st_fake_set_sysctl(p, rows[i].boot_id, "", -ENOENT), 0);
            assert_int_equal(st_journal_read(&p->machine, FOLDER, &again, message, sizeof(message)), 0);
            assert_string_equal(again.boot, "a-1");
            assert_int_equal(again.entries_n, 2);
            assert_int_equal(again.entries[0].forgotten, boot == 2);
            assert_int_equal(st_journal_is_interrupted(&again), boot != 2);
            assert_false(again.entries[1].forgotten);
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
    char message[256], buf[16];
    size_t len;
    (void)state;
    assert_non_null(p);
    assert_int_equal(st_journal_read(&p->machine, FOLDER, &journal, message, sizeof(message)), 0);
    assert_int_equal(journal.entries_n, 0);
    assert_int_equal(st_fake_set_file(p, FOLDER "/journal.json", "x", 0), 0);
    assert_int_equal(st_journal_write(p, FOLDER, &journal), 0);
    assert_int_equal(p->machine.read_text(&p->machine, FOLDER "/journal.json", buf, sizeof(buf), &len),
                     -ENOENT);
    st_fake_free(p);
}

static void a_newer_version_is_refused_by_name(void **state)
{
    (void)state;
    check_refused(DOCUMENT("sleeptune-changes/2", "[]", ""), -EPROTONOSUPPORT, "newer sleeptune");
    check_refused(DOCUMENT("sleeptune-changes/x", "[]", ""), -EBADMSG, "version");
    check_refused(DOCUMENT("sleeptune-report/1", "[]", ""), -EBADMSG, "schema");
}

static void a_damaged_journal_is_refused(void **state)
{
    (void)state;
    check_refused("", -EBADMSG, "JSON");
    check_refused("{\"schema\": \"sleeptune-changes/1\"", -EBADMSG, "JSON");
    check_refused("[]", -EBADMSG, "schema");
    check_refused("{\"schema\": \"sleeptune-changes/1\"}", -EBADMSG, "boot id");
    check_refused("{\"schema\": \"sleeptune-changes/1\", \"boot\": \"x\"}", -EBADMSG, "boot id");
    check_refused(
        "{\"schema\": \"sleeptune-changes/1\", \"boot\": \"0123456789abcdef0123456789abcdef01234567\"}",
        -EBADMSG, "boot id");
    check_refused("{\"schema\": \"sleeptune-changes/1\", \"boot\": \"a-1\"}", -EBADMSG, "list");
    check_refused(DOCUMENT("sleeptune-changes/1", "[1]", ""), -EBADMSG, "file");
    check_refused(DOCUMENT("sleeptune-changes/1", "[]", "{}"), -EBADMSG, "entry");
    check_refused(DOCUMENT("sleeptune-changes/1", "[]",
                           ENTRY("file", "/etc/sysctl.d/90-sleeptune.conf", "\"new\": \"a\\n\", " HASHES)),
                  -EBADMSG, "list of files does not have");
    check_refused(DOCUMENT("sleeptune-changes/1", FILES,
                           ENTRY("file", "/etc/sysctl.d/90-sleeptune.conf", "\"new\": \"\\n\", " HASHES)),
                  -EBADMSG, "new value");
    check_refused(DOCUMENT("sleeptune-changes/1", "[]", ENTRY("sysctl", "vm.swappiness", "\"new\": \"1\"")),
                  -EBADMSG, "old value");
    check_refused(DOCUMENT("sleeptune-changes/1", "[]",
                           ENTRY("sysctl", "vm.swappiness", "\"old\": \"1\\n2\", \"new\": \"1\"")),
                  -EBADMSG, "old value");
    check_refused(
        DOCUMENT("sleeptune-changes/1", "[]",
                 ENTRY("sysctl", "vm.swappiness", "\"old\": \"1\", \"new\": \"1\", \"frames\": 4194305")),
        -EBADMSG, "frames");
}

static void only_what_sleeptune_writes_may_be_named(void **state)
{
    static const struct {
        enum st_entry_type type;
        const char *target;
        const char *rule; /* NULL: linux-swap */
    } refused[] = {
        {ST_ENTRY_FILE, "/etc/shadow"},
        {ST_ENTRY_FILE, "/etc/sysctl.conf"},
        {ST_ENTRY_FILE, "/etc/systemd/system/../../x.d/90-sleeptune.conf"},
        {ST_ENTRY_FILE, "/etc/systemd/system/.d/90-sleeptune.conf"},
        {ST_ENTRY_SYSFS, "/etc/passwd"},
        {ST_ENTRY_SYSFS, "/sys/../etc/passwd"},
        {ST_ENTRY_SYSFS, "/sys/a*"},
        {ST_ENTRY_SYSCTL, "../x"},
        {ST_ENTRY_SYSCTL, "vm/x"},
        {ST_ENTRY_SYSCTL, ""},
        {ST_ENTRY_SYSCTL, "kernel.core_pattern"},
        {ST_ENTRY_SYSCTL, "vm.swappiness", "linux-watchdogs"},
        {ST_ENTRY_SYSCTL, "vm.swappiness", "linux-no-such-rule"},
        {ST_ENTRY_SYSCTL, "vm.swappiness", "linux-memlock"}, /* writes files only */
        {ST_ENTRY_SYSFS, "/sys/kernel/uevent_helper", "linux-huge-pages"},
        {ST_ENTRY_SYSFS, "/sys/devices/system/cpu/cpufreq/policy0/a/scaling_governor", "linux-cpu-frequency"},
        {ST_ENTRY_SYSFS, "/sys/devices/system/cpu/cpufreq/policy*/scaling_governor", "linux-cpu-frequency"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        const char *rule = refused[i].rule != NULL ? refused[i].rule : "linux-swap";
        if (st_journal_target_allowed(ST_OS_LINUX, refused[i].type, st_rule_find(rule), refused[i].target))
            fail_msg("%s is allowed", refused[i].target);
    }
    assert_true(st_journal_target_allowed(ST_OS_FREEBSD, ST_ENTRY_FILE, NULL, "/etc/sysctl.conf"));
    assert_true(st_journal_target_allowed(ST_OS_FREEBSD, ST_ENTRY_SYSCTL, st_rule_find("freebsd-epp"),
                                          "dev.hwpstate_intel.7.epp"));
    assert_true(st_journal_target_allowed(ST_OS_LINUX, ST_ENTRY_SYSFS, st_rule_find("linux-cpu-frequency"),
                                          "/sys/devices/system/cpu/cpufreq/policy12/scaling_governor"));
    assert_false(st_journal_target_allowed(ST_OS_FREEBSD, ST_ENTRY_SYSFS, st_rule_find("linux-huge-pages"),
                                           "/sys/kernel/mm/transparent_hugepage/enabled"));
    check_refused(
        DOCUMENT("sleeptune-changes/1", "[]",
                 ENTRY("sysctl", "kernel.core_pattern", "\"old\": \"|/tmp/evil\", \"new\": \"core\"")),
        -EBADMSG, "never changes");
    check_refused(DOCUMENT("sleeptune-changes/1", "[]",
                           ENTRY("sysfs", "/etc/passwd", "\"old\": \"1\", \"new\": \"1\"")),
                  -EBADMSG, "never changes");
}

/* The reference values of FNV-1a, 64 bits. */
static void the_hash_is_fnv_1a(void **state)
{
    (void)state;
    assert_true(st_journal_hash("", 0) == UINT64_C(0xcbf29ce484222325));
    assert_true(st_journal_hash("a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
    assert_true(st_journal_hash("foobar", 6) == UINT64_C(0x85944171f73967e8));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_is_read_back),
        cmocka_unit_test(running_values_of_another_boot_are_forgotten),
        cmocka_unit_test(an_empty_journal_is_no_file),
        cmocka_unit_test(a_newer_version_is_refused_by_name),
        cmocka_unit_test(a_damaged_journal_is_refused),
        cmocka_unit_test(only_what_sleeptune_writes_may_be_named),
        cmocka_unit_test(the_hash_is_fnv_1a),
    };
    return cmocka_run_group_tests_name("journal", tests, NULL, NULL);
}
