/* Lines of helper programs. */
#include "platform/xrun/xrun_line.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/text/safe.h"
#include "platform/proc.h"

#define COUNT_MAX UINT64_C(1000000000)    /* more in one line is no count */
#define NS_MAX    UINT64_C(1000000000000) /* 1000 s: no cycle is longer */

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

/** Reads a time in ns up to a blank or comma. @return as read_name. */
static const char *read_ns(const char *text, int64_t *ret)
{
    uint64_t n;
    if (*text == ' ' || st_proc_u64(&text, &n) != 0 || n > NS_MAX ||
        (*text != '\0' && *text != ' ' && *text != ','))
        return NULL;
    *ret = (int64_t)n;
    return text;
}

/** "MEDIAN,P99,MAX". @return as read_name. */
static const char *read_three_ns(const char *text, int64_t *median, int64_t *p99, int64_t *max)
{
    text = read_ns(text, median);
    if (text == NULL || *text != ',')
        return NULL;
    text = read_ns(text + 1, p99);
    if (text == NULL || *text != ',')
        return NULL;
    text = read_ns(text + 1, max);
    return text != NULL && *text != ',' ? text : NULL;
}

static const char *read_one_ns(const char *text, int64_t *ret)
{
    text = read_ns(text, ret);
    return text != NULL && *text != ',' ? text : NULL;
}

static const char *read_reason(const char *text, enum st_dropout_reason *ret)
{
    for (int i = 0; i < ST_DROPOUT_REASONS; i++) {
        const char *rest = behind(text, st_dropout_reason_name((enum st_dropout_reason)i));
        if (rest == NULL || (*rest != '\0' && *rest != ' '))
            continue;
        *ret = (enum st_dropout_reason)i;
        return rest;
    }
    return NULL;
}

/** A field that lines of both kinds have. @return as read_name. */
static const char *read_name_field(const char *text, struct st_xrun_seen *seen)
{
    const char *value;
    if ((value = behind(text, "device=")) != NULL)
        return read_name(value, seen->device);
    if ((value = behind(text, "client=")) != NULL)
        return read_name(value, seen->client);
    return NULL;
}

static const char *read_load_field(const char *text, struct st_xrun_seen *seen)
{
    struct st_xrun_load *load = &seen->load;
    const char *value;
    if ((value = behind(text, "cycles=")) != NULL)
        return read_count(value, &load->cycles_n);
    if ((value = behind(text, "busy=")) != NULL)
        return read_three_ns(value, &load->busy_median_ns, &load->busy_p99_ns, &load->busy_max_ns);
    if ((value = behind(text, "wait=")) != NULL)
        return read_three_ns(value, &load->wait_median_ns, &load->wait_p99_ns, &load->wait_max_ns);
    if ((value = behind(text, "period=")) != NULL)
        return read_one_ns(value, &load->period_ns);
    if ((value = behind(text, "frames=")) != NULL)
        return read_count(value, &load->frames);
    if ((value = behind(text, "rate=")) != NULL)
        return read_count(value, &load->rate_hz);
    return read_name_field(text, seen);
}

