#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "tests/fake/fake.h"
#include "tests/unit/change_tree.h"

/* --- kinds --- */

/* What a row of the table of kinds makes of a change: folder and name, which decide the order, and
 * line. The sources of the orders are in docs/adr/0022-whole-files.md. */
static void each_kind_has_its_file_and_line(void **state)
{
    static const struct {
        enum st_os os;
        struct st_change change;
        const char *path, *name, *line;
    } rows[] = {
        {ST_OS_LINUX,
         {ST_CHANGE_SYSCTL, "vm.swappiness", "10"},
         "/etc/sysctl.d/99-zz-sleeptune-x-y.conf",
         "vm.swappiness",
         "vm.swappiness = 10\n"},
        {ST_OS_FREEBSD,
         {ST_CHANGE_SYSCTL, "kern.x", "0"},
         "/etc/sysctl.conf",
         "kern.x",
         "kern.x=0\n"},
        {ST_OS_LINUX,
         {ST_CHANGE_SYSFS, "/sys/a*/b", "on"},
         "/etc/tmpfiles.d/00-sleeptune-x-y.conf",
         "b",
         "w /sys/a*/b - - - - on\n"},
        {ST_OS_LINUX,
         {ST_CHANGE_SYSFS, "/sys/kernel/mm/a/enabled", "on"},
         "/etc/tmpfiles.d/00-sleeptune-x-y.conf",
         "enabled",
         "w /sys/kernel/mm/a/enabled - - - - on\n"},
        {ST_OS_LINUX,
         {ST_CHANGE_MODPROBE, "snd-hda-intel", "power_save=0"},
         "/etc/modprobe.d/zz-sleeptune-x-y.conf",
         "snd-hda-intel",
         "options snd-hda-intel power_save=0\n"},
        {ST_OS_LINUX,
         {ST_CHANGE_UDEV, "rule", "KERNEL==\"rtc0\", GROUP=\"audio\""},
         "/etc/udev/rules.d/90-sleeptune-x-y.rules",
         "rtc0",
         "KERNEL==\"rtc0\", GROUP=\"audio\"\n"},
        {ST_OS_LINUX,
         {ST_CHANGE_UDEV, "rule", "ACTION==\"add\", ATTR{power/control}=\"on\""},
         "/etc/udev/rules.d/90-sleeptune-x-y.rules",
         "power/control",
         "ACTION==\"add\", ATTR{power/control}=\"on\"\n"},
        {ST_OS_LINUX,
         {ST_CHANGE_LIMITS, "ann - rtprio", "90"},
         "/etc/security/limits.d/99-sleeptune-x-y-ann.conf",
         "rtprio",
         "ann - rtprio 90\n"},
        {ST_OS_LINUX,
         {ST_CHANGE_SYSTEMD, "user@.service", "LimitRTPRIO=90"},
         "/etc/systemd/system/user@.service.d/90-sleeptune-x-y.conf",
         "LimitRTPRIO",
         "LimitRTPRIO=90\n"},
        {ST_OS_LINUX,
         {ST_CHANGE_BOOT, "boot", "threadirqs"},
         "/etc/default/grub.d/zz-sleeptune-x-y.cfg",
         "threadirqs",
         "GRUB_CMDLINE_LINUX_DEFAULT=\"$GRUB_CMDLINE_LINUX_DEFAULT threadirqs\"\n"},
        {ST_OS_FREEBSD,
         {ST_CHANGE_LOADER, "kern.hz", "1000"},
         "/boot/loader.conf.d/zz-sleeptune-x-y.conf",
         "kern.hz",
         "kern.hz=\"1000\"\n"},
        {ST_OS_FREEBSD,
         {ST_CHANGE_RC_CONF, "powerd:powerd_flags", "-a max"},
         "/etc/rc.conf.d/powerd/zz-sleeptune-x-y",
         "powerd_flags",
         "powerd_flags=\"-a max\"\n"},
        {ST_OS_LINUX,
         {ST_CHANGE_PIPEWIRE, "/home/USER/.config", "default.clock.quantum = 128"},
         "/home/USER/.config/pipewire/pipewire.conf.d/90-sleeptune-x-y.conf",
         "default.clock.quantum",
         "context.properties = { default.clock.quantum = 128 }\n"},
        {ST_OS_LINUX,
         {ST_CHANGE_WIREPLUMBER, "/home/USER/.config", "alsa_output.usb-X_1-00.analog-stereo"},
         "/home/USER/.config/wireplumber/wireplumber.conf.d/90-sleeptune-x-y.conf",
         "api.alsa.headroom alsa_output.usb-X_1-00.analog-stereo",
         "monitor.alsa.rules = [ { matches = [ { node.name = "
         "\"~alsa_output.usb-X_1-00.analog-stereo.*\" } ] "
         "actions = { update-props = { api.alsa.headroom = 512 } } } ]\n"},
        {ST_OS_LINUX,
         {ST_CHANGE_WIREPLUMBER_LUA, "/home/USER/.config", "alsa_output.usb-X_1-00.analog-stereo"},
         "/home/USER/.config/wireplumber/main.lua.d/51-sleeptune-x-y.lua",
         "api.alsa.headroom alsa_output.usb-X_1-00.analog-stereo",
         "table.insert(alsa_monitor.rules, { matches = { { { \"node.name\", \"matches\", "
         "\"alsa_output.usb-X_1-00.analog-stereo*\" } } }, apply_properties = { "
         "[\"api.alsa.headroom\"] = "
         "512 } })\n"},
    };
    ST_EACH (row, rows) {
        struct st_entry form;
        const char *line;
        assert_true(st_change_form(row->os, "x-y", &row->change, &form, &line));
        assert_true(form.file);
        assert_string_equal(form.target, row->path);
        assert_string_equal(form.names, row->name);
        assert_string_equal(line, row->line);
    }
}

