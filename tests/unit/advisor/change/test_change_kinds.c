/* Where options of the kernel go on boot loaders of distributions, and what stands in each kind's
 * file afterwards, there and back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "advisor/change/applied.h"
#include "tests/fake/fake.h"

#define FOLDER      "/var/lib/sleeptune-changes"
#define LOADER_INFO "/sys/firmware/efi/efivars/LoaderInfo-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f"
#define BY(id)      "# " id ": written by 'sleeptune apply', removed by 'sleeptune revert'\n"
#define BLOCK(id, lines)                                                                           \
    "\n# >>> sleeptune " id                                                                        \
    ": written by 'sleeptune apply', removed by 'sleeptune revert'\n" lines "# <<< sleeptune " id  \
    "\n"

static const struct st_rule rule = {.id = "freebsd-epp"}, preemption = {.id = "linux-preemption"};

struct file {
    const char *path, *text;
};

#define FILES_MAX 8

static struct st_platform *machine(enum st_os os, const struct file *files)
{
    struct st_platform *p = st_fake_new(os, 0);
    assert_non_null(p);
    for (size_t i = 0; i < FILES_MAX && files[i].path != NULL; i++)
        assert_int_equal(st_fake_set_file(p, files[i].path, files[i].text, 0), 0);
    return p;
}

/* --- the kernel's command line --- */

#define GRUB                                                                                       \
    {                                                                                              \
        "/etc/default/grub", "GRUB_CMDLINE_LINUX_DEFAULT=\"quiet\"\n"                              \
    }
#define CMDLINE                                                                                    \
    {                                                                                              \
        "/etc/kernel/cmdline", "root=UUID=1 rw"                                                    \
    }
#define DROP_INS                                                                                   \
    {                                                                                              \
        "/usr/sbin/grub-mkconfig", "for x in ${sysconfdir}/default/grub.d/*.cfg ; do"              \
    }

/* Folders and files of each system: their sources are in docs/adr/0022-whole-files.md. */
static const struct {
    const char *name;
    struct file files[FILES_MAX];
    const char *by_hand; /* part of it; \"\": into GRUB's drop-ins; NULL: not known */
} boots[] = {
    {"Debian, Ubuntu", {GRUB, DROP_INS, {"/usr/sbin/update-grub", ""}}, ""},
    {"a captured /etc of Debian", {{"/etc/default/grub.d/a.cfg", ""}}, ""},
    {"Fedora",
     {GRUB, CMDLINE, {"/usr/sbin/grubby", ""}, {"/usr/sbin/grub2-mkconfig", "#!/bin/sh"}},
     "grubby"},
    {"Arch with GRUB",
     {GRUB, {"/usr/bin/grub-mkconfig", "#!/bin/sh"}},
     "grub-mkconfig -o /boot/grub/grub.cfg"},
    {"a folder of drop-ins that this GRUB does not read",
     {GRUB, {"/etc/default/grub.d/a.cfg", ""}, {"/usr/bin/grub-mkconfig", "#!/bin/sh"}},
     "GRUB_CMDLINE_LINUX_DEFAULT in /etc/default/grub"},
    {"openSUSE with GRUB",
     {GRUB, {"/usr/sbin/grub2-mkconfig", "#!/bin/sh"}},
     "grub2-mkconfig -o /boot/grub2/grub.cfg"},
    {"Silverblue", {GRUB, DROP_INS, {"/run/ostree-booted", ""}}, "rpm-ostree kargs"},
    {"SteamOS",
     {GRUB, DROP_INS, {"/etc/default/grub-steamos", ""}},
     "An update of SteamOS may remove it again"},
    {"NixOS", {{"/etc/NIXOS", ""}}, "boot.kernelParams"},
    {"Pop!_OS", {{"/etc/kernelstub/configuration", "{}"}, CMDLINE}, "kernelstub"},
    {"Debian with systemd-boot",
     {CMDLINE},
     "/etc/kernel/cmdline, then run: sudo kernel-install add"},
    {"systemd-boot beside files of GRUB",
     {GRUB, DROP_INS, CMDLINE, {LOADER_INFO, "....s.y.s.t.e.m.d.-.b.o.o.t. .2.5.5."}},
     "/etc/kernel/cmdline"},
    {"GRUB beside a cmdline",
     {GRUB, DROP_INS, CMDLINE, {LOADER_INFO, "....G.R.U.B. .2...1.2."}},
     ""},
    {"systemd-boot and no cmdline",
     {GRUB, DROP_INS, {LOADER_INFO, "....s.y.s.t.e.m.d.-.b.o.o.t."}},
     NULL},
    {"Arch with unified images", {CMDLINE, {"/usr/bin/mkinitcpio", ""}}, "mkinitcpio -P"},
    {"openSUSE with systemd-boot",
     {CMDLINE, {"/usr/bin/sdbootutil", ""}},
     "sdbootutil update-all-entries"},
    {"Arch with entries written by hand", {{"/boot/loader/loader.conf", ""}}, "lines 'options'"},
    {"Raspberry Pi", {{"/boot/firmware/cmdline.txt", ""}}, "/boot/firmware/cmdline.txt"},
    {"nothing that is known", {{"/etc/passwd", ""}}, NULL},
};

