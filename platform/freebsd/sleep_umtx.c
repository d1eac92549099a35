/* The wait below the thread library's: the one that the cycle loop takes with wait = "precise". */
#include "platform/freebsd/sleep_freebsd.h"

int st_sleep_umtx(struct st_sleep *s, int64_t requested_ns)
{
    (void)requested_ns;
    return s->platform->sleep_until_precise_ns(s->platform, s->due_ns);
}
