/* Which file, what command, and what stands in it afterwards: boot loaders of distributions, FreeBSD's
 * files. */
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
#define BY(id)      "# " id ": written by 'sleeptune apply', taken back by 'sleeptune revert'\n"

static const struct st_rule rule = {
    .id = "x-a",
    .targets = (const char *const[]){"hw.snd.latency", "dev.hwpstate_intel.*.epp", "hw.acpi.cpu.cx_lowest",
                                     "hw.x", "/sys/x", "vm.x", "/sys/kernel/debug/sched/preempt", NULL}};

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

#define GRUB                                                                                                 \
    {                                                                                                        \
        "/etc/default/grub", "GRUB_CMDLINE_LINUX_DEFAULT=\"quiet\"\n"                                        \
    }
#define CMDLINE                                                                                              \
    {                                                                                                        \
        "/etc/kernel/cmdline", "root=UUID=1 rw"                                                              \
    }
#define RELEASE                                                                                              \
    {                                                                                                        \
        "/proc/sys/kernel/osrelease", "6.1.0-9-amd64\n"                                                      \
    }

static const struct {
    const char *name;
    struct file files[FILES_MAX];
    int result;
    enum st_change_kind kind;
    const char *why;     /* part of it */
    const char *command; /* NULL: none that is known */
} boots[] = {
    {"Debian",
     {GRUB,
      {"/usr/sbin/grub-mkconfig", "for x in ${sysconfdir}/default/grub.d/*.cfg ; do"},
      {"/usr/sbin/update-grub", ""}},
     0,
     ST_CHANGE_BOOT,
     "GRUB",
     "update-grub"},
    {"Arch with GRUB",
     {GRUB, {"/usr/bin/grub-mkconfig", "#!/bin/sh"}},
     0,
     ST_CHANGE_BOOT_GRUB,
     "GRUB",
     "grub-mkconfig -o /boot/grub/grub.cfg"},
    {"a folder of drop-ins that this GRUB does not read",
     {GRUB, {"/etc/default/grub.d/a.cfg", ""}, {"/usr/bin/grub-mkconfig", "#!/bin/sh"}},
     0,
     ST_CHANGE_BOOT_GRUB,
     "GRUB",
     "grub-mkconfig -o /boot/grub/grub.cfg"},
    {"openSUSE with GRUB",
     {GRUB, {"/usr/sbin/grub2-mkconfig", "#!/bin/sh"}},
     0,
     ST_CHANGE_BOOT_GRUB,
     "GRUB",
     "grub2-mkconfig -o /boot/grub2/grub.cfg"},
    {"Fedora: entries of their own, and a cmdline for new kernels",
     {{"/etc/default/grub", "GRUB_ENABLE_BLSCFG=true\n"},
      CMDLINE,
      {"/usr/bin/grub2-mkconfig", "--update-bls-cmdline)"}},
     0,
     ST_CHANGE_BOOT_GRUB,
     "This file exists, too: /etc/kernel/cmdline",
     "grub2-mkconfig -o /boot/grub2/grub.cfg --update-bls-cmdline"},
    {"RHEL 8: entries of their own, an older script",
     {{"/etc/default/grub", "GRUB_ENABLE_BLSCFG=true\n"}, {"/usr/sbin/grub2-mkconfig", "#!/bin/sh"}},
     0,
     ST_CHANGE_BOOT_GRUB,
     "GRUB",
     "grub2-mkconfig -o /boot/grub2/grub.cfg"},
    {"a captured /etc of Debian", {{"/etc/default/grub.d/a.cfg", ""}}, 0, ST_CHANGE_BOOT, "GRUB", NULL},
    {"Debian with systemd-boot",
     {CMDLINE, RELEASE, {"/boot/vmlinuz-6.1.0-9-amd64", ""}},
     0,
     ST_CHANGE_BOOT_CMDLINE,
     "no settings of GRUB",
     "kernel-install add 6.1.0-9-amd64 /boot/vmlinuz-6.1.0-9-amd64"},
    {"Fedora with systemd-boot",
     {CMDLINE, RELEASE, {"/usr/lib/modules/6.1.0-9-amd64/vmlinuz", ""}},
     0,
     ST_CHANGE_BOOT_CMDLINE,
     "",
     "kernel-install add 6.1.0-9-amd64 /usr/lib/modules/6.1.0-9-amd64/vmlinuz"},
    {"a release that is none",
     {CMDLINE, {"/proc/sys/kernel/osrelease", "6;reboot\n"}, {"/boot/vmlinuz-6;reboot", ""}},
     0,
     ST_CHANGE_BOOT_CMDLINE,
     "",
     NULL},
    {"Arch with unified images",
     {CMDLINE, {"/usr/bin/mkinitcpio", ""}},
     0,
     ST_CHANGE_BOOT_CMDLINE,
     "",
     "mkinitcpio -P"},
    {"openSUSE with systemd-boot",
     {CMDLINE, {"/usr/bin/sdbootutil", ""}},
     0,
     ST_CHANGE_BOOT_CMDLINE,
     "",
     "sdbootutil update-all-entries"},
    {"Arch with entries written by hand",
     {{"/boot/loader/loader.conf", ""}},
     -ENODATA,
     ST_CHANGE_BOOT,
     "options lines",
     NULL},
    {"Raspberry Pi",
     {{"/boot/firmware/cmdline.txt", ""}},
     -ENODATA,
     ST_CHANGE_BOOT,
     "/boot/firmware/cmdline.txt",
     NULL},
    {"nothing that is known", {RELEASE}, -ENODATA, ST_CHANGE_BOOT, "by hand", NULL},
};

