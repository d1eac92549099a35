/* Lines of helper programs. */
#include "platform/xrun/xrun_line.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/text/safe.h"
#include "platform/proc.h"

#define COUNT_MAX UINT64_C(1000000000) /* more in one line is no count */

static int hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/** Reads a name up to a blank, as safe text. @return what is behind it, NULL when it is malformed. */
static const char *read_name(const char *text, char ret[ST_XRUN_NAME_BYTES])
{
    char name[ST_XRUN_NAME_BYTES];
    size_t n = 0;
    for (; *text != '\0' && *text != ' '; text++) {
        char c = *text;
        if (c == '%') {
            const int high = hex(text[1]), low = high >= 0 ? hex(text[2]) : -1;
            if (low < 0)
                return NULL;
            c = (char)(high * 16 + low);
            text += 2;
        }
        if (n + 1 < ST_XRUN_NAME_BYTES)
            name[n++] = c != '\0' ? c : '?';
    }
    name[n] = '\0';
    memset(ret, 0, ST_XRUN_NAME_BYTES); /* nothing behind its end, of this name or of one before it */
    (void)st_safe_copy(ret, ST_XRUN_NAME_BYTES, name, ST_TEXT_TO_NUL);
    return text;
}

/** Reads a count up to a blank. @return as read_name. */
static const char *read_count(const char *text, int64_t *ret)
{
    uint64_t n;
    if (*text == ' ' || st_proc_u64(&text, &n) != 0 || n > COUNT_MAX || (*text != '\0' && *text != ' '))
        return NULL;
    *ret = (int64_t)n;
    return text;
}

/** Behind `word` if the text begins with it. */
static const char *behind(const char *text, const char *word)
{
    const size_t len = strlen(word);
    return strncmp(text, word, len) == 0 ? text + len : NULL;
}

static const char *read_field(const char *text, struct st_xrun_seen *seen)
{
    const char *value;
    if ((value = behind(text, "certainty=")) != NULL) {
        seen->certainty = behind(value, "exact") != NULL ? ST_CERTAINTY_EXACT : ST_CERTAINTY_PROBABLE;
        return behind(value, st_event_certainty(seen->certainty));
    }
    if ((value = behind(text, "n=")) != NULL)
        return read_count(value, &seen->device_xruns_n);
    if ((value = behind(text, "starved=")) != NULL)
        return read_count(value, &seen->starved_n);
    if ((value = behind(text, "device=")) != NULL)
        return read_name(value, seen->device);
    if ((value = behind(text, "client=")) != NULL)
        return read_name(value, seen->client);
    return NULL;
}

static int parse_xrun(const char *text, struct st_xrun_seen *ret)
{
    struct st_xrun_seen seen = {0};
    while (*text == ' ') {
        text = read_field(text + 1, &seen);
        if (text == NULL)
            return -EBADMSG;
    }
    if (*text != '\0' || seen.certainty == ST_CERTAINTY_NONE ||
        (seen.device_xruns_n == 0 && seen.starved_n == 0))
        return -EBADMSG;
    *ret = seen;
    return 0;
}

/** The text behind the first word. @return false when there is none. */
static bool copy_text(const char *from, char ret[ST_XRUN_WHY_BYTES])
{
    if (from[0] != ' ' || from[1] == '\0')
        return false;
    (void)st_safe_copy(ret, ST_XRUN_WHY_BYTES, from + 1, ST_TEXT_TO_NUL);
    return true;
}

int st_xrun_line_parse(const char *line, struct st_xrun_line *ret)
{
    struct st_xrun_line parsed = {0};
    const char *rest;
    bool good = false;
    if ((rest = behind(line, "ready")) != NULL) {
        parsed.kind = ST_XRUN_LINE_READY;
        good = copy_text(rest, parsed.text);
    } else if ((rest = behind(line, "absent")) != NULL) {
        parsed.kind = ST_XRUN_LINE_ABSENT;
        good = copy_text(rest, parsed.text);
    } else if (strcmp(line, "alive") == 0) {
        parsed.kind = ST_XRUN_LINE_ALIVE;
        good = true;
    } else if (strcmp(line, "epoch") == 0) {
        parsed.kind = ST_XRUN_LINE_EPOCH;
        parsed.seen.new_epoch = true;
        good = true;
    } else if ((rest = behind(line, "xrun")) != NULL) {
        parsed.kind = ST_XRUN_LINE_XRUN;
        good = parse_xrun(rest, &parsed.seen) == 0;
    }
    if (!good)
        return -EBADMSG;
    *ret = parsed;
    return 0;
}

static void put_name(char *buf, size_t buf_bytes, size_t *at, const char *key, const char *name)
{
    const int n = snprintf(buf + *at, buf_bytes - *at, " %s=", key);
    *at += n > 0 && (size_t)n < buf_bytes - *at ? (size_t)n : 0;
    for (; *name != '\0' && *at + 5 < buf_bytes; name++) { /* three for this, newline and end behind it */
        const bool plain = *name > ' ' && *name <= '~' && *name != '%';
        *at += (size_t)snprintf(buf + *at, buf_bytes - *at, plain ? "%c" : "%%%02X",
                                plain ? *name : (unsigned char)*name);
    }
}

const char *st_xrun_line_format(const struct st_xrun_seen *seen, char *buf, size_t buf_bytes)
{
    const int n = snprintf(buf, buf_bytes, "xrun certainty=%s n=%" PRId64 " starved=%" PRId64,
                           st_event_certainty(seen->certainty), seen->device_xruns_n, seen->starved_n);
    size_t at = n > 0 && (size_t)n < buf_bytes ? (size_t)n : 0;
    if (seen->device[0] != '\0')
        put_name(buf, buf_bytes, &at, "device", seen->device);
    if (seen->client[0] != '\0')
        put_name(buf, buf_bytes, &at, "client", seen->client);
    if (at + 1 < buf_bytes)
        memcpy(buf + at, "\n", 2);
    return buf;
}
