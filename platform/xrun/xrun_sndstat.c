/* Xruns from the counters of sound(4)'s channels.
 *
 * A counter belongs to one start of a channel: where it, the feeds or the interrupts went back, or another
 * program has the channel, all of it is new. Underruns of a virtual channel are a program that was not ready
 * while the mixer fed the device on; those of a hardware channel are the device's. The kernel counts
 * fragments, not gaps: a gap of 100 ms is some twenty. SNDCTL_DSP_GETERROR would clear the counter: it is
 * never called. */
#include "platform/xrun/xrun_sndstat.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES (64 * 1024)
#define PATH       "/dev/sndstat"

/* --- counters --- */

void st_snd_look_begin(struct st_snd_counters *counters)
{
    memset(counters->present, 0, sizeof(counters->present));
}

static bool began_anew(const struct st_snd_channel *before, const struct st_snd_channel *now)
{
    return now->xruns_n < before->xruns_n || now->feeds_n < before->feeds_n ||
           now->interrupts_n < before->interrupts_n || now->pid != before->pid;
}

static void tell(const struct st_snd_channel *channel, uint64_t n, bool new_epoch, st_xrun_seen_fn seen,
                 void *ctx)
{
    struct st_xrun_seen sighting = {.certainty = ST_CERTAINTY_EXACT, .new_epoch = new_epoch};
    const int64_t count = n > INT32_MAX ? INT32_MAX : (int64_t)n;
    snprintf(sighting.device, sizeof(sighting.device), "%s", channel->name);
    snprintf(sighting.client, sizeof(sighting.client), "%s", channel->program);
    if (channel->is_virtual)
        sighting.starved_n = count;
    else
        sighting.device_xruns_n = count;
    seen(ctx, &sighting);
}

void st_snd_look_at(struct st_snd_counters *counters, const struct st_snd_channel *channel,
                    st_xrun_seen_fn seen, void *ctx)
{
    size_t i = 0;
    while (i < counters->n && strcmp(counters->channels[i].name, channel->name) != 0)
        i++;
    if (i == ST_SND_CHANNELS_MAX)
        return;
    uint64_t n = channel->xruns_n;
    bool new_epoch = false;
    if (i < counters->n) {
        new_epoch = began_anew(&counters->channels[i], channel);
        n -= new_epoch ? 0 : counters->channels[i].xruns_n;
    } else {
        counters->n++;
        n = counters->looked ? n : 0; /* at the first look: what was before it */
    }
    if (n > 0 || new_epoch)
        tell(channel, n, new_epoch, seen, ctx);
    counters->channels[i] = *channel;
    counters->present[i] = true;
}

void st_snd_look_end(struct st_snd_counters *counters)
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
        return st_xrun_because(w, r, "this system has no sound(4): " PATH " is not there");
    return r == 0 || r == -EFBIG ? 0 : st_xrun_because(w, r, PATH " cannot be read: %s", strerror(-r));
}

static int check_verbose(struct st_xrun_watch *w)
{
    char text[32];
    size_t len;
    const int r = w->platform->read_sysctl(w->platform, "hw.snd.verbose", text, sizeof(text), &len);
    if (r < 0)
        return st_xrun_because(w, r, "hw.snd.verbose cannot be read: %s", strerror(-r));
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
    st_snd_look_begin(&sndstat->counters);
    for (; st_sndstat_next(&at, &channel) == 0; n++)
        st_snd_look_at(&sndstat->counters, &channel, seen, ctx);
    st_snd_look_end(&sndstat->counters);
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
