#include "lab/syscall/call_method.h"

#include <errno.h>
#include <string.h>

int st_call_nothing(struct st_call *c)
{
    (void)c;
    return 0;
}

const struct st_call_method *st_call_find(struct st_lab *lab, const char *name)
{
    const struct st_call_method *method;
    for (size_t i = 0; (method = lab->call_method(lab, i)) != NULL; i++) {
        if (strcmp(method->name, name) == 0)
            return method;
    }
    return NULL;
}

int st_call_open(struct st_call *c, struct st_lab *lab, const struct st_call_method *method)
{
    *c = (struct st_call){.method = method, .platform = lab->platform, .lab = lab, .fd = -1};
    if (method->absent != NULL)
        return -ENOTSUP;
    return method->open != NULL ? method->open(c) : 0;
}

void st_call_close(struct st_call *c)
{
    if (c->method->close != NULL)
        c->method->close(c);
}
