#include "xruns/helpers/usb_packets.h"

#include "core/ns.h"

#define ISOCHRONOUS 0
#define CLOCK_BYTES 4 /* a packet of clock feedback has 3 or 4 bytes, and no sound */
/* lateness is compared between blocks of this length, which is longer than all transfers that are
 * queued at a time */
#define BLOCK_NS (100 * ST_NS_PER_MS)
#define ONE_NS   (20 * ST_NS_PER_MS) /* two losses with less sound than this between them are one */
/* after this time with sound, no block can belong to an earlier loss */
#define SETTLED_NS (5 * BLOCK_NS)
#define AGE_NS     ST_NS_PER_S /* a series of losses is reported after this time */
/* a smaller increase of lateness is no loss, since the clocks of computer and device differ */
#define LATE_NS ST_NS_PER_MS
/* if no transfer is queued and the next one comes later than this, a program made the pause */
#define SUBMIT_NS    (2 * ST_NS_PER_MS)
#define INTERVAL_MAX (1 << 15)
#define SPAN_MAX_NS  (100 * ST_NS_PER_S)
#define SECONDS_MAX  (INT64_MAX / ST_NS_PER_S / 2)

static uint32_t u32(const unsigned char *at)
{
    uint32_t n;
    memcpy(&n, at, sizeof(n));
    return n;
}

static int bus_of(const unsigned char *head)
{
    uint16_t n;
    memcpy(&n, head + 12, sizeof(n));
    return n;
}

/** @return the time of an event in ns of CLOCK_REALTIME, which can be set; 0: invalid. */
static int64_t time_of(const unsigned char *head)
{
    int64_t seconds;
    memcpy(&seconds, head + 16, sizeof(seconds));
    if (seconds < 0 || seconds > SECONDS_MAX)
        return 0;
    return seconds * ST_NS_PER_S + (int32_t)u32(head + 24) * ST_NS_PER_US;
}

struct st_usb_packets_shape st_usb_packets_shape(const unsigned char *head)
{
    struct st_usb_packets_shape shape = {.isochronous = head[9] == ISOCHRONOUS,
                                         .submitted = head[8] == 'S',
                                         .done = head[8] == 'C',
                                         .captured_bytes = u32(head + 36)};
    const int32_t packets_n = (int32_t)u32(head + 44);
    if (shape.isochronous && packets_n > 0)
        shape.descs_n = (size_t)ST_MIN(packets_n, ST_USB_PACKETS_DESC_MAX);
    return shape;
}

/** @return the endpoint of an event; NULL: it belongs to no audio device, or there is no room. */
static struct st_usb_endpoint *endpoint_of(struct st_usb_packets *p, const unsigned char *head)
{
    const struct st_usb_device *device = NULL;
    struct st_usb_endpoint *unused = NULL;
    ST_EACH_OF (known, p->devices, p->devices_n) {
        if (known->bus == bus_of(head) && known->number == head[11])
            device = known;
    }
    ST_EACH (endpoint, p->endpoints) {
        if (device != NULL && endpoint->device == device && endpoint->number == head[10])
            return endpoint;
        if (endpoint->device == NULL && unused == NULL)
            unused = endpoint;
    }
    if (device == NULL || unused == NULL)
        return NULL;
    *unused = (struct st_usb_endpoint){.device = device,
                                       .number = head[10],
                                       .low_ns = INT64_MAX,
                                       .held_ns = INT64_MAX,
                                       .base_ns = INT64_MAX};
    return unused;
}

static void forget_lateness(struct st_usb_endpoint *e)
{
    e->sent_ns = e->block_ns = e->done_ns = 0;
    e->low_ns = e->held_ns = e->base_ns = INT64_MAX;
}

static void report(struct st_usb_packets *p, struct st_usb_endpoint *e)
{
    if (e->pending.dropouts_n > 0) {
        e->pending.device = e->device;
        e->pending.capture = (e->number & 0x80) != 0;
        p->lost(p->ctx, &e->pending);
    }
    e->pending = (struct st_usb_loss){0};
    e->age_ns = 0;
}

/** The stream has ended: reports its losses so far, and forgets its state. */
static void end_stream(struct st_usb_packets *p, struct st_usb_endpoint *e)
{
    report(p, e);
    forget_lateness(e);
    e->good_ns = e->run_ns = 0;
    e->sound = false;
}

