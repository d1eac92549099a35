/* Channels of /dev/sndstat. A channel is a line that holds "]: spd N", the name before it in brackets, behind
 * it perhaps ", pid N (PROGRAM)"; its counters, "interrupts N, underruns N[, feed N]", follow on the next
 * line. */
#include "platform/xrun/sndstat.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text/safe.h"
#include "platform/proc.h"

#define MARK "]: spd "

/** Finds `word` before `end`. @return behind it, or NULL. */
static const char *behind(const char *from, const char *end, const char *word)
{
    const char *found = strstr(from, word);
    return found != NULL && found < end ? found + strlen(word) : NULL;
}

/** The line that begins a channel. @return false when it is another line. */
static bool read_header(const char *line, const char *end, struct st_snd_channel *channel)
{
    const char *mark = behind(line, end, MARK), *open = NULL;
    if (mark == NULL)
        return false;
    const char *close = mark - strlen(MARK);
    for (const char *at = line; at < close; at++)
        open = *at == '[' ? at : open;
    if (open == NULL)
        return false;
    *channel = (struct st_snd_channel){.pid = 0};
    (void)st_safe_copy(channel->name, sizeof(channel->name), open + 1, (size_t)(close - open - 1));
    channel->is_virtual = strstr(channel->name, "virtual") != NULL;
    const char *pid = behind(mark, end, ", pid ");
    uint64_t n;
    if (pid == NULL || st_proc_u64(&pid, &n) != 0 || n > INT32_MAX)
        return true;
    channel->pid = (int64_t)n;
    if (pid < end &&
        strncmp(pid, " (", 2) == 0) { /* the name may hold anything: the line's last ')' ends it */
        const char *name = pid + 2, *last = end;
        while (last > name && *last != ')')
            last--;
        (void)st_safe_copy(channel->program, sizeof(channel->program), name, (size_t)(last - name));
    }
    return true;
}

/** "interrupts N, underruns N" or "overruns". @return false when it is another line. */
static bool read_counters(const char *line, const char *end, struct st_snd_channel *channel)
{
    const char *at = behind(line, end, "interrupts "), *xruns, *feed;
    if (at == NULL || st_proc_u64(&at, &channel->interrupts_n) != 0)
        return false;
    xruns = behind(at, end, ", underruns ");
    if (xruns == NULL)
        xruns = behind(at, end, ", overruns ");
    if (xruns == NULL || st_proc_u64(&xruns, &channel->xruns_n) != 0)
        return false;
    feed = behind(xruns, end, ", feed ");
    if (feed != NULL && st_proc_u64(&feed, &channel->feeds_n) != 0)
        return false;
    return true;
}

int st_sndstat_next(const char **text, struct st_snd_channel *ret)
{
    struct st_snd_channel channel;
    bool in_channel = false;
    while (**text != '\0') {
        const char *line = *text, *end = line + strcspn(line, "\n");
        *text = *end == '\n' ? end + 1 : end;
        if (read_header(line, end, &channel)) {
            in_channel = true;
        } else if (in_channel && read_counters(line, end, &channel)) {
            *ret = channel;
            return 0;
        }
    }
    return -ENODATA;
}

/* A packed nvlist is a header and pairs; a pair is a header, its name with '\0', and its data. The data of a
 * list is another header, its pairs behind it and a pair "up"; of an array of lists the same for each
 * element, with a pair "next" behind it. */

#define HEADER_BYTES 19 /* magic, version, flags, descriptors (8), size (8) */
#define PAIR_BYTES   19 /* type, bytes of the name (2), of the data (8), items (8) */
#define MAGIC        0x6c
#define BIG_ENDIAN_F 0x80
#define DEPTH_MAX    16

enum { BOOL = 2, NUMBER = 3, STRING = 4, LIST = 5, LIST_ARRAY = 11, ARRAY_NEXT = 254, LIST_UP = 255 };

struct reader {
    const unsigned char *at;
    size_t left;
};

struct pair {
    unsigned type;
    const char *name;
    const unsigned char *data; /* of a type that is no list */
    uint64_t data_bytes, items_n;
};

/** Where we are: in a list (0 elements left), or in an array. */
struct level {
    uint64_t left_n;
    bool channels; /* its elements are channels */
};

static const unsigned char *take(struct reader *reader, uint64_t n)
{
    if (n > reader->left)
        return NULL;
    const unsigned char *at = reader->at;
    reader->at += n;
    reader->left -= n;
    return at;
}

