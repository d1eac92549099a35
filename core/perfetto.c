#include "core/perfetto.h"

/* Numbers of fields. */
enum { TRACE_PACKET = 1 };
enum {
    PACKET_CLOCKS = 6,
    PACKET_TIME = 8,
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,
    PACKET_CLOCK_ID = 58,
    PACKET_TRACK = 60
};
enum { CLOCKS_CLOCK = 1, CLOCK_ID = 1, CLOCK_TIME = 2 };
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PARENT = 5, TRACK_COUNTER = 8 };
enum { COUNTER_UNIT = 3, UNIT_NS = 1 };
enum { EVENT_TYPE = 9, EVENT_TRACK = 11, EVENT_NAME = 23, EVENT_VALUE = 30 };
enum { REALTIME = 1, MONOTONIC = 3, BOOTTIME = 6 }; /* perfetto's numbers of clocks */
enum { WIRE_VARINT = 0, WIRE_BYTES = 2 };

#define SEQUENCE 1 /* all packets are of one writer */

/* A message that is put together. The longest one is an event with a name. */
struct message {
    size_t n;
    unsigned char bytes[ST_PERFETTO_NAME_BYTES + 96];
};

static void put_varint(struct message *message, uint64_t value)
{
    do {
        message->bytes[message->n++] = (unsigned char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        value >>= 7;
    } while (value != 0);
}

static void put_number(struct message *message, unsigned field, uint64_t value)
{
    put_varint(message, field << 3 | WIRE_VARINT);
    put_varint(message, value);
}

static void put_bytes(struct message *message, unsigned field, const void *bytes, size_t n)
{
    put_varint(message, field << 3 | WIRE_BYTES);
    put_varint(message, n);
    memcpy(&message->bytes[message->n], bytes, n);
    message->n += n;
}

static void put_name(struct message *message, unsigned field, const char *name)
{
    size_t n = strlen(name);
    if (n >= ST_PERFETTO_NAME_BYTES) {
        n = ST_PERFETTO_NAME_BYTES - 1;
        while (n > 0 && ((unsigned char)name[n] & 0xc0) == 0x80) /* not in the midst of a character */
            n--;
    }
    put_bytes(message, field, name, n);
}

static void write_packet(FILE *out, const struct message *packet)
{
    struct message head = {0};
    put_varint(&head, TRACE_PACKET << 3 | WIRE_BYTES);
    put_varint(&head, packet->n);
    (void)fwrite(head.bytes, 1, head.n, out);
    (void)fwrite(packet->bytes, 1, packet->n, out);
}

void st_perfetto_clocks(FILE *out, int64_t monotonic_ns, int64_t boot_ns, int64_t wall_ns)
{
    const struct {
        unsigned id;
        int64_t ns;
    } clocks[] = {{MONOTONIC, monotonic_ns}, {BOOTTIME, boot_ns}, {REALTIME, wall_ns}};
    struct message packet = {0}, all = {0};
    ST_EACH (row, clocks) {
        struct message clock = {0};
        put_number(&clock, CLOCK_ID, row->id);
        put_number(&clock, CLOCK_TIME, (uint64_t)row->ns);
        put_bytes(&all, CLOCKS_CLOCK, clock.bytes, clock.n);
    }
    put_number(&packet, PACKET_SEQUENCE, SEQUENCE);
    put_bytes(&packet, PACKET_CLOCKS, all.bytes, all.n);
    write_packet(out, &packet);
}

static void write_track(FILE *out, uint64_t track, uint64_t parent, const char *name, bool counts)
{
    struct message packet = {0}, descriptor = {0};
    put_number(&descriptor, TRACK_UUID, track);
    if (parent != 0)
        put_number(&descriptor, TRACK_PARENT, parent);
    put_name(&descriptor, TRACK_NAME, name);
    if (counts) {
        struct message counter = {0};
        put_number(&counter, COUNTER_UNIT, UNIT_NS);
        put_bytes(&descriptor, TRACK_COUNTER, counter.bytes, counter.n);
    }
    put_number(&packet, PACKET_SEQUENCE, SEQUENCE);
    put_bytes(&packet, PACKET_TRACK, descriptor.bytes, descriptor.n);
    write_packet(out, &packet);
}

void st_perfetto_track(FILE *out, uint64_t track, uint64_t parent, const char *name)
{
    write_track(out, track, parent, name, false);
}

void st_perfetto_counter(FILE *out, uint64_t track, uint64_t parent, const char *name)
{
    write_track(out, track, parent, name, true);
}

void st_perfetto_event(FILE *out, enum st_perfetto_type type, uint64_t track, int64_t at_ns, const char *name,
                       int64_t value_ns)
{
    struct message packet = {0}, event = {0};
    put_number(&event, EVENT_TYPE, (uint64_t)type);
    put_number(&event, EVENT_TRACK, track);
    if (name != NULL)
        put_name(&event, EVENT_NAME, name);
    if (type == ST_PERFETTO_VALUE)
        put_number(&event, EVENT_VALUE, (uint64_t)value_ns);
    put_number(&packet, PACKET_TIME, (uint64_t)at_ns);
    put_number(&packet, PACKET_SEQUENCE, SEQUENCE);
    put_number(&packet, PACKET_CLOCK_ID, MONOTONIC);
    put_bytes(&packet, PACKET_EVENT, event.bytes, event.n);
    write_packet(out, &packet);
}
