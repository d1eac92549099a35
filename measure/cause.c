/* Judges the cause of a late wake-up. */
#include "measure/cause.h"

/* A thread that SIGCONT continues runs only when the scheduler chooses it, which may take this
 * long. */
#define CONTINUED_SLACK_NS INT64_C(50000000)

/* On FreeBSD, a jump of the wall clock by at least this shows that the machine was suspended.
 * Resuming sets the wall clock from a clock of whole seconds; ntpd usually changes it by less. */
#define SUSPEND_BY_WALL_MIN_NS INT64_C(2000000000)

static uint64_t difference(uint64_t now, uint64_t then)
{
    return ST_MAX(now, then) - then;
}

static int64_t clip(int64_t ns, int64_t highest_ns)
{
    if (ns < 0)
        return 0;
    return ST_MIN(ns, highest_ns);
}

/* The cause that remains if no counter explains the lateness. Stolen time is no such counter: it is
 * counted for whole CPUs in steps of 10 ms, so it does not show how late one sleeping thread was
 * because of it. */
static enum st_cause rest_cause(const struct st_cause_machine *machine)
{
    return machine->virtualised == 0 ? ST_CAUSE_TIMER : ST_CAUSE_HYPERVISOR_OR_INTERRUPT;
}

/* The part of a count that belongs to this wake-up, if several late wake-ups share the count: in
 * proportion to their lateness, and at most the lateness. */
static int64_t part_ns(int64_t counted_ns, const struct st_cause_record *record,
                       const struct st_cause_context *context)
{
    if (context->together_ns > record->lateness_ns)
        counted_ns = (int64_t)((double)counted_ns * (double)record->lateness_ns /
                               (double)context->together_ns);
    return clip(counted_ns, record->lateness_ns);
}

/* Finds how much of the lateness (ns) a stop of the process (SIGSTOP) explains. After SIGCONT the
 * loop may have woken a moment before the drain thread noticed the signal. */
static int64_t stopped_ns(const struct st_cause_record *record,
                          const struct st_cause_context *context)
{
    const int64_t due_ns = record->at_ns - record->lateness_ns;
    const int64_t continued_ns = context->pauses->continued_ns;
    if (continued_ns == INT64_MIN || continued_ns < due_ns ||
        continued_ns > record->at_ns + CONTINUED_SLACK_NS)
        return 0;
    return clip(continued_ns - due_ns, record->lateness_ns);
}

static int64_t quota_ns(const struct st_cause_record *record, const struct st_cause_baseline *base,
                        const struct st_cause_context *context)
{
    if (!context->normal_thread || context->pauses->quota_ns == INT64_MIN ||
        base->quota_ns == INT64_MIN)
        return 0;
    return part_ns(context->pauses->quota_ns - base->quota_ns, record, context);
}

/* Time in which the CPU did something else, but which the kernel charged to the loop as CPU time.
 * When a wake-up preempts another thread, the scheduler skips the reading of its clock at the
 * switch (kernel/sched/core.c, check_preempt_curr(), later wakeup_preempt():
 * rq_clock_skip_update()). Until that switch, kernel code that is not preempted, interrupts and
 * softirqs may run for milliseconds. The time since the last reading of the clock, at a tick or a
 * wake-up, then counts not as a wait, but as CPU time of the thread that gets the CPU. The result
 * is the CPU time and wait since the baseline, minus the most that as many cycles had in a recent
 * interval without a late wake-up. (Not minus the median: a cycle takes a quarter more at a lower
 * clock or with cold caches, which in 187 cycles is hundreds of us.) The lateness of the other
 * cycles is subtracted as well, since they cannot have waited for longer. So the result is a lower
 * bound, unless each cycle takes more just now than in any of these intervals. If pages were read
 * from disk, that took CPU time of the thread itself, so the result is 0. */
static int64_t charged_ns(const struct st_cause_record *record,
                          const struct st_cause_baseline *base,
                          const struct st_cause_context *context,
                          const struct st_cause_event *event)
{
    const struct st_thread_counters *now = &record->counters, *then = &base->counters;
    if (!(now->valid & then->valid & ST_COUNTER_CPU) ||
        context->most_cpu_and_wait_ns_per_cycle < 0 || context->cycle <= base->cycle ||
        event->faults_major_n > 0)
        return 0;
    const double most =
        context->most_cpu_and_wait_ns_per_cycle * (double)(context->cycle - base->cycle);
    const int64_t both_ns = now->runq_wait_ns - then->runq_wait_ns + now->cpu_ns - then->cpu_ns;
    const int64_t left_ns = both_ns - (int64_t)most - clip(context->others_late_ns, INT64_MAX);
    return clip(part_ns(left_ns, record, context) - event->runq_wait_ns,
                record->lateness_ns - event->runq_wait_ns);
}