static void the_boot_loader_decides_where_and_how(void **state)
{
    (void)state;
    for (size_t i = 0; i < ST_ARRAY_LEN(boots); i++) {
        char why[256], command[256];
        struct st_change change = {ST_CHANGE_BOOT, "boot", "preempt=full"};
        struct st_platform *p = machine(ST_OS_LINUX, boots[i].files);
        const int r = st_change_resolve(&p->machine, &change, why, sizeof(why));
        if (r != boots[i].result || change.kind != boots[i].kind || strstr(why, boots[i].why) == NULL)
            fail_msg("%s: %d, kind %d, \"%s\"", boots[i].name, r, change.kind, why);
        const int known =
            r == 0 ? st_change_command(&p->machine, change.kind, command, sizeof(command)) : -ENOENT;
        if ((known == 0) != (boots[i].command != NULL) ||
            (known == 0 && strcmp(command, boots[i].command) != 0))
            fail_msg("%s: %d, \"%s\"", boots[i].name, known, command);
        st_fake_free(p);
    }
}

/* A platform reads texts with NUL bytes; the fake's have none, so its variable has other bytes between. */
static void what_started_the_machine_decides_between_two(void **state)
{
    static const struct {
        const char *info;
        enum st_change_kind kind;
        const char *why;
    } rows[] = {
        {"....s.y.s.t.e.m.d.-.b.o.o.t. .2.5.5.", ST_CHANGE_BOOT_CMDLINE,
         "systemd-boot started this machine. This file exists, too: /etc/default/grub"},
        {"....G.R.U.B. .2...1.2.", ST_CHANGE_BOOT_GRUB,
         "GRUB started this machine. This file exists, too: /etc/kernel/cmdline"},
        {"..", ST_CHANGE_BOOT_GRUB, "nothing shows that systemd-boot"},
    };
    (void)state;
    for (size_t i = 0; i < ST_ARRAY_LEN(rows); i++) {
        char why[256];
        struct st_change change = {ST_CHANGE_BOOT, "boot", "preempt=full"};
        struct st_platform *p =
            machine(ST_OS_LINUX, (const struct file[FILES_MAX]){GRUB, CMDLINE, {LOADER_INFO, rows[i].info}});
        assert_int_equal(st_change_resolve(&p->machine, &change, why, sizeof(why)), 0);
        if (change.kind != rows[i].kind || strstr(why, rows[i].why) == NULL)
            fail_msg("%s: kind %d, %s", rows[i].info, change.kind, why);
        st_fake_free(p);
    }
}

/* One that we made would hold our option and no root=: the machine would not start. */
static void a_kernel_command_line_is_added_to_and_never_made(void **state)
{
    char why[256];
    struct st_change change = {ST_CHANGE_BOOT, "boot", "preempt=full"};
    (void)state;
    struct st_platform *p = machine(
        ST_OS_LINUX, (const struct file[FILES_MAX]){GRUB, {LOADER_INFO, "....s.y.s.t.e.m.d.-.b.o.o.t."}});
    assert_int_equal(st_change_resolve(&p->machine, &change, why, sizeof(why)), -ENODATA);
    st_fake_free(p);
}

