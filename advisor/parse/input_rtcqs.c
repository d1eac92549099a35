/* The output of rtcqs 0.6: sentences, of which only readings become facts. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/facts/text.h"
#include "advisor/parse/capture.h"
#include "advisor/parse/input_parse.h"

#define LINE_BYTES 4096
#define FACTS_MAX  4096

/* it asks for SCHED_FIFO 80 */
#define TRIED_PRIORITY "80"

struct reader {
    struct st_facts *facts;
    const char *source;
    size_t n;
    int error;
};

static void put(struct reader *reader, const char *key, const char *value, const char *raw)
{
    if (reader->error != 0 || reader->n == FACTS_MAX)
        return;
    reader->error = st_facts_put_text(reader->facts, key, value, raw, reader->source);
    reader->n++;
}

/** Cuts the colours out: ESC [ ... m, in place. */
static void strip_colours(char *line)
{
    char *out = line;
    for (const char *at = line; *at != '\0';) {
        if (at[0] == '\033' && at[1] == '[') {
            at += 2;
            at += strspn(at, "0123456789;");
            at += *at == 'm';
            continue;
        }
        *out++ = *at++;
    }
    *out = '\0';
}

/** The text in brackets behind `before`: "rtprio (95)". @return false when it is not there. */
static bool in_brackets(const char *line, const char *before, char *ret, size_t bytes)
{
    const char *at = strstr(line, before);
    if (at == NULL)
        return false;
    at += strlen(before);
    const size_t len = strcspn(at, ")");
    if (at[len] != ')' || len == 0 || len >= bytes)
        return false;
    memcpy(ret, at, len);
    ret[len] = '\0';
    return true;
}

/** A limit as a number, -1 for unlimited. */
static void limit(struct reader *reader, const char *line, const char *before, const char *key)
{
    char text[32];
    int64_t number;
    if (!in_brackets(line, before, text, sizeof(text)))
        return;
    if (strcmp(text, "unlimited") == 0)
        snprintf(text, sizeof(text), "-1");
    if (st_text_int(text, &number) == 0)
        put(reader, key, text, line);
}

/** The whole number behind `before`. */
static bool number_behind(const char *line, const char *before, char *ret, size_t bytes)
{
    const char *at = strstr(line, before);
    if (at == NULL)
        return false;
    at += strlen(before);
    const size_t len = strspn(at, "0123456789");
    if (len == 0 || len >= bytes || len > 18)
        return false;
    memcpy(ret, at, len);
    ret[len] = '\0';
    return true;
}

static void rights(struct reader *reader, const char *line)
{
    char number[32];
    if (strncmp(line, "You are running this script as root", 35) == 0)
        put(reader, "user.uid", "0", line);
    if (strstr(line, "sufficient rtprio (") != NULL) {
        limit(reader, line, "rtprio (", "linux.rt.rtprio_limit");
        limit(reader, line, "memlock (", "linux.rt.memlock_limit_bytes");
    }
    const bool granted = strcmp(line, "Realtime priorities can be set.") == 0;
    const bool refused = !granted && strncmp(line, "Could not assign a", 18) == 0 &&
                         number_behind(line, "[Errno ", number, sizeof(number));
    if (granted || refused) {
        put(reader, "linux.rt.fifo_errno", granted ? "0" : number, line);
        put(reader, "linux.rt.fifo_priority", TRIED_PRIORITY, line);
    }
}

static void kernel(struct reader *reader, const char *line)
{
    char release[128];
    if (strcmp(line, "High resolution timers are enabled.") == 0)
        put(reader, "linux.config.HIGH_RES_TIMERS", "y", line);
    else if (strncmp(line, "High resolution timers are not", 30) == 0)
        put(reader, "linux.config.HIGH_RES_TIMERS", "n", line);
    if (strncmp(line, "Kernel ", 7) != 0)
        return;
    const char *name = line + 7;
    const size_t len = strcspn(name, " ");
    if (len == 0 || len >= sizeof(release) || name[0] < '0' || name[0] > '9')
        return;
    snprintf(release, sizeof(release), "%.*s", (int)len, name);
    put(reader, "linux.kernel.release", release, line);
}

static void memory(struct reader *reader, const char *line)
{
    char number[32];
    if (number_behind(line, "vm.swappiness is set to ", number, sizeof(number)) ||
        number_behind(line, "Swappiness is set at ", number, sizeof(number)))
        put(reader, "linux.sysctl.vm.swappiness", number, line);
    if (strncmp(line, "Your system is configured without swap", 38) == 0) {
        put(reader, "linux.swap.other_n", "0", line);
        put(reader, "linux.swap.zram_n", "0", line);
    }
}

/** "Soundcard NAME with IRQ 129 does not share its IRQ.", "... shares its IRQ with the following other
 * devices: a, b" */
static void interrupt(struct reader *reader, const char *line)
{
    static const char *const begins[] = {"Soundcard ", "USB port ", "Found USB port "};
    static const char alone[] = " does not share", shared[] = " following other devices";
    char number[32], key[64], names[256];
    for (size_t i = 0; i < ST_ARRAY_LEN(begins); i++) {
        const size_t len = strlen(begins[i]);
        const char *irq = strstr(line, " with IRQ ");
        if (strncmp(line, begins[i], len) != 0 || irq == NULL || irq < line + len ||
            !number_behind(irq, " with IRQ ", number, sizeof(number)))
            continue;
        const char *others = strstr(irq, shared);
        if (others != NULL) {
            others += strlen(shared);
            others += strspn(others, ": ");
        }
        if (others == NULL && strstr(irq, alone) == NULL)
            return;
        const size_t name_len = (size_t)(irq - (line + len));
        snprintf(names, sizeof(names), "%.*s%s%.200s", name_len < 100 ? (int)name_len : 100, line + len,
                 others != NULL ? ", " : "", others != NULL ? others : "");
        snprintf(key, sizeof(key), "linux.irq.%s.actions", number);
        put(reader, key, names, line);
        return;
    }
}

int st_input_rtcqs(struct st_facts *facts, const char *text, size_t bytes, const char *source)
{
    static const char *const marks[] = {"[ OK ] ", "[ WARNING ] "};
    struct reader reader = {.facts = facts, .source = source};
    char buf[LINE_BYTES];
    const char *at = text, *end = text + bytes;
    size_t sentences_n = 0;
    while (reader.error == 0 && st_capture_line(&at, end, buf, sizeof(buf))) {
        const char *line = buf;
        strip_colours(buf);
        for (size_t i = 0; i < ST_ARRAY_LEN(marks); i++) {
            if (strncmp(line, marks[i], strlen(marks[i])) == 0) {
                line += strlen(marks[i]);
                sentences_n++;
            }
        }
        rights(&reader, line);
        kernel(&reader, line);
        memory(&reader, line);
        interrupt(&reader, line);
    }
    if (reader.error != 0)
        return reader.error;
    return sentences_n > 0 && reader.n > 0 ? 0 : -EBADMSG;
}
