/* Lines of others that win over ours, in each kind's files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "advisor/change/change.h"
#include "tests/fake/fake.h"

struct row {
    struct st_change change;
    const char *path, *text;
    const char *wanted; /* in the message; NULL: no conflict */
};

#define SYSCTL                                                                                               \
    {                                                                                                        \
        ST_CHANGE_SYSCTL, "vm.swappiness", "10"                                                              \
    }
#define SYSFS                                                                                                \
    {                                                                                                        \
        ST_CHANGE_SYSFS, "/sys/kernel/x", "madvise"                                                          \
    }
#define MODPROBE                                                                                             \
    {                                                                                                        \
        ST_CHANGE_MODPROBE, "snd_hda_intel", "power_save=0 power_save_controller=N"                          \
    }
#define LIMITS                                                                                               \
    {                                                                                                        \
        ST_CHANGE_LIMITS, "@audio - rtprio", "90"                                                            \
    }
#define SYSTEMD                                                                                              \
    {                                                                                                        \
        ST_CHANGE_SYSTEMD, "user@.service", "LimitRTPRIO=90"                                                 \
    }
#define PIPEWIRE                                                                                             \
    {                                                                                                        \
        ST_CHANGE_PIPEWIRE, "/home/USER/.config",                                                            \
            "default.clock.quantum = 128 vm.overrides = { default.clock.min-quantum = 128 }"                 \
    }
#define CARD "alsa_output.usb-X_1-00.analog-stereo"
#define WIREPLUMBER                                                                                          \
    {                                                                                                        \
        ST_CHANGE_WIREPLUMBER, "/home/USER/.config", CARD                                                    \
    }
#define LUA                                                                                                  \
    {                                                                                                        \
        ST_CHANGE_WIREPLUMBER_LUA, "/home/USER/.config", CARD                                                \
    }
#define BOOT                                                                                                 \
    {                                                                                                        \
        ST_CHANGE_BOOT, "boot", "preempt=full"                                                               \
    }
#define BOOT_WORD                                                                                            \
    {                                                                                                        \
        ST_CHANGE_BOOT, "boot", "threadirqs"                                                                 \
    }
#define BOOT_GRUB                                                                                            \
    {                                                                                                        \
        ST_CHANGE_BOOT_GRUB, "boot", "preempt=full"                                                          \
    }
#define BOOT_CMDLINE                                                                                         \
    {                                                                                                        \
        ST_CHANGE_BOOT_CMDLINE, "boot", "preempt=full"                                                       \
    }
#define PIPEWIRE_D    "/home/USER/.config/pipewire/pipewire.conf.d/"
#define WIREPLUMBER_D "/home/USER/.config/wireplumber/wireplumber.conf.d/"
#define RULE(card, frames)                                                                                   \
    "monitor.alsa.rules = [ { matches = [ { node.name = \"~" card "\" } ] actions = { update-props = { "     \
    "api.alsa.headroom = " frames " } } } ]\n"
#define LUA_RULE(card, frames)                                                                               \
    "table.insert(alsa_monitor.rules, { matches = { { { \"node.name\", \"matches\", \"" card                 \
    "\" } } }, apply_properties = { [\"api.alsa.headroom\"] = " frames " } })\n"
#define UNIT_D "systemd/system/user@.service.d/"
#define APPEND "GRUB_CMDLINE_LINUX_DEFAULT=\"$GRUB_CMDLINE_LINUX_DEFAULT "

