

#include "platform/proc.h"
#include "tests/unit/unit.h"

static void schedstat_is_read(void **state)
{
    int64_t cpu_ns = -1, wait_ns = -1;
    assert_int_equal(st_proc_schedstat("69463 50446 2\n", &cpu_ns, &wait_ns), 0);
    assert_int_equal(cpu_ns, 69463);
    assert_int_equal(wait_ns, 50446);
}

static void schedstat_of_a_kernel_that_does_not_count_is_no_data(void **state)
{
    int64_t cpu_ns = -1, wait_ns = -1;
    assert_int_equal(st_proc_schedstat("0 0 0\n", &cpu_ns, &wait_ns), -ENODATA);
    assert_int_equal(wait_ns, -1);
}

static void malformed_schedstat_is_refused(void **state)
{
    static const char *const bad[] = {"",
                                      "\n",
                                      "1",
                                      "1 2",
                                      "1 2 x",
                                      "-1 2 3",
                                      "1,2,3",
                                      "18446744073709551616 1 1",
                                      "9223372036854775808 1 1",
                                      "\xff\xfe"};
    int64_t cpu_ns = -1, wait_ns = -1;
    ST_EACH (text, bad)
        assert_int_equal(st_proc_schedstat(*text, &cpu_ns, &wait_ns), -EBADMSG);
    assert_int_equal(wait_ns, -1);
}

/* fields 3 .. 52 of a real line; 10 is 99, 12 is 7, 39 is 1 */
#define STAT_TAIL                                                                                  \
    " R 7059 7059 4158 0 -1 4194304 99 0 7 0 0 0 0 0 20 0 1 0 89777 3133440 389 "                  \
    "18446744073709551615 "                                                                        \
    "94228685467648 "                                                                              \
    "94228685487529 140732270642192 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 94228685503536 "              \
    "94228685505152 "                                                                              \
    "94229311401984 "                                                                              \
    "140732270643906 140732270643926 140732270643926 140732270645227 0\n"

static void check_stat(const char *text)
{
    struct st_proc_stat stat = {0};
    assert_int_equal(st_proc_stat(text, &stat), 0);
    assert_int_equal(stat.faults_minor_n, 99);
    assert_int_equal(stat.faults_major_n, 7);
    assert_int_equal(stat.cpu, 1);
}

static void stat_is_read(void **state)
{
    check_stat("7075 (cat)" STAT_TAIL);
}

static void stat_of_a_thread_with_brackets_and_blanks_in_its_name_is_read(void **state)
{
    check_stat("7075 (a) b)" STAT_TAIL);
    check_stat("7075 () R 1 2 3)" STAT_TAIL);
    check_stat("7075 (\n)" STAT_TAIL);
    check_stat("7075 ()))))" STAT_TAIL);
}

static void malformed_stat_is_refused(void **state)
{
    static const char *const bad[] = {
        "",
        "1 (a",
        "1 (a)",
        "1 (a) R 1 1 1 1 1 1",
        "1 (a) R 1 1 1 1 1 1 x 1 1",
        "1 (a) R 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"};
    struct st_proc_stat stat = {.cpu = -5};
    ST_EACH (text, bad)
        assert_int_equal(st_proc_stat(*text, &stat), -EBADMSG);
    assert_int_equal(stat.cpu, -5);
}

static const char status[] = "Name:\tnonvoluntary_ctxt_switches:\t1\nGroups:\t0 1 2 \n"
                             "voluntary_ctxt_switches:\t150\nnonvoluntary_ctxt_switches:\t545\n";

static void status_field_counts_only_at_the_start_of_a_line(void **state)
{
    uint64_t n = 0;
    assert_int_equal(st_proc_line_u64(status, "nonvoluntary_ctxt_switches:", &n), 0);
    assert_int_equal(n, 545);
    assert_int_equal(st_proc_line_u64(status, "voluntary_ctxt_switches:", &n), 0);
    assert_int_equal(n, 150);
    assert_int_equal(st_proc_line_u64(status, "voluntary:", &n), -ENODATA);
    assert_int_equal(st_proc_line_u64(status, "Name:", &n), -EBADMSG);
    assert_int_equal(n, 150);
}

static const char cpuinfo[] =
    "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t:  Intel(R) Core: i7 \n"
    "flags\t\t: fpu tsc hypervisor arat\n\nprocessor\t: 1\nmodel name\t: other\n";

static void cpuinfo_field_is_the_first_ones_without_blanks_around(void **state)
{
    assert_string_equal(st_proc_field(cpuinfo, "model name"), "Intel(R) Core: i7");
    assert_string_equal(st_proc_field(cpuinfo, "vendor_id"), "GenuineIntel");
    assert_null(st_proc_field(cpuinfo, "model"));
}

static void a_word_is_found_only_whole(void **state)
{
    assert_true(st_proc_has_word("fpu hypervisor arat", "hypervisor"));
    assert_true(st_proc_has_word("hypervisor", "hypervisor"));
    assert_true(st_proc_has_word("\tfpu\nhypervisor\n", "hypervisor"));
    assert_false(st_proc_has_word("fpu hypervisors arat", "hypervisor"));
    assert_false(st_proc_has_word("xhypervisor", "hypervisor"));
    assert_false(st_proc_has_word("", "hypervisor"));
    assert_false(st_proc_has_word("a b", ""));
    assert_true(st_proc_has_word("ann audio,video", "audio"));
    assert_false(st_proc_has_word("pulse-audio audiox", "audio"));
    assert_true(st_proc_has_word("#1 SMP PREEMPT(lazy)", "PREEMPT"));
}