/* --- there and back, byte by byte --- */

static void check_file(struct st_platform *p, const char *path, const char *wanted)
{
    char buf[4096];
    size_t len;
    const int r = p->machine.read_text(&p->machine, path, buf, sizeof(buf), &len);
    assert_int_equal(r, wanted != NULL ? 0 : -ENOENT);
    if (wanted != NULL)
        assert_string_equal(buf, wanted);
}

static void there_and_back(struct st_platform *p, const struct st_finding *finding, const struct file *after,
                           const struct file *before)
{
    char message[256] = "";
    struct st_applied changes;
    struct st_plan plan = {0};
    struct st_revert_counts counts;
    size_t left_n;
    const int r = st_plan_add(&plan, &p->machine, finding, message, sizeof(message));
    if (r != 0)
        fail_msg("%d: %s", r, message);
    assert_int_equal(st_applied_open(&changes, "test", p, FOLDER, NULL, NULL, message, sizeof(message)), 0);
    assert_int_equal(st_applied_add(&changes, &plan, &left_n), 0);
    for (size_t i = 0; i < FILES_MAX && after[i].path != NULL; i++)
        check_file(p, after[i].path, after[i].text);
    assert_int_equal(st_applied_revert(&changes, true, NULL, 0, &counts), 0);
    assert_int_equal(counts.changed_n + counts.failed_n, 0);
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
    st_plan_finish(&plan);
}

static void freebsd_files_are_written_and_restored_to_the_byte(void **state)
{
    static const struct file before[FILES_MAX] = {
        {"/etc/sysctl.conf", "# $FreeBSD$\nsecurity.bsd.see_other_uids=0\n"},
        {"/etc/rc.conf", "hostname=\"studio\"\npowerd_enable=\"YES\""}, /* no newline at its end */
        {"/etc/login.conf", "default:\\\n\t:passwd_format=sha512:\\\n\t:memorylocked=128M:\n"},
        {"/boot/loader.conf", "zfs_load=\"YES\"\n"},
    };
    static const struct file after[FILES_MAX] = {
        {"/etc/sysctl.conf", "# $FreeBSD$\nsecurity.bsd.see_other_uids=0\n" BY(
                                 "x-a") "hw.snd.latency=0\n"
                                        "dev.hwpstate_intel.0.epp=0\ndev.hwpstate_intel.1.epp=0\n"},
        {"/etc/rc.conf",
         "hostname=\"studio\"\npowerd_enable=\"YES\"\n" BY("x-a") "powerd_flags=\"-a maximum -b adaptive\"\n"
                                                                  "performance_cx_lowest=\"C1\"\n"},
        {"/etc/login.conf", "default:\\\n\t:passwd_format=sha512:\\\n\t:memorylocked=128M:\n" BY(
                                "x-a") "audio:memorylocked=unlimited:tc=default:\n"},
        {"/boot/loader.conf", "zfs_load=\"YES\"\n"},
        {"/boot/loader.conf.d/sleeptune.conf", BY("x-a") "kern.hz=\"1000\"\n"},
    };
    static const char *const sysctls[][2] = {{"hw.snd.latency", "5"},
                                             {"dev.hwpstate_intel.0.epp", "50"},
                                             {"dev.hwpstate_intel.1.epp", "50"},
                                             {"hw.acpi.cpu.cx_lowest", "C8"}};
    struct st_finding finding = {.rule = &rule};
    char value[64];
    size_t len;
    (void)state;
    struct st_platform *p = machine(ST_OS_FREEBSD, before);
    for (size_t i = 0; i < ST_ARRAY_LEN(sysctls); i++)
        assert_int_equal(st_fake_set_sysctl(p, sysctls[i][0], sysctls[i][1], 0), 0);
    st_finding_change(&finding, ST_CHANGE_SYSCTL, "hw.snd.latency", "0");
    st_finding_change(&finding, ST_CHANGE_RC_CONF, "powerd_flags", "-a maximum -b adaptive");
    st_finding_change(&finding, ST_CHANGE_SYSCTL, "dev.hwpstate_intel.0.epp", "0");
    st_finding_change(&finding, ST_CHANGE_SYSCTL, "dev.hwpstate_intel.1.epp", "0");
    st_finding_change(&finding, ST_CHANGE_SYSCTL_NOW, "hw.acpi.cpu.cx_lowest", "C1");
    st_finding_change(&finding, ST_CHANGE_RC_CONF, "performance_cx_lowest", "C1");
    st_finding_change(&finding, ST_CHANGE_LOADER, "kern.hz", "1000");
    st_finding_change(&finding, ST_CHANGE_LOGIN_CLASS, "audio", "memorylocked=unlimited");
    there_and_back(p, &finding, after, before);
    assert_int_equal(st_change_command(&p->machine, ST_CHANGE_LOGIN_CLASS, value, sizeof(value)), 0);
    assert_string_equal(value, "cap_mkdb /etc/login.conf");
    for (size_t i = 0; i < ST_ARRAY_LEN(sysctls); i++) {
        assert_int_equal(p->machine.read_sysctl(&p->machine, sysctls[i][0], value, sizeof(value), &len), 0);
        assert_string_equal(value, sysctls[i][1]);
    }
    st_finding_finish(&finding);
    st_fake_free(p);
}

