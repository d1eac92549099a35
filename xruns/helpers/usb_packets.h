/* Losses of sound on a USB bus, from the events of Linux's usbmon (Documentation/usb/usbmon.rst, the binary
 * interface). Pure; one thread. Two things lose sound there:
 * - a packet that failed (iso_status below 0): snd-usb-audio ignores it;
 * - time in which no packet was sent: from then on each transfer is done later by that, for its packets are
 *   counted and their time is known. A transfer that is only reported late is followed by punctual ones.
 * No loss: the end of a stream, transfers that the sound driver did not submit in time (the program was late,
 * and the device's own source counts that), and packets of at most 4 bytes, which carry clocks. */
#pragma once

#include "core/base.h"

#define ST_USB_PACKETS_HEAD_BYTES                                                                            \
    64                                /* struct mon_bin_hdr; of what is done only the first 48 are looked at \
                                       */
#define ST_USB_PACKETS_READ_BYTES  48 /* what read() gives of it */
#define ST_USB_PACKETS_DESC_BYTES  16 /* struct mon_bin_isodesc */
#define ST_USB_PACKETS_DESC_MAX    128 /* as the kernel, which gives no more of one transfer */
#define ST_USB_PACKETS_DEVICES_MAX 16
#define ST_USB_PACKETS_NAME_BYTES  64

struct st_usb_device {
    int bus, number, card; /* card: ALSA's number */
    bool fast;             /* a frame has 125 us, else 1 ms */
    char name[ST_USB_PACKETS_NAME_BYTES];
};

/** What to read of an event whose first 48 bytes are known. */
struct st_usb_packets_shape {
    bool isochronous, submitted, done; /* other transfers are none of ours */
    size_t descs_n;                    /* descriptors that follow the header */
    size_t captured_bytes;             /* that the kernel keeps behind the header, descriptors included */
};

/** Dropouts of one direction of a device since the last ones that were reported; less than 20 ms of sound
 * between two losses make them one. */
struct st_usb_loss {
    const struct st_usb_device *device;
    bool capture;
    int64_t dropouts_n, lost_ns, longest_ns;
};

typedef void (*st_usb_lost_fn)(void *ctx, const struct st_usb_loss *loss);

struct st_usb_endpoint {
    const struct st_usb_device *device; /* NULL: free */
    int number;                         /* bit 7: capture */
    bool sound;                         /* a packet of more than 4 bytes was seen */
    int64_t packet_ns;                  /* time of one; 0: not known yet */
    int64_t flying_n;                   /* transfers that are submitted and not done */
    int64_t done_ns;                    /* when the last one was; 0: none */
    int64_t sent_ns;                    /* time of all packets since the stream began, or was seen first */
    int64_t block_ns;                   /* of the block of about 100 ms that fills */
    int64_t low_ns, held_ns, base_ns;   /* least lateness in that block, in the one before, and what it was
                                           before   that; INT64_MAX: not known */
    int64_t good_ns, run_ns;    /* time of good packets since the last bad one, of bad ones since the last
                                   20 ms of sound */
    int64_t age_ns;             /* time of packets since `pending` has any */
    struct st_usb_loss pending; /* reported when sound has lasted */
};

struct st_usb_packets {
    struct st_usb_device devices[ST_USB_PACKETS_DEVICES_MAX];
    size_t devices_n;
    struct st_usb_endpoint endpoints[2 * ST_USB_PACKETS_DEVICES_MAX];
    st_usb_lost_fn lost;
    void *ctx;
};

/** @param head ST_USB_PACKETS_READ_BYTES bytes, in the byte order of this computer. */
struct st_usb_packets_shape st_usb_packets_shape(const unsigned char *head);

/** Takes an event of an isochronous transfer, in the order of the kernel's; may call p->lost.
 * @param head ST_USB_PACKETS_HEAD_BYTES bytes. @param descs shape.descs_n descriptors, of a transfer that is
 * done; else NULL. */
void st_usb_packets_take(struct st_usb_packets *p, const unsigned char *head, const unsigned char *descs);

/** Events are missing, or the clock was set: lateness is measured anew, what is pending stays. */
void st_usb_packets_restart(struct st_usb_packets *p);