static const struct row linux_rows[] = {
    {SYSCTL, "/etc/sysctl.d/99-x.conf", "# a\n\nvm/swappiness = 60\n",
     "/etc/sysctl.d/99-x.conf:3 sets vm.swappiness to 60 later"},
    {SYSCTL, "/etc/sysctl.d/99-x.conf", "vm.swappiness = 60\nvm.swappiness = 10\n", NULL},
    {SYSCTL, "/etc/sysctl.d/10-x.conf", "vm.swappiness = 60\n", NULL},
    {SYSCTL, "/etc/sysctl.d/90-sleeptune.conf", "vm.swappiness = 10\nvm.swappiness = 60\n",
     "90-sleeptune.conf:2 sets"},
    {SYSCTL, "/etc/sysctl.d/90-sleeptune.conf", "vm.swappiness = 60\nvm.swappiness = 10\n", NULL},
    /* of tmpfiles the first one counts */
    {SYSFS, "/etc/tmpfiles.d/10-x.conf", "w /sys/kernel/x - - - - always\n",
     "/etc/tmpfiles.d/10-x.conf:1 sets /sys/kernel/x to always first"},
    {SYSFS, "/usr/lib/tmpfiles.d/thp.conf", "w! /sys/kernel/x - - - - always\n", NULL},
    {SYSFS, "/usr/lib/tmpfiles.d/a.conf", "w! /sys/kernel/x - - - - always\n",
     "/usr/lib/tmpfiles.d/a.conf:1"},
    {SYSFS, "/etc/tmpfiles.d/10-x.conf",
     "d /sys/kernel/x - - - - always\nw /sys/kernel/x2 - - - - a\nw /sys/kernel/x -\n", NULL},
    {MODPROBE, "/etc/modprobe.d/zz.conf", "options snd-hda-intel model=x power_save=1\n",
     "/etc/modprobe.d/zz.conf:1 sets power_save to 1 later"},
    {MODPROBE, "/etc/modprobe.d/zz.conf", "options snd-hda-intel power_save_controller=Y\n",
     "sets power_save_controller to Y"},
    {MODPROBE, "/etc/modprobe.d/zz.conf",
     "options snd-usb-audio power_save=1\noptions\noptions snd_hda_intel\n", NULL},
    {MODPROBE, "/etc/modprobe.d/alsa.conf", "options snd-hda-intel power_save=1\n", NULL},
    {LIMITS, "/etc/security/limits.d/95-x.conf", "@audio\t-\trtprio\t20\n",
     "/etc/security/limits.d/95-x.conf:1 sets @audio - rtprio to 20"},
    {LIMITS, "/etc/security/limits.d/95-x.conf", "@audio hard rtprio 20\n", "to 20"},
    {LIMITS, "/etc/security/limits.d/95-x.conf",
     "@video - rtprio 20\n@audio - memlock 20\n@audio\n* - rtprio 1\n", NULL},
    {LIMITS, "/etc/security/limits.d/25-x.conf", "@audio - rtprio 20\n", NULL},
    {PIPEWIRE, PIPEWIRE_D "99-x.conf", "context.properties = {\n  default.clock.quantum = 256 # mine\n}\n",
     "99-x.conf:2 sets default.clock.quantum to 256 later"},
    {PIPEWIRE, PIPEWIRE_D "99-x.conf",
     "{\"context.properties\": {\"default.clock.quantum\": 256, \"a\":1}}\n",
     "99-x.conf:1 sets default.clock.quantum to 256"},
    {PIPEWIRE, PIPEWIRE_D "99-x.conf", "vm.overrides={default.clock.min-quantum=1024}\n",
     "sets default.clock.min-quantum to 1024"},
    {PIPEWIRE, PIPEWIRE_D "99-x.conf", "#default.clock.quantum = 256\nx = default.clock.quantum\n{a=\n",
     NULL},
    {PIPEWIRE, PIPEWIRE_D "99-x.conf", "default.clock.quantum = 128 my.default.clock.quantum = 64\n", NULL},
    {PIPEWIRE, PIPEWIRE_D "80-x.conf", "default.clock.quantum = 256\n", NULL},
    {SYSTEMD, "/etc/" UNIT_D "99-x.conf", "[Service]\nLimitRTPRIO=0\n", "99-x.conf:2 sets LimitRTPRIO to 0"},
    {SYSTEMD, "/usr/lib/" UNIT_D "99-x.conf", "[Service]\nLimitRTPRIO=\n", "sets LimitRTPRIO to nothing"},
    {SYSTEMD, "/usr/lib/" UNIT_D "10-x.conf", "[Service]\nLimitRTPRIO=0\n", NULL},
    {SYSTEMD, "/etc/" UNIT_D "90-sleeptune.conf", "[Service]\nLimitRTPRIO=90\nLimitRTPRIO=5\n",
     "90-sleeptune.conf:3 sets LimitRTPRIO to 5"},
    {BOOT, "/etc/default/grub.d/zz.cfg", APPEND "preempt=none\"\n", "zz.cfg:1 sets preempt to none"},
    {BOOT, "/etc/default/grub.d/zz.cfg", "GRUB_CMDLINE_LINUX_DEFAULT=\"quiet\"\n",
     "sets preempt to a value without this option"},
    {BOOT, "/etc/default/grub.d/zz.cfg", "GRUB_CMDLINE_LINUX_DEFAULT=\"quiet preempt=full\"\n", NULL},
    {BOOT, "/etc/default/grub.d/zz.cfg", APPEND "quiet\"\nGRUB_CMDLINE_LINUX_DEFAULT+=\" splash\"\n", NULL},
    {BOOT, "/etc/default/grub.d/50-cloudimg.cfg", "GRUB_CMDLINE_LINUX_DEFAULT=\"console=ttyS0\"\n", NULL},
    {BOOT_WORD, "/etc/default/grub.d/zz.cfg", "GRUB_CMDLINE_LINUX_DEFAULT='quiet'\n", "sets threadirqs"},
    {BOOT_GRUB, "/etc/default/grub", APPEND "preempt=full\"\n" APPEND "preempt=none\"\n",
     "/etc/default/grub:2 sets preempt to none"},
    {BOOT_GRUB, "/etc/default/grub", APPEND "preempt=none\"\n" APPEND "preempt=full\"\n", NULL},
    {WIREPLUMBER, WIREPLUMBER_D "99-x.conf", RULE("alsa_output.usb-X.*", "0"),
     "99-x.conf:1 sets api.alsa.headroom to 0 later"},
    {WIREPLUMBER, WIREPLUMBER_D "99-x.conf", RULE(CARD, "512"), NULL},
    {WIREPLUMBER, WIREPLUMBER_D "99-x.conf", RULE("alsa_output.pci-0000_00_1f.3.*", "0"), NULL}, /* another */
    {WIREPLUMBER, WIREPLUMBER_D "10-x.conf", RULE("alsa_output.*", "0"), NULL},
    {WIREPLUMBER, WIREPLUMBER_D "90-sleeptune.conf", RULE(CARD ".*", "512") RULE("alsa_output.*", "1024"),
     "90-sleeptune.conf:2 sets api.alsa.headroom to 1024 later"},
    {WIREPLUMBER, "/etc/wireplumber/wireplumber.conf.d/99-x.conf", RULE("alsa_.*", "256"),
     "/etc/wireplumber/wireplumber.conf.d/99-x.conf:1 sets api.alsa.headroom to 256 later"},
    {LUA, "/etc/wireplumber/main.lua.d/60-x.lua", LUA_RULE("alsa_output.*", "0"),
     "60-x.lua:1 sets api.alsa.headroom to 0 later"},
    {LUA, "/home/USER/.config/wireplumber/main.lua.d/60-x.lua", LUA_RULE("alsa_input.*", "0"), NULL},
    {LUA, "/usr/share/wireplumber/main.lua.d/50-alsa-config.lua", LUA_RULE("alsa_output.*", "0"), NULL},
    {BOOT_CMDLINE, "/etc/kernel/cmdline", "root=x preempt=none\npreempt=full\n", NULL},
    {BOOT_CMDLINE, "/etc/kernel/cmdline", "preempt=full\npreempt=none\n",
     "/etc/kernel/cmdline:2 sets preempt to none"},
};