static void kernel_option_is_found_whole_and_only_when_set(void **state)
{
    static const char config[] =
        "# CONFIG_HZ_100 is not set\nCONFIG_HZ_250=y\nCONFIG_HZ=250\nCONFIG_LSM=\"a,b\"\n"
        "# CONFIG_PARAVIRT_TIME_ACCOUNTING is not set\n";
    assert_string_equal(st_proc_line_text(config, "CONFIG_HZ="), "250");
    assert_string_equal(st_proc_line_text(config, "CONFIG_LSM="), "\"a,b\"");
    assert_null(st_proc_line_text(config, "CONFIG_HZ_100="));
    assert_null(st_proc_line_text(config, "CONFIG_PARAVIRT_TIME_ACCOUNTING="));
}

static void the_marked_one_is_chosen(void **state)
{
    assert_string_equal(st_proc_chosen("none voluntary (full) lazy"), "full");
    assert_string_equal(st_proc_chosen("[always] madvise never"), "always");
    assert_null(st_proc_chosen("none voluntary"));
    assert_null(st_proc_chosen("none (volun"));
    assert_null(st_proc_chosen("[]"));
    assert_null(st_proc_chosen("][a"));
}

static void keyed_numbers_of_a_cgroup(void **state)
{
    uint64_t n = 7;
    const char *text = "usage_usec 12\nthrottled_usecs 3\nthrottled_usec 456\n";
    assert_int_equal(st_proc_line_u64(text, "throttled_usec ", &n), 0);
    assert_int_equal(n, 456);
    assert_int_equal(st_proc_line_u64(text, "nr_throttled ", &n), -ENODATA);
    assert_int_equal(st_proc_line_u64("throttled_usec x\n", "throttled_usec ", &n), -EBADMSG);
    assert_int_equal(st_proc_line_u64("", "throttled_usec ", &n), -ENODATA);
    assert_int_equal(n, 456);
}

static void path_of_the_unified_cgroup(void **state)
{
    assert_string_equal(st_proc_line_text("1:name=systemd:/x\n0::/a/b\n", "0::"), "/a/b");
    assert_null(st_proc_line_text("1:cpu:/x\n", "0::"));
}

static void pressure_is_the_total_of_its_line(void **state)
{
    uint64_t us = 7;
    const char *text = "some avg10=65.40 avg60=20.07 avg300=12.72 total=11963658257\n"
                       "full avg10=0.00 avg60=0.00 avg300=0.00 total=3\n";
    assert_int_equal(st_proc_pressure_us(text, "some", &us), 0);
    assert_int_equal(us, 11963658257);
    assert_int_equal(st_proc_pressure_us(text, "full", &us), 0);
    assert_int_equal(us, 3);
    assert_int_equal(st_proc_pressure_us("some avg10=0.00\nfull total=3\n", "some", &us), -EBADMSG);
    assert_int_equal(st_proc_pressure_us("some total=\n", "some", &us), -EBADMSG);

    assert_int_equal(st_proc_pressure_us("full total=4\n", "some", &us), -ENODATA);
}

static void a_name_that_the_kernel_cut_is_completed(void **state)
{
    static const char *const rows[][3] = {
        {"qemu-system-x86\n", "/usr/bin/qemu-system-x86_64", "qemu-system-x86_64"},
        {"sleeptune-obser", "sleeptune-observe-pipewire", "sleeptune-observe-pipewire"},
        {"chromium-browse", "/usr/lib/chromium/chromium-browser --type=renderer --lang=en",
         "chromium-browser"},               /* it writes all its arguments into one */
        {"amp\n", "/opt/amplifier", "amp"}, /* not cut */
        {"Isolated Web Co", "/usr/lib/firefox/firefox", "Isolated Web Co"},
        {"kworker/u16:3-e", "", "kworker/u16:3-e"},
        {"fifteen-letters", "/fifteen-letters\033[31m", "fifteen-letters?[31m"},
    };
    ST_EACH (row, rows) {
        char name[64];
        st_proc_name((*row)[0], (*row)[1], name, sizeof(name));
        assert_string_equal(name, (*row)[2]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keyed_numbers_of_a_cgroup),
        cmocka_unit_test(path_of_the_unified_cgroup),
        cmocka_unit_test(pressure_is_the_total_of_its_line),
        cmocka_unit_test(a_name_that_the_kernel_cut_is_completed),
        cmocka_unit_test(schedstat_is_read),
        cmocka_unit_test(schedstat_of_a_kernel_that_does_not_count_is_no_data),
        cmocka_unit_test(malformed_schedstat_is_refused),
        cmocka_unit_test(stat_is_read),
        cmocka_unit_test(stat_of_a_thread_with_brackets_and_blanks_in_its_name_is_read),
        cmocka_unit_test(malformed_stat_is_refused),
        cmocka_unit_test(status_field_counts_only_at_the_start_of_a_line),
        cmocka_unit_test(cpuinfo_field_is_the_first_ones_without_blanks_around),
        cmocka_unit_test(a_word_is_found_only_whole),
        cmocka_unit_test(kernel_option_is_found_whole_and_only_when_set),
        cmocka_unit_test(the_marked_one_is_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