int64_t st_cause_interrupts_ns(const struct st_pauses *from, const struct st_pauses *to, int cpu,
                               const struct st_interrupt **ret_most)
{
    int64_t sum_ns = 0, most_ns = 0;
    *ret_most = NULL;
    ST_EACH_OF (now, to->interrupts, to->interrupts_n) {
        int64_t ran_ns = now->run_ns * (now->began_ns >= from->at_ns);
        ST_EACH_OF (then, from->interrupts, from->interrupts_n) {
            if (now->tid == then->tid)
                ran_ns = now->run_ns - then->run_ns;
        }
        if (ran_ns <= 0 || now->cpu != cpu)
            continue;
        sum_ns += ran_ns;
        if (ran_ns > most_ns) {
            most_ns = ran_ns;
            *ret_most = now;
        }
    }
    return sum_ns;
}

static void put_down_to(struct st_cause_event *event, enum st_cause cause, int64_t explained_ns)
{
    event->cause = cause;
    event->explained_ns = st_cause_kind_by_exclusion(cause) ? INT64_MIN : explained_ns;
}

/* Judges the cause on a kernel that does not count waits for a CPU (FreeBSD). Uses these figures,
 * the surest first: the kernel's formula for longer sleeps; the run time of interrupt threads and
 * of real-time threads of other programs, beyond their usual share of that CPU; involuntary
 * switches, beyond the usual ones and at least one for each late wake-up. */
static void judge_without_waits(const struct st_cause_record *record,
                                const struct st_cause_baseline *base,
                                const struct st_cause_context *context,
                                const struct st_cause_machine *machine,
                                struct st_cause_event *event)
{
    const int64_t half_ns = record->lateness_ns / 2;
    const double cycles = (double)difference(context->cycle, base->cycle);
    const double span_ns = (double)(context->pauses->at_ns - context->looked->at_ns);
    const struct st_interrupt *most;
    const int64_t all_ns =
        st_cause_interrupts_ns(context->looked, context->pauses, event->cpu, &most);
    const int64_t usual_ns = (int64_t)(context->most_interrupt_share * span_ns);
    const int64_t interrupts_ns = part_ns(all_ns - usual_ns - context->named_ns, record, context) *
                                  (context->most_interrupt_share >= 0);
    if (machine->stretch_ns > half_ns) {
        put_down_to(event, ST_CAUSE_STRETCHED, clip(machine->stretch_ns, record->lateness_ns));
    } else if (most != NULL && interrupts_ns > half_ns) {
        put_down_to(event, most->is_program ? ST_CAUSE_RUN_QUEUE : ST_CAUSE_KERNEL, interrupts_ns);
        memcpy(event->culprit, most->name, sizeof(most->name));
    } else if ((double)event->switches_involuntary_n >=
               context->most_switches_per_cycle * cycles + (double)event->together_n) {
        event->cause = ST_CAUSE_RUN_QUEUE;
    } else if (event->faults_major_n > 0) {
        event->cause = ST_CAUSE_PAGE_FAULT;
    }
}

/* --- readings of the machine --- */

/* The counters of the machine (readings) and the cause that each one shows, the surest first. A
 * counter with the unit LENGTH (ns) must explain half of the lateness; a NUMBER must only grow; a
 * SHARE must be at least FULL_SHARE. */
static const struct {
    enum st_reading reading;
    enum st_cause cause;
    enum { NUMBER, LENGTH, SHARE } unit;
} readings[] = {
    {ST_READING_SMI, ST_CAUSE_FIRMWARE, NUMBER},
    {ST_READING_STEAL_NS, ST_CAUSE_STEAL, LENGTH},
    {ST_READING_BUS_LOCKS, ST_CAUSE_BUS_LOCK, NUMBER},
    {ST_READING_HEAT_N, ST_CAUSE_HEAT, NUMBER},
    {ST_READING_HEAT_NS, ST_CAUSE_HEAT, LENGTH},
    {ST_READING_PACKAGE_HEAT_N, ST_CAUSE_HEAT, NUMBER},
    {ST_READING_PACKAGE_HEAT_NS, ST_CAUSE_HEAT, LENGTH},
    {ST_READING_POWER_N, ST_CAUSE_POWER_LIMIT, NUMBER},
    {ST_READING_PACKAGE_POWER_N, ST_CAUSE_POWER_LIMIT, NUMBER},
    {ST_READING_FULL_POWER_NS, ST_CAUSE_POWER_LIMIT, SHARE},
};

/* share of the power limit from which the CPU counts as limited. It is below 1, because firmware
 * keeps the mean power just below the limit; the value is sleeptune's own choice */
#define FULL_SHARE 0.97