static void the_boot_loader_decides_where_and_how(void **state)
{
    ST_EACH (boot, boots) {
        const char *path;
        struct st_platform *p = machine(ST_OS_LINUX, boot->files);
        const char *where = st_change_boot_by_hand(p, &path);
        if (boot->by_hand == NULL || where == NULL
                ? where != boot->by_hand
                : strstr(where, boot->by_hand) == NULL ||
                      (where[0] == '\0') != (boot->by_hand[0] == '\0'))
            fail_msg("%s: \"%s\"", boot->name, where != NULL ? where : "NULL");
        st_fake_free(p);
    }
}

/* --- there and back, byte by byte --- */

static void check_file(struct st_platform *p, const char *path, const char *wanted)
{
    char buf[4096];
    size_t len;
    const int r = p->read_text(p, path, buf, sizeof(buf), &len);
    assert_int_equal(r, wanted != NULL ? 0 : -ENOENT);
    if (wanted != NULL)
        assert_string_equal(buf, wanted);
}

static void there_and_back(struct st_platform *p, const struct st_finding *finding,
                           const struct file *after, const struct file *before)
{
    struct st_applied changes;
    struct st_journal plan = {0};
    const char *why = st_plan_add(&plan, p, finding, false);
    if (why != NULL)
        fail_msg("%s", why);
    assert_null(st_applied_open(&changes, p, FOLDER, NULL));
    assert_int_equal(st_applied_add(&changes, &plan), 0);
    for (size_t i = 0; i < FILES_MAX && after[i].path != NULL; i++)
        check_file(p, after[i].path, after[i].text);
    assert_null(st_applied_revert(&changes, true, NULL));
    assert_int_equal(changes.n[ST_EVENT_CHANGED], 0);
    for (size_t i = 0; i < FILES_MAX && before[i].path != NULL; i++)
        check_file(p, before[i].path, before[i].text);
    for (size_t i = 0; i < FILES_MAX && after[i].path != NULL; i++) {
        bool existed = false;
        for (size_t j = 0; j < FILES_MAX && before[j].path != NULL; j++)
            existed |= strcmp(before[j].path, after[i].path) == 0;
        if (!existed)
            check_file(p, after[i].path, NULL);
    }
    st_applied_close(&changes);
    st_journal_finish(&plan);
}

