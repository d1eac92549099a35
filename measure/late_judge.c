#include "measure/late_judge.h"

#include "core/ns.h"

void st_late_judge_init(struct st_late_judge *judge, const struct st_loop *loop,
                        const struct st_sink *sink, struct st_result *result,
                        const struct st_cause_machine *machine)
{
    *judge =
        (struct st_late_judge){.loop = loop, .sink = sink, .result = result, .machine = *machine};
    judge->base[0].at_ns = judge->base[1].at_ns = INT64_MIN;
    judge->pauses = judge->looked =
        (struct st_pauses){.quota_ns = INT64_MIN, .continued_ns = INT64_MIN};
}

static void add_event(struct st_late_judge *judge, const struct st_cause_event *event)
{
    struct st_result *result = judge->result;
    struct st_cause_row *row = &result->causes[event->cause];
    row->n++;
    row->total_ns = st_ns_add(row->total_ns, event->lateness_ns);
    if (event->lateness_ns > row->max_ns)
        row->max_ns = event->lateness_ns;
    if (event->explained_ns != INT64_MIN)
        row->explained_ns = st_ns_add(row->explained_ns, event->explained_ns);
    result->cause_explained_n += event->cause != ST_CAUSE_UNKNOWN;
    if (judge->sink->late != NULL)
        judge->sink->late(judge->sink->ctx, event);
}

/* The latest baseline from before the time at which this wake-up was due; NULL: none. */
static const struct st_cause_baseline *baseline_for(const struct st_late_judge *judge,
                                                    const struct st_late_judge_wake *late)
{
    const int64_t due_ns = st_ns_sub(late->at_ns, late->lateness_ns);
    ST_EACH (base, judge->base) {
        if (base->at_ns != INT64_MIN && base->at_ns <= due_ns)
            return base;
    }
    return NULL;
}

/* Do all cycles take nearly the same CPU time, so that more of it shows that the kernel charged
 * other work to the loop? With a callback the time differs from cycle to cycle. */
static bool cpu_time_is_even(const struct st_late_judge *judge)
{
    return judge->cpu_and_wait.n > 0 && judge->loop->callback == NULL;
}

/* Judges the waiting wake-ups by counters that were read after them (NULL: they could not be read).
 * Usually each wake-up has its own record. The loop writes at most 8 records a second; wake-ups
 * between two records share the growth of the counters in proportion to their lateness. @param
 * by_itself true: the loop itself read the counters, in its latest cycle; false: the drain thread
 * did. */
static void judge_waiting(struct st_late_judge *judge, const struct st_thread_counters *counters,
                          bool by_itself)
{
    struct st_cause_context context = {
        .cycle = judge->seen,
        .usual_wait_ns_per_cycle = st_recent_median(&judge->usual_wait),
        .most_cpu_and_wait_ns_per_cycle =
            by_itself && cpu_time_is_even(judge) ? st_recent_max(&judge->cpu_and_wait) : -1,
        .most_switches_per_cycle = st_recent_max(&judge->switches),
        .most_interrupt_share = judge->interrupts.n > 0 ? st_recent_max(&judge->interrupts) : -1,
        .named_ns = judge->named_ns,
        .looked = &judge->looked,
        .pauses = &judge->pauses,
        .readings = &judge->readings,
        .usual_readings = judge->usual_readings,
        .normal_thread = judge->result->policy == ST_POLICY_OTHER,
        .together_n = (uint32_t)judge->waiting_n,
    };
    const struct st_cause_baseline *base =
        judge->waiting_n > 0 && counters != NULL ? baseline_for(judge, &judge->waiting[0]) : NULL;
    ST_EACH_OF (late, judge->waiting, judge->waiting_n)
        context.together_ns = st_ns_add(context.together_ns, late->lateness_ns);
    if (base != NULL && judge->seen > base->cycle + judge->waiting_n)
        context.others_late_ns = judge->late_ns - base->late_ns - context.together_ns -
                                 (int64_t)(st_recent_median(&judge->usual_late) *
                                           (double)(judge->seen - base->cycle - judge->waiting_n));
    ST_EACH_OF (late, judge->waiting, judge->waiting_n) {
        struct st_cause_record record = {.at_ns = late->at_ns, .lateness_ns = late->lateness_ns};
        if (counters != NULL)
            record.counters = *counters;
        const struct st_cause_event event =
            st_cause_judge(&record, base, &context, &judge->machine);
        if (event.culprit[0] != '\0' && event.explained_ns != INT64_MIN)
            judge->named_ns += event.explained_ns;
        add_event(judge, &event);
    }
    judge->causes_since_base += judge->waiting_n;
    judge->waiting_n = 0;
}