int64_t st_cause_grown(const struct st_readings *from, const struct st_readings *to,
                       enum st_reading reading, const struct st_recent *usual)
{
    const int64_t before = from->counts[reading], now = to->counts[reading];
    if (from->at_ns == 0 || to->at_ns <= from->at_ns || from->cpu != to->cpu ||
        before == INT64_MIN || now < before)
        return INT64_MIN;
    double usually = 0.99; /* counts are whole numbers, so the usual growth is rounded up */
    if (usual != NULL)
        usually += st_recent_max(usual) * (double)(to->at_ns - from->at_ns);
    return now - before - (int64_t)usually;
}

/* Does the counter in readings[row] explain the lateness? @param ret_ns how much of the lateness it
 * explains; INT64_MIN: the counter is not a time. */
static bool explains(size_t row, const struct st_readings *from, const struct st_readings *to,
                     const struct st_recent *usual, int64_t lateness_ns, int64_t *ret_ns)
{
    const enum st_reading reading = readings[row].reading;
    const int64_t grown = st_cause_grown(from, to, reading, usual != NULL ? &usual[reading] : NULL);
    *ret_ns = INT64_MIN;
    if (grown <= 0)
        return false;
    if (readings[row].unit == SHARE)
        return (double)grown >= FULL_SHARE * (double)(to->at_ns - from->at_ns);
    if (readings[row].unit == LENGTH)
        *ret_ns = clip(grown, lateness_ns);
    return readings[row].unit == NUMBER || *ret_ns >= lateness_ns / 2;
}

/* Finds the longest time (ns) that the CPU may have needed to leave an idle state it entered
 * between two readings. Exit times are worst cases, as the idle driver gives them. */
static int64_t idle_exit_ns(const struct st_readings *from, const struct st_readings *to)
{
    int64_t longest_ns = 0;
    for (int i = 0; i < ST_IDLE_STATES_MAX && from->cpu == to->cpu && from->at_ns > 0; i++) {
        if (from->idle_entries_n[i] == INT64_MIN || to->idle_entries_n[i] == INT64_MIN)
            break;
        if (to->idle_entries_n[i] > from->idle_entries_n[i] && to->idle_exit_ns[i] > longest_ns)
            longest_ns = to->idle_exit_ns[i];
    }
    return longest_ns;
}

/* Judges the cause by the machine's counters (readings) before and after the wake-up. @return
 * false: no counter explains the lateness. */
static bool judge_by_readings(const struct st_cause_baseline *base,
                              const struct st_cause_context *context, struct st_cause_event *event)
{
    const struct st_readings *from = &base->readings, *to = context->readings;
    const int64_t half_ns = event->lateness_ns / 2;
    int64_t ns;
    if (to == NULL || (event->cpu >= 0 && event->cpu != to->cpu))
        return false;
    for (size_t i = 0; i < ST_ARRAY_LEN(readings); i++) {
        const int64_t exit_ns = idle_exit_ns(from, to);
        if (readings[i].cause == ST_CAUSE_HEAT && exit_ns > 0 && exit_ns >= half_ns) {
            put_down_to(event, ST_CAUSE_IDLE_EXIT, clip(exit_ns, event->lateness_ns));
            return true;
        }
        if (!explains(i, from, to, context->usual_readings, event->lateness_ns, &ns))
            continue;
        put_down_to(event, readings[i].cause, ns);
        if (readings[i].cause == ST_CAUSE_BUS_LOCK)
            memcpy(event->culprit, to->culprit, sizeof(event->culprit));
        return true;
    }
    return false;
}

enum st_cause st_cause_slowed(const struct st_readings *from, const struct st_readings *to)
{
    int64_t ns;
    for (size_t i = 0; i < ST_ARRAY_LEN(readings); i++) {
        const enum st_cause cause = readings[i].cause;
        if ((cause == ST_CAUSE_HEAT || cause == ST_CAUSE_POWER_LIMIT || cause == ST_CAUSE_STEAL) &&
            explains(i, from, to, NULL, (to->at_ns - from->at_ns) / 10, &ns))
            return cause;
    }
    return ST_CAUSE_UNKNOWN;
}

void st_cause_judge_work(const struct st_readings *from, const struct st_readings *to,
                         int64_t callback_ns, struct st_cause_event *event)
{
    if (to->clock_khz <= 0 || to->clock_khz >= to->clock_highest_khz)
        return;
    const double slower = 1 - (double)to->clock_khz / (double)to->clock_highest_khz;
    const int64_t ns = clip((int64_t)((double)callback_ns * slower), event->lateness_ns);
    enum st_cause slowed = st_cause_slowed(from, to);
    if (ns < event->lateness_ns / 2)
        return;
    if (slowed != ST_CAUSE_HEAT && slowed != ST_CAUSE_POWER_LIMIT) {
        slowed = ST_CAUSE_SLOW_CLOCK;
        if (to->clock_limit_khz > 0 && to->clock_limit_khz < to->clock_highest_khz)
            slowed = ST_CAUSE_POWER_LIMIT;
    }
    put_down_to(event, slowed, ns);
}

