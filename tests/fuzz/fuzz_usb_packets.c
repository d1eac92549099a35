/* Events of usbmon as sleeptune-observe-usb reads them: a header of 64 bytes, and the descriptors
 * of packets of an isochronous transfer that is done. What is lost has a device and a length. */
#include "tests/fuzz/fuzz.h"
#include "xruns/helpers/usb_packets.h"

static void on_lost(void *ctx, const struct st_usb_loss *loss)
{
    if (ctx != NULL || loss->device == NULL || loss->dropouts_n <= 0 || loss->longest_ns <= 0 ||
        loss->lost_ns < loss->longest_ns)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct st_usb_packets packets;
    memset(&packets, 0, sizeof(packets));
    packets.lost = on_lost;
    packets.devices_n = 2;
    packets.devices[0] = (struct st_usb_device){.bus = 1, .number = 2};
    packets.devices[1] = (struct st_usb_device){.bus = 1, .number = 3, .fast = true};
    while (size >= ST_USB_PACKETS_HEAD_BYTES) {
        const uint8_t *head = data;
        const struct st_usb_packets_shape shape = st_usb_packets_shape(head);
        const size_t bytes = shape.done ? shape.descs_n * ST_USB_PACKETS_DESC_BYTES : 0;
        data += ST_USB_PACKETS_HEAD_BYTES;
        size -= ST_USB_PACKETS_HEAD_BYTES;
        if (bytes > size)
            break;
        if (head[14] == 'R')
            st_usb_packets_restart(&packets);
        st_usb_packets_take(&packets, head, bytes > 0 ? data : NULL);
        data += bytes;
        size -= bytes;
    }
    return 0;
}