/* Finds the cause of a cycle that began excess_ns late because the callback before it took too
 * long: the callback's own work, or a low clock of the CPU. */
static struct st_cause_event own_work(const struct st_late_judge *judge, int64_t at_ns,
                                      int64_t excess_ns, int64_t callback_ns)
{
    struct st_cause_event event = {.cause = ST_CAUSE_OWN_WORK,
                                   .at_ns = at_ns,
                                   .lateness_ns = excess_ns,
                                   .explained_ns = excess_ns,
                                   .together_n = 1,
                                   .cpu = -1};
    st_cause_judge_work(&judge->base[0].readings, &judge->readings, callback_ns, &event);
    return event;
}

/* Judges a cycle that began late, for one of three reasons. The loop woke late: the wake-up waits
 * for its cause. The callback before the cycle took too long: that is the cause. The cycle before
 * it was late: this one is not counted again. */
static void judge_late(struct st_late_judge *judge, const struct st_late_judge_cycle *cycle,
                       bool after_late)
{
    const int64_t at_ns = st_ns_add(cycle->due_ns, cycle->lateness_ns);
    const bool started_at_once = cycle->last_done_ns >= cycle->due_ns;
    if (started_at_once && after_late)
        return;
    judge->result->cause_late_n++;
    if (started_at_once) {
        const struct st_cause_event event =
            own_work(judge, at_ns, cycle->lateness_ns, cycle->last_callback_ns);
        add_event(judge, &event);
        return;
    }
    if (judge->waiting_n == ST_LATE_JUDGE_MAX)
        judge_waiting(judge, NULL, false);
    judge->waiting[judge->waiting_n++] = (struct st_late_judge_wake){at_ns, cycle->lateness_ns};
}

/* Keeps the two newest baselines, newest first. A baseline that the loop wrote may be older than
 * that of the last drain; it is then stored as the second. */
static void push_baseline(struct st_late_judge *judge, const struct st_cause_baseline *base)
{
    if (judge->base[0].at_ns != INT64_MIN && base->at_ns < judge->base[0].at_ns) {
        judge->base[1] = *base;
        return;
    }
    judge->base[1] = judge->base[0];
    judge->base[0] = *base;
}

/* Adds the growth of the counters since the last baseline to the usual values (usual_wait, switches
 * and so on), unless a late wake-up was judged since then. A late wake-up that is not in the ring
 * yet may be included. */
static void add_usual(struct st_late_judge *judge, const struct st_cause_baseline *base)
{
    const struct st_cause_baseline *before = &judge->base[0];
    if (judge->causes_since_base > 0 || before->at_ns == INT64_MIN || base->cycle <= before->cycle)
        return;
    const struct st_thread_counters *now = &base->counters, *then = &before->counters;
    const double cycles = (double)(base->cycle - before->cycle);
    const unsigned valid = now->valid & then->valid;
    const int64_t wait_ns = now->runq_wait_ns - then->runq_wait_ns,
                  cpu_ns = now->cpu_ns - then->cpu_ns;
    if (valid & ST_COUNTER_RUNQ_WAIT)
        st_recent_add(&judge->usual_wait, (double)wait_ns / cycles);
    if (valid & ST_COUNTER_RUNQ_WAIT && valid & ST_COUNTER_CPU)
        st_recent_add(&judge->cpu_and_wait, (double)(cpu_ns + wait_ns) / cycles);
    if (valid & ST_COUNTER_SWITCHES)
        st_recent_add(&judge->switches,
                      (double)(now->switches_involuntary_n - then->switches_involuntary_n) /
                          cycles);
    const int64_t readings_ns = base->readings.at_ns - before->readings.at_ns;
    for (enum st_reading i = 0; i < ST_READINGS && readings_ns > 0; i++) {
        const int64_t grown = st_cause_grown(&before->readings, &base->readings, i, NULL);
        st_recent_add(&judge->usual_readings[i],
                      grown != INT64_MIN ? (double)grown / (double)readings_ns : 0);
    }
    st_recent_add(&judge->usual_late, (double)(base->late_ns - before->late_ns) / cycles);
}