static void the_kernel_command_line_grows_by_a_line_without_comment(void **state)
{
    static const struct file before[FILES_MAX] = {{"/etc/kernel/cmdline", "root=UUID=1 rw quiet"}};
    static const struct file after[FILES_MAX] = {
        {"/etc/kernel/cmdline", "root=UUID=1 rw quiet\npreempt=full\n"}};
    struct st_finding finding = {.rule = &rule};
    (void)state;
    struct st_platform *p = machine(ST_OS_LINUX, before);
    st_finding_change(&finding, ST_CHANGE_BOOT, "boot", "preempt=full");
    there_and_back(p, &finding, after, before);
    st_finding_finish(&finding);
    st_fake_free(p);
}

static void grub_without_drop_ins_gets_the_lines_at_its_end(void **state)
{
    static const struct file before[FILES_MAX] = {GRUB, {"/usr/bin/grub-mkconfig", "#!/bin/sh"}};
    static const struct file after[FILES_MAX] = {
        {"/etc/default/grub", "GRUB_CMDLINE_LINUX_DEFAULT=\"quiet\"\n" BY(
                                  "x-a") "GRUB_CMDLINE_LINUX_DEFAULT=\"$GRUB_CMDLINE_LINUX_"
                                         "DEFAULT preempt=full\"\n"}};
    struct st_finding finding = {.rule = &rule};
    (void)state;
    struct st_platform *p = machine(ST_OS_LINUX, before);
    st_finding_change(&finding, ST_CHANGE_BOOT, "boot", "preempt=full");
    there_and_back(p, &finding, after, before);
    st_finding_finish(&finding);
    st_fake_free(p);
}

/* --- three ways --- */

