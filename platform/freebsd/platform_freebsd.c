/* The FreeBSD row of the seam. */
#include <errno.h>

#include "platform/freebsd/freebsd.h"
#include "platform/posix/posix.h"
#include "platform/tree.h"

static int no_smi_count(struct st_platform *p, int cpu, uint64_t *ret)
{
    (void)p;
    (void)cpu;
    (void)ret;
    return -ENOTSUP;
}

static int no_hold_latency(struct st_platform *p, int32_t us)
{
    (void)p;
    (void)us;
    return -ENOTSUP;
}

static void no_release_latency(struct st_platform *p, int handle)
{
    (void)p;
    (void)handle;
}

struct st_platform *st_platform_native(void)
{
    static struct st_platform freebsd_row = {
        .name = "freebsd",
        .os = ST_OS_FREEBSD,
        .now_ns = st_posix_now_ns,
        .sleep_until_ns = st_posix_sleep_until_ns,
        .sleep_until_precise_ns = st_freebsd_sleep_until_precise_ns,
        .sleep_method = st_freebsd_sleep_method,
        .xrun_source = st_freebsd_xrun_source,
        .wall_ns = st_posix_wall_ns,
        .suspended_ns = st_freebsd_suspended_ns,
        .set_policy = st_freebsd_set_policy,
        .get_policy = st_freebsd_get_policy,
        .thread_id = st_freebsd_thread_id,
        .demote = st_freebsd_demote,
        .pin = st_freebsd_pin,
        .unpin = st_freebsd_unpin,
        .cpus_allowed = st_freebsd_cpus_allowed,
        .set_name = st_freebsd_set_name,
        .timer_slack_ns = st_freebsd_timer_slack_ns,
        .set_timer_slack_ns = st_freebsd_set_timer_slack_ns,
        .leave_rseq = st_freebsd_leave_rseq,
        .hold_latency = no_hold_latency,
        .release_latency = no_release_latency,
        .counters_open = st_freebsd_counters_open,
        .counters_self = st_freebsd_counters_self,
        .thread_cpu_ns = st_posix_thread_cpu_ns,
        .counters_other = st_freebsd_counters_other,
        .counters_close = st_freebsd_counters_close,
        .pauses = st_posix_pauses,
        .lock_memory = st_freebsd_lock_memory,
        .set_rttime_limit_ns = st_freebsd_set_rttime_limit_ns,
        .rt_rights = st_freebsd_rt_rights,
        .resident_bytes = st_freebsd_resident_bytes,
        .program_path = st_freebsd_program_path,
        .run = st_posix_run,
        .circumstances = st_tree_circumstances_freebsd,
        .smi_count = no_smi_count,
        .virtualised = st_tree_virtualised_freebsd,
        .read_text = st_freebsd_read_text,
        .list = st_posix_list,
        .read_sysctl = st_freebsd_read_sysctl,
        .replace_file = st_posix_replace_file,
        .clean_file = st_posix_clean_file,
        .remove_file = st_posix_remove_file,
        .make_folder = st_posix_make_folder,
        .remove_folder = st_posix_remove_folder,
        .write_value = st_posix_write_value,
        .write_sysctl = st_freebsd_write_sysctl,
        .can_write = st_posix_can_write,
        .lock_folder = st_posix_lock_folder,
        .unlock_folder = st_posix_unlock_folder,
    };
    return &freebsd_row;
}