#define BSD_SYSCTL                                                                                           \
    {                                                                                                        \
        ST_CHANGE_SYSCTL, "hw.snd.latency", "0"                                                              \
    }
#define LOADER                                                                                               \
    {                                                                                                        \
        ST_CHANGE_LOADER, "kern.hz", "1000"                                                                  \
    }
#define RC_CONF                                                                                              \
    {                                                                                                        \
        ST_CHANGE_RC_CONF, "powerd_flags", "-a maximum"                                                      \
    }
#define RC_PROFILE                                                                                           \
    {                                                                                                        \
        ST_CHANGE_RC_CONF, "performance_cx_lowest", "C1"                                                     \
    }
#define LOGIN                                                                                                \
    {                                                                                                        \
        ST_CHANGE_LOGIN_CLASS, "audio", "memorylocked=unlimited"                                             \
    }

static const struct row freebsd_rows[] = {
    {BSD_SYSCTL, "/etc/sysctl.conf", "hw.snd.latency=5\n", NULL}, /* ours will be behind it */
    {BSD_SYSCTL, "/etc/sysctl.conf", "hw.snd.latency=0\nhw.snd.latency=5 # mine\n",
     "/etc/sysctl.conf:2 sets hw.snd.latency to 5"},
    {BSD_SYSCTL, "/etc/sysctl.conf.local", "hw.snd.latency=5\n", "/etc/sysctl.conf.local:1"},
    {LOADER, "/boot/loader.conf", "kern.hz=\"100\"\n", NULL},
    {LOADER, "/boot/loader.conf.d/z.conf", "kern.hz=\"100\" # x\n",
     "/boot/loader.conf.d/z.conf:1 sets kern.hz to 100"},
    {LOADER, "/boot/loader.conf.d/a.conf", "kern.hz=\"100\"\n", NULL},
    {LOADER, "/boot/loader.conf.local", "kern.hz=100\n", "/boot/loader.conf.local:1 sets kern.hz to 100"},
    {LOADER, "/boot/loader.conf.local", "kern.hz=\"1000\"\n", NULL},
    {RC_CONF, "/etc/rc.conf", "powerd_flags=\"-n\"\n", NULL},
    {RC_CONF, "/etc/rc.conf", "powerd_flags=\"-a maximum\"\npowerd_flags='-n min'\n",
     "/etc/rc.conf:2 sets powerd_flags to -n min"},
    {RC_CONF, "/etc/rc.conf.local", "powerd_flags=\"\"\n",
     "/etc/rc.conf.local:1 sets powerd_flags to nothing"},
    {RC_CONF, "/etc/rc.conf.d/powerd", "powerd_flags=-n\n", "/etc/rc.conf.d/powerd:1"},
    {RC_CONF, "/etc/rc.conf.d/other", "powerd_flags=-n\n", NULL},
    {RC_PROFILE, "/etc/rc.conf.d/power_profile", "performance_cx_lowest=\"Cmax\"\n",
     "sets performance_cx_lowest to Cmax"},
    {LOGIN, "/etc/login.conf", "default:\\\n\t:a=b:\naudio|sound:\\\n\t:tc=default:\n",
     "/etc/login.conf:3 sets audio to another record first"},
    {LOGIN, "/etc/login.conf", "default:\\\n\t:a=b:\nvideo:\n\t:audio=x:\n", NULL},
    {LOGIN, "/etc/login.conf", "audio:memorylocked=unlimited:tc=default:\naudio:x:\n", NULL},
};