static void what_could_be_more_than_one_setting_is_refused(void **state)
{
    static const struct {
        enum st_os os;
        struct st_change change;
    } rows[] = {
        {ST_OS_LINUX, {ST_CHANGE_SYSCTL, "vm.x", "1\nkernel.core_pattern=|/x"}},
        {ST_OS_LINUX, {ST_CHANGE_SYSCTL, "", "1"}},
        {ST_OS_LINUX, {ST_CHANGE_SYSCTL, "vm.x", ""}},
        {ST_OS_LINUX, {ST_CHANGE_SYSCTL, "vm..x", "1"}},
        {ST_OS_LINUX, {ST_CHANGE_SYSFS, "/etc/passwd", "1"}},
        {ST_OS_LINUX, {ST_CHANGE_SYSFS, "/sys/../etc/passwd", "1"}},
        {ST_OS_LINUX, {ST_CHANGE_SYSTEMD, "../../x", "A=1"}},
        {ST_OS_LINUX, {ST_CHANGE_PIPEWIRE, "/home/USER/../root", "a = 1"}},
        {ST_OS_LINUX, {ST_CHANGE_PIPEWIRE, "home", "a = 1"}},
        {ST_OS_LINUX, {ST_CHANGE_PIPEWIRE, "/home/USER\nb", "a = 1"}},
        {ST_OS_LINUX, {ST_CHANGE_PIPEWIRE, "/home/USER", "a = 1 # }"}},
        {ST_OS_FREEBSD, {ST_CHANGE_PIPEWIRE, "/home/USER", "a = 1"}},
        {ST_OS_LINUX, {ST_CHANGE_WIREPLUMBER, "/home/USER", "hw:1"}},
        {ST_OS_LINUX, {ST_CHANGE_WIREPLUMBER, "/home/USER", "alsa_x\" } ]"}},
        {ST_OS_LINUX, {ST_CHANGE_WIREPLUMBER_LUA, "/home/USER", "alsa_x\" } ]"}},
        {ST_OS_LINUX, {ST_CHANGE_WIREPLUMBER_LUA, "/home/USER/../root", "alsa_x"}},
        {ST_OS_LINUX, {ST_CHANGE_BOOT, "boot", "a\" ; rm x"}},
        {ST_OS_LINUX, {ST_CHANGE_BOOT, "boot", "$(x)"}},
        {ST_OS_LINUX, {ST_CHANGE_LIMITS, "../ann - rtprio", "1"}},
        {ST_OS_LINUX, {ST_CHANGE_LIMITS, "a/b - rtprio", "1"}},
        {ST_OS_FREEBSD, {ST_CHANGE_RC_CONF, "../x:y", "1"}},
        {ST_OS_LINUX, {ST_CHANGE_LOADER, "kern.hz", "1"}},
        {ST_OS_FREEBSD, {ST_CHANGE_UDEV, "rule", "x"}},
    };
    struct st_entry form;
    const char *line;
    ST_EACH (row, rows)
        assert_false(st_change_form(row->os, "x-y", &row->change, &form, &line));
}

/* --- apply and revert in a folder --- */

struct heard {
    size_t n[ST_EVENT_FORGOTTEN + 1];
    char now[256];
    int error;
};

static struct heard *heard_to;

static void hear(enum st_change_event event, const struct st_entry *entry, const char *now,
                 int error)
{
    (void)entry;
    heard_to->n[event]++;
    if (now != NULL)
        snprintf(heard_to->now, sizeof(heard_to->now), "%s", now);
    if (event == ST_EVENT_FAILED)
        heard_to->error = error;
}

/* @return 0, or why it has no lock. */
static int opened(struct st_applied *changes, struct st_platform *p, const char *folder,
                  struct heard *heard)
{
    *heard = (struct heard){0};
    heard_to = heard;
    const char *why = st_applied_open(changes, p, folder, hear);
    assert_true((why == NULL) == (changes->lock >= 0));
    return why == NULL ? 0 : changes->lock;
}

static int apply(struct st_platform *p, struct heard *heard)
{
    struct st_applied changes;
    struct st_journal plan;
    int r = opened(&changes, p, st_os_rows[p->os].changes, heard);
    if (r < 0)
        return r;
    tree_plan(p, &plan);
    r = st_applied_add(&changes, &plan);
    st_journal_finish(&plan);
    st_applied_close(&changes);
    return r;
}

