/* Losses of sound on a USB bus, from the events of Linux's usbmon (Documentation/usb/usbmon.rst,
 * the binary interface). Pure; one thread. Two things lose sound there:
 * - a packet that failed (iso_status below 0): snd-usb-audio ignores it;
 * - time in which no packet was sent: from then on, each transfer finishes later by that time,
 * since its packets are counted and their time is known. If a transfer is only reported late, the
 * next ones are punctual. No loss: the end of a stream, transfers that the sound driver did not
 * submit in time (the program was late, and the device's own source counts that), and packets of at
 * most 4 bytes, which carry clocks. */
#pragma once

#include "core/base.h"

/* struct mon_bin_hdr; of a finished transfer only the first 48 bytes are read */
#define ST_USB_PACKETS_HEAD_BYTES  64
#define ST_USB_PACKETS_READ_BYTES  48  /* part of the header that read() returns */
#define ST_USB_PACKETS_DESC_BYTES  16  /* struct mon_bin_isodesc */
#define ST_USB_PACKETS_DESC_MAX    128 /* the kernel's limit of descriptors for one transfer */
#define ST_USB_PACKETS_DEVICES_MAX 16
#define ST_USB_PACKETS_NAME_BYTES  64

struct st_usb_device {
    int bus, number, card; /* card: ALSA's number */
    bool fast;             /* a frame lasts 125 us; false: 1 ms */
    char name[ST_USB_PACKETS_NAME_BYTES];
};

/** What to read of an event whose first 48 bytes are known. */
struct st_usb_packets_shape {
    bool isochronous, submitted, done; /* transfers that are not isochronous are ignored */
    size_t descs_n;                    /* descriptors that follow the header */
    size_t captured_bytes; /* bytes that the kernel keeps after the header, descriptors included */
};

/** Dropouts of one direction of a device since the last report; two losses with less than 20 ms of
 * sound between them count as one. */
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
    int64_t packet_ns;                  /* duration of one packet; 0: not known yet */
    int64_t flying_n;                   /* transfers that are submitted and not finished */
    int64_t done_ns;                    /* when the last transfer finished; 0: none */
    int64_t sent_ns;  /* total duration of packets since the stream began, or was first seen */
    int64_t block_ns; /* duration of the block of about 100 ms that is being filled */
    int64_t low_ns, held_ns, base_ns; /* least lateness in the current block, in the previous block,
                                         and before that; INT64_MAX: not known */
    int64_t good_ns, run_ns;    /* duration of good packets since the last bad one; of bad packets
                                   since the last 20 ms of sound */
    int64_t age_ns;             /* duration of packets since `pending` was filled */
    struct st_usb_loss pending; /* reported after enough sound has followed */
};

struct st_usb_packets {
    struct st_usb_device devices[ST_USB_PACKETS_DEVICES_MAX];
    size_t devices_n;
    struct st_usb_endpoint endpoints[2 * ST_USB_PACKETS_DEVICES_MAX];
    st_usb_lost_fn lost;
    void *ctx;
};

/** Finds out from the beginning of an event what else to read of it. @param head
 * ST_USB_PACKETS_READ_BYTES bytes, in the byte order of this computer. */
struct st_usb_packets_shape st_usb_packets_shape(const unsigned char *head);

/** Takes an event of an isochronous transfer, in the kernel's order; may call p->lost. @param head
 * ST_USB_PACKETS_HEAD_BYTES bytes. @param descs shape.descs_n descriptors of a finished transfer;
 * else NULL. */
void st_usb_packets_take(struct st_usb_packets *p, const unsigned char *head,
                         const unsigned char *descs);

/** Events are missing, or the clock was set: measures lateness anew and keeps pending losses. */
void st_usb_packets_restart(struct st_usb_packets *p);
