/* The FreeBSD row of the seam, and its members that are about the machine. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/freebsd/freebsd.h"
#include "platform/posix/beneath_posix.h"
#include "platform/posix/posix.h"
#include "platform/posix/sleep_posix.h"
#include "platform/tree.h"
#include "platform/xrun/xrun.h"

int st_beneath_open(int dir_fd, const char *path, int flags)
{
    path += strspn(path, "/");
    const int fd = openat(dir_fd, *path != '\0' ? path : ".",
                          O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | O_RESOLVE_BENEATH | flags);
    if (fd >= 0)
        return fd;
    /* O_RESOLVE_BENEATH refuses absolute links and ".." at the top, which stay inside after chroot */
    return errno == ENOTCAPABLE ? st_beneath_open_posix(dir_fd, path, flags) : -errno;
}

/* /dev/sndstat is a device; the other text files are read as on any POSIX system. */
static int read_sndstat(int fd, char *buf, size_t buf_bytes, size_t *ret_len)
{
    struct stat st;
    size_t have = 0;
    if (buf_bytes == 0)
        return -EINVAL;
    buf[0] = '\0';
    if (fstat(fd, &st) != 0)
        return -errno;
    if (!S_ISCHR(st.st_mode))
        return -EINVAL;
    while (have < buf_bytes) {
        const ssize_t got = read(fd, buf + have, buf_bytes - have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -errno;
        if (got == 0) {
            buf[have] = '\0';
            *ret_len = have;
            return 0;
        }
        have += (size_t)got;
    }
    buf[buf_bytes - 1] = '\0';
    return -EFBIG;
}

static int freebsd_read_text(struct st_platform *p, const char *path, char *buf, size_t buf_bytes,
                             size_t *ret_len)
{
    if (strcmp(path, "/dev/sndstat") != 0)
        return st_posix_read_text(p, path, buf, buf_bytes, ret_len);
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    const int r = read_sndstat(fd, buf, buf_bytes, ret_len);
    close(fd);
    return r;
}

/* The ways of sleeping that `report --measure` compares on FreeBSD. What is stretched by
 * kern.timecounter.alloweddeviation: measured on 13.2 and 15.1, or read in sys/kern (kern_time.c,
 * kern_umtx.c). From 15.0 on kern.timecounter.nanosleep_precise exempts nanosleep and clock_nanosleep on
 * plain clocks. */
#define NANOSLEEP "kern_clock_nanosleep: a share of the remaining time"

/* The wait below the thread library's: the one that the cycle loop takes with wait = "precise". */
static int sleep_umtx(struct st_sleep *s, int64_t requested_ns)
{
    (void)requested_ns;
    return s->platform->sleep_until_precise_ns(s->platform, s->due_ns);
}

static const struct st_sleep_method methods[] = {
    {ST_SLEEP_CLOCK_ABSOLUTE("monotonic", CLOCK_MONOTONIC), ST_STRETCHED(IF_IMPRECISE, NANOSLEEP)},
    {ST_SLEEP_CLOCK_RELATIVE("monotonic", CLOCK_MONOTONIC), ST_STRETCHED(IF_IMPRECISE, NANOSLEEP)},
#if ST_HAVE_TIMERFD
    {ST_SLEEP_TIMERFD_ABSOLUTE(" (FreeBSD 14)"), ST_STRETCHED(UNKNOWN, NULL)},
#else
    ST_SLEEP_ABSENT("timerfd-abs", "FreeBSD has timerfd from 14.0 on"),
#endif
    {
        .name = "umtx",
        .summary = "_umtx_op on a word that no one wakes",
        ST_ON_MONOTONIC,
        .asked = ST_SLEEP_ABSOLUTE,
        ST_STRETCHED(NO, "kern_umtx.c passes precision 0"),
        .unit_ns = 1,
        .usual = true,
        .open = st_sleep_open_nothing,
        .sleep = sleep_umtx,
    },
};

static const struct st_sleep_method *freebsd_sleep_method(struct st_platform *p, size_t i)
{
    (void)p;
    return i < ST_ARRAY_LEN(methods) ? &methods[i] : NULL;
}

/* Sources of xruns, one row each; those that only Linux has are the last ones. */
static const struct st_xrun_source alsa = ST_XRUN_ABSENT("alsa", "only Linux has ALSA's files in /proc");

static const struct st_xrun_source *const sources[] = {
    &st_xrun_sound4, &st_xrun_pipewire, &st_xrun_jack, &st_xrun_pulseaudio, &alsa,
};

static const struct st_xrun_source *freebsd_xrun_source(struct st_platform *p, size_t i)
{
    (void)p;
    return i < ST_ARRAY_LEN(sources) ? sources[i] : NULL;
}

static int no_suspended_ns(struct st_platform *p, int64_t *ret_ns)
{
    (void)p;
    (void)ret_ns;
    return -ENOTSUP; /* CLOCK_BOOTTIME is another name of CLOCK_UPTIME here: no clock tells them apart */
}

static int no_timer_slack_ns(struct st_platform *p, int64_t *ret_ns)
{
    (void)p;
    (void)ret_ns;
    return -ENOTSUP; /* alloweddeviation is the machine's, not the thread's */
}

static int no_set_timer_slack_ns(struct st_platform *p, int64_t ns)
{
    (void)p;
    (void)ns;
    return -ENOTSUP;
}

static int no_leave_rseq(struct st_platform *p)
{
    (void)p;
    return 0; /* FreeBSD has none */
}

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
        .sleep_method = freebsd_sleep_method,
        .xrun_source = freebsd_xrun_source,
        .wall_ns = st_posix_wall_ns,
        .suspended_ns = no_suspended_ns,
        .set_policy = st_freebsd_set_policy,
        .get_policy = st_freebsd_get_policy,
        .thread_id = st_freebsd_thread_id,
        .demote = st_freebsd_demote,
        .pin = st_freebsd_pin,
        .unpin = st_freebsd_unpin,
        .cpus_allowed = st_freebsd_cpus_allowed,
        .set_name = st_freebsd_set_name,
        .timer_slack_ns = no_timer_slack_ns,
        .set_timer_slack_ns = no_set_timer_slack_ns,
        .leave_rseq = no_leave_rseq,
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
        .conditions = st_tree_conditions_freebsd,
        .smi_count = no_smi_count,
        .virtualised = st_tree_virtualised_freebsd,
        .read_text = freebsd_read_text,
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