static int parse_load(const char *text, struct st_xrun_seen *ret)
{
    struct st_xrun_seen seen = {0};
    seen.load = (struct st_xrun_load){.busy_median_ns = INT64_MIN,
                                      .busy_p99_ns = INT64_MIN,
                                      .busy_max_ns = INT64_MIN,
                                      .wait_median_ns = INT64_MIN,
                                      .wait_p99_ns = INT64_MIN,
                                      .wait_max_ns = INT64_MIN};
    while (*text == ' ') {
        text = read_load_field(text + 1, &seen);
        if (text == NULL)
            return -EBADMSG;
    }
    if (*text != '\0' || seen.load.cycles_n == 0)
        return -EBADMSG;
    *ret = seen;
    return 0;
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
    if ((value = behind(text, "reason=")) != NULL)
        return read_reason(value, &seen->reason);
    if ((value = behind(text, "busy=")) != NULL)
        return read_one_ns(value, &seen->busy_ns);
    if ((value = behind(text, "wait=")) != NULL)
        return read_one_ns(value, &seen->wait_ns);
    if ((value = behind(text, "period=")) != NULL)
        return read_one_ns(value, &seen->period_ns);
    if ((value = behind(text, "culprit=")) != NULL)
        return read_name(value, seen->culprit);
    return read_name_field(text, seen);
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
    } else if ((rest = behind(line, "xrun")) != NULL) {
        parsed.kind = ST_XRUN_LINE_XRUN;
        good = parse_xrun(rest, &parsed.seen) == 0;
    } else if ((rest = behind(line, "load")) != NULL) {
        parsed.kind = ST_XRUN_LINE_LOAD;
        good = parse_load(rest, &parsed.seen) == 0;
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

/** Appends " KEY=NUMBER"; nothing where there is no such number. */
static void put_number(char *buf, size_t buf_bytes, size_t *at, const char *key, int64_t number)
{
    const int n = number > 0 ? snprintf(buf + *at, buf_bytes - *at, " %s=%" PRId64, key, number) : 0;
    *at += n > 0 && (size_t)n < buf_bytes - *at ? (size_t)n : 0;
}

static void put_three(char *buf, size_t buf_bytes, size_t *at, const char *key, const int64_t three[3])
{
    int n = 0;
    if (three[0] >= 0 && three[1] >= 0 && three[2] >= 0)
        n = snprintf(buf + *at, buf_bytes - *at, " %s=%" PRId64 ",%" PRId64 ",%" PRId64, key, three[0],
                     three[1], three[2]);
    *at += n > 0 && (size_t)n < buf_bytes - *at ? (size_t)n : 0;
}

static size_t format_load(const struct st_xrun_load *load, char *buf, size_t buf_bytes)
{
    const int n = snprintf(buf, buf_bytes, "load cycles=%" PRId64, load->cycles_n);
    size_t at = n > 0 && (size_t)n < buf_bytes ? (size_t)n : 0;
    put_three(buf, buf_bytes, &at, "busy",
              (int64_t[]){load->busy_median_ns, load->busy_p99_ns, load->busy_max_ns});
    put_three(buf, buf_bytes, &at, "wait",
              (int64_t[]){load->wait_median_ns, load->wait_p99_ns, load->wait_max_ns});
    put_number(buf, buf_bytes, &at, "period", load->period_ns);
    put_number(buf, buf_bytes, &at, "frames", load->frames);
    put_number(buf, buf_bytes, &at, "rate", load->rate_hz);
    return at;
}

static size_t format_xrun(const struct st_xrun_seen *seen, char *buf, size_t buf_bytes)
{
    const int n = snprintf(buf, buf_bytes, "xrun certainty=%s n=%" PRId64 " starved=%" PRId64,
                           st_event_certainty(seen->certainty), seen->device_xruns_n, seen->starved_n);
    size_t at = n > 0 && (size_t)n < buf_bytes ? (size_t)n : 0;
    if (seen->reason != ST_DROPOUT_UNKNOWN) {
        const int m = snprintf(buf + at, buf_bytes - at, " reason=%s", st_dropout_reason_name(seen->reason));
        at += m > 0 && (size_t)m < buf_bytes - at ? (size_t)m : 0;
    }
    put_number(buf, buf_bytes, &at, "busy", seen->busy_ns);
    put_number(buf, buf_bytes, &at, "wait", seen->wait_ns);
    put_number(buf, buf_bytes, &at, "period", seen->period_ns);
    if (seen->culprit[0] != '\0')
        put_name(buf, buf_bytes, &at, "culprit", seen->culprit);
    return at;
}

const char *st_xrun_line_format(const struct st_xrun_seen *seen, char *buf, size_t buf_bytes)
{
    size_t at = seen->load.cycles_n > 0 ? format_load(&seen->load, buf, buf_bytes)
                                        : format_xrun(seen, buf, buf_bytes);
    if (seen->device[0] != '\0')
        put_name(buf, buf_bytes, &at, "device", seen->device);
    if (seen->client[0] != '\0')
        put_name(buf, buf_bytes, &at, "client", seen->client);
    if (at + 1 < buf_bytes)
        memcpy(buf + at, "\n", 2);
    return buf;
}