static int revert(struct st_platform *p, const char *id, struct heard *heard)
{
    struct st_applied changes;
    const int r = opened(&changes, p, st_os_rows[p->os].changes, heard);
    if (r < 0)
        return r;
    const char *why = st_applied_revert(&changes, id == NULL, (const char *const[]){id, NULL});
    st_applied_close(&changes);
    return why != NULL ? -EIO : 0;
}

static void check_text(const struct tree *tree, const char *path, const char *wanted)
{
    char buf[4096];
    const char *text = tree_text(tree, path, buf, sizeof(buf));
    if (wanted == NULL)
        assert_null(text);
    else if (text == NULL)
        fail_msg("no %s", path);
    else
        assert_string_equal(text, wanted);
}

#define BY(id) "# " id ": written by 'sleeptune apply', removed by 'sleeptune revert'\n"

static void apply_changes_files_and_running_values(void **state)
{
    struct tree tree;
    struct heard heard;
    tree_make(&tree);
    assert_int_equal(apply(tree.p, &heard), 0);
    assert_int_equal(heard.n[ST_EVENT_WRITTEN], 9);
    check_text(&tree, "proc/sys/vm/swappiness", "10\n");
    check_text(&tree, GOVERNOR0, "performance\n");
    check_text(&tree, GOVERNOR1, "performance\n");
    check_text(&tree, LIMITS_A, BY("linux-swap") "ann - rtprio 90\n");
    check_text(&tree, SYSCTL_A, BY("linux-swap") "vm.swappiness = 10\n");
    check_text(&tree, SYSCTL_C, BY("linux-watchdogs") "kernel.nmi_watchdog = 0\n");
    check_text(&tree, SYSCTL_D, "# mine\nvm.dirty_ratio = 20");
    tree_remove(&tree);
}

static void revert_leaves_everything_as_it_was(void **state)
{
    struct tree tree;
    struct heard heard;
    tree_make(&tree);
    char *before = tree_list(&tree);
    assert_int_equal(apply(tree.p, &heard), 0);
    assert_int_equal(revert(tree.p, NULL, &heard), 0);
    assert_int_equal(heard.n[ST_EVENT_RESTORED], 9);
    char *after = tree_list(&tree);
    assert_string_equal(after, before);
    free(after);
    free(before);
    tree_remove(&tree);
}

static void rules_are_reverted_one_by_one_in_any_order(void **state)
{
    static const char *const orders[][3] = {
        {"linux-swap", "linux-cpu-frequency", "linux-watchdogs"},
        {"linux-watchdogs", "linux-swap", "linux-cpu-frequency"},
        {"linux-cpu-frequency", "linux-watchdogs", "linux-swap"}};
    for (size_t i = 0; i < ST_ARRAY_LEN(orders); i++) {
        struct tree tree;
        struct heard heard;
        tree_make(&tree);
        char *before = tree_list(&tree);
        assert_int_equal(apply(tree.p, &heard), 0);
        assert_int_equal(revert(tree.p, orders[i][0], &heard), 0);
        if (i == 0) {
            check_text(&tree, SYSCTL_A, NULL);
            check_text(&tree, SYSCTL_C, BY("linux-watchdogs") "kernel.nmi_watchdog = 0\n");
        }
        assert_int_equal(revert(tree.p, orders[i][1], &heard), 0);
        assert_int_equal(revert(tree.p, orders[i][2], &heard), 0);
        char *after = tree_list(&tree);
        assert_string_equal(after, before);
        free(after);
        free(before);
        tree_remove(&tree);
    }
}

static void what_someone_changed_since_is_left_alone(void **state)
{
    struct tree tree;
    struct heard heard;
    tree_make(&tree);
    assert_int_equal(apply(tree.p, &heard), 0);
    tree_put(&tree, "proc/sys/vm/swappiness", "35\n");
    tree_put(&tree, LIMITS_A, BY("linux-swap") "ann - rtprio 70\n");
    assert_int_equal(revert(tree.p, "linux-swap", &heard), 0);
    assert_int_equal(heard.n[ST_EVENT_CHANGED], 2);
    assert_int_equal(heard.n[ST_EVENT_RESTORED], 1);
    assert_string_equal(heard.now, "35");
    check_text(&tree, "proc/sys/vm/swappiness", "35\n");
    check_text(&tree, LIMITS_A, BY("linux-swap") "ann - rtprio 70\n");
    tree_remove(&tree);
}

/* Nor is it written over: the next apply says so, and writes nothing. */
static void a_file_that_is_not_ours_is_not_written_over(void **state)
{
    struct tree tree;
    struct heard heard;
    tree_make(&tree);
    tree_put(&tree, LIMITS_A, "# mine\n");
    assert_int_equal(apply(tree.p, &heard), -ENOTEMPTY);
    check_text(&tree, LIMITS_A, "# mine\n");
    check_text(&tree, "proc/sys/vm/swappiness", "60\n");
    check_text(&tree, SYSCTL_A, NULL);
    /* one that is as we would write it is taken over: a journal that was lost */
    tree_put(&tree, LIMITS_A, BY("linux-swap") "ann - rtprio 90\n");
    assert_int_equal(apply(tree.p, &heard), 0);
    assert_int_equal(revert(tree.p, NULL, &heard), 0);
    check_text(&tree, LIMITS_A, NULL);
    tree_remove(&tree);
}

