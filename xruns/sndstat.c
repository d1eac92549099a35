/* Reads the channels of FreeBSD's sound(4), and finds their xruns. */
#include "xruns/sndstat.h"

#include "core/text/safe.h"
#include "core/text/text.h"

/* The format of a packed nvlist (FreeBSD's list of names and values): a header, then pairs. A pair
 * is a header, its name with '\0', and its data. If its value is a list, the data is a header, the
 * pairs of that list, and a pair of type LIST_UP. If its value is an array of lists, the data is,
 * for each element, a header, its pairs, and a pair of type ARRAY_NEXT. */

#define HEADER_BYTES 19 /* bytes: magic (1), version (1), flags (1), descriptors (8), size (8) */
#define PAIR_BYTES   19 /* bytes: type (1), size of the name (2), size of the data (8), items (8) */
#define MAGIC        0x6c
#define BIG_ENDIAN_F 0x80
#define DEPTH_MAX    16

enum {
    BOOL = 2,
    NUMBER = 3,
    STRING = 4,
    LIST = 5,
    LIST_ARRAY = 11,
    ARRAY_NEXT = 254,
    LIST_UP = 255
};

struct reader {
    const unsigned char *at;
    size_t left;
};

struct pair {
    unsigned type;
    const char *name;
    const unsigned char *data; /* NULL for a list */
    uint64_t data_bytes, items_n;
};

/** A level of nesting in the nvlist: an array of which left_n more elements follow, or a list
 * (left_n 0). */
struct level {
    uint64_t left_n;
    bool channels; /* the elements are channels */
};

static const unsigned char *take(struct reader *reader, uint64_t n)
{
    if (n > reader->left)
        return NULL;
    const unsigned char *at = reader->at;
    reader->at += n;
    reader->left -= (size_t)n;
    return at;
}

static bool take_header(struct reader *reader)
{
    static const union {
        uint16_t number;
        unsigned char first;
    } order = {.number = 1};
    const unsigned char *header = take(reader, HEADER_BYTES);
    return header != NULL && header[0] == MAGIC &&
           ((header[2] & BIG_ENDIAN_F) == 0) == (order.first == 1);
}

/** The number of bytes behind the outermost header, as that header says. */
static uint64_t size_of(const unsigned char *header)
{
    uint64_t size;
    memcpy(&size, header + 11, sizeof(size));
    return size;
}

static bool take_pair(struct reader *reader, struct pair *ret)
{
    const unsigned char *header = take(reader, PAIR_BYTES);
    uint16_t name_bytes;
    if (header == NULL)
        return false;
    struct pair pair = {.type = header[0]};
    memcpy(&name_bytes, header + 1, sizeof(name_bytes));
    memcpy(&pair.data_bytes, header + 3, sizeof(pair.data_bytes));
    memcpy(&pair.items_n, header + 11, sizeof(pair.items_n));
    const unsigned char *name = take(reader, name_bytes);
    if (name == NULL || name_bytes == 0 || name[name_bytes - 1] != '\0')
        return false;
    pair.name = (const char *)name;
    /* their data is read as pairs */
    const bool inner = pair.type == LIST || pair.type == LIST_ARRAY;
    if (!inner && (pair.data = take(reader, pair.data_bytes)) == NULL)
        return false;
    *ret = pair;
    return true;
}

static void set_text(char ret[ST_SND_NAME_BYTES], const struct pair *pair)
{
    st_safe_copy(ret, ST_SND_NAME_BYTES, (const char *)pair->data, (size_t)pair->data_bytes);
}

/** A channel without any pair: its counter of xruns is missing. */
static const struct st_snd_channel none = {.xruns_n = UINT64_MAX};

/** Takes one pair (name and value) of a channel. */
static void note(struct st_snd_channel *channel, const struct pair *pair)
{
    if (pair->type == STRING && st_text_is(pair->name, "name")) {
        set_text(channel->name, pair);
        channel->is_virtual = strstr(channel->name, "virtual") != NULL;
    } else if (pair->type == STRING && st_text_is(pair->name, "comm")) {
        set_text(channel->program, pair);
    }
    uint64_t n;
    if (pair->type != NUMBER || pair->data_bytes != sizeof(n))
        return;
    memcpy(&n, pair->data, sizeof(n));
    if (st_text_is(pair->name, "pid")) {
        channel->pid = (int64_t)n * (n <= INT32_MAX); /* (pid_t)-1 if no one opened the channel */
    } else if (st_text_is(pair->name, "interrupts")) {
        channel->interrupts_n = n;
    } else if (st_text_is(pair->name, "feedcount")) {
        channel->feeds_n = n;
    } else if (st_text_is(pair->name,
                          strstr(channel->name, "record") ? "swbuf_free" : "swbuf_ready")) {
        channel->stuck = n == 0;
    } else if (st_text_is(pair->name, "xruns")) {
        channel->xruns_n = n;
    }
}

