/* Which lines of the kernel's log are events, and what is kept of them. */
#include <fcntl.h>
#include <unistd.h>

#include "daemon/causes/kernel_log.h"
#include "tests/fake/fake.h"
#include "tests/unit/unit.h"

static void warnings_and_usb_are_events(void **state)
{
    static const struct {
        const char *record, *source, *about;
    } rows[] = {
        {"6,1234,5678,-;usb 1-2: reset high-speed USB device number 4 using xhci_hcd\n "
         "SUBSYSTEM=usb\n",
         "usb", "usb 1-2"},
        {"6,1,1,-;usb 3-1.4: USB disconnect, device number 7\n", "usb", "usb 3-1.4"},
        {"6,1,1,-;usb 3-1.4: Product: Scarlett 2i2 USB\n", NULL, ""},
        {"4,1,1,-;xhci_hcd 0000:00:14.0: WARN Event TRB for slot 3 ep 2 with no TDs queued?\n",
         "usb", "xhci_hcd 0000"},
        {"3,1,1,-;nvme nvme0: I/O 12 QID 3 timeout, aborting\n", "kernel", "nvme nvme0"},
        {"4,1,1,-;clocksource tsc unstable\n", "kernel", ""},
        {"6,1,1,-;wlan0: associated\n", NULL, ""},
        {"12,1,1,-;systemd[1]: a warning of a program\n", NULL, ""},
        {"3,1,1,-;\033[31m usb: x\n", "kernel", "?[31m usb"},
        {"no record", NULL, ""},
        {"", NULL, ""},
    };
    char about[160];
    ST_EACH (row, rows) {
        const char *source = st_kernel_log_judge(row->record, about, sizeof(about));
        assert_int_equal(source != NULL, row->source != NULL);
        if (source != NULL)
            assert_string_equal(source, row->source);
        assert_string_equal(about, row->about);
    }
}

/* What was there before is left alone; later lines are one event each, of the time since the last
 * look. */
static void only_later_lines_count(void **state)
{
    char path[] = "/tmp/test_kernel_log.XXXXXX";
    struct st_events events;
    struct st_platform *fake = st_fake_new(ST_OS_LINUX, 0);
    const int end = mkstemp(path);
    assert_true(end >= 0 && fake != NULL);
    assert_int_equal(st_events_init(&events, NULL), 0);
    struct st_kernel_log log = {.fd = open(path, O_RDONLY)};
    assert_true(log.fd > 0);
    st_kernel_log_look(&log, fake, &events);
    assert_int_equal(events.added_n, 0);
    static const char line[] =
        "3,1,1,-;nvme nvme0: I/O timeout\n"; /* a regular file has no records: one line a look */
    assert_int_equal(write(end, line, sizeof(line) - 1), sizeof(line) - 1);
    st_fake_advance(fake, 1000000000);
    st_kernel_log_look(&log, fake, &events);
    st_kernel_log_look(&log, fake, &events);
    assert_int_equal(events.added_n, 1);
    assert_int_equal(events.events[0].event.span_ns, 1000000000);
    assert_string_equal(events.events[0].event.detail,
                        "the kernel logged a warning about nvme nvme0");
    st_kernel_log_close(&log);
    st_kernel_log_look(&log, fake, &events); /* and nothing more */
    assert_int_equal(events.added_n, 1);
    struct st_kernel_log none = {0}; /* no /dev/kmsg in the fake */
    st_kernel_log_look(&none, fake, &events);
    st_kernel_log_look(&none, fake, &events);
    assert_int_equal(events.added_n, 1);
    st_events_finish(&events);
    st_fake_free(fake);
    close(end);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warnings_and_usb_are_events),
        cmocka_unit_test(only_later_lines_count),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