static void apply_freebsd(struct tree *tree, struct heard *heard)
{
    struct st_journal plan = {0};
    struct st_applied changes;
    tree_plan_freebsd(tree->p, &plan);
    assert_int_equal(opened(&changes, tree->p, st_os_rows[ST_OS_FREEBSD].changes, heard), 0);
    assert_int_equal(st_applied_add(&changes, &plan), 0);
    st_applied_close(&changes);
    st_journal_finish(&plan);
}

/* FreeBSD's sysctl.conf is a file of others: blocks of ours are cut out in any order, to the
 * byte. */
static void blocks_are_cut_out_in_any_order(void **state)
{
    static const char *const rules[] = {"freebsd-snd-latency", "freebsd-memlock"};
    static const char *const texts[] = {"", "# mine\n", "kern.x=1", "\n\n"};
    for (size_t i = 0; i < 2 * ST_ARRAY_LEN(texts); i++) {
        struct tree tree;
        struct heard heard;
        char text[1024];
        tree_make_freebsd(&tree);
        tree_put(&tree, "etc/sysctl.conf", texts[i / 2]);
        apply_freebsd(&tree, &heard);
        assert_non_null(tree_text(&tree, "etc/sysctl.conf", text, sizeof(text)));
        assert_memory_equal(text, texts[i / 2], strlen(texts[i / 2]));
        assert_non_null(strstr(text, "\nhw.snd.latency=0\n# <<< sleeptune freebsd-snd-latency\n"));
        assert_int_equal(revert(tree.p, rules[i % 2], &heard), 0);
        assert_non_null(tree_text(&tree, "etc/sysctl.conf", text, sizeof(text)));
        assert_null(strstr(text, rules[i % 2]));
        assert_non_null(
            strstr(text, i % 2 == 0 ? "\nvm.max_user_wired=4194304\n" : "\nhw.snd.latency=0\n"));
        assert_int_equal(revert(tree.p, NULL, &heard), 0);
        check_text(&tree, "etc/sysctl.conf", texts[i / 2]);
        tree_remove(&tree);
    }
}

static void lines_below_a_block_keep_their_place(void **state)
{
    struct tree tree;
    struct heard heard;
    char text[1024];
    tree_make_freebsd(&tree);
    tree_put(&tree, "etc/sysctl.conf", "kern.x=1"); /* without an end of its line */
    apply_freebsd(&tree, &heard);
    assert_non_null(tree_text(&tree, "etc/sysctl.conf", text, sizeof(text)));
    ST_APPEND(text, "vfs.usermount=1\n");
    tree_put(&tree, "etc/sysctl.conf", text);
    assert_int_equal(revert(tree.p, NULL, &heard), 0);
    check_text(&tree, "etc/sysctl.conf", "kern.x=1\nvfs.usermount=1\n");
    tree_remove(&tree);
}

static void a_block_that_someone_changed_is_left_alone(void **state)
{
    struct tree tree;
    struct heard heard;
    char text[1024], large[ST_CHANGE_FILE_BYTES + 2] = "", *at;
    memset(large, 'x', sizeof(large) - 1);
    tree_make_freebsd(&tree);
    apply_freebsd(&tree, &heard);
    assert_non_null(tree_text(&tree, "etc/sysctl.conf", text, sizeof(text)));
    at = strstr(text, "latency=0");
    assert_non_null(at);
    at[strlen("latency=")] = '2';
    tree_put(&tree, "etc/sysctl.conf", text);
    assert_int_equal(revert(tree.p, "freebsd-snd-latency", &heard), 0);
    assert_int_equal(heard.n[ST_EVENT_CHANGED], 1);
    check_text(&tree, "etc/sysctl.conf", text);
    tree_put(&tree, "etc/sysctl.conf", large); /* it may still be there */
    assert_int_equal(revert(tree.p, NULL, &heard), -EIO);
    assert_int_equal(heard.error, -EFBIG);
    text[strlen(text) - 1] = '\0'; /* without the end of the other block's last line */
    tree_put(&tree, "etc/sysctl.conf", text);
    assert_int_equal(revert(tree.p, NULL, &heard), 0);
    assert_int_equal(heard.n[ST_EVENT_CHANGED], 1);
    check_text(&tree, "etc/sysctl.conf", text);
    tree_remove(&tree);
}

/* Who else names it is said with the line, and not judged; comments and files of ours are left
 * out. */