static void add_loss(struct st_usb_endpoint *e, int64_t lost_ns, bool begins)
{
    if (e->pending.lost_ns > SPAN_MAX_NS) /* more is not counted, since a line cannot hold it */
        return;
    e->pending.dropouts_n += begins;
    e->pending.lost_ns += lost_ns;
    e->run_ns = lost_ns + e->run_ns * !begins;
    e->pending.longest_ns = ST_MAX(e->run_ns, e->pending.longest_ns);
}

static void take_packet(struct st_usb_endpoint *e, bool good)
{
    if (good) {
        e->good_ns += e->packet_ns;
        return;
    }
    /* a stream that begins has lost nothing yet */
    if (e->good_ns >= ONE_NS || e->run_ns > 0)
        add_loss(e, e->packet_ns, e->good_ns >= ONE_NS);
    e->good_ns = 0;
}

/** Ends a block: compares the least lateness of its transfers with that of earlier blocks. If two
 * consecutive blocks are later than the blocks before them, no packet was sent for the time of that
 * shift, which is a loss. */
static void end_block(struct st_usb_endpoint *e)
{
    const int64_t least_ns = ST_MIN(e->low_ns, e->held_ns);
    const int64_t threshold_ns = ST_MAX(e->packet_ns, LATE_NS);
    const bool known = e->base_ns != INT64_MAX && e->held_ns != INT64_MAX;
    const int64_t shift_ns = known ? st_ns_sub(least_ns, e->base_ns) : 0;
    /* 10 % below the threshold, since times are rounded */
    if (shift_ns >= threshold_ns - threshold_ns / 10 && shift_ns < SPAN_MAX_NS)
        add_loss(
            e, shift_ns,
            e->pending.dropouts_n ==
                0); /* packets that failed near the shift were counted as this dropout already */
    if (e->held_ns != INT64_MAX)
        e->base_ns = least_ns;
    e->held_ns = e->low_ns;
    e->low_ns = INT64_MAX;
    e->block_ns = 0;
}

static void take_done(struct st_usb_packets *p, struct st_usb_endpoint *e,
                      const unsigned char *head, const unsigned char *descs, size_t n)
{
    e->flying_n -= e->flying_n > 0;
    if ((int32_t)u32(head + 28) != 0) {
        end_stream(p, e);
        return;
    }
    if (e->packet_ns == 0 || n == 0)
        return;
    for (size_t i = 0; i < n && !e->sound; i++)
        e->sound = u32(descs + ST_USB_PACKETS_DESC_BYTES * i + 8) > CLOCK_BYTES;
    if (!e->sound)
        return;
    for (size_t i = 0; i < n; i++)
        take_packet(e, (int32_t)u32(descs + ST_USB_PACKETS_DESC_BYTES * i) >= 0);
    const int64_t span_ns = (int64_t)n * e->packet_ns;
    e->done_ns = time_of(head);
    e->sent_ns = st_ns_add(e->sent_ns, span_ns);
    e->block_ns += span_ns;
    const int64_t late_ns = st_ns_sub(e->done_ns, e->sent_ns);
    if (late_ns < e->low_ns)
        e->low_ns = late_ns;
    if (e->block_ns >= BLOCK_NS)
        end_block(e);
    e->age_ns += span_ns * (e->pending.dropouts_n > 0);
    if (e->good_ns >= SETTLED_NS || (e->age_ns >= AGE_NS && e->good_ns >= ONE_NS))
        report(p, e);
}

void st_usb_packets_take(struct st_usb_packets *p, const unsigned char *head,
                         const unsigned char *descs)
{
    const struct st_usb_packets_shape shape = st_usb_packets_shape(head);
    struct st_usb_endpoint *e;
    if (!shape.isochronous || (e = endpoint_of(p, head)) == NULL)
        return;
    if (shape.done && descs != NULL) {
        take_done(p, e, head, descs, shape.descs_n);
        return;
    }
    if (!shape.submitted) { /* an error event: the kernel did not accept the transfer */
        e->flying_n -= e->flying_n > 0;
        return;
    }
    const int32_t interval = (int32_t)u32(head + 48);
    if (interval > 0 && interval <= INTERVAL_MAX)
        e->packet_ns = interval * (e->device->fast ? 125 * ST_NS_PER_US : ST_NS_PER_MS);
    if (e->flying_n++ == 0 && e->done_ns > 0 && st_ns_sub(time_of(head), e->done_ns) > SUBMIT_NS)
        forget_lateness(e);
}

void st_usb_packets_restart(struct st_usb_packets *p)
{
    ST_EACH (e, p->endpoints) {
        forget_lateness(e);
        e->flying_n = 0;
    }
}