static void check_rows(enum st_os os, const struct row *rows, size_t rows_n)
{
    for (size_t i = 0; i < rows_n; i++) {
        char text[512] = "";
        struct st_platform *p = st_fake_new(os, 0);
        assert_non_null(p);
        assert_int_equal(st_fake_set_file(p, rows[i].path, rows[i].text, 0), 0);
        struct st_change_form form;
        assert_int_equal(st_change_form(os, &rows[i].change, &form), 0);
        const bool found = st_change_conflict(&p->machine, &rows[i].change, text, sizeof(text));
        if (found != (rows[i].wanted != NULL) || (found && strstr(text, rows[i].wanted) == NULL))
            fail_msg("%s with\n%s\n%s, not %s", rows[i].path, rows[i].text, found ? text : "no conflict",
                     rows[i].wanted != NULL ? rows[i].wanted : "none");
        st_fake_free(p);
    }
}

static void linux_files_that_win_are_named_with_their_line(void **state)
{
    (void)state;
    check_rows(ST_OS_LINUX, linux_rows, ST_ARRAY_LEN(linux_rows));
}

static void freebsd_files_that_win_are_named_with_their_line(void **state)
{
    (void)state;
    check_rows(ST_OS_FREEBSD, freebsd_rows, ST_ARRAY_LEN(freebsd_rows));
}

/* Of several later files the last one decides; one of the same name in a higher folder hides the lower
 * one. */
static void the_last_file_in_order_of_names_decides(void **state)
{
    char text[512];
    const struct st_change change = LIMITS, sysctl = SYSCTL;
    (void)state;
    struct st_platform *p = st_fake_new(ST_OS_LINUX, 0);
    assert_non_null(p);
    assert_int_equal(st_fake_set_file(p, "/etc/security/limits.d/95-x.conf", "@audio - rtprio 20\n", 0), 0);
    assert_int_equal(st_fake_set_file(p, "/etc/security/limits.d/99-y.conf", "@audio - rtprio 90\n", 0), 0);
    assert_false(st_change_conflict(&p->machine, &change, text, sizeof(text)));
    assert_int_equal(st_fake_set_file(p, "/usr/lib/sysctl.d/99-x.conf", "vm.swappiness=5\n", 0), 0);
    assert_int_equal(st_fake_set_file(p, "/run/sysctl.d/98-x.conf", "vm.swappiness=7\n", 0), 0);
    assert_true(st_change_conflict(&p->machine, &sysctl, text, sizeof(text)));
    assert_non_null(strstr(text, "99-x.conf:1"));
    assert_int_equal(st_fake_set_file(p, "/etc/sysctl.d/99-x.conf", "# masked\n", 0), 0);
    assert_true(st_change_conflict(&p->machine, &sysctl, text, sizeof(text)));
    assert_non_null(strstr(text, "98-x.conf:1"));
    st_fake_free(p);
}