static void others_that_name_the_setting_are_shown(void **state)
{
    static const struct {
        struct st_change change;
        const char *path, *text, *shown;
    } rows[] = {
        {{ST_CHANGE_SYSCTL, "vm.swappiness", "10"},
         "/usr/lib/sysctl.d/x.conf",
         "a = 1\nvm.swappiness=60\n",
         "/usr/lib/sysctl.d/x.conf:2 (read later, so its value may win)"},
        {{ST_CHANGE_SYSCTL, "vm.swappiness", "10"},
         "/etc/sysctl.d/z.conf",
         "vm/swappiness = 60",
         "/etc/sysctl.d/z.conf:1 (read later, so its value may win)"},
        {{ST_CHANGE_SYSCTL, "vm.swappiness", "10"},
         "/etc/sysctl.conf",
         "vm.swappiness=1\nvm.swappiness=2\n",
         "/etc/sysctl.conf:1, /etc/sysctl.conf:2"},
        {{ST_CHANGE_SYSCTL, "vm.swappiness", "10"},
         "/etc/sysctl.d/z.conf",
         "#vm.swappiness = 60\nvm.swappiness_x=1\n",
         ""},
        {{ST_CHANGE_SYSCTL, "vm.swappiness", "10"},
         "/etc/sysctl.d/99-zz-sleeptune-linux-swap.conf",
         "vm.swappiness = 60\n",
         ""},
        {{ST_CHANGE_SYSCTL, "vm.swappiness", "10"}, "/opt/x", "vm.swappiness = 60\n", ""},
        {{ST_CHANGE_SYSFS, "/sys/kernel/mm/transparent_hugepage/enabled", "madvise"},
         "/usr/lib/tmpfiles.d/t.conf",
         "w! /sys/kernel/mm/transparent_hugepage/enabled - - - - always\n",
         "/usr/lib/tmpfiles.d/t.conf:1"},
        {{ST_CHANGE_MODPROBE, "snd_hda_intel", "power_save=0"},
         "/etc/modprobe.d/a.conf",
         "options snd-hda-intel power_save=1\n",
         "/etc/modprobe.d/a.conf:1"},
        {{ST_CHANGE_LIMITS, "ann - rtprio", "90"},
         "/etc/security/limits.d/95-x.conf",
         "@audio - rtprio 95\n",
         "/etc/security/limits.d/95-x.conf:1"},
        {{ST_CHANGE_UDEV, "rule", "ATTR{power/control}=\"on\""},
         "/usr/lib/udev/rules.d/60-x.rules",
         "TEST==\"power/control\", ATTR{power/control}=\"auto\"\n",
         "/usr/lib/udev/rules.d/60-x.rules:1"},
        {{ST_CHANGE_SYSTEMD, "a.service", "LimitRTPRIO=90"},
         "/run/systemd/system/a.service.d/99.conf",
         "[Service]\nLimitRTPRIO=0\n",
         "/run/systemd/system/a.service.d/99.conf:2 (read later, so its value may win)"},
        {{ST_CHANGE_SYSTEMD, "user@.service", "LimitRTPRIO=90"}, /* systemctl edit */
         "/etc/systemd/system/user@.service.d/override.conf",
         "[Service]\nLimitRTPRIO=0\n",
         "/etc/systemd/system/user@.service.d/override.conf:2 (read later, so its value may win)"},
        {{ST_CHANGE_LIMITS, "ann - rtprio", "90"},
         "/etc/security/limits.d/audio.conf",
         "@audio - rtprio 95\n",
         "/etc/security/limits.d/audio.conf:1 (read later, so its value may win)"},
        {{ST_CHANGE_BOOT, "boot", "preempt=full"},
         "/etc/default/grub",
         "GRUB_CMDLINE_LINUX=\"preempt=none\"\n",
         "/etc/default/grub:1"},
        {{ST_CHANGE_PIPEWIRE, "/h/.config", "default.clock.quantum = 128"},
         "/h/.config/pipewire/pipewire.conf.d/99-x.conf",
         "context.properties = { default.clock.quantum: 9 }\n",
         "/h/.config/pipewire/pipewire.conf.d/99-x.conf:1"},
        {{ST_CHANGE_WIREPLUMBER_LUA, "/h/.config", "alsa_output.usb-X"},
         "/etc/wireplumber/main.lua.d/60-x.lua",
         "-- api.alsa.headroom\n[\"api.alsa.headroom\"] = 9\n",
         "/etc/wireplumber/main.lua.d/60-x.lua:2"},
    };
    ST_EACH (row, rows) {
        struct st_platform *p = st_fake_new(ST_OS_LINUX, 0);
        struct st_entry entry;
        const char *line;
        assert_int_equal(st_fake_set_file(p, row->path, row->text, 0), 0);
        assert_true(st_change_form(ST_OS_LINUX, "linux-swap", &row->change, &entry, &line));
        assert_string_equal(st_change_others(p, &entry), row->shown);
        st_fake_free(p);
    }
}

static void a_value_that_is_as_before_is_not_written(void **state)
{
    struct tree tree;
    struct heard heard;
    tree_make(&tree);
    assert_int_equal(apply(tree.p, &heard), 0);
    tree_put(&tree, GOVERNOR0, "powersave\n");
    assert_int_equal(revert(tree.p, "linux-cpu-frequency", &heard), 0);
    assert_int_equal(heard.n[ST_EVENT_AS_BEFORE], 1);
    assert_int_equal(heard.n[ST_EVENT_RESTORED], 3);
    tree_remove(&tree);
}

