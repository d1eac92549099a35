/* The Linux row of the seam. */
#include "platform/linux/linux.h"
#include "platform/posix/posix.h"
#include "platform/posix/wake_posix.h"
#include "platform/tree.h"

struct st_platform *st_platform_native(void)
{
    static struct st_platform linux_row = {
        .name = "linux",
        .os = ST_OS_LINUX,
        .now_ns = st_posix_now_ns,
        .sleep_until_ns = st_linux_sleep_until_ns,
        .sleep_until_precise_ns = st_linux_sleep_until_precise_ns,
        .sleep_method = st_linux_sleep_method,
        .call_method = st_linux_call_method,
        .wake_method = st_linux_wake_method,
        .wake_open = st_posix_wake_open,
        .wake_round = st_posix_wake_round,
        .wake_close = st_posix_wake_close,
        .wall_ns = st_posix_wall_ns,
        .suspended_ns = st_linux_suspended_ns,
        .set_policy = st_linux_set_policy,
        .get_policy = st_linux_get_policy,
        .thread_id = st_linux_thread_id,
        .demote = st_linux_demote,
        .pin = st_linux_pin,
        .cpus_allowed = st_linux_cpus_allowed,
        .set_name = st_linux_set_name,
        .timer_slack_ns = st_linux_timer_slack_ns,
        .set_timer_slack_ns = st_linux_set_timer_slack_ns,
        .hold_latency = st_linux_hold_latency,
        .release_latency = st_linux_release_latency,
        .counters_open = st_linux_counters_open,
        .counters_self = st_linux_counters_self,
        .counters_other = st_linux_counters_other,
        .counters_close = st_linux_counters_close,
        .lock_memory = st_linux_lock_memory,
        .set_rttime_limit_ns = st_linux_set_rttime_limit_ns,
        .rt_rights = st_linux_rt_rights,
        .resident_bytes = st_linux_resident_bytes,
        .time_program = st_posix_time_program,
        .program_path = st_linux_program_path,
        .run = st_posix_run,
        .circumstances = st_linux_circumstances,
        .smi_count = st_linux_smi_count,
        .steal_accounted = st_tree_steal_accounted_linux,
        .virtualised = st_tree_virtualised_linux,
        .read_text = st_posix_read_text,
        .list = st_posix_list,
        .read_sysctl = st_tree_read_sysctl_linux,
        .replace_file = st_posix_replace_file,
        .clean_file = st_posix_clean_file,
        .remove_file = st_posix_remove_file,
        .make_folder = st_posix_make_folder,
        .remove_folder = st_posix_remove_folder,
        .write_value = st_posix_write_value,
        .write_sysctl = st_tree_write_sysctl_linux,
        .can_write = st_posix_can_write,
        .lock_folder = st_posix_lock_folder,
        .unlock_folder = st_posix_unlock_folder,
    };
    return &linux_row;
}
