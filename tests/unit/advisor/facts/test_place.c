/* Container, sandbox, virtual machine, WSL, jail, another user: each is said. */
#include "advisor/facts/place.h"
#include "tests/unit/unit.h"

static void check(enum st_os os, const char *key, const char *value, const char *wanted)
{
    struct st_facts *facts = st_facts_new(os);
    assert_non_null(facts);
    assert_int_equal(st_facts_put_text(facts, key, value, NULL), 0);
    const char *notes = st_place_notes(facts);
    const char *end = strchr(notes, '\n');
    assert_int_equal(end != NULL, wanted != NULL);
    if (wanted != NULL && (strstr(notes, wanted) == NULL || end[1] != '\0'))
        fail_msg("%s = %s: %s", key, value, notes);
    st_facts_free(facts);
}

static void places_that_hide_settings_are_named(void **state)
{
    check(ST_OS_LINUX, "system.container", "docker", "In a container (docker)");
    check(ST_OS_LINUX, "system.container", "flatpak", "In a container (flatpak):");
    check(ST_OS_LINUX, "linux.kernel.release", "5.15.153.1-microsoft-standard-WSL2", "In WSL:");
    check(ST_OS_LINUX, "linux.virtual", "1", "In a virtual machine (unknown)");
    check(ST_OS_FREEBSD, "freebsd.security.jail.jailed", "1", "In a jail:");
    check(ST_OS_FREEBSD, "freebsd.kern.vm_guest", "kvm", "In a virtual machine (kvm)");
    check(ST_OS_LINUX, "user.limits_from", "login",
          "The rights are those that user another user gets at login. ");
}

static void an_own_machine_has_no_notes(void **state)
{
    check(ST_OS_LINUX, "system.container", "none", NULL);
    check(ST_OS_LINUX, "system.container", "0", NULL);
    check(ST_OS_LINUX, "linux.kernel.release", "6.1.0-37-amd64", NULL);
    check(ST_OS_LINUX, "linux.virtual", "0", NULL);
    check(ST_OS_FREEBSD, "freebsd.kern.vm_guest", "none", NULL);
    check(ST_OS_FREEBSD, "freebsd.security.jail.jailed", "0", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_that_hide_settings_are_named),
        cmocka_unit_test(an_own_machine_has_no_notes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