static void links_are_not_followed_and_nothing_is_changed(void **state)
{
    static const char *const paths[] = {SYSCTL_A, SYSFS_B, LIMITS_A};
    for (size_t i = 0; i < ST_ARRAY_LEN(paths); i++) {
        struct tree tree, outside;
        struct heard heard;
        char full[PATH_MAX], target[PATH_MAX];
        tree_make(&tree);
        tree_make(&outside);
        tree_put(&tree, paths[i], "");
        snprintf(full, sizeof(full), "%s/%s", tree.dir, paths[i]);
        snprintf(target, sizeof(target), "%s/etc/target", outside.dir);
        tree_put(&outside, "etc/target", "theirs\n");
        assert_int_equal(remove(full), 0);
        assert_int_equal(symlink(target, full), 0);
        char *before = tree_list(&tree);
        struct st_journal plan;
        struct st_applied changes;
        tree_plan(tree.p, &plan);
        assert_int_equal(opened(&changes, tree.p, "/var/lib/x", &heard), 0);
        assert_int_equal(st_applied_add(&changes, &plan), -ELOOP);
        st_applied_close(&changes);
        st_journal_finish(&plan);
        char *after = tree_list(&tree);
        assert_string_equal(after, before);
        check_text(&outside, "etc/target", "theirs\n");
        free(before);
        free(after);
        tree_remove(&tree);
        tree_remove(&outside);
    }
}

static void a_folder_that_leads_out_is_not_entered(void **state)
{
    struct tree tree, outside;
    struct heard heard;
    char full[PATH_MAX], target[PATH_MAX];
    tree_make(&tree);
    tree_make(&outside);
    char *before = tree_list(&outside);
    snprintf(full, sizeof(full), "%s/etc/security", tree.dir);
    snprintf(target, sizeof(target), "%s/etc", outside.dir);
    assert_int_equal(symlink(target, full), 0);
    assert_true(apply(tree.p, &heard) < 0);
    char *after = tree_list(&outside);
    assert_string_equal(after, before);
    check_text(&tree, "proc/sys/vm/swappiness", "60\n");
    free(before);
    free(after);
    tree_remove(&tree);
    tree_remove(&outside);
}

static void two_at_a_time_are_refused(void **state)
{
    struct tree tree;
    struct heard heard;
    struct st_applied changes;
    tree_make(&tree);
    assert_int_equal(opened(&changes, tree.p, st_os_rows[ST_OS_LINUX].changes, &heard), 0);
    struct st_platform *again;
    assert_int_equal(st_platform_root_new(tree.dir, &again), 0);
    assert_int_equal(revert(again, NULL, &heard), -EWOULDBLOCK);
    st_platform_root_free(again);
    st_applied_close(&changes);
    tree_remove(&tree);
}

static void a_journal_folder_that_others_may_write_to_is_refused(void **state)
{
    struct tree tree;
    struct heard heard;
    char full[PATH_MAX];
    tree_make(&tree);
    assert_int_equal(apply(tree.p, &heard), 0);
    snprintf(full, sizeof(full), "%s%s", tree.dir, st_os_rows[ST_OS_LINUX].changes);
    assert_int_equal(chmod(full, 0777), 0);
    assert_int_equal(revert(tree.p, NULL, &heard), -EPERM);
    check_text(&tree, "proc/sys/vm/swappiness", "10\n");
    tree_remove(&tree);
}

static void another_rules_value_is_not_taken_over(void **state)
{
    struct tree tree;
    struct heard heard;
    struct st_applied changes;
    struct st_journal plan = {0};
    tree_make(&tree);
    assert_int_equal(apply(tree.p, &heard), 0);
    struct st_finding finding = {.rule = &rule_b};
    st_finding_change(&finding, ST_CHANGE_SYSCTL, "vm.swappiness", "1");
    assert_null(st_plan_add(&plan, tree.p, &finding, false));
    assert_int_equal(opened(&changes, tree.p, st_os_rows[ST_OS_LINUX].changes, &heard), 0);
    assert_int_equal(st_applied_add(&changes, &plan), -EALREADY);
    st_applied_close(&changes);
    st_journal_finish(&plan);
    st_finding_finish(&finding);
    check_text(&tree, "proc/sys/vm/swappiness", "10\n");
    tree_remove(&tree);
}

/* Between the plan and the write the user was asked, and the loop recorded. */
/* Of lines in files nothing else tells that they are there already: two planned at the same
 * time. */
