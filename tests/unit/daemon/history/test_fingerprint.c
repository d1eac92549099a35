/* What is read of a computer that may change dropouts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "daemon/history/fingerprint.h"
#include "tests/fake/fake.h"

#define HOME                                                                                       \
    "/home/"                                                                                       \
    "anna"

static struct st_platform *fake;
static struct st_fingerprint taken;

static void begin(enum st_os os)
{
    fake = st_fake_new(os, 0);
    assert_non_null(fake);
}

static void put(const char *path, const char *text)
{
    assert_int_equal(st_fake_set_file(fake, path, text, 0), 0);
}

/* NULL: there is none of that kind and name. */
static const char *value_of(const char *kind, const char *name)
{
    const char *value = NULL;
    ST_EACH_OF (fact, taken.facts, taken.n) {
        if (strcmp(fact->kind, kind) == 0 && strcmp(fact->name, name) == 0) {
            assert_null(value); /* each once */
            value = fact->value;
        }
    }
    return value;
}

static void take(void)
{
    st_fingerprint_take(fake, HOME, &taken);
}

static void finish(void)
{
    st_fingerprint_finish(&taken);
    st_fake_free(fake);
}

static void a_desktop_of_linux(void **state)
{
    char hash[32];
    begin(ST_OS_LINUX);
    put("/proc/sys/kernel/osrelease", "6.12.48+deb13-amd64\n");
    put("/proc/cpuinfo", "processor\t: 0\nmodel name\t: Test\nmicrocode\t: 0xf6\nflags\t\t: fpu\n");
    put("/sys/class/dmi/id/bios_version", "1.17\n");
    put("/proc/sys/vm/swappiness", "60\n");
    put("/proc/cmdline", "quiet password=secret\n");
    put("/var/lib/dpkg/status",
        "Package: pipewire\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1.4.2-1\n"
        "Description: audio\n Version: 9\n\nPackage: pipewire-bin\nStatus: install ok "
        "installed\nVersion: "
        "1.4.2-1\n\n"
        "Package: jackd2\nStatus: deinstall ok config-files\nVersion: 1.9\n\nVersion: 7\n\n"
        "Package: wireplumber\nStatus: install ok installed\nVersion: 0.5.8-1");
    put(HOME "/.config/pipewire/pipewire.conf.d/size.conf", "default.clock.quantum = 64");
    put(HOME "/.config/pipewire/notes", "no configuration");
    put("/etc/sysctl.d/README", "no configuration");
    put("/etc/security/limits.d/audio.conf", "@audio - rtprio 95\n");
    take();
    assert_string_equal(value_of("kernel", "kernel"), "6.12.48+deb13-amd64");
    assert_string_equal(value_of("firmware", "microcode"), "0xf6");
    assert_string_equal(value_of("firmware", "BIOS"), "1.17");
    assert_string_equal(value_of("setting", "swappiness"), "60");
    assert_string_equal(value_of("package", "pipewire"), "1.4.2-1");
    assert_string_equal(value_of("package", "wireplumber"), "0.5.8-1");
    assert_null(value_of("package", "jackd2"));       /* removed */
    assert_null(value_of("package", "pipewire-bin")); /* of the same source */
    assert_non_null(value_of("file", "/etc/security/limits.d/audio.conf"));
    assert_null(value_of("file", "/etc/sysctl.d/README"));
    assert_null(value_of("file", "~/.config/pipewire/notes"));
    ST_PRINT(hash, "%s", value_of("file", "~/.config/pipewire/pipewire.conf.d/size.conf"));
    assert_int_equal(strlen(hash), 16);
    ST_EACH_OF (fact, taken.facts, taken.n) {
        assert_null(strstr(fact->value, "secret")); /* never contents */
        assert_null(strstr(fact->value, "quantum"));
        assert_null(strstr(fact->name, "anna"));
    }
    st_fingerprint_finish(&taken);
    put(HOME "/.config/pipewire/pipewire.conf.d/size.conf", "default.clock.quantum = 65");
    take();
    assert_string_not_equal(hash, value_of("file", "~/.config/pipewire/pipewire.conf.d/size.conf"));
    finish();
}

static void arch_and_libraries(void **state)
{
    begin(ST_OS_LINUX);
    put("/var/lib/pacman/local/pipewire-1:1.4.9-1/desc", "");
    put("/var/lib/pacman/local/pipewire-audio-1:1.4.9-1/desc", "");
    put("/var/lib/pacman/local/ALPM_DB_VERSION", "9");
    put("/usr/lib64/libpipewire-0.3.so.0.1402.0", "");
    take();
    assert_string_equal(value_of("package", "pipewire"), "1:1.4.9-1");
    assert_null(value_of("package", "libpipewire-0.3"));
    finish();
    begin(ST_OS_FREEBSD);
    assert_int_equal(st_fake_set_sysctl(fake, "kern.osrelease", "14.1-RELEASE", 0), 0);
    assert_int_equal(st_fake_set_sysctl(fake, "hw.snd.latency", "5", 0), 0);
    put("/usr/local/lib/libpipewire-0.3.so", "");
    put("/usr/local/lib/libpipewire-0.3.so.0", "");
    put("/usr/local/lib/libpipewire-0.3.so.0.1402.0", "");
    put("/boot/loader.conf", "kern.hz=1000\n");
    take();
    assert_string_equal(value_of("kernel", "kernel"), "14.1-RELEASE");
    assert_string_equal(value_of("setting", "latency of sound(4)"), "5");
    assert_string_equal(value_of("package", "libpipewire-0.3"), "so.0.1402.0");
    assert_non_null(value_of("file", "/boot/loader.conf"));
    finish();
}

static void a_machine_full_of_files_ends(void **state)
{
    char path[64];
    begin(ST_OS_LINUX);
    for (int i = 0; i < 2 * ST_FINGERPRINT_MAX; i++) {
        ST_PRINT(path, "/etc/modprobe.d/%04d.conf", i);
        put(path, "x");
    }
    put("/etc/pipewire/a.d/b.d/c.d/d.d/e.conf", "too deep");
    take();
    assert_int_equal(taken.n, ST_FINGERPRINT_MAX);
    assert_null(value_of("file", "/etc/pipewire/a.d/b.d/c.d/d.d/e.conf"));
    finish();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_desktop_of_linux),
        cmocka_unit_test(arch_and_libraries),
        cmocka_unit_test(a_machine_full_of_files_ends),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
