/* Runs the sources of facts for a live machine, a captured tree, or a folder with a FreeBSD
 * capture. */
#include "advisor/collect/collect.h"

#include <pwd.h>
#include <unistd.h>

#include "advisor/change/change.h"
#include "advisor/collect/collector.h"

#define LARGE_FILE_BYTES  (1024 * 1024)
#define SYSCTL_TEXT_BYTES (4 * 1024 * 1024) /* bytes; a desktop has some 0.5 MB */

/** Sets c->home to the home folder of a captured tree's only user. If the tree has several users,
 * its owner is unknown, and c->home stays empty. */
static int only_home(void *ctx, const char *name)
{
    struct st_collector *c = ctx;
    const bool is_second = c->home[0] != '\0';
    if (strlen(name) > 64)
        return 0;
    ST_PRINT(c->home, "/home/%s", is_second ? "" : name);
    if (is_second)
        c->home[0] = '\0';
    return is_second;
}

static void find_home(struct st_collector *c)
{
    if (!c->live) {
        (void)st_collector_list(c, "/home", only_home, c);
        return;
    }
    const struct passwd *entry = getpwuid(getuid());
    if (entry == NULL)
        return;
    ST_PRINT(c->user, "%s", entry->pw_name);
    if (entry->pw_dir[0] != '/')
        return;
    ST_PRINT(c->home, "%s", entry->pw_dir);
    for (size_t len = strlen(c->home); len > 0 && c->home[len - 1] == '/'; len--)
        c->home[len - 1] = '\0';
}

int st_collect(struct st_platform *p, bool live, struct st_facts **ret)
{
    struct st_collector c = {.p = p,
                             .live = live,
                             .facts = st_facts_new(p->os),
                             .buf = malloc(LARGE_FILE_BYTES),
                             .buf_bytes = LARGE_FILE_BYTES};
    /* in this order, since a later source may read facts of an earlier one */
    static void (*const of_linux[])(struct st_collector * c) = {
        st_linux_kernel_collect, st_linux_machine_collect, st_linux_sound_collect,
        st_linux_process_collect, st_linux_files_collect};
    int r = -ENOMEM;
    if (c.facts != NULL && c.buf != NULL) {
        find_home(&c);
        if (p->os == ST_OS_FREEBSD)
            st_freebsd_collect(&c);
        for (size_t i = 0; p->os == ST_OS_LINUX && i < ST_ARRAY_LEN(of_linux); i++)
            of_linux[i](&c);
        if (live) {
            c.facts->time_ns = st_platform_wall_ns(p);
            st_live_collect(&c);
        }
        r = c.facts->error;
    }
    free(c.buf);
    if (r == 0)
        *ret = c.facts;
    else
        st_facts_free(c.facts);
    return r;
}

/** Checks a FreeBSD capture: it must have at least one sysctl that sleeptune uses. If its text was
 * cut off, facts that it lacks are unknown. */
static int doubt_capture(struct st_facts *facts, bool is_whole)
{
    static const char name[] = "sysctl-a.txt";
    int r = -EBADMSG;
    ST_EACH_OF (fact, facts->rows, facts->n) {
        if (st_text_begins((*fact)->source, "sysctl "))
            r = 0;
    }
    if (r == 0 && !is_whole)
        r = st_facts_put_text(facts, ST_KEY_SYSTEM_INPUT, name, name);
    return r;
}

void st_collect_rights(struct st_facts *facts, const char *from, const char *source)
{
    int64_t limit;
    if (st_facts_int(facts, ST_KEY_RT_RTPRIO_LIMIT, &limit) != 0)
        return;
    const bool granted = limit == ST_UNLIMITED || limit >= ST_TRIED_PRIORITY;
    st_facts_put_int(facts, ST_KEY_RT_FIFO_ERRNO, granted ? 0 : EPERM, source);
    st_facts_put_int(facts, ST_KEY_RT_FIFO_PRIORITY, ST_TRIED_PRIORITY, source);
    st_facts_put_text(facts, ST_KEY_USER_LIMITS_FROM, from, source);
}

static int doubt_tree(struct st_platform *machine, struct st_facts *facts)
{
    static const char *const folders[] = {ST_LACKS_CARDS, ST_LACKS_USB,
                                          "/sys/devices/system/cpu/cpu0/thermal_throttle"};
    char lacks[128] = "";
    st_collect_rights(facts, ST_LIMITS_FROM_FILES, ST_LIMITS_FROM_FILES);
    if (!st_facts_has_int(facts, ST_KEY_PROCESSES_N))
        ST_APPEND(lacks, "/proc/[0-9]*");
    ST_EACH (folder, folders) {
        if (st_change_folder_look(machine, *folder) == -ENOENT)
            ST_APPEND(lacks, " %s", *folder);
    }
    return st_facts_put_text(facts, ST_KEY_SYSTEM_LACKS, lacks, "/");
}

/** Is this a captured tree? @return 0: yes; -ENODATA: no. */
static int find_tree(struct st_platform *machine)
{
    static const char *const folders[] = {"/proc", "/sys", "/etc", "/boot"};
    ST_EACH (folder, folders) {
        if (st_change_folder_look(machine, *folder) == 0)
            return 0;
    }
    return -ENODATA;
}

static int collect_dir(struct st_platform *root, struct st_facts **ret)
{
    size_t bytes = 0;
    struct st_facts *facts = NULL;
    char *text = malloc(SYSCTL_TEXT_BYTES);
    int r = -ENOMEM;
    if (text != NULL)
        r = root->read_text(root, "/sysctl-a.txt", text, SYSCTL_TEXT_BYTES, &bytes);
    const bool is_freebsd = r == 0;
    const bool is_whole = is_freebsd && st_platform_root_set_sysctls(root, text, bytes);
    if (r == -ENOENT)
        r = find_tree(root);
    if (r == 0)
        r = st_collect(root, false, &facts);
    if (r == 0)
        r = is_freebsd ? doubt_capture(facts, is_whole) : doubt_tree(root, facts);
    if (r == 0)
        *ret = facts;
    else
        st_facts_free(facts);
    free(text);
    return r;
}

int st_collect_dir(const char *dir, struct st_facts **ret)
{
    struct st_platform *root;
    int r = st_platform_root_new(dir, &root);
    if (r == 0) {
        r = collect_dir(root, ret);
        st_platform_root_free(root);
    }
    return r;
}