static bool take_header(struct reader *reader)
{
    static const union {
        uint16_t number;
        unsigned char first;
    } order = {.number = 1};
    const unsigned char *header = take(reader, HEADER_BYTES);
    return header != NULL && header[0] == MAGIC && ((header[2] & BIG_ENDIAN_F) == 0) == (order.first == 1);
}

/** What the outermost header says is behind it. */
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
    const bool inner = pair.type == LIST || pair.type == LIST_ARRAY; /* their data is read as pairs */
    if (!inner && (pair.data = take(reader, pair.data_bytes)) == NULL)
        return false;
    *ret = pair;
    return true;
}

static void set_text(char ret[ST_SND_NAME_BYTES], const struct pair *pair)
{
    (void)st_safe_copy(ret, ST_SND_NAME_BYTES, (const char *)pair->data, pair->data_bytes);
}

/** A pair of a channel. */
static void note(struct st_snd_channel *channel, bool *has_xruns, const struct pair *pair)
{
    if (pair->type == STRING && strcmp(pair->name, "name") == 0) {
        set_text(channel->name, pair);
        channel->is_virtual = strstr(channel->name, "virtual") != NULL;
    } else if (pair->type == STRING && strcmp(pair->name, "comm") == 0) {
        set_text(channel->program, pair);
    }
    uint64_t n;
    if (pair->type != NUMBER || pair->data_bytes != sizeof(n))
        return;
    memcpy(&n, pair->data, sizeof(n));
    if (strcmp(pair->name, "pid") == 0) {
        channel->pid = n <= INT32_MAX ? (int64_t)n : 0; /* (pid_t)-1 where no one has it open */
    } else if (strcmp(pair->name, "interrupts") == 0) {
        channel->interrupts_n = n;
    } else if (strcmp(pair->name, "feedcount") == 0) {
        channel->feeds_n = n;
    } else if (strcmp(pair->name, "xruns") == 0) {
        channel->xruns_n = n;
        *has_xruns = true;
    }
}

int64_t st_sndstat_nvlist(const unsigned char *bytes, size_t n,
                          void (*fn)(void *ctx, const struct st_snd_channel *channel), void *ctx)
{
    struct reader reader = {.at = bytes, .left = n};
    struct level levels[DEPTH_MAX] = {{.left_n = 0}};
    struct st_snd_channel channel = {.pid = 0};
    size_t depth = 0;
    int64_t channels_n = 0;
    bool has_xruns = false, from_user = false; /* of this device: a program says what it likes */
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
            levels[depth] = (struct level){.left_n = pair.type == LIST ? 0 : pair.items_n,
                                           .channels = strcmp(pair.name, "channel_info") == 0};
            channel = (struct st_snd_channel){.pid = 0};
            has_xruns = false;
        } else if (pair.type == LIST_UP || pair.type == ARRAY_NEXT) {
            if (depth == 0 || (pair.type == LIST_UP) != (level->left_n == 0))
                return -EBADMSG;
            if (level->channels && pair.type == ARRAY_NEXT && has_xruns && !from_user &&
                channel.name[0] != '\0') {
                fn(ctx, &channel);
                channels_n++;
            }
            channel = (struct st_snd_channel){.pid = 0};
            has_xruns = false;
            if (pair.type == ARRAY_NEXT && --level->left_n > 0) {
                if (!take_header(&reader))
                    return -EBADMSG;
            } else {
                depth--;
            }
        } else if (level->channels) {
            note(&channel, &has_xruns, &pair);
        } else if (pair.type == BOOL && pair.data_bytes == 1 && strcmp(pair.name, "from_user") == 0) {
            from_user = pair.data[0] != 0;
        }
    }
    return depth == 0 ? channels_n : -EBADMSG;
}

/* Xruns from the counters of sound(4)'s channels.
 *
 * A counter belongs to one start of a channel: where it, the feeds or the interrupts went back, or another
 * program has the channel, all of it is new. Underruns of a virtual channel are a program that was not ready
 * while the mixer fed the device on; those of a hardware channel are the device's. The kernel counts
 * fragments, not gaps: a gap of 100 ms is some twenty. SNDCTL_DSP_GETERROR would clear the counter: it is
 * never called. */

#define TEXT_BYTES (64 * 1024)
#define PATH       "/dev/sndstat"

/* --- counters --- */

void st_sndstat_look_begin(struct st_snd_counters *counters)
{
    memset(counters->present, 0, sizeof(counters->present));
}