static void freebsd_files_are_written_and_restored_to_the_byte(void **state)
{
    static const struct file before[FILES_MAX] = {
        {"/etc/sysctl.conf",
         "# $FreeBSD$\nsecurity.bsd.see_other_uids=0"}, /* no newline at its end */
        {"/etc/rc.conf", "hostname=\"studio\"\npowerd_enable=\"YES\""},
        {"/boot/loader.conf", "zfs_load=\"YES\"\n"},
    };
    static const struct file after[FILES_MAX] = {
        {"/etc/sysctl.conf",
         "# $FreeBSD$\nsecurity.bsd.see_other_uids=0" BLOCK(
             "freebsd-epp", "dev.hwpstate_intel.0.epp=0\ndev.hwpstate_intel.1.epp=0\n")},
        {"/etc/rc.conf", "hostname=\"studio\"\npowerd_enable=\"YES\""},
        {"/etc/rc.conf.d/powerd/zz-sleeptune-freebsd-epp",
         BY("freebsd-epp") "powerd_flags=\"-a maximum -b adaptive\"\n"},
        {"/etc/rc.conf.d/power_profile/zz-sleeptune-freebsd-epp",
         BY("freebsd-epp") "performance_cx_lowest=\"C1\"\n"},
        {"/boot/loader.conf", "zfs_load=\"YES\"\n"},
        {"/boot/loader.conf.d/zz-sleeptune-freebsd-epp.conf",
         BY("freebsd-epp") "kern.hz=\"1000\"\n"},
    };
    static const char *const sysctls[][2] = {{"dev.hwpstate_intel.0.epp", "50"},
                                             {"dev.hwpstate_intel.1.epp", "50"}};
    struct st_finding finding = {.rule = &rule};
    char value[64];
    size_t len;
    struct st_platform *p = machine(ST_OS_FREEBSD, before);
    for (size_t i = 0; i < ST_ARRAY_LEN(sysctls); i++)
        assert_int_equal(st_fake_set_sysctl(p, sysctls[i][0], sysctls[i][1], 0), 0);
    st_finding_change(&finding, ST_CHANGE_RC_CONF, "powerd:powerd_flags", "-a maximum -b adaptive");
    st_finding_change(&finding, ST_CHANGE_SYSCTL, "dev.hwpstate_intel.0.epp", "0");
    st_finding_change(&finding, ST_CHANGE_SYSCTL, "dev.hwpstate_intel.1.epp", "0");
    st_finding_change(&finding, ST_CHANGE_RC_CONF, "power_profile:performance_cx_lowest", "C1");
    st_finding_change(&finding, ST_CHANGE_LOADER, "kern.hz", "1000");
    there_and_back(p, &finding, after, before);
    for (size_t i = 0; i < ST_ARRAY_LEN(sysctls); i++) {
        assert_int_equal(p->read_sysctl(p, sysctls[i][0], value, sizeof(value), &len), 0);
        assert_string_equal(value, sysctls[i][1]);
    }
    st_finding_finish(&finding);
    st_fake_free(p);
}

/* --- each kind, there and back, and changed by others --- */

static const struct way {
    enum st_os os;
    struct st_change change;
} ways[] = {
    {ST_OS_LINUX, {ST_CHANGE_SYSCTL, "vm.swappiness", "1"}},
    {ST_OS_LINUX, {ST_CHANGE_MODPROBE, "snd", "a=1"}},
    {ST_OS_LINUX, {ST_CHANGE_UDEV, "rule", "KERNEL==\"a\", MODE=\"0660\""}},
    {ST_OS_LINUX, {ST_CHANGE_LIMITS, "ann - rtprio", "90"}},
    {ST_OS_LINUX, {ST_CHANGE_SYSTEMD, "a.service", "LimitRTPRIO=90"}},
    {ST_OS_LINUX, {ST_CHANGE_BOOT, "boot", "preempt=full"}},
    {ST_OS_LINUX, {ST_CHANGE_PIPEWIRE, "/home/USER/.config", "default.clock.quantum = 128"}},
    {ST_OS_LINUX, {ST_CHANGE_WIREPLUMBER, "/home/USER/.config", "alsa_output.usb-X"}},
    {ST_OS_LINUX, {ST_CHANGE_WIREPLUMBER_LUA, "/home/USER/.config", "alsa_output.usb-X"}},
    {ST_OS_FREEBSD, {ST_CHANGE_SYSCTL, "hw.snd.latency", "1"}},
    {ST_OS_FREEBSD, {ST_CHANGE_LOADER, "kern.hz", "1000"}},
    {ST_OS_FREEBSD, {ST_CHANGE_RC_CONF, "powerd:powerd_flags", "-a max"}},
};