/* Adds to judge->interrupts the share of the loop's CPU that threads which run before the loop had
 * since the last reading. Adds 0 if they ran for no longer than the loop was late, plus a period
 * for each late wake-up (a burst may begin before the loop is due) and an eighth: that time
 * explains the lateness, so it is not usual. */
static void add_interrupts(struct st_late_judge *judge, int cpu)
{
    const int64_t span_ns = judge->pauses.at_ns - judge->looked.at_ns;
    const int64_t late_ns = judge->late_ns - judge->looked_late_ns +
                            st_period_ns(&judge->loop->period) * (int64_t)judge->looked_late_n;
    const struct st_interrupt *most;
    if (judge->looked.interrupts_n > 0 && judge->pauses.interrupts_n > 0 && span_ns > 0) {
        const int64_t ran_ns = st_cause_interrupts_ns(&judge->looked, &judge->pauses, cpu, &most);
        const bool late = judge->looked_late_n > 0 && ran_ns <= late_ns + late_ns / 8;
        st_recent_add(&judge->interrupts, late ? 0 : (double)ran_ns / (double)span_ns);
    }
    judge->looked = judge->pauses;
    judge->looked_late_ns = judge->late_ns;
    judge->looked_late_n = 0;
    judge->named_ns = 0;
}

void st_late_judge_cycle(struct st_late_judge *judge, const struct st_late_judge_cycle *cycle)
{
    if (cycle->last_done_ns < cycle->due_ns && cycle->lateness_ns > 0)
        judge->late_ns = st_ns_add(judge->late_ns, cycle->lateness_ns);
    const bool after_late = judge->last_late;
    judge->last_late = cycle->lateness_ns > judge->loop->cause_above_ns;
    if (judge->last_late)
        judge_late(judge, cycle, after_late);
}

void st_late_judge_record(struct st_late_judge *judge, const struct st_cause_record *record)
{
    judge_waiting(judge, &record->counters, true);
    const struct st_cause_baseline base = {record->at_ns,    judge->seen,    judge->pauses.quota_ns,
                                           record->counters, judge->late_ns, judge->readings};
    /* the loop also writes a record, without lateness, at its start and at the end of warm-up */
    if (record->lateness_ns == 0) {
        add_usual(judge, &base);
        judge->causes_since_base = 0;
    } else {
        judge->causes_since_base++;
        judge->looked_late_n++;
    }
    push_baseline(judge, &base);
}

bool st_late_judge_look(struct st_late_judge *judge, struct st_cause_baseline *ret_base)
{
    const struct st_loop *loop = judge->loop;
    struct st_cause_baseline base = {.quota_ns = judge->pauses.quota_ns,
                                     .readings = judge->readings};
    if (loop->counters == NULL ||
        loop->platform->counters_other(loop->platform, loop->counters, &base.counters) != 0) {
        judge_waiting(judge, NULL, false);
        return false;
    }
    judge->looked_late_n += judge->waiting_n;
    judge_waiting(judge, &base.counters, false);
    base.at_ns = st_platform_now_ns(loop->platform);
    base.cycle = atomic_load_explicit(&loop->cycles_seen, memory_order_relaxed);
    base.late_ns = judge->late_ns;
    const struct st_cause_baseline *before = &judge->base[0];
    /* No cycle has run since the last baseline. Keeps that baseline, because a late wake-up may be
     * in progress, and needs a baseline from before its due time. */
    if (before->at_ns != INT64_MIN && base.cycle == before->cycle)
        return false;
    add_usual(judge, &base);
    add_interrupts(judge, base.counters.cpu);
    judge->causes_since_base = 0;
    push_baseline(judge, &base);
    *ret_base = base;
    return true;
}

void st_late_judge_finish(struct st_late_judge *judge)
{
    judge_waiting(judge, judge->loop->counters != NULL ? &judge->loop->counters_end : NULL, false);
    st_readings_close(&judge->readings);
}
