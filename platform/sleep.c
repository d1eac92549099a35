#include "platform/sleep.h"

#include <errno.h>
#include <string.h>

#include "core/ns.h"

const char *st_sleep_asked_name(enum st_sleep_asked asked)
{
    switch (asked) {
    case ST_SLEEP_RELATIVE:
        return "relative";
    case ST_SLEEP_ABSOLUTE:
        return "absolute";
    }
    return "?";
}

const char *st_sleep_stretch_name(enum st_sleep_stretch stretch)
{
    switch (stretch) {
    case ST_STRETCH_UNKNOWN:
        return "unknown";
    case ST_STRETCH_NO:
        return "no";
    case ST_STRETCH_YES:
        return "yes";
    case ST_STRETCH_IF_IMPRECISE:
        return "if-imprecise";
    }
    return "?";
}

const struct st_sleep_method *st_sleep_method_find(struct st_platform *p, const char *name)
{
    const struct st_sleep_method *method;
    for (size_t i = 0; (method = p->sleep_method(p, i)) != NULL; i++) {
        if (strcmp(method->name, name) == 0)
            return method;
    }
    return NULL;
}

int st_sleep_open(struct st_sleep *s, struct st_platform *p, const struct st_sleep_method *method)
{
    *s = (struct st_sleep){.method = method, .platform = p, .fd = -1};
    return method->absent != NULL ? -ENOTSUP : method->open(s);
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
