/* Losses on a USB bus, from captured events (tests/fixtures/usbmon/README.md). Where a test says so
 * it changes the status of packets, or the time, in the captured bytes. */
#include "core/ns.h"
#include "tests/unit/unit.h"
#include "xruns/helpers/usb_packets.h"

#define QUIET "qemu-quiet.usbmon"
#define HELD  "qemu-irq-held-100-ms.usbmon"
#define UHCI  "qemu-uhci-skips-frames.usbmon"

struct found {
    int n;
    int64_t kernel_n; /* packets that failed, as the kernel counts in the transfers themselves */
    struct st_usb_loss last, sum;
};

/* What is changed in each event before it is taken. */
struct change {
    int64_t at;        /* of the transfers that are done, from this one on (0: the first) ... */
    int64_t transfers; /* ... this number of them */
    int64_t each;      /* 0: all of them, 2: every second one */
    int status;        /* of their packets */
    int urb_status;    /* of the transfer */
    int64_t later_us;  /* from there on */
    int64_t only_us;   /* of these only */
    bool restart;      /* events were dropped there */
    bool unsubmitted;  /* submissions before the time jumps are not seen: none is on its way */
};

static void on_lost(void *ctx, const struct st_usb_loss *loss)
{
    struct found *found = ctx;
    found->n++;
    found->last = *loss;
    found->sum.dropouts_n += loss->dropouts_n;
    found->sum.lost_ns += loss->lost_ns;
}

static void add_us(unsigned char *head, int64_t us)
{
    int64_t seconds;
    int32_t rest;
    memcpy(&seconds, head + 16, sizeof(seconds));
    memcpy(&rest, head + 24, sizeof(rest));
    const int64_t sum = seconds * 1000000 + rest + us;
    seconds = sum / 1000000;
    rest = (int32_t)(sum % 1000000);
    memcpy(head + 16, &seconds, sizeof(seconds));
    memcpy(head + 24, &rest, sizeof(rest));
}

/* The captures are of little-endian kernels; a kernel writes its own order. */
static void to_native(unsigned char *at, const char *bytes_of)
{
    const uint16_t one = 1;
    unsigned char low;
    memcpy(&low, &one, 1);
    for (const char *bytes = bytes_of; low == 0 && *bytes != '\0'; bytes++) {
        const int n = *bytes - '0';
        for (int i = 0; i < n / 2; i++) {
            const unsigned char first = at[i];
            at[i] = at[n - 1 - i];
            at[n - 1 - i] = first;
        }
        at += n;
    }
}

