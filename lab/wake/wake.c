#include <errno.h>

#include "lab/wake/wake.h"

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