static const struct {
    enum st_os os;
    struct st_change change;
    const char *path, *before, *theirs, *both;
} ways[] = {
    {ST_OS_LINUX,
     {ST_CHANGE_SYSCTL, "vm.x", "1"},
     "/etc/sysctl.d/90-sleeptune.conf",
     "a = 1\n",
     "a = 2\n",
     "vm.x = 9\n"},
    {ST_OS_LINUX,
     {ST_CHANGE_SYSFS, "/sys/x", "1"},
     "/etc/tmpfiles.d/sleeptune.conf",
     "# a\n",
     "# b\n",
     "w /sys/x - - - - 9\n"},
    {ST_OS_LINUX,
     {ST_CHANGE_MODPROBE, "snd", "a=1"},
     "/etc/modprobe.d/sleeptune.conf",
     "# a\n",
     "# b\n",
     "options snd a=9\n"},
    {ST_OS_LINUX,
     {ST_CHANGE_UDEV, "rule", "KERNEL==\"a\", MODE=\"0660\""},
     "/etc/udev/rules.d/90-sleeptune.rules",
     "# a\n",
     "# b\n",
     "KERNEL==\"a\", MODE=\"0600\"\n"},
    {ST_OS_LINUX,
     {ST_CHANGE_LIMITS, "@audio - rtprio", "90"},
     "/etc/security/limits.d/90-sleeptune.conf",
     "# a\n",
     "# b\n",
     "@audio - rtprio 9\n"},
    {ST_OS_LINUX,
     {ST_CHANGE_SYSTEMD, "a.service", "LimitRTPRIO=90"},
     "/etc/systemd/system/a.service.d/90-sleeptune.conf",
     "# a\n",
     "# b\n",
     "[Service]\nLimitRTPRIO=9\n"},
    {ST_OS_LINUX,
     {ST_CHANGE_BOOT, "boot", "preempt=full"},
     "/etc/default/grub.d/sleeptune.cfg",
     "# a\n",
     "# b\n",
     "GRUB_CMDLINE_LINUX_DEFAULT=\"preempt=none\"\n"},
    {ST_OS_LINUX,
     {ST_CHANGE_BOOT, "boot", "preempt=full"},
     "/etc/default/grub",
     "# a\n",
     "# b\n",
     "GRUB_CMDLINE_LINUX_DEFAULT=\"preempt=none\"\n"},
    {ST_OS_LINUX,
     {ST_CHANGE_BOOT, "boot", "preempt=full"},
     "/etc/kernel/cmdline",
     "root=1\n",
     "root=2\n",
     "preempt=none\n"},
    {ST_OS_LINUX,
     {ST_CHANGE_PIPEWIRE, "/home/USER/.config", "default.clock.quantum = 128"},
     "/home/USER/.config/pipewire/pipewire.conf.d/90-sleeptune.conf",
     "# a\n",
     "# b\n",
     "context.properties = { default.clock.quantum = 9 }\n"},
    {ST_OS_LINUX,
     {ST_CHANGE_WIREPLUMBER, "/home/USER/.config", "alsa_output.usb-X"},
     "/home/USER/.config/wireplumber/wireplumber.conf.d/90-sleeptune.conf",
     "# a\n",
     "# b\n",
     "monitor.alsa.rules = []\n"},
    {ST_OS_LINUX,
     {ST_CHANGE_WIREPLUMBER_LUA, "/home/USER/.config", "alsa_output.usb-X"},
     "/home/USER/.config/wireplumber/main.lua.d/51-sleeptune.lua",
     "-- a\n",
     "-- b\n",
     "table.insert(alsa_monitor.rules, {})\n"},
    {ST_OS_FREEBSD, {ST_CHANGE_SYSCTL, "hw.x", "1"}, "/etc/sysctl.conf", "a=1\n", "a=2\n", "hw.x=9\n"},
    {ST_OS_FREEBSD,
     {ST_CHANGE_LOADER, "kern.hz", "1000"},
     "/boot/loader.conf.d/sleeptune.conf",
     "a=\"1\"\n",
     "a=\"2\"\n",
     "kern.hz=\"100\"\n"},
    {ST_OS_FREEBSD,
     {ST_CHANGE_RC_CONF, "powerd_flags", "-a max"},
     "/etc/rc.conf",
     "a=\"1\"\n",
     "a=\"2\"\n",
     "powerd_flags=\"-n\"\n"},
    {ST_OS_FREEBSD,
     {ST_CHANGE_LOGIN_CLASS, "audio", "memorylocked=unlimited"},
     "/etc/login.conf",
     "default:a=1:\n",
     "default:a=2:\n",
     "audio:memorylocked=1:tc=default:\n"},
};

