/* sleeptune-observe-usb: reports losses of sound on the buses of USB audio devices, a line for
 * each.
 *
 * Only root may read usbmon, since it carries keystrokes and passwords, too. So this program opens
 * it for the buses that have an audio device, gives up all rights, and reads the header of each
 * transfer and, of isochronous ones, the descriptors of packets: read() returns the first bytes of
 * an event, as many as asked for, and MON_IOCH_MFLUSH skips the rest. The contents of a transfer
 * are never copied to this program. */
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/ns.h"
#include "platform/posix/posix.h"
#include "platform/tree.h"
#include "xruns/helpers/helper_line.h"
#include "xruns/helpers/sandbox.h"
#include "xruns/helpers/usb_packets.h"

#define CARDS_MAX 32
#define BUSES_MAX 8
/* Size of the kernel's ring for one bus, the largest allowed. The kernel also copies the sound
 * that is played into this ring (not into this program): 32 channels at 96 kHz fill it in 100 ms.
 */
#define RING_BYTES (1200 * 1024)
#define LOOK_MS    40
#define IDLE_MS    1000
#define EVENTS_MAX 4096 /* most events of one bus that one call of look() takes */
#define STEP_NS                                                                                    \
    ST_NS_PER_MS /* if CLOCK_REALTIME moves more than this against CLOCK_MONOTONIC, the clock was  \
                    set */
#define UNPRIVILEGED 65534

/* The kernel's structs and numbers of these ioctls, which no header for programs has. */
struct get {
    void *head, *data;
    size_t data_bytes;
};
struct stats {
    uint32_t queued, dropped;
};
#define MON_IOCG_STATS     _IOR(0x92, 3, struct stats)
#define MON_IOCT_RING_SIZE _IO(0x92, 4)
#define MON_IOCH_MFLUSH    _IO(0x92, 8)
#define MON_IOCX_GETX      _IOW(0x92, 10, struct get)

static struct st_usb_packets packets;
static struct bus {
    int number, fd;
} buses[BUSES_MAX];
static size_t buses_n;

/* --- with root's rights: devices and buses --- */

static void find_devices(void)
{
    struct st_platform *machine = st_platform_native();
    for (int card = 0; card < CARDS_MAX && packets.devices_n < ST_USB_PACKETS_DEVICES_MAX; card++) {
        struct st_usb_device *device = &packets.devices[packets.devices_n];
        if (sscanf(st_tree_text(machine, st_text("/proc/asound/card%d/usbbus", card)), "%3d/%3d",
                   &device->bus, &device->number) != 2)
            continue;
        const char *folder = st_text("/sys/class/sound/card%d/device/..", card);
        const char *number = st_text("USB device %03d/%03d", device->bus, device->number);
        const char *product = st_tree_first_line(machine, st_text("%s/product", folder));
        device->card = card;
        /* Mbit/s */
        device->fast = strtol(st_tree_text(machine, st_text("%s/speed", folder)), NULL, 10) >= 480;
        ST_PRINT(device->name, "%s", st_text_or(product, number));
        packets.devices_n++;
    }
}

