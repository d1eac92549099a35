#include "platform/call_method.h"

#include <errno.h>
#include <string.h>

int st_call_nothing(struct st_call *c)
{
    (void)c;
    return 0;
}

const struct st_call_method *st_call_find(struct st_platform *p, const char *name)
{
    const struct st_call_method *method;
    for (size_t i = 0; (method = p->call_method(p, i)) != NULL; i++) {
        if (strcmp(method->name, name) == 0)
            return method;
    }
    return NULL;
}

int st_call_open(struct st_call *c, struct st_platform *p, const struct st_call_method *method)
{
    *c = (struct st_call){.method = method, .platform = p, .fd = -1};
    if (method->absent != NULL)
        return -ENOTSUP;
    return method->open != NULL ? method->open(c) : 0;
}

void st_call_close(struct st_call *c)
{
    if (c->method->close != NULL)
        c->method->close(c);
}
