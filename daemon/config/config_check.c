/* A scanner that knows only what separates numbers from texts and comments. */
#include "daemon/config/config_check.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_BYTES 40

struct scan {
    const char *at, *end;
    unsigned line;
    unsigned reported_n;
    st_config_check_fn report;
    void *ctx;
};

static void report(struct scan *scan, const char *message)
{
    scan->reported_n++;
    scan->report(scan->ctx, scan->line, message);
}

static bool starts_with(const struct scan *scan, const char *text)
{
    const size_t len = strlen(text);
    return (size_t)(scan->end - scan->at) >= len && memcmp(scan->at, text, len) == 0;
}

static void step(struct scan *scan)
{
    scan->line += *scan->at == '\n';
    scan->at++;
}

/* Steps behind `closing`, or to the end. */
static void skip_to(struct scan *scan, const char *closing)
{
    while (scan->at < scan->end && !starts_with(scan, closing)) {
        if (closing[0] == '"' && *scan->at == '\\' && scan->at + 1 < scan->end)
            step(scan);
        step(scan);
    }
    for (size_t i = 0; i < strlen(closing) && scan->at < scan->end; i++)
        step(scan);
}

/* A word: a name, a number, true ... */
static void check_word(struct scan *scan)
{
    const char *first = scan->at;
    while (scan->at < scan->end &&
           (isalnum((unsigned char)*scan->at) || *scan->at == '_' || *scan->at == '.'))
        scan->at++;
    const size_t len = (size_t)(scan->at - first);
    char number[NUMBER_BYTES], message[NUMBER_BYTES + 64];
    if (!isdigit((unsigned char)*first))
        return;
    snprintf(number, sizeof(number), "%.*s%s", (int)(len < 32 ? len : 32), first, len > 32 ? "..." : "");
    char *end;
    errno = 0;
    const long long value =
        strtoll(number, &end, first[0] == '0' && len > 1 && (first[1] | 0x20) == 'x' ? 16 : 10);
    const bool whole = *end == '\0' || (len > 32 && *end == '.');
    if (!whole || (errno == 0 && value <= INT32_MAX))
        return; /* a float, a number with L, or one that fits */
    snprintf(message, sizeof(message), "%s: no setting takes so large a number", number);
    report(scan, message);
}

unsigned st_config_check(const char *text, size_t len, st_config_check_fn fn, void *ctx)
{
    struct scan scan = {.at = text, .end = text + len, .line = 1, .report = fn, .ctx = ctx};
    const char *nul = memchr(text, '\0', len);
    if (nul != NULL) {
        for (const char *p = text; p < nul; p++)
            scan.line += *p == '\n';
        report(&scan, "a zero byte: this is not a text file");
        return scan.reported_n;
    }
    while (scan.at < scan.end) {
        if (*scan.at == '#' || starts_with(&scan, "//")) {
            skip_to(&scan, "\n");
        } else if (starts_with(&scan, "/*")) {
            skip_to(&scan, "*/");
        } else if (*scan.at == '"') {
            scan.at++;
            skip_to(&scan, "\"");
        } else if (starts_with(&scan, "@include")) {
            report(&scan, "@include is not supported: all settings are in one file");
            skip_to(&scan, "\n");
        } else if (isalnum((unsigned char)*scan.at) || *scan.at == '_') {
            check_word(&scan);
        } else {
            step(&scan);
        }
    }
    return scan.reported_n;
}
