/* Facts about FreeBSD that several rules need. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/rules/freebsd.h"
#include "advisor/rules/machine.h"

#define PCM     "freebsd.dev.pcm."
#define SNDSTAT "freebsd.sndstat.pcm"

#define UNIT_MAX 255

const char *st_freebsd_pcm_key(int64_t unit, const char *leaf, char *ret, size_t bytes)
{
    snprintf(ret, bytes, PCM "%" PRId64 ".%s", unit, leaf);
    return ret;
}

static void count_device(int *n, const struct st_fact *fact)
{
    *n += fact->state == ST_FACT_OK && fact->text[0] != '\0';
}

int st_freebsd_pcm_count(const struct st_facts *facts)
{
    int n = 0;
    ST_FACTS_EACH (fact, facts, PCM, ".%desc")
        count_device(&n, fact);
    return n;
}

struct usb {
    int64_t unit;
    int64_t default_unit;
};

/** The parent is "uaudio0"; in sndstat of 13 and older it is "at ? kld snd_uaudio". */
static void find_usb_parent(struct usb *usb, const struct st_fact *fact)
{
    const char *number =
        fact->key + (strncmp(fact->key, PCM, strlen(PCM)) == 0 ? strlen(PCM) : strlen(SNDSTAT));
    char *end;
    const long unit = strtol(number, &end, 10);
    if (fact->state != ST_FACT_OK || end == number || *end != '.' || unit < 0 || unit > UNIT_MAX ||
        (strncmp(fact->text, "uaudio", 6) != 0 && strcmp(fact->text, "snd_uaudio") != 0))
        return;
    if (usb->unit < 0 || unit == usb->default_unit)
        usb->unit = unit;
}

int64_t st_freebsd_usb_unit(const struct st_facts *facts)
{
    struct usb usb = {.unit = -1, .default_unit = st_machine_int_or(facts, ST_FREEBSD_DEFAULT_UNIT, -1)};
    ST_FACTS_EACH (fact, facts, PCM, ".%parent")
        find_usb_parent(&usb, fact);
    ST_FACTS_EACH (fact, facts, SNDSTAT, ".parent")
        find_usb_parent(&usb, fact);
    return usb.unit;
}

const char *st_freebsd_user(const struct st_facts *facts)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
    const char *name;
    if (st_facts_text(facts, ST_FREEBSD_USER_NAME, &name) != 0 || strcmp(name, "root") == 0)
        return "NAME";
    const size_t len = strspn(name, plain);
    return len > 0 && len <= ST_FREEBSD_USER_MAX && name[len] == '\0' ? name : "NAME";
}