int64_t st_sndstat_nvlist(const unsigned char *bytes, size_t n,
                          void (*fn)(void *ctx, const struct st_snd_channel *channel), void *ctx)
{
    struct reader reader = {.at = bytes, .left = n};
    struct level levels[DEPTH_MAX] = {{.left_n = 0}};
    struct st_snd_channel channel = none;
    size_t depth = 0;
    int64_t channels_n = 0;
    /* from_user: a program registered the current device, whose figures are not trusted */
    bool from_user = false;
    struct pair pair;
    if (!take_header(&reader) || size_of(bytes) != reader.left)
        return -EBADMSG;
    while (reader.left > 0) {
        if (!take_pair(&reader, &pair))
            return -EBADMSG;
        struct level *level = &levels[depth];
        if (pair.type == LIST || pair.type == LIST_ARRAY) {
            if (++depth == DEPTH_MAX || !take_header(&reader) ||
                (pair.type == LIST_ARRAY && pair.items_n == 0))
                return -EBADMSG;
            levels[depth] = (struct level){.left_n = pair.items_n * (pair.type == LIST_ARRAY),
                                           .channels = st_text_is(pair.name, "channel_info")};
            channel = none;
        } else if (pair.type == LIST_UP || pair.type == ARRAY_NEXT) {
            if (depth == 0 || (pair.type == LIST_UP) != (level->left_n == 0))
                return -EBADMSG;
            if (level->channels && pair.type == ARRAY_NEXT && channel.xruns_n != none.xruns_n &&
                !from_user && channel.name[0] != '\0') {
                fn(ctx, &channel);
                channels_n++;
            }
            channel = none;
            if (pair.type == ARRAY_NEXT && --level->left_n > 0) {
                if (!take_header(&reader))
                    return -EBADMSG;
            } else {
                depth--;
            }
        } else if (level->channels) {
            note(&channel, &pair);
        } else if (pair.type == BOOL && pair.data_bytes == 1 &&
                   st_text_is(pair.name, "from_user")) {
            from_user = pair.data[0] != 0;
        }
    }
    return depth == 0 ? channels_n : -EBADMSG;
}

/* Xruns from the counters of sound(4)'s channels.
 *
 * A counter counts from the start of a channel: if the counter, the feeds or the interrupts are
 * lower than before, or if another program has the channel, all counted xruns are new. A virtual
 * channel has an underrun if its program was not ready while the mixer fed the device; underruns
 * of a hardware channel are the device's own. The kernel counts fragments, not gaps: a gap of 100
 * ms is some twenty fragments. All fragments that were lost between two readings count as one gap.
 * They continue the gap of the reading before if the program's buffer was stuck at that reading,
 * and since then was filled again, or is still stuck and each feed was an underrun (feed_root in
 * sys/dev/sound/pcm/feeder.c: a feed that finds too little is an underrun). SNDCTL_DSP_GETERROR
 * would clear the counter, so it is never called. */

void st_sndstat_look_begin(struct st_snd_counters *counters)
{
    memset(counters->present, 0, sizeof(counters->present));
}

static bool began_anew(const struct st_snd_channel *before, const struct st_snd_channel *now)
{
    return now->xruns_n < before->xruns_n || now->feeds_n < before->feeds_n ||
           now->interrupts_n < before->interrupts_n || now->pid != before->pid;
}

/** Reports an xrun. fragments_n: lost since the last reading; goes_on: the gap of the last reading
 * continues. */
static void report(const struct st_snd_channel *channel, uint64_t fragments_n, bool goes_on,
                   st_xrun_seen_fn seen, void *ctx)
{
    struct st_xrun_seen sighting = {.event = {.kind = ST_EVENT_DEVICE_DROPOUT,
                                              .count_n = !goes_on,
                                              .certainty = ST_CERTAINTY_EXACT}};
    ST_PRINT(sighting.event.device, "%s", channel->name);
    ST_PRINT(sighting.event.client, "%s", channel->program);
    if (channel->is_virtual) {
        sighting.event.kind = ST_EVENT_CLIENT_DROPOUT;
        sighting.event.cycles_n = (int64_t)ST_MIN(fragments_n, INT32_MAX);
    }
    seen(ctx, &sighting);
}

void st_sndstat_look_at(struct st_snd_counters *counters, const struct st_snd_channel *channel,
                        st_xrun_seen_fn seen, void *ctx)
{
    size_t i = 0;
    while (i < counters->n && !st_text_is(counters->channels[i].name, channel->name))
        i++;
    if (i == ST_SND_CHANNELS_MAX)
        return;
    uint64_t n = channel->xruns_n;
    bool goes_on = false;
    if (i < counters->n) {
        const struct st_snd_channel *before = &counters->channels[i];
        const bool anew = began_anew(before, channel);
        n -= before->xruns_n * !anew;
        goes_on =
            before->stuck && !anew && (!channel->stuck || channel->feeds_n - before->feeds_n <= n);
    } else {
        counters->n++;
        n *= counters->looked; /* at the first reading, earlier xruns are not new */
    }
    if (n > 0)
        report(channel, n, goes_on, seen, ctx);
    counters->channels[i] = *channel;
    counters->channels[i].stuck = channel->stuck && channel->pid > 0 && n > 0;
    counters->present[i] = true;
}

void st_sndstat_look_end(struct st_snd_counters *counters)
{
    size_t to = 0;
    for (size_t i = 0; i < counters->n; i++) {
        if (counters->present[i])
            counters->channels[to++] = counters->channels[i];
    }
    counters->n = to;
    counters->looked = true;
}
