#include "platform/sleep.h"

#include "core/ns.h"

const char *st_sleep_asked_name(enum st_sleep_asked asked)
{
    static const char *const names[] = {[ST_SLEEP_RELATIVE] = "relative", [ST_SLEEP_ABSOLUTE] = "absolute"};
    return names[asked];
}

const char *st_sleep_stretch_name(enum st_sleep_stretch stretch)
{
    static const char *const names[] = {[ST_STRETCH_UNKNOWN] = "unknown",
                                        [ST_STRETCH_NO] = "no",
                                        [ST_STRETCH_YES] = "yes",
                                        [ST_STRETCH_IF_IMPRECISE] = "if-imprecise"};
    return names[stretch];
}

int st_sleep_open(struct st_sleep *s, struct st_platform *p, const struct st_sleep_method *method)
{
    *s = (struct st_sleep){.method = method, .platform = p, .fd = -1};
    return method->open(s);
}

int st_sleep_once(struct st_sleep *s, int64_t start_ns, int64_t requested_ns)
{
    s->due_ns = st_ns_add(start_ns, requested_ns);
    return s->method->sleep(s, requested_ns);
}

void st_sleep_close(struct st_sleep *s)
{
    if (s->method->close != NULL)
        s->method->close(s);
}
