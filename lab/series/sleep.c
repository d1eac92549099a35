#include "lab/series/sleep.h"

#include "core/ns.h"

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
