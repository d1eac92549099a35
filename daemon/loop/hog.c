/* Searches /proc for the real-time thread that has the loop's CPU. */
#include "daemon/loop/hog.h"

#include "core/text/text.h"
#include "platform/proc.h"
#include "platform/tree.h"

#define PROCESSES_MAX 4096
#define THREADS_MAX   64 /* most threads of one process that are read */

struct search {
    struct st_platform *machine;
    const char *process; /* process whose threads are looked at; NULL: the entries are processes */
    int left;
    struct st_proc_stat loop;
    pid_t loop_tid;
    struct st_hog found;
};

static bool read_stat(struct st_platform *machine, const char *process, const char *thread,
                      struct st_proc_stat *ret)
{
    const char *path = st_text("/proc/%.16s/task/%.16s/stat", process, thread);
    return st_proc_stat(st_tree_text(machine, path), ret) == 0;
}

static int consider(void *ctx, const char *name)
{
    struct search *search = ctx;
    struct st_proc_stat stat;
    if (name[0] < '1' || name[0] > '9')
        return 0;
    if (search->left-- <= 0)
        return 1;
    if (search->process == NULL) {
        const int left = search->left;
        search->process = name;
        search->left = THREADS_MAX;
        (void)search->machine->list(search->machine, st_text("/proc/%.16s/task", name), consider,
                                    search);
        search->process = NULL;
        search->left = left;
        return 0;
    }
    const pid_t tid = (pid_t)strtol(name, NULL, 10);
    if (tid == search->loop_tid || !read_stat(search->machine, search->process, name, &stat) ||
        stat.state != 'R' || stat.cpu != search->loop.cpu ||
        stat.rt_priority < search->loop.rt_priority || stat.rt_priority <= search->found.priority)
        return 0;
    search->found = (struct st_hog){.pid = (pid_t)strtol(search->process, NULL, 10),
                                    .tid = tid,
                                    .priority = (int)stat.rt_priority,
                                    .cpu = stat.cpu};
    st_proc_name(stat.name,
                 st_tree_text(search->machine, st_text("/proc/%.16s/cmdline", search->process)),
                 search->found.name, sizeof(search->found.name));
    return 0;
}

void st_hog_look(struct st_platform *machine, pid_t loop, struct st_hog *hog)
{
    struct search search = {.machine = machine, .left = PROCESSES_MAX, .loop_tid = loop};
    if (!read_stat(machine, "self", st_text("%d", (int)loop), &search.loop))
        return;
    (void)machine->list(machine, "/proc", consider, &search);
    search.found.looks = search.found.tid == 0          ? 0
                         : search.found.tid == hog->tid ? hog->looks + 1
                                                        : 1;
    *hog = search.found;
}