/* Judges by the time that the thread waited for a CPU, and by the time that was charged to it
 * without being its work. */
static void judge_by_waits(const struct st_cause_record *record,
                           const struct st_cause_baseline *base,
                           const struct st_cause_context *context,
                           const struct st_cause_machine *machine, struct st_cause_event *event)
{
    const struct st_thread_counters *now = &record->counters, *then = &base->counters;
    const int64_t lateness_ns = record->lateness_ns;
    const double usual =
        context->usual_wait_ns_per_cycle * (double)difference(context->cycle, base->cycle);
    event->runq_wait_ns = part_ns(
        clip(now->runq_wait_ns - then->runq_wait_ns - (int64_t)usual, INT64_MAX), record, context);
    event->charged_ns = charged_ns(record, base, context, event);
    const int64_t both_ns = event->runq_wait_ns + event->charged_ns;

    /* Threads whose quota is used up are runnable, so this time is part of the wait. */
    const int64_t throttled_ns = clip(quota_ns(record, base, context), event->runq_wait_ns);
    if (throttled_ns > 0 && throttled_ns >= lateness_ns / 2) {
        put_down_to(event, ST_CAUSE_CPU_QUOTA, throttled_ns);
    } else if (both_ns > 0 && both_ns >= lateness_ns / 2) {
        const bool hole = !context->normal_thread && machine->rt_hole_ns > 0 &&
                          event->runq_wait_ns > machine->rt_hole_ns / 10 * 9 &&
                          event->runq_wait_ns < machine->rt_hole_ns / 10 * 11;
        if (event->charged_ns > event->runq_wait_ns && judge_by_readings(base, context, event))
            return;
        enum st_cause cause = ST_CAUSE_RUN_QUEUE;
        if (hole)
            cause = ST_CAUSE_RT_THROTTLING;
        else if (event->charged_ns > event->runq_wait_ns)
            cause = ST_CAUSE_KERNEL;
        else if (context->normal_thread && context->readings != NULL &&
                 context->readings->sched_ext)
            cause = ST_CAUSE_SCHED_EXT;
        put_down_to(event, cause, both_ns);
    } else if (event->faults_major_n > 0) {
        event->cause = ST_CAUSE_PAGE_FAULT;
    } else if (!judge_by_readings(base, context, event)) {
        event->cause = rest_cause(machine);
    }
}

struct st_cause_event st_cause_judge(const struct st_cause_record *record,
                                     const struct st_cause_baseline *base,
                                     const struct st_cause_context *context,
                                     const struct st_cause_machine *machine)
{
    struct st_cause_event event = {
        .cause = ST_CAUSE_UNKNOWN,
        .at_ns = record->at_ns,
        .lateness_ns = record->lateness_ns,
        .explained_ns = INT64_MIN,
        .together_n = ST_MAX(context->together_n, 1),
        .cpu = -1,
    };
    if (record->counters.valid & ST_COUNTER_CPU_NUMBER)
        event.cpu = record->counters.cpu;
    if (base == NULL)
        return event;
    const struct st_thread_counters *now = &record->counters, *then = &base->counters;
    const unsigned valid = now->valid & then->valid;
    if (valid & ST_COUNTER_SWITCHES)
        event.switches_involuntary_n =
            difference(now->switches_involuntary_n, then->switches_involuntary_n);
    if (valid & ST_COUNTER_FAULTS)
        event.faults_major_n = difference(now->faults_major_n, then->faults_major_n);

    if (valid & ST_COUNTER_SUSPENDED &&
        now->suspended_ns - then->suspended_ns >
            (valid & ST_COUNTER_RUNQ_WAIT ? ST_CAUSE_SUSPEND_MIN_NS : SUSPEND_BY_WALL_MIN_NS)) {
        event.cause = ST_CAUSE_SUSPEND;
        return event;
    }
    const int64_t stop_ns = stopped_ns(record, context);
    if (stop_ns > 0 && stop_ns >= record->lateness_ns / 2) {
        put_down_to(&event, ST_CAUSE_STOPPED, stop_ns);
        return event;
    }
    if (!(valid & ST_COUNTER_RUNQ_WAIT)) {
        judge_without_waits(record, base, context, machine, &event);
        if (event.cause == ST_CAUSE_UNKNOWN)
            (void)judge_by_readings(base, context, &event);
    } else {
        judge_by_waits(record, base, context, machine, &event);
    }
    return event;
}
