/* FreeBSD does not count how long a thread of another process waited for a CPU, so nothing is
 * measured. */
#include "xruns/helpers/process_watch.h"

#include "core/ns.h"

struct st_process_watch *st_process_watch_new(void)
{
    return calloc(1, 1);
}

void st_process_watch_add(ST_UNUSED struct st_process_watch *watch, ST_UNUSED uint32_t client,
                          ST_UNUSED pid_t pid)
{
}

void st_process_watch_remove(ST_UNUSED struct st_process_watch *watch, ST_UNUSED uint32_t client) {}

void st_process_watch_plays(ST_UNUSED struct st_process_watch *watch, ST_UNUSED uint32_t client) {}

int64_t st_process_watch_sample(ST_UNUSED struct st_process_watch *watch)
{
    return 40 * ST_NS_PER_MS;
}

void st_process_watch_measure(ST_UNUSED struct st_process_watch *watch, ST_UNUSED uint32_t client,
                              ST_UNUSED struct st_dropout_figures *figures)
{
}

int64_t st_process_watch_priority(ST_UNUSED struct st_process_watch *watch,
                                  ST_UNUSED uint32_t client)
{
    return -1;
}