static bool began_anew(const struct st_snd_channel *before, const struct st_snd_channel *now)
{
    return now->xruns_n < before->xruns_n || now->feeds_n < before->feeds_n ||
           now->interrupts_n < before->interrupts_n || now->pid != before->pid;
}

static void tell(const struct st_snd_channel *channel, uint64_t n, st_xrun_seen_fn seen, void *ctx)
{
    struct st_xrun_seen sighting = {.certainty = ST_CERTAINTY_EXACT};
    const int64_t count = n > INT32_MAX ? INT32_MAX : (int64_t)n;
    snprintf(sighting.device, sizeof(sighting.device), "%s", channel->name);
    snprintf(sighting.client, sizeof(sighting.client), "%s", channel->program);
    if (channel->is_virtual)
        sighting.starved_n = count;
    else
        sighting.device_xruns_n = count;
    seen(ctx, &sighting);
}

void st_sndstat_look_at(struct st_snd_counters *counters, const struct st_snd_channel *channel,
                        st_xrun_seen_fn seen, void *ctx)
{
    size_t i = 0;
    while (i < counters->n && strcmp(counters->channels[i].name, channel->name) != 0)
        i++;
    if (i == ST_SND_CHANNELS_MAX)
        return;
    uint64_t n = channel->xruns_n;
    if (i < counters->n) {
        n -= began_anew(&counters->channels[i], channel) ? 0 : counters->channels[i].xruns_n;
    } else {
        counters->n++;
        n = counters->looked ? n : 0; /* at the first look: what was before it */
    }
    if (n > 0)
        tell(channel, n, seen, ctx);
    counters->channels[i] = *channel;
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

/* --- the text --- */

struct sndstat {
    struct st_snd_counters counters;
    char text[TEXT_BYTES];
};

static int read_sndstat(struct st_xrun_watch *w)
{
    struct sndstat *sndstat = w->state;
    size_t len;
    const int r = w->platform->read_text(w->platform, PATH, sndstat->text, sizeof(sndstat->text), &len);
    if (r == -ENOENT)
        return st_xrun_because(w, r, "no sound(4) on this system: " PATH " does not exist");
    return r == 0 || r == -EFBIG ? 0 : st_xrun_because(w, r, "cannot read " PATH ": %s", strerror(-r));
}

static int check_verbose(struct st_xrun_watch *w)
{
    char text[32];
    size_t len;
    const int r = w->platform->read_sysctl(w->platform, "hw.snd.verbose", text, sizeof(text), &len);
    if (r < 0)
        return st_xrun_because(w, r, "cannot read hw.snd.verbose: %s", strerror(-r));
    if (strtol(text, NULL, 10) < 2)
        return st_xrun_because(w, -ENOENT, PATH " shows no counters: hw.snd.verbose is %s, and 2 is needed",
                               text);
    return 0;
}

static int poll_sndstat(struct st_xrun_watch *w, st_xrun_seen_fn seen, void *ctx)
{
    struct sndstat *sndstat = w->state;
    int r = read_sndstat(w);
    if (r < 0)
        return r == -EBUSY ? 0 : r; /* before 13 one reader at a time: next time */
    struct st_snd_channel channel;
    const char *at = sndstat->text;
    size_t n = 0;
    st_sndstat_look_begin(&sndstat->counters);
    for (; st_sndstat_next(&at, &channel) == 0; n++)
        st_sndstat_look_at(&sndstat->counters, &channel, seen, ctx);
    st_sndstat_look_end(&sndstat->counters);
    if (n == 0) /* verbose was lowered, or the last card has gone */
        r = check_verbose(w);
    if (r == 0)
        st_xrun_because(w, 0, "%zu channels in " PATH "%s", n,
                        n > ST_SND_CHANNELS_MAX ? ", not all of them watched" : "");
    return r;
}

static void close_sndstat(struct st_xrun_watch *w)
{
    free(w->state);
}

static int open_sndstat(struct st_xrun_watch *w)
{
    w->state = calloc(1, sizeof(struct sndstat));
    if (w->state == NULL)
        return st_xrun_because(w, -ENOMEM, "out of memory");
    int r = read_sndstat(w);
    if (r == 0)
        r = check_verbose(w);
    if (r < 0)
        close_sndstat(w);
    return r;
}

const struct st_xrun_ops st_xrun_sndstat_ops = {
    .open = open_sndstat, .poll = poll_sndstat, .close = close_sndstat};