/* Before 14.1 the loader reads loader.conf.local ahead of loader.conf.d. */
static void the_version_of_freebsd_decides_about_loader_conf_local(void **state)
{
    static const struct {
        const char *osreldate;
        bool conflict;
    } rows[] = {{"1302001", false}, {"1400097", false}, {"1401000", true}, {"1501000", true}};
    const struct st_change change = LOADER;
    (void)state;
    for (size_t i = 0; i < ST_ARRAY_LEN(rows); i++) {
        char text[512];
        struct st_platform *p = st_fake_new(ST_OS_FREEBSD, 0);
        assert_non_null(p);
        assert_int_equal(st_fake_set_sysctl(p, "kern.osreldate", rows[i].osreldate, 0), 0);
        assert_int_equal(st_fake_set_file(p, "/boot/loader.conf.local", "kern.hz=\"100\"\n", 0), 0);
        assert_int_equal(st_change_conflict(&p->machine, &change, text, sizeof(text)), rows[i].conflict);
        st_fake_free(p);
    }
}

/* sysctl --system reads it last, systemd-sysctl not at all (sysctl.conf(5)). */
static void systemd_does_not_read_sysctl_conf(void **state)
{
    char text[512];
    const struct st_change change = SYSCTL;
    (void)state;
    struct st_platform *p = st_fake_new(ST_OS_LINUX, 0);
    assert_non_null(p);
    assert_int_equal(st_fake_set_file(p, "/etc/sysctl.conf", "vm.swappiness = 60\n", 0), 0);
    assert_true(st_change_conflict(&p->machine, &change, text, sizeof(text)));
    assert_int_equal(st_fake_set_file(p, "/run/systemd/system/x.service", "", 0), 0);
    assert_false(st_change_conflict(&p->machine, &change, text, sizeof(text)));
    /* but by this name, as Debian links it */
    assert_int_equal(st_fake_set_file(p, "/etc/sysctl.d/99-sysctl.conf", "vm.swappiness = 60\n", 0), 0);
    assert_true(st_change_conflict(&p->machine, &change, text, sizeof(text)));
    st_fake_free(p);
}

/* What verify does: our own lines read back. */
static void a_line_of_ours_is_understood_again(void **state)
{
    (void)state;
    static const struct {
        const struct row *rows;
        size_t n;
        enum st_os os;
    } all[] = {{linux_rows, ST_ARRAY_LEN(linux_rows), ST_OS_LINUX},
               {freebsd_rows, ST_ARRAY_LEN(freebsd_rows), ST_OS_FREEBSD}};
    for (size_t i = 0; i < ST_ARRAY_LEN(all); i++) {
        for (size_t j = 0; j < all[i].n; j++) {
            const struct st_change *change = &all[i].rows[j].change;
            struct st_change again;
            struct st_change_form form;
            assert_int_equal(st_change_form(all[i].os, change, &form), 0);
            assert_int_equal(st_change_parse(all[i].os, form.path, form.line + form.section_bytes, &again),
                             0);
            assert_int_equal(again.kind, change->kind);
            assert_string_equal(again.key, change->key);
            assert_string_equal(again.value, change->value);
            assert_int_not_equal(st_change_parse(all[i].os, form.path, "# linux-a: written\n", &again), 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linux_files_that_win_are_named_with_their_line),
        cmocka_unit_test(freebsd_files_that_win_are_named_with_their_line),
        cmocka_unit_test(the_last_file_in_order_of_names_decides),
        cmocka_unit_test(the_version_of_freebsd_decides_about_loader_conf_local),
        cmocka_unit_test(systemd_does_not_read_sysctl_conf),
        cmocka_unit_test(a_line_of_ours_is_understood_again),
    };
    return cmocka_run_group_tests_name("change_conflict", tests, NULL, NULL);
}