static void a_rule_is_applied_once(void **state)
{
    struct tree tree;
    struct heard heard;
    struct st_applied changes;
    struct st_journal plan = {0}, again = {0};
    tree_make(&tree);
    for (int i = 0; i < 2; i++) {
        struct st_finding finding = {.rule = &rule_a};
        st_finding_change(&finding, ST_CHANGE_LIMITS, "ann - rtprio", "90");
        tree_add(i == 0 ? &plan : &again, tree.p, &finding);
    }
    assert_int_equal(opened(&changes, tree.p, st_os_rows[ST_OS_LINUX].changes, &heard), 0);
    assert_int_equal(st_applied_add(&changes, &plan), 0);
    assert_int_equal(st_applied_add(&changes, &again), -EALREADY);
    assert_int_equal(changes.journal.entries_n, 1);
    st_applied_close(&changes);
    st_journal_finish(&plan);
    st_journal_finish(&again);
    assert_int_equal(revert(tree.p, NULL, &heard), 0);
    tree_remove(&tree);
}

static void a_value_that_changed_since_the_plan_stops_it(void **state)
{
    struct tree tree;
    struct heard heard = {0};
    struct st_applied changes;
    struct st_journal plan;
    tree_make(&tree);
    tree_plan(tree.p, &plan);
    tree_put(&tree, "proc/sys/vm/swappiness", "30\n");
    assert_int_equal(opened(&changes, tree.p, st_os_rows[ST_OS_LINUX].changes, &heard), 0);
    assert_int_equal(st_applied_add(&changes, &plan), -ESTALE);
    assert_int_equal(heard.n[ST_EVENT_FAILED], 1);
    st_applied_close(&changes);
    st_journal_finish(&plan);
    check_text(&tree, "proc/sys/vm/swappiness", "30\n");
    check_text(&tree, GOVERNOR0, "powersave\n");
    check_text(&tree, LIMITS_A, NULL);
    tree_remove(&tree);
}

static void a_plan_needs_the_files_it_names(void **state)
{
    struct tree tree;
    struct st_journal plan = {0};
    tree_make(&tree);
    struct st_finding none = {.rule = &rule_a}, missing = {.rule = &rule_a},
                      bad = {.rule = &rule_a};
    st_finding_change(&missing, ST_CHANGE_SYSCTL, "vm.swappiness", "10");
    st_finding_change(&missing, ST_CHANGE_SYSFS, "/sys/devices/none*/x", "1");
    st_finding_change(&bad, ST_CHANGE_SYSCTL, "vm.swappiness", "1\n2");
    assert_non_null(strstr(st_plan_add(&plan, tree.p, &none, false), "by hand"));
    assert_non_null(strstr(st_plan_add(&plan, tree.p, &missing, false),
                           "does not have the setting /sys/devices/none*/x"));
    assert_non_null(strstr(st_plan_add(&plan, tree.p, &bad, false), "cannot write this change"));
    tree_put(&tree, "proc/sys/vm/swappiness", "6\001\n");
    struct st_finding odd = {.rule = &rule_a};
    st_finding_change(&odd, ST_CHANGE_SYSCTL, "vm.swappiness", "10");
    assert_non_null(strstr(st_plan_add(&plan, tree.p, &odd, false), "could not restore"));
    assert_int_equal(plan.entries_n, 0);
    st_journal_finish(&plan);
    st_finding_finish(&none);
    st_finding_finish(&missing);
    st_finding_finish(&bad);
    st_finding_finish(&odd);
    tree_remove(&tree);
}

static void the_chosen_word_is_the_value(void **state)
{
    struct tree tree;
    const char *value;
    tree_make(&tree);
    tree_put(&tree, "sys/a", "always [madvise] never\n");
    assert_int_equal(st_change_value_read(tree.p, "/sys/a", &value), 0);
    assert_string_equal(value, "madvise");
    tree_put(&tree, "sys/a", "4096\t 16384  6291456\n");
    assert_int_equal(st_change_value_read(tree.p, "/sys/a", &value), -EBADMSG);
    tree_remove(&tree);
}

/* --- faults, in memory --- */

static struct st_platform *fake_machine(void)
{
    struct st_platform *p = st_fake_new(ST_OS_LINUX, 0);
    assert_non_null(p);
    assert_int_equal(st_fake_set_file(p, "/" GOVERNOR0, "powersave\n", 0), 0);
    assert_int_equal(st_fake_set_file(p, "/" GOVERNOR1, "schedutil\n", 0), 0);
    assert_int_equal(st_fake_set_file(p, "/proc/sys/vm/swappiness", "60\n", 0), 0);
    assert_int_equal(st_fake_set_file(p, "/proc/sys/kernel/nmi_watchdog", "1\n", 0), 0);
    assert_int_equal(st_fake_set_file(p, "/" SYSCTL_D, "# mine\n", 0), 0);
    return p;
}

static void check_fake(struct st_platform *p, const char *path, const char *wanted)
{
    char buf[4096];
    size_t len;
    const int r = p->read_text(p, path, buf, sizeof(buf), &len);
    assert_int_equal(r, wanted != NULL ? 0 : -ENOENT);
    if (wanted != NULL)
        assert_string_equal(buf, wanted);
}

