/* A stand-in for rtkit on a bus of the test's own: grants SCHED_RR as the real one does, and writes
 * down what it saw. */
#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <systemd/sd-bus.h>

#define NAME "org.freedesktop.RealtimeKit1"
#define PATH "/org/freedesktop/RealtimeKit1"

static struct limits {
    int32_t priority_max;
    int64_t rttime_max_us;
} limits = {20, 200000};

/* RLIMIT_RTTIME of a process, hard limit in us; -1: unlimited or not readable. */
static long long rttime_us(uint64_t pid)
{
    char path[64], line[200];
    long long hard = -1;
    snprintf(path, sizeof(path), "/proc/%llu/limits", (unsigned long long)pid);
    FILE *in = fopen(path, "r");
    while (in != NULL && fgets(line, sizeof(line), in) != NULL)
        sscanf(line, "Max realtime timeout %*s %lld", &hard);
    if (in != NULL)
        fclose(in);
    return hard;
}

static int make_realtime(sd_bus_message *message, void *ctx, sd_bus_error *error)
{
    (void)ctx;
    uint64_t pid, tid;
    uint32_t priority;
    int r = sd_bus_message_read(message, "ttu", &pid, &tid, &priority);
    if (r < 0)
        return r;
    const long long rttime = rttime_us(pid);
    if (rttime < 0 || rttime > limits.rttime_max_us || priority > (uint32_t)limits.priority_max)
        return sd_bus_error_set_errno(error, EPERM);
    const struct sched_param param = {.sched_priority = (int)priority};
    if (sched_setscheduler((pid_t)tid, SCHED_RR | SCHED_RESET_ON_FORK, &param) != 0) {
        printf("refused by the kernel: %s\n", strerror(errno));
        fflush(stdout);
        return sd_bus_error_set_errno(error, errno);
    }
    printf("granted priority %u rttime %lld\n", priority, rttime);
    fflush(stdout);
    return sd_bus_reply_method_return(message, "");
}

static const sd_bus_vtable vtable[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD("MakeThreadRealtimeWithPID", "ttu", "", make_realtime,
                  SD_BUS_VTABLE_UNPRIVILEGED),
    SD_BUS_PROPERTY("MaxRealtimePriority", "i", NULL, offsetof(struct limits, priority_max),
                    SD_BUS_VTABLE_PROPERTY_CONST),
    SD_BUS_PROPERTY("RTTimeUSecMax", "x", NULL, offsetof(struct limits, rttime_max_us),
                    SD_BUS_VTABLE_PROPERTY_CONST),
    SD_BUS_VTABLE_END,
};

int main(void)
{
    sd_bus *bus = NULL;
    int r = sd_bus_open_system(&bus);
    if (r >= 0)
        r = sd_bus_add_object_vtable(bus, NULL, PATH, NAME, vtable, &limits);
    if (r >= 0)
        r = sd_bus_request_name(bus, NAME, 0);
    if (r < 0) {
        fprintf(stderr, "%s\n", strerror(-r));
        return 1;
    }
    puts("ready");
    fflush(stdout);
    while (r >= 0) {
        r = sd_bus_process(bus, NULL);
        if (r == 0)
            r = sd_bus_wait(bus, UINT64_MAX);
    }
    return 1;
}