/** Opens the device that has the events of one bus. @return 0 or a negative errno value. */
static int open_bus(int number)
{
    ST_EACH_OF (known, buses, buses_n) {
        if (known->number == number)
            return 0;
    }
    if (buses_n == BUSES_MAX)
        return 0;
    const int fd =
        open(st_text("/dev/usbmon%d", number), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return -errno;
    (void)ioctl(fd, MON_IOCT_RING_SIZE, RING_BYTES); /* otherwise the ring has 300 kB only */
    buses[buses_n++] = (struct bus){number, fd};
    return 0;
}

/** Gives up root's rights for good. @return 0 or a negative errno value. */
static int drop_rights(void)
{
    if (geteuid() == 0 &&
        (setgroups(0, NULL) != 0 || setgid(UNPRIVILEGED) != 0 || setuid(UNPRIVILEGED) != 0))
        return -errno;
    if (geteuid() == 0 || getegid() == 0 || (setuid(0) == 0))
        return -EPERM;
    const int r = st_sandbox_enter();
    return r == -ENOTSUP ? 0 : r;
}

/* --- without root's rights --- */

static void on_lost(ST_UNUSED void *ctx, const struct st_usb_loss *loss)
{
    struct st_xrun_seen seen = {.event = {.kind = ST_EVENT_DEVICE_DROPOUT,
                                          .certainty = ST_CERTAINTY_EXACT,
                                          .count_n = loss->dropouts_n,
                                          .place = ST_DROPOUT_AT_BUS,
                                          .lost_ns = loss->lost_ns,
                                          .longest_ns = loss->longest_ns}};
    ST_PRINT(seen.event.client, "%s", loss->device->name);
    ST_PRINT(seen.event.device, "hw:%d %s, USB bus %d", loss->device->card,
             loss->capture ? "capture" : "playback", loss->device->bus);
    st_helper_line_xrun(&seen);
}

/** Takes one event of a bus. @return false: there is none, or, with *gone, the bus has gone. */
static bool take_event(int fd, bool *gone)
{
    unsigned char head[ST_USB_PACKETS_HEAD_BYTES] = {0},
                  descs[ST_USB_PACKETS_DESC_MAX * ST_USB_PACKETS_DESC_BYTES];
    const ssize_t n = read(fd, head, ST_USB_PACKETS_READ_BYTES);
    if (n != ST_USB_PACKETS_READ_BYTES) {
        *gone = n >= 0 || (errno != EAGAIN && errno != EINTR);
        return false;
    }
    const struct st_usb_packets_shape shape = st_usb_packets_shape(head);
    const size_t descs_bytes = shape.descs_n * ST_USB_PACKETS_DESC_BYTES;
    size_t left_bytes = shape.captured_bytes;
    /* read the whole header, which contains the interval between packets */
    if (shape.isochronous && shape.submitted && left_bytes > 0) {
        struct get get = {.head = head, .data = descs, .data_bytes = 0};
        if (ioctl(fd, MON_IOCX_GETX, &get) == 0)
            left_bytes = 0;
    } else if (shape.isochronous && shape.done && descs_bytes > 0 && descs_bytes <= left_bytes) {
        if (read(fd, descs, descs_bytes) != (ssize_t)descs_bytes)
            return false;
        left_bytes -= descs_bytes;
    }
    if (left_bytes > 0)
        (void)ioctl(fd, MON_IOCH_MFLUSH, 1);
    st_usb_packets_take(&packets, head, shape.done && descs_bytes > 0 ? descs : NULL);
    return true;
}

/** Takes the events of all buses. @return their number; -1: a bus has gone. */
static int look(void)
{
    static int64_t step_before_ns;
    int taken_n = 0;
    const int64_t step_ns = st_posix_wall_ns(NULL) - st_posix_now_ns(NULL);
    if (llabs(step_ns - step_before_ns) > STEP_NS)
        st_usb_packets_restart(&packets);
    step_before_ns = step_ns;
    ST_EACH_OF (bus, buses, buses_n) {
        struct stats stats = {0};
        bool gone = false;
        int n = 0;
        while (n < EVENTS_MAX && take_event(bus->fd, &gone))
            n++;
        if (gone)
            return -1;
        taken_n += n;
        if (ioctl(bus->fd, MON_IOCG_STATS, &stats) == 0 && stats.dropped > 0)
            st_usb_packets_restart(&packets);
    }
    return taken_n;
}

/** Has the list of sound cards changed? This program must then end, since it has no right to look
 * for the devices of new cards. */
static bool cards_changed(int cards)
{
    static char before[4096];
    char now[sizeof(before)];
    const ssize_t n = pread(cards, now, sizeof(now) - 1, 0);
    now[ST_MAX(n, 0)] = '\0';
    const bool changed = before[0] != '\0' && !st_text_is(before, now);
    ST_PRINT(before, "%s", now);
    return changed;
}

static int watch(int cards)
{
    int64_t alive_ns = st_posix_now_ns(NULL);
    (void)cards_changed(cards);
    for (int pause_ms = LOOK_MS;;) {
        struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
        const int64_t due_ns = st_posix_now_ns(NULL) + pause_ms * ST_NS_PER_MS;
        if (poll(&input, 1, pause_ms) > 0 && st_helper_line_input_ended())
            return ST_HELPER_LINE_DONE;
        st_helper_line_due(due_ns);
        const int n = look();
        if (n < 0 || cards_changed(cards))
            return st_helper_line_absent("the sound cards have changed");
        /* with IDLE_MS, the kernel may drop the first events of a stream; no loss is concluded
         * from them */
        pause_ms = n > 0 ? LOOK_MS : IDLE_MS;
        if (st_posix_now_ns(NULL) - alive_ns >= ST_HELPER_LINE_ALIVE_S * ST_NS_PER_S) {
            st_helper_line_alive();
            alive_ns = st_posix_now_ns(NULL);
        }
    }
}

int main(int argc, char **argv)
{
    const char *names = "";
    (void)st_helper_line_options(argc, argv);
    st_helper_line_give_way();
    packets.lost = on_lost;
    find_devices();
    if (packets.devices_n == 0)
        return st_helper_line_absent("there is no USB sound card");
    for (size_t i = 0; i < packets.devices_n; i++) {
        const int r = open_bus(packets.devices[i].bus);
        if (r == -ENOENT)
            return st_helper_line_absent("there is no /dev/usbmon%d: run modprobe usbmon as root",
                                         packets.devices[i].bus);
        if (r < 0)
            return st_helper_line_absent(
                "cannot open /dev/usbmon%d: %s. Only root may read USB packets",
                packets.devices[i].bus, strerror(-r));
        names = st_text_joined(names, ", ", packets.devices[i].name);
    }
    const int cards = open("/proc/asound/cards", O_RDONLY | O_CLOEXEC);
    const int r = drop_rights();
    if (cards < 0)
        return st_helper_line_absent("cannot open /proc/asound/cards");
    if (r < 0)
        return st_helper_line_absent("cannot give up root's rights: %s", strerror(-r));
    st_helper_line_ready("USB packets of %s", names);
    return watch(cards);
}
