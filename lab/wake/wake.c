#include <errno.h>
#include <string.h>

#include "lab/wake/wake.h"

const struct st_wake_method *st_wake_find(struct st_lab *lab, const char *name)
{
    const struct st_wake_method *method;
    for (size_t i = 0; (method = lab->wake_method(lab, i)) != NULL; i++) {
        if (strcmp(method->name, name) == 0)
            return method;
    }
    return NULL;
}

int st_wake_open(struct st_wake *w, struct st_lab *lab, const struct st_wake_method *method,
                 const struct st_wake_setting *setting)
{
    *w = (struct st_wake){.method = method, .platform = lab->platform, .lab = lab};
    return lab->wake_open(w, setting);
}

int st_wake_round(struct st_wake *w, int64_t slice_ns, bool interrupted, struct st_wake_stamps *ret)
{
    if (!interrupted && !w->method->timed)
        return -ENOTSUP;
    return w->lab->wake_round(w, slice_ns, interrupted, ret);
}

void st_wake_close(struct st_wake *w)
{
    w->lab->wake_close(w);
}