/* changed: by someone, between apply and revert. */
static void check_way(const struct way *way, bool changed)
{
    char ours[1024], now[1100];
    const struct st_rule *of =
        st_rule_find(way->os == ST_OS_LINUX ? "linux-swap" : "freebsd-snd-latency");
    struct st_applied changes;
    struct st_journal plan = {0};
    size_t len;
    struct st_finding finding = {.rule = of};
    const bool lower = st_change_rows[way->change.kind].users && geteuid() == 0; /* not for root */
    if (lower)
        assert_int_equal(seteuid(65534), 0);
    struct st_platform *p =
        machine(way->os, (const struct file[FILES_MAX]){{"/etc/sysctl.conf", "# mine"},
                                                        {"/etc/default/grub.d/a.cfg", ""}});
    if (way->os == ST_OS_LINUX)
        assert_int_equal(st_fake_set_file(p, "/proc/sys/vm/swappiness", "0\n", 0), 0);
    else
        assert_int_equal(st_fake_set_sysctl(p, "hw.snd.latency", "0", 0), 0);
    st_finding_change(&finding, way->change.kind, way->change.key, way->change.value);
    const char *why = st_plan_add(&plan, p, &finding, false);
    if (why != NULL)
        fail_msg("%s: %s", way->change.key, why);
    const struct st_entry *file = &plan.entries[plan.entries_n - 1];
    assert_true(file->file);
    const bool block = file->block;
    assert_null(st_applied_open(&changes, p, FOLDER, NULL));
    assert_int_equal(st_applied_add(&changes, &plan), 0);
    assert_int_equal(p->read_text(p, file->target, ours, sizeof(ours), &len), 0);
    assert_string_equal(ours + (block ? strlen("# mine") : 0), file->text);
    snprintf(now, sizeof(now), "%s", ours);
    now[len - (block ? strlen("# <<< sleeptune freebsd-snd-latency\n") + 2 : 2)] = 'X';
    if (changed)
        assert_int_equal(st_fake_set_file(p, file->target, now, 0), 0);
    assert_null(st_applied_revert(&changes, true, NULL));
    assert_int_equal(changes.n[ST_EVENT_CHANGED], changed);
    check_file(p, file->target, changed ? now : block ? "# mine" : NULL);
    st_applied_close(&changes);
    st_journal_finish(&plan);
    st_finding_finish(&finding);
    st_fake_free(p);
    if (lower)
        assert_int_equal(seteuid(0), 0);
}

static void each_kind_is_written_and_taken_back(void **state)
{
    ST_EACH (way, ways)
        check_way(way, false);
}

static void what_others_changed_is_left(void **state)
{
    ST_EACH (way, ways)
        check_way(way, true);
}

/* --- values --- */

static void a_running_value_without_a_file_may_be_missing(void **state)
{
    struct st_finding finding = {.rule = &preemption};
    struct st_journal plan = {0};
    struct st_platform *p =
        machine(ST_OS_LINUX, (const struct file[FILES_MAX]){{"/etc/default/grub.d/a.cfg", ""}});
    st_finding_change(&finding, ST_CHANGE_SYSFS_NOW, "/sys/kernel/debug/sched/preempt", "full");
    st_finding_change(&finding, ST_CHANGE_BOOT, "boot", "preempt=full");
    assert_null(st_plan_add(&plan, p, &finding, false));
    assert_int_equal(plan.entries_n, 1);
    st_journal_finish(&plan);
    assert_int_equal(
        st_fake_set_file(p, "/sys/kernel/debug/sched/preempt", "none (voluntary) full\n", 0), 0);
    assert_null(st_plan_add(&plan, p, &finding, false));
    assert_int_equal(plan.entries_n, 2);
    assert_string_equal(plan.entries[0].old_value, "voluntary");
    st_journal_finish(&plan);
    st_finding_finish(&finding);
    st_fake_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_boot_loader_decides_where_and_how),
        cmocka_unit_test(freebsd_files_are_written_and_restored_to_the_byte),
        cmocka_unit_test(each_kind_is_written_and_taken_back),
        cmocka_unit_test(what_others_changed_is_left),
        cmocka_unit_test(a_running_value_without_a_file_may_be_missing),
    };
    return cmocka_run_group_tests_name("change_kinds", tests, NULL, NULL);
}