static void check_ways(size_t i, const char *now_before, const char *now_ours, bool left)
{
    char message[256] = "", ours[1024], now[1024], wanted[1024];
    struct st_applied changes;
    struct st_plan plan = {0};
    struct st_revert_counts counts;
    size_t left_n, len;
    struct st_finding finding = {.rule = &rule};
    const bool lower = st_change_is_users(ways[i].change.kind) && geteuid() == 0; /* not for root */
    if (lower)
        assert_int_equal(seteuid(65534), 0);
    struct st_platform *p =
        machine(ways[i].os, (const struct file[FILES_MAX]){{ways[i].path, ways[i].before}});
    if (ways[i].os == ST_OS_LINUX) {
        assert_int_equal(st_fake_set_file(p, "/sys/x", "0\n", 0), 0);
        assert_int_equal(st_fake_set_file(p, "/proc/sys/vm/x", "0\n", 0), 0);
    } else {
        assert_int_equal(st_fake_set_sysctl(p, "hw.x", "0", 0), 0);
    }
    st_finding_change(&finding, ways[i].change.kind, ways[i].change.key, ways[i].change.value);
    const int r = st_plan_add(&plan, &p->machine, &finding, message, sizeof(message));
    if (r != 0)
        fail_msg("%s: %d, %s", ways[i].path, r, message);
    assert_int_equal(st_applied_open(&changes, "test", p, FOLDER, NULL, NULL, message, sizeof(message)), 0);
    assert_int_equal(st_applied_add(&changes, &plan, &left_n), 0);
    assert_int_equal(p->machine.read_text(&p->machine, ways[i].path, ours, sizeof(ours), &len), 0);
    assert_memory_equal(ours, ways[i].before, strlen(ways[i].before));
    snprintf(now, sizeof(now), "%s%s", now_before,
             now_ours != NULL ? now_ours : ours + strlen(ways[i].before));
    snprintf(wanted, sizeof(wanted), "%s%s", now_before, left ? now_ours : "");
    assert_int_equal(st_fake_set_file(p, ways[i].path, now, 0), 0);
    assert_int_equal(st_applied_revert(&changes, true, NULL, 0, &counts), 0);
    if ((counts.changed_n == 1) != left)
        fail_msg("%s: %zu changed", ways[i].path, counts.changed_n);
    check_file(p, ways[i].path, wanted);
    st_applied_close(&changes);
    st_plan_finish(&plan);
    st_finding_finish(&finding);
    st_fake_free(p);
    if (lower)
        assert_int_equal(seteuid(0), 0);
}

static void what_others_changed_around_our_lines_stays(void **state)
{
    (void)state;
    for (size_t i = 0; i < ST_ARRAY_LEN(ways); i++) {
        check_ways(i, ways[i].before, NULL, false); /* ours */
        check_ways(i, ways[i].theirs, NULL, false); /* theirs */
    }
}

static void lines_of_ours_that_others_changed_are_left(void **state)
{
    (void)state;
    for (size_t i = 0; i < ST_ARRAY_LEN(ways); i++) {
        check_ways(i, ways[i].before, ways[i].both, true);
        check_ways(i, ways[i].theirs, ways[i].both, true); /* both */
    }
}

/* --- values --- */

static void a_running_value_without_a_file_may_be_missing(void **state)
{
    struct st_finding finding = {.rule = &rule};
    struct st_plan plan = {0};
    char message[256];
    (void)state;
    struct st_platform *p = machine(ST_OS_LINUX, (const struct file[FILES_MAX]){CMDLINE});
    st_finding_change(&finding, ST_CHANGE_SYSFS_NOW, "/sys/kernel/debug/sched/preempt", "full");
    st_finding_change(&finding, ST_CHANGE_BOOT, "boot", "preempt=full");
    assert_int_equal(st_plan_add(&plan, &p->machine, &finding, message, sizeof(message)), 0);
    assert_int_equal(plan.steps_n, 1);
    st_plan_finish(&plan);
    assert_int_equal(st_fake_set_file(p, "/sys/kernel/debug/sched/preempt", "none (voluntary) full\n", 0), 0);
    assert_int_equal(st_plan_add(&plan, &p->machine, &finding, message, sizeof(message)), 0);
    assert_int_equal(plan.steps_n, 2);
    assert_string_equal(plan.steps[0].old_value, "voluntary");
    st_plan_finish(&plan);
    st_finding_finish(&finding);
    st_fake_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_boot_loader_decides_where_and_how),
        cmocka_unit_test(what_started_the_machine_decides_between_two),
        cmocka_unit_test(a_kernel_command_line_is_added_to_and_never_made),
        cmocka_unit_test(freebsd_files_are_written_and_restored_to_the_byte),
        cmocka_unit_test(the_kernel_command_line_grows_by_a_line_without_comment),
        cmocka_unit_test(grub_without_drop_ins_gets_the_lines_at_its_end),
        cmocka_unit_test(what_others_changed_around_our_lines_stays),
        cmocka_unit_test(lines_of_ours_that_others_changed_are_left),
        cmocka_unit_test(a_running_value_without_a_file_may_be_missing),
    };
    return cmocka_run_group_tests_name("change_kinds", tests, NULL, NULL);
}
