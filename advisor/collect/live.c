/* Facts that only the running system has: rights and limits of this process, its timer slack, the
 * user. */
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include "advisor/collect/collector.h"
#include "core/ns.h"

#define CAP_IPC_LOCK_BIT 14 /* linux/capability.h */

/** Puts a right or limit. INT64_MIN means that this system does not have it: the fact is absent. */
static void put_right(struct st_collector *c, const char *key, int r, int64_t value,
                      const char *source)
{
    st_collector_put_result(c, key, r == 0 && value == INT64_MIN ? -ENOENT : r, value, source);
}

static void rights(struct st_collector *c)
{
    static const char try[] = "sched_setscheduler in a child";
    static const char limits[] = "getrlimit";
    struct st_rt_rights rights = {0};
    const int r = c->p->rt_rights(c->p, ST_TRIED_PRIORITY, &rights);
    if (c->p->os == ST_OS_FREEBSD) {
        put_right(c, ST_KEY_FREEBSD_RT_FIFO_ERRNO, r, rights.fifo_errno, try);
        put_right(c, ST_KEY_FREEBSD_LIMITS_MEMORYLOCKED_BYTES, r, rights.memlock_limit_bytes,
                  limits);
        return;
    }
    put_right(c, ST_KEY_RT_FIFO_ERRNO, r, rights.fifo_errno, try);
    put_right(c, ST_KEY_RT_FIFO_PRIORITY, r, rights.fifo_priority, try);
    put_right(c, ST_KEY_RT_RTPRIO_LIMIT, r, rights.rtprio_limit, limits);
    put_right(c, ST_KEY_RT_MEMLOCK_LIMIT_BYTES, r, rights.memlock_limit_bytes, limits);
}

/** May this process lock memory beyond its limit? It may if CapEff has CAP_IPC_LOCK. */
static void ipc_lock(struct st_collector *c)
{
    static const char source[] = "/proc/self/status";
    struct st_pattern_parts parts;
    const char *at = c->buf;
    char *end;
    int r = st_collector_text(c, source, c->buf, c->buf_bytes);
    const bool found = r == 0 && st_pattern_next(&at, "CapEff: %s", &parts);
    const unsigned long long mask = found ? strtoull(parts.text[0], &end, 16) : 0;
    if (r == 0 && (!found || *end != '\0'))
        r = -EBADMSG;
    st_collector_put_result(c, ST_KEY_RT_IPC_LOCK, r, (mask >> CAP_IPC_LOCK_BIT) & 1, source);
}

static void user(struct st_collector *c)
{
    gid_t gids[ST_COLLECTOR_GROUPS_MAX];
    const struct passwd *entry = getpwuid(getuid());
    int n = getgroups(ST_COLLECTOR_GROUPS_MAX, gids);
    st_collector_put_int(c, ST_KEY_USER_UID, (int64_t)getuid(), "getuid");
    if (c->user[0] != '\0')
        st_collector_put_text(c, ST_KEY_USER_NAME, c->user, "getpwuid");
    else
        st_collector_put_failure(c, ST_KEY_USER_NAME, -ENOENT, "getpwuid");
    /* the groups of this process, and those of the next login, from all sources of groups that the
     * system uses */
    if (n < 0)
        st_collector_put_failure(c, ST_KEY_USER_GROUPS, -errno, "getgroups");
    else
        st_collector_put_groups(c->facts, ST_KEY_USER_GROUPS, gids, n, "getgroups");
    n = ST_COLLECTOR_GROUPS_MAX;
    if (entry != NULL && getgrouplist(entry->pw_name, entry->pw_gid, gids, &n) >= 0)
        st_collector_put_groups(c->facts, ST_KEY_USER_LOGIN_GROUPS, gids, n, "getgrouplist");
}

void st_live_collect(struct st_collector *c)
{
    int64_t ns = 0;
    struct timespec step = {0};
    user(c);
    rights(c);
    if (c->p->os != ST_OS_LINUX)
        return;
    ipc_lock(c);
    int r = c->p->timer_slack_ns(c->p, &ns);
    put_right(c, ST_KEY_TIMER_SLACK_NS, r, ns, "prctl(PR_GET_TIMERSLACK)");
    r = c->p->suspended_ns(c->p, &ns);
    put_right(c, ST_KEY_SUSPENDED_MS, r, ns / ST_NS_PER_MS, "CLOCK_BOOTTIME - CLOCK_MONOTONIC");
    (void)clock_getres(CLOCK_MONOTONIC, &step); /* cannot fail, since all systems have this clock */
    put_right(c, ST_KEY_CLOCK_GETRES_NS, 0, st_ns_from_timespec(&step),
              "clock_getres(CLOCK_MONOTONIC)");
}
