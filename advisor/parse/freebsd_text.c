/* Parsers of FreeBSD's text files, captured or on the machine: assignments, /dev/sndstat. */
#include "advisor/parse/freebsd_text.h"

#include "core/text/pattern.h"

#define LINE_BYTES 2048
#define NAME_BYTES 128
#define LINES_MAX  65536

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

/* --- assignments: loader.conf, sysctl.conf, rc.conf --- */

/** Reads a value: a quoted one, which may span lines that are joined as by a shell, or an unquoted
 * one up to a blank, '#' or ';'. Moves *at behind it. @return false: the closing quote is missing,
 * or the value has a shell's '$' or '`'. */
static bool take_value(const char **at, char *ret, size_t bytes)
{
    const char *from = *at, quote[] = {*from, '\0'};
    const bool is_quoted = *from == '"' || *from == '\'';
    from += is_quoted;
    const size_t len = strcspn(from, is_quoted ? quote : " \t#;\r\n");
    const bool is_whole = st_text_copy(ret, bytes, from, len) && (!is_quoted || from[len] != '\0');
    if (!is_whole)
        snprintf(ret, bytes, "%.*s", (int)strcspn(from, "\r\n"), from);
    else
        *at = from + len;
    for (char *end = strchr(ret, '\n'); end != NULL; end = strchr(ret, '\n')) {
        const bool goes_on = end > ret && end[-1] == '\\';
        memmove(end - goes_on, end, strlen(end) + 1);
        end[-goes_on] = ' ';
    }
    return is_whole && strpbrk(ret, "$`") == NULL;
}

int st_freebsd_text_assignments(struct st_facts *facts, const char *prefix,
                                const char *const *wanted, const char *text, const char *source)
{
    char value[LINE_BYTES];
    for (const char *at = text; *at != '\0'; at = st_text_next_line(at)) {
        const char *name = at + strspn(at, " \t");
        const size_t len = strspn(name, LETTERS ".%-");
        const char *mark = name + len + strspn(name + len, " \t");
        if (len == 0 || len >= NAME_BYTES || *mark != '=' || !st_text_begins_among(name, wanted))
            continue;
        const char *key = st_text("%s%.*s", prefix, (int)len, name);
        at = mark + 1 + strspn(mark + 1, " \t");
        if (take_value(&at, value, sizeof(value)))
            st_facts_put_text(facts, key, value, source);
        else
            st_facts_put_state(facts, key, ST_FACT_MALFORMED, 0, value, source);
    }
    return facts->error;
}

/* --- /dev/sndstat: FreeBSD 13 and older have a channel's counters on one line, 15 on several
 * --- */

#define UNIT_MAX 255
#define RATE_MAX 10000000

struct walk {
    struct st_facts *facts;
    const char *source;
    int unit;         /* unit of the device that is read now; -1: outside of a device */
    bool hw_play;     /* the lines read now are about a hardware channel that plays */
    bool has_play;    /* the first hardware channel of this device that plays was read */
    unsigned rate_hz; /* hardware rate of the playback channel that is read now */
    unsigned format;
};

/** Begins a device: "pcm0: <Generic (Analog)> on hdaa0 (1p:1v/1r:0v) default", "... at ? kld
 * snd_uaudio ...",
 * "... (play/rec) default". Puts its parent. */
static void device(struct walk *w, const char *line)
{
    struct st_pattern_parts parts;
    const char *rest = strrchr(line, '>');
    w->unit = -1;
    w->hw_play = w->has_play = false;
    if (rest == NULL || !st_pattern_match(line, "pcm%d: <", &parts) ||
        strtoul(parts.text[0], NULL, 10) > UNIT_MAX)
        return;
    w->unit = (int)strtoul(parts.text[0], NULL, 10);
    if (st_pattern_match(rest, "* on %s", &parts) || st_pattern_match(rest, "* kld %s", &parts))
        st_facts_put_text(w->facts, st_text(ST_KEYS_FREEBSD_SNDSTAT "pcm%d.parent", w->unit),
                          parts.text[0], w->source);
}

/** Bytes of one sample of one channel in a format word (AFMT_* of sys/sys/soundcard.h); 0: not
 * known. */
static unsigned sample_bytes(unsigned format)
{
    static const struct {
        unsigned mask;
        unsigned bytes;
    } rows[] = {{0x48, 1}, {0x1b0, 2}, {0xf000, 4}, {0xf0000, 3}};
    ST_EACH (row, rows) {
        if ((format & row->mask) != 0)
            return row->bytes;
    }
    return 0;
}

/** Of a pair "A/B" of numbers, returns B, which is the value of the hardware. */
static unsigned long of_hardware(const char *pair, int base)
{
    return strtoul(st_text_base(pair), NULL, base);
}

/** Reads rate and format of a playback channel: "[dsp0.play.0]: spd 48000, fmt
 * 0x00200010/0x00201000, flags
 * ...". */
static void channel(struct walk *w, const char *line)
{
    struct st_pattern_parts parts;
    w->hw_play = false;
    if (w->has_play || !st_pattern_match(line, "[*play*]: spd %s fmt %s", &parts))
        return;
    const unsigned long rate = of_hardware(parts.text[0], 10),
                        format = of_hardware(parts.text[1], 16);
    if (rate == 0 || rate > RATE_MAX || format > UINT32_MAX)
        return;
    w->rate_hz = (unsigned)rate;
    w->format = (unsigned)format;
    w->hw_play = true;
}

/** Reads "[b:size/block/blocks|bs:...]", where b is the hardware's ring, and puts its blocks'
 * length. */
static void ring(struct walk *w, const char *line)
{
    unsigned size, block, blocks;
    const char *at = strstr(line, "[b:");
    const unsigned frame = sample_bytes(w->format) * ((w->format >> 20) & 0x7f);
    if (!w->hw_play || at == NULL || sscanf(at, "[b:%9u/%9u/%9u|", &size, &block, &blocks) != 3)
        return;
    w->hw_play = false;
    w->has_play = true;
    if (frame != 0 && block != 0)
        st_facts_put_int(w->facts, st_text(ST_KEYS_FREEBSD_SNDSTAT "pcm%d.play.block_us", w->unit),
                         (int64_t)block * 1000000 / ((int64_t)w->rate_hz * frame), w->source);
}

int st_freebsd_text_sndstat(struct st_facts *facts, const char *text, const char *source)
{
    struct walk w = {.facts = facts, .source = source, .unit = -1};
    char line[LINE_BYTES];
    const char *end = text + strlen(text);
    bool known = false;
    for (int n = 0; n < LINES_MAX && st_text_line(&text, end, line, sizeof(line)); n++) {
        const char *inside = line + strspn(line, " \t");
        known = known || st_text_begins(line, "Installed devices") ||
                st_text_begins(line, "No devices installed");
        if (st_text_begins(line, "pcm") && strstr(line, ": <") != NULL) {
            known = true;
            device(&w, line);
        } else if (inside == line && (strstr(line, ": <") != NULL || st_text_ends(line, ":"))) {
            /* another kind of device begins; a line that only lost its indentation in a post does
             * not look like this */
            w.unit = -1;
        } else if (w.unit >= 0) {
            if (strstr(inside, "]: spd ") != NULL)
                channel(&w, inside);
            ring(&w, inside);
        }
    }
    return known ? facts->error : -EBADMSG;
}