static void check_fake_as_before(struct st_platform *p)
{
    check_fake(p, "/" GOVERNOR0, "powersave\n");
    check_fake(p, "/" GOVERNOR1, "schedutil\n");
    check_fake(p, "/proc/sys/vm/swappiness", "60\n");
    check_fake(p, "/proc/sys/kernel/nmi_watchdog", "1\n");
    check_fake(p, "/" SYSCTL_D, "# mine\n");
    check_fake(p, "/" SYSCTL_A, NULL);
    check_fake(p, "/" SYSCTL_C, NULL);
    check_fake(p, "/" LIMITS_A, NULL);
    check_fake(p, "/" SYSFS_B, NULL);
    check_fake(p, "/var/lib/sleeptune-changes/journal", NULL);
}

/* Each call of `function` fails in turn. @return how many there were. */
static uint64_t fail_each(const char *function, int error)
{
    for (uint64_t n = 1;; n++) {
        struct heard heard;
        struct st_platform *p = fake_machine();
        assert_int_equal(st_fake_fail_at(p, function, n, error), 0);
        const int r = apply(p, &heard);
        if (r == 0) {
            st_fake_free(p);
            return n - 1;
        }
        if (r != error)
            fail_msg("%s call %u: %d", function, (unsigned)n, r);
        if (strcmp(function, "make_folder") !=
            0) /* opening makes one, which is said by its message */
            assert_int_equal(heard.n[ST_EVENT_FAILED], 1);
        check_fake_as_before(p);
        st_fake_free(p);
    }
}

static void no_space_for_any_file_leaves_nothing_half_changed(void **state)
{
    assert_int_equal(fail_each("replace_file", -ENOSPC),
                     7); /* the journal, five files, the journal */
}

static void permission_lost_half_way_leaves_nothing_half_changed(void **state)
{
    assert_int_equal(fail_each("write_value", -EPERM), 4);
    assert_int_equal(fail_each("write_sysctl", -EPERM), 2);
    assert_true(fail_each("make_folder", -EACCES) > 3);
    assert_true(fail_each("can_write", -EROFS) >= 6);
}

static void what_cannot_be_reverted_stays_in_the_journal(void **state)
{
    struct heard heard;
    struct st_platform *p = fake_machine();
    assert_int_equal(apply(p, &heard), 0);
    assert_int_equal(st_fake_fail_at(p, "write_value", 1, -EBUSY), 0);
    assert_int_equal(revert(p, NULL, &heard), -EIO);
    assert_int_equal(heard.n[ST_EVENT_FAILED], 1);
    assert_int_equal(heard.error, -EBUSY);
    assert_int_equal(revert(p, NULL, &heard), 0);
    assert_int_equal(heard.n[ST_EVENT_RESTORED], 1);
    check_fake_as_before(p);
    st_fake_free(p);
}

static void a_value_is_compared_as_it_is_chosen(void **state)
{
    struct st_platform *p = st_fake_new(ST_OS_LINUX, 0);
    assert_int_equal(st_fake_set_file(p, "/sys/kernel/mm/x", "always [madvise] never\n", 0), 0);
    assert_true(st_change_value_is(p, "/sys/kernel/mm/x", "madvise"));
    assert_false(st_change_value_is(p, "/sys/kernel/mm/x", "always"));
    assert_false(st_change_value_is(p, "vm.none", "1")); /* not to be had */
    st_fake_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_is_compared_as_it_is_chosen),
        cmocka_unit_test(each_kind_has_its_file_and_line),
        cmocka_unit_test(what_could_be_more_than_one_setting_is_refused),
        cmocka_unit_test(apply_changes_files_and_running_values),
        cmocka_unit_test(revert_leaves_everything_as_it_was),
        cmocka_unit_test(rules_are_reverted_one_by_one_in_any_order),
        cmocka_unit_test(what_someone_changed_since_is_left_alone),
        cmocka_unit_test(a_file_that_is_not_ours_is_not_written_over),
        cmocka_unit_test(blocks_are_cut_out_in_any_order),
        cmocka_unit_test(lines_below_a_block_keep_their_place),
        cmocka_unit_test(a_block_that_someone_changed_is_left_alone),
        cmocka_unit_test(others_that_name_the_setting_are_shown),
        cmocka_unit_test(a_value_that_is_as_before_is_not_written),
        cmocka_unit_test(links_are_not_followed_and_nothing_is_changed),
        cmocka_unit_test(a_folder_that_leads_out_is_not_entered),
        cmocka_unit_test(two_at_a_time_are_refused),
        cmocka_unit_test(a_journal_folder_that_others_may_write_to_is_refused),
        cmocka_unit_test(another_rules_value_is_not_taken_over),
        cmocka_unit_test(a_rule_is_applied_once),
        cmocka_unit_test(a_value_that_changed_since_the_plan_stops_it),
        cmocka_unit_test(a_plan_needs_the_files_it_names),
        cmocka_unit_test(the_chosen_word_is_the_value),
        cmocka_unit_test(no_space_for_any_file_leaves_nothing_half_changed),
        cmocka_unit_test(permission_lost_half_way_leaves_nothing_half_changed),
        cmocka_unit_test(what_cannot_be_reverted_stays_in_the_journal),
    };
    return cmocka_run_group_tests_name("change", tests, NULL, NULL);
}