static struct found take(const char *name, const struct change *change, int device)
{
    static unsigned char bytes[512 * 1024];
    static struct st_usb_packets packets;
    struct found found = {0};
    char path[512];
    ST_PRINT(path, "%s/tests/fixtures/usbmon/%s", getenv("SLEEPTUNE_SRC"), name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    memset(&packets, 0, sizeof(packets));
    packets.lost = on_lost;
    packets.ctx = &found;
    packets.devices_n = 1;
    packets.devices[0] =
        (struct st_usb_device){.bus = 1, .number = device, .name = "QEMU USB Audio"};
    int64_t done = 0;
    unsigned char *last = bytes;
    for (size_t at = 0; at + ST_USB_PACKETS_HEAD_BYTES <= size;) {
        unsigned char *head = bytes + at, *descs = head + ST_USB_PACKETS_HEAD_BYTES;
        to_native(head, "8111121184444444444"); /* the lengths of its fields */
        const struct st_usb_packets_shape shape = st_usb_packets_shape(head);
        assert_true(shape.isochronous);
        assert_true(shape.submitted != shape.done);
        const size_t n = shape.done ? shape.descs_n : 0;
        for (size_t i = 0; i < n; i++)
            to_native(descs + i * ST_USB_PACKETS_DESC_BYTES, "444");
        const bool in =
            change != NULL && done >= change->at && done < change->at + change->transfers;
        const bool hit = in && (change->each == 0 || (done - change->at) % change->each == 0);
        if (change != NULL && done >= change->at)
            add_us(head, change->later_us);
        if (hit && shape.done) {
            add_us(head, change->only_us);
            memcpy(head + 28, &change->urb_status, sizeof(int));
        }
        for (size_t i = 0; hit && i < n; i++)
            memcpy(descs + i * ST_USB_PACKETS_DESC_BYTES, &change->status, sizeof(int));
        if (change != NULL && change->restart && shape.done && done == change->at)
            st_usb_packets_restart(&packets);
        if (change != NULL && change->unsubmitted && shape.done && done == change->at - 1)
            packets.endpoints[0].flying_n = 1; /* this one, which is done now, was the last */
        st_usb_packets_take(&packets, head, n > 0 ? descs : NULL);
        if (shape.done) {
            int32_t errors_n;
            last = head;
            memcpy(&errors_n, head + 40, sizeof(errors_n));
            found.kernel_n += errors_n;
        }
        done += shape.done;
        at += ST_USB_PACKETS_HEAD_BYTES + n * ST_USB_PACKETS_DESC_BYTES;
    }
    assert_true(done > 300);
    /* the last transfer once more, as one that was cancelled: the stream ends, and what is pending
     * is reported */
    const int cancelled = -ECONNRESET;
    memcpy(last + 28, &cancelled, sizeof(cancelled));
    st_usb_packets_take(&packets, last, last + ST_USB_PACKETS_HEAD_BYTES);
    return found;
}

static void a_quiet_stream_has_no_loss(void **state)
{
    assert_int_equal(take(QUIET, NULL, 2).n, 0);
}

static void time_without_packets_is_one_dropout(void **state)
{
    const struct found found = take(HELD, NULL, 2);
    assert_int_equal(found.n, 1);
    assert_int_equal(found.last.dropouts_n, 1);
    assert_in_range(found.last.lost_ns, 81 * ST_NS_PER_MS, 83 * ST_NS_PER_MS);
    assert_int_equal(found.last.longest_ns, found.last.lost_ns);
    assert_false(found.last.capture);
    assert_string_equal(found.last.device->name, "QEMU USB Audio");
}

/* those of the first 20 ms are missing: nothing has played yet */
static void frames_that_the_controller_skips_are_as_many_as_the_kernel_counts(void **state)
{
    const struct found found = take(UHCI, NULL, 2);
    assert_in_range(found.kernel_n, 100, 1000);
    assert_in_range(found.n, 2, 4); /* it goes on, and a report comes each second */
    assert_true(found.sum.dropouts_n > 20);
    assert_true(found.sum.lost_ns <= found.kernel_n * ST_NS_PER_MS);
    printf("# %d failed, %d ms in %d dropouts\n", (int)found.kernel_n,
           (int)(found.sum.lost_ns / ST_NS_PER_MS), (int)found.sum.dropouts_n);
    assert_true(found.sum.lost_ns >= (found.kernel_n - 20) * ST_NS_PER_MS);
}

static void another_device_is_not_looked_at(void **state)
{
    assert_int_equal(take(HELD, NULL, 3).n, 0);
}

static void failed_packets_are_a_dropout_of_their_length(void **state)
{
    const struct found quiet =
        take(QUIET, &(struct change){.at = 100, .transfers = 1, .status = -EXDEV}, 2);
    assert_int_equal(quiet.n, 1);
    assert_int_equal(quiet.last.dropouts_n, 1);
    const int64_t one_ns = quiet.last.lost_ns;
    assert_in_range(one_ns, ST_NS_PER_MS, 8 * ST_NS_PER_MS);
    const struct found ten =
        take(QUIET, &(struct change){.at = 100, .transfers = 10, .status = -EILSEQ}, 2);
    assert_int_equal(ten.last.dropouts_n, 1);
    assert_in_range(ten.last.lost_ns, 9 * one_ns, 11 * one_ns); /* transfers have 5 or 6 packets */
    assert_int_equal(ten.last.longest_ns, ten.last.lost_ns);
}

/* less than 20 ms of sound between them */
static void losses_close_together_are_one(void **state)
{
    const struct change near = {.at = 100, .transfers = 9, .each = 2, .status = -EPROTO};
    const struct change far = {.at = 100, .transfers = 101, .each = 50, .status = -EPROTO};
    const struct found one = take(QUIET, &near, 2);
    assert_int_equal(one.sum.dropouts_n, 1);
    const struct found three = take(QUIET, &far, 2);
    assert_int_equal(three.sum.dropouts_n, 3);
    assert_in_range(three.sum.lost_ns, 3 * 5 * ST_NS_PER_MS, 3 * 6 * ST_NS_PER_MS);
    assert_in_range(one.sum.lost_ns, 5 * 5 * ST_NS_PER_MS, 5 * 6 * ST_NS_PER_MS);
}

static void packets_that_fail_when_time_is_lost_are_the_same_dropout(void **state)
{
    const struct change both = {.at = 100, .transfers = 3, .status = -EXDEV, .later_us = 30000};
    const struct found found = take(QUIET, &both, 2);
    assert_int_equal(found.sum.dropouts_n, 1);
    assert_in_range(found.sum.lost_ns, 32 * ST_NS_PER_MS, 55 * ST_NS_PER_MS);
}

static void transfers_that_are_reported_late_lose_nothing(void **state)
{
    const struct change late = {.at = 100, .transfers = 3, .only_us = 15000};
    assert_int_equal(take(QUIET, &late, 2).n, 0);
}

static void a_program_that_is_late_is_not_the_bus(void **state)
{
    const struct change late = {.at = 100, .later_us = 50000, .unsubmitted = true};
    assert_int_equal(take(QUIET, &late, 2).n, 0);
    const struct change bus = {.at = 100, .later_us = 50000};
    assert_int_equal(take(QUIET, &bus, 2).n, 1);
}

static void a_stream_that_ends_has_lost_nothing(void **state)
{
    const struct change end = {
        .at = 100, .transfers = 8, .status = -EXDEV, .urb_status = -ECONNRESET, .later_us = 300000};
    assert_int_equal(take(QUIET, &end, 2).n, 0);
}

static void a_stream_that_begins_has_lost_nothing(void **state)
{
    assert_int_equal(take(QUIET, &(struct change){.transfers = 5, .status = -EXDEV}, 2).n, 0);
}

static void a_clock_that_is_set_loses_nothing(void **state)
{
    const struct change set = {.at = 100, .later_us = 3600 * INT64_C(1000000), .restart = true};
    assert_int_equal(take(QUIET, &set, 2).n, 0);
    const struct change back = {.at = 100, .later_us = -50000};
    assert_int_equal(take(QUIET, &back, 2).n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quiet_stream_has_no_loss),
        cmocka_unit_test(time_without_packets_is_one_dropout),
        cmocka_unit_test(frames_that_the_controller_skips_are_as_many_as_the_kernel_counts),
        cmocka_unit_test(another_device_is_not_looked_at),
        cmocka_unit_test(failed_packets_are_a_dropout_of_their_length),
        cmocka_unit_test(losses_close_together_are_one),
        cmocka_unit_test(packets_that_fail_when_time_is_lost_are_the_same_dropout),
        cmocka_unit_test(transfers_that_are_reported_late_lose_nothing),
        cmocka_unit_test(a_program_that_is_late_is_not_the_bus),
        cmocka_unit_test(a_stream_that_ends_has_lost_nothing),
        cmocka_unit_test(a_stream_that_begins_has_lost_nothing),
        cmocka_unit_test(a_clock_that_is_set_loses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
