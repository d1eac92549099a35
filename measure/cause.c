/* Why a wake-up was late. */
#include "measure/cause.h"

#include <string.h>

static const struct {
    const char *name, *text;
} causes[ST_CAUSE_COUNT] = {
    [ST_CAUSE_RUN_QUEUE] = {"run-queue", "another thread had the CPU"},
    [ST_CAUSE_RT_THROTTLING] = {"rt-throttling",
                                "real-time throttling: real-time threads used up their share"},
    [ST_CAUSE_PAGE_FAULT] = {"page-fault", "a page had to be read from disk"},
    [ST_CAUSE_OWN_WORK] = {"own-work", "the callback before took longer than its period"},
    [ST_CAUSE_SUSPEND] = {"suspend", "the machine was suspended"},
    [ST_CAUSE_TIMER] = {"timer", "timer, interrupt or idle exit (or the process was stopped)"},
    [ST_CAUSE_HYPERVISOR_OR_INTERRUPT] = {"hypervisor-or-interrupt",
                                          "hypervisor or interrupt (not separable on this kernel)"},
    [ST_CAUSE_UNKNOWN] = {"unknown", "not known: the wait for a CPU could not be read"},
};

const char *st_cause_name(enum st_cause cause)
{
    return causes[cause].name;
}

const char *st_cause_text(enum st_cause cause)
{
    return causes[cause].text;
}

static uint64_t difference(uint64_t now, uint64_t then)
{
    return now > then ? now - then : 0;
}

/* What remains when nothing that we can count explains it. Stolen time is counted for CPUs only, in steps of
 * 10 ms, even where the kernel accounts it: it cannot tell what one sleeping thread was late by. */
static enum st_cause rest_cause(const struct st_cause_machine *machine)
{
    return machine->virtualised == 0 ? ST_CAUSE_TIMER : ST_CAUSE_HYPERVISOR_OR_INTERRUPT;
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
        .rest_ns = record->lateness_ns,
    };
    if (base == NULL)
        return event;
    const struct st_thread_counters *now = &record->counters, *then = &base->counters;
    const unsigned valid = now->valid & then->valid;
    event.span_ns = record->at_ns - base->at_ns;
    if (valid & ST_COUNTER_SWITCHES)
        event.switches_involuntary_n = difference(now->switches_involuntary_n, then->switches_involuntary_n);
    if (valid & ST_COUNTER_FAULTS) {
        event.faults_minor_n = difference(now->faults_minor_n, then->faults_minor_n);
        event.faults_major_n = difference(now->faults_major_n, then->faults_major_n);
    }
    if (valid & ST_COUNTER_CPU_NUMBER)
        event.migrated = now->cpu != then->cpu;

    if (context->suspended_ns != INT64_MIN && base->suspended_ns != INT64_MIN &&
        context->suspended_ns - base->suspended_ns > INT64_C(10000000)) {
        event.cause = ST_CAUSE_SUSPEND;
        return event;
    }
    if (!(valid & ST_COUNTER_RUNQ_WAIT))
        return event;

    const double usual = context->usual_wait_ns_per_cycle *
                         (double)(context->cycle > base->cycle ? context->cycle - base->cycle : 0);
    int64_t wait_ns = now->runq_wait_ns - then->runq_wait_ns - (int64_t)usual;
    if (wait_ns < 0)
        wait_ns = 0;
    if (wait_ns > record->lateness_ns)
        wait_ns = record->lateness_ns;
    event.runq_wait_ns = wait_ns;
    event.rest_ns = record->lateness_ns - wait_ns;

    if (wait_ns >= record->lateness_ns / 2) {
        const bool hole = machine->rt_hole_ns > 0 && wait_ns > machine->rt_hole_ns / 10 * 9 &&
                          wait_ns < machine->rt_hole_ns / 10 * 11;
        event.cause = hole ? ST_CAUSE_RT_THROTTLING : ST_CAUSE_RUN_QUEUE;
    } else if (event.faults_major_n > 0) {
        event.cause = ST_CAUSE_PAGE_FAULT;
    } else {
        event.cause = rest_cause(machine);
    }
    return event;
}
