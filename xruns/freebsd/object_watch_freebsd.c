/* FreeBSD samples code for root only, for whole programs, and not in the time of single cycles (hwpmc(4)). */
#include "xruns/helpers/object_watch.h"

struct st_object_watch *st_object_watch_new(void)
{
    return calloc(1, 1);
}

void st_object_watch_cycle(ST_UNUSED struct st_object_watch *watch,
                           ST_UNUSED const struct st_object_watch_thread *thread, ST_UNUSED int64_t from_ns,
                           ST_UNUSED int64_t to_ns, ST_UNUSED bool is_long)
{
}

void st_object_watch_take(ST_UNUSED struct st_object_watch *watch,
                          ST_UNUSED const struct st_object_watch_thread *thread, struct st_xrun_code *ret)
{
    *ret = (struct st_xrun_code){.state = ST_XRUN_CODE_NOT_HERE};
}
