/* The text of /dev/sndstat: FreeBSD 13 and older have a channel's counters on one line, 15 on several. */
#include "advisor/parse/capture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES 2048
#define LINES_MAX  65536
#define UNIT_MAX   255
#define RATE_MAX   10000000

struct walk {
    struct st_facts *facts;
    const char *source;
    int unit;         /* -1: outside of a device */
    bool hw_play;     /* the channel of these lines plays and is no virtual one */
    bool has_play;    /* the first one of this device has been seen */
    unsigned rate_hz; /* of that channel's hardware side */
    unsigned format;
    int64_t xruns;
};

static int put_text(struct walk *w, const char *leaf, const char *text)
{
    char key[64];
    snprintf(key, sizeof(key), "freebsd.sndstat.pcm%d.%s", w->unit, leaf);
    return st_facts_put_text(w->facts, key, text, text, w->source);
}

static int put_int(struct walk *w, const char *leaf, int64_t value, const char *raw)
{
    char key[64];
    snprintf(key, sizeof(key), "freebsd.sndstat.pcm%d.%s", w->unit, leaf);
    return st_facts_put_int(w->facts, key, value, raw, w->source);
}

/** The word behind `mark` in `rest`, "" when there is none. */
static void word_after(const char *rest, const char *mark, char *ret, size_t ret_bytes)
{
    const char *at = strstr(rest, mark);
    ret[0] = '\0';
    if (at != NULL) {
        at += strlen(mark);
        snprintf(ret, ret_bytes, "%.*s", (int)strcspn(at, " \t"), at);
    }
}

/** "pcm0: <Generic (Analog)> on hdaa0 (1p:1v/1r:0v) default", "... at ? kld snd_uaudio ...", "... (play/rec)
 * default". */
static int device(struct walk *w, char *line)
{
    char *end = NULL, parent[64];
    char *open = strchr(line, '<'), *close = strrchr(line, '>');
    const unsigned long unit = strtoul(line + 3, &end, 10);
    w->unit = -1;
    w->hw_play = w->has_play = false;
    w->xruns = 0;
    if (end == line + 3 || *end != ':' || unit > UNIT_MAX || open == NULL || close == NULL || close < open)
        return 0;
    w->unit = (int)unit;
    *close = '\0';
    const char *rest = close + 1;
    int r = put_text(w, "desc", open + 1);
    word_after(rest, " on ", parent, sizeof(parent));
    if (parent[0] == '\0')
        word_after(rest, " kld ", parent, sizeof(parent));
    if (r == 0 && parent[0] != '\0')
        r = put_text(w, "parent", parent);
    const size_t len = strlen(rest);
    if (r == 0 && len >= 8 && strcmp(rest + len - 8, " default") == 0)
        r = put_int(w, "default", 1, rest);
    return r;
}

/** Bytes of a sample of one channel in a format word; 0: not known. sys/sys/soundcard.h AFMT_* */
static unsigned sample_bytes(unsigned format)
{
    static const struct {
        unsigned mask;
        unsigned bytes;
    } rows[] = {{0x48, 1}, {0x1b0, 2}, {0xf000, 4}, {0xf0000, 3}};
    for (size_t i = 0; i < ST_ARRAY_LEN(rows); i++) {
        if ((format & rows[i].mask) != 0)
            return rows[i].bytes;
    }
    return 0;
}

/** "[dsp0.play.0]: spd 48000, fmt 0x00200010/0x00201000, flags ...": behind '/' is the hardware's side. */
static void channel(struct walk *w, const char *line)
{
    const char *spd = strstr(line, "]: spd "), *fmt = strstr(line, ", fmt 0x");
    char *end;
    w->hw_play = false;
    if (spd == NULL || fmt == NULL || line[0] != '[' || w->has_play ||
        (strstr(line, ":play:") == NULL && strstr(line, ".play.") == NULL))
        return;
    unsigned long rate = strtoul(spd + 7, &end, 10);
    if (*end == '/')
        rate = strtoul(end + 1, NULL, 10);
    unsigned long format = strtoul(fmt + 6, &end, 16);
    if (*end == '/')
        format = strtoul(end + 1, NULL, 16);
    if (rate == 0 || rate > RATE_MAX || format > UINT32_MAX)
        return;
    w->rate_hz = (unsigned)rate;
    w->format = (unsigned)format;
    w->hw_play = true;
}

/** "[b:size/block/blocks|bs:...]": b is the hardware's ring. */
static int ring(struct walk *w, const char *line)
{
    unsigned size, block, blocks;
    const char *at = strstr(line, "[b:");
    const unsigned frame = sample_bytes(w->format) * ((w->format >> 20) & 0x7f);
    if (!w->hw_play || at == NULL || sscanf(at, "[b:%9u/%9u/%9u|", &size, &block, &blocks) != 3)
        return 0;
    w->hw_play = false;
    w->has_play = true;
    const int r = put_int(w, "play.rate_hz", w->rate_hz, line);
    if (r != 0 || frame == 0 || block == 0)
        return r;
    return put_int(w, "play.block_us", (int64_t)block * 1000000 / ((int64_t)w->rate_hz * frame), line);
}

static int counters(struct walk *w, const char *line)
{
    const char *at = strstr(line, "underruns ");
    int64_t n;
    if (at == NULL)
        at = strstr(line, "overruns ");
    if (strncmp(line, "interrupts ", 11) != 0 || at == NULL)
        return 0;
    char *end;
    errno = 0;
    n = strtoll(at + strcspn(at, " ") + 1, &end, 10);
    if (errno != 0 || n < 0 || w->xruns > INT64_MAX - n)
        return 0;
    w->xruns += n;
    return put_int(w, "xruns", w->xruns, line);
}

int st_capture_sndstat(struct st_facts *facts, const char *text, size_t bytes, const char *source)
{
    struct walk w = {.facts = facts, .source = source, .unit = -1};
    char line[LINE_BYTES];
    const char *end = text + bytes;
    bool known = false;
    int r = 0;
    for (int n = 0; r == 0 && n < LINES_MAX && st_capture_line(&text, end, line, sizeof(line)); n++) {
        const char *inside = line + strspn(line, " \t");
        known = known || strncmp(line, "Installed devices", 17) == 0 ||
                strncmp(line, "No devices installed", 20) == 0;
        if (strncmp(line, "pcm", 3) == 0 && strstr(line, ": <") != NULL) {
            known = true;
            r = device(&w, line);
        } else if (inside == line && line[0] != '[') {
            w.unit = -1; /* another kind of device */
        } else if (w.unit >= 0) {
            if (strstr(inside, "]: spd ") != NULL)
                channel(&w, inside);
            r = counters(&w, inside);
            if (r == 0)
                r = ring(&w, inside);
        }
    }
    return known ? r : -EBADMSG;
}
