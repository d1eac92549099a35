/* FreeBSD does not count how long a thread of another process waited for a CPU. */
#include "daemon/observe/process_watch.h"

#include <stdlib.h>

struct st_process_watch *st_process_watch_new(void)
{
    return calloc(1, 1);
}

void st_process_watch_add(struct st_process_watch *watch, uint32_t client, pid_t pid)
{
    (void)watch;
    (void)client;
    (void)pid;
}

void st_process_watch_remove(struct st_process_watch *watch, uint32_t client)
{
    (void)watch;
    (void)client;
}

void st_process_watch_sample(struct st_process_watch *watch)
{
    (void)watch;
}

void st_process_watch_measure(struct st_process_watch *watch, uint32_t client, double usual_share,
                              struct st_dropout_figures *figures)
{
    (void)watch;
    (void)client;
    (void)usual_share;
    (void)figures;
}
