/* What the machine was under: differences of samples, and unknown where nothing says it. */
#include "core/ns.h"
#include "daemon/causes/causes.h"
#include "tests/fake/fake.h"
#include "tests/unit/unit.h"

#define CPU3 "/sys/devices/system/cpu/cpu3/"

static struct st_platform *fake;
static struct st_system_pressure pressure;

static int setup(void **state)
{
    fake = st_fake_new(*(enum st_os *)*state, ST_NS_PER_S);
    pressure = (struct st_system_pressure){0};
    return fake == NULL;
}

static int teardown(void **state)
{
    st_fake_free(fake);
    return 0;
}

static void file(const char *path, const char *text)
{
    assert_int_equal(st_fake_set_file(fake, path, text, 0), 0);
}

static struct st_event_pressure a_second_later(void)
{
    st_fake_advance(fake, ST_NS_PER_S);
    st_causes_sample_pressure(&pressure, fake, 3);
    return pressure.now;
}

static void linux_has_shares_of_the_second(void **state)
{
    file("/proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=1000000\n");
    file("/proc/pressure/io", "some avg10=0.00 avg60=0.00 avg300=0.00 total=5\nfull total=5\n");
    file(CPU3 "cpufreq/scaling_cur_freq", "2400000\n");
    file(CPU3 "thermal_throttle/core_throttle_count", "7\n");
    file("/sys/class/thermal/thermal_zone0/temp", "45000\n");
    file("/sys/class/thermal/thermal_zone1/temp", "61000\n");
    file("/sys/class/thermal/thermal_zone2/temp", "999000\n"); /* broken */
    file("/sys/class/thermal/cooling_device0/temp", "90000\n");
    struct st_event_pressure c = a_second_later();
    assert_int_equal(c.cpu_khz, 2400000);
    assert_int_equal(c.temperature_mc, 61000);
    assert_int_equal(c.pressure_cpu_permille, INT64_MIN); /* one sample has no share */
    assert_int_equal(c.throttles_n, INT64_MIN);
    file("/proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=1250000\n");
    file(CPU3 "thermal_throttle/core_throttle_count", "9\n");
    c = a_second_later();
    assert_int_equal(c.pressure_cpu_permille, 250);
    assert_int_equal(c.pressure_io_permille, 0);
    assert_int_equal(c.pressure_memory_permille, INT64_MIN); /* no such file */
    assert_int_equal(c.throttles_n, 2);
    file("/proc/pressure/cpu",
         "some avg10=0.00 avg60=0.00 avg300=0.00 total=3\n"); /* it went back */
    assert_int_equal(a_second_later().pressure_cpu_permille, INT64_MIN);
    file("/proc/pressure/cpu", "rubbish");
    assert_int_equal(a_second_later().pressure_cpu_permille, INT64_MIN);
}

static void freebsd_has_clock_and_temperature(void **state)
{
    assert_int_equal(st_fake_set_sysctl(fake, "dev.cpu.3.freq", "3400", 0), 0);
    assert_int_equal(st_fake_set_sysctl(fake, "dev.cpu.3.temperature", "45.5C", 0), 0);
    const struct st_event_pressure c = a_second_later();
    assert_int_equal(c.cpu_khz, 3400000);
    assert_int_equal(c.temperature_mc, 45500);
    assert_int_equal(c.pressure_cpu_permille, INT64_MIN);
    assert_int_equal(st_fake_set_sysctl(fake, "dev.cpu.3.temperature", "nanC", 0), 0);
    assert_int_equal(a_second_later().temperature_mc, INT64_MIN);
}

int main(void)
{
    static enum st_os on_linux = ST_OS_LINUX, on_freebsd = ST_OS_FREEBSD;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate_setup_teardown(linux_has_shares_of_the_second, setup, teardown,
                                                 &on_linux),
        cmocka_unit_test_prestate_setup_teardown(freebsd_has_clock_and_temperature, setup, teardown,
                                                 &on_freebsd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
