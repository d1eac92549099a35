/* The consumer's side of one loop. */
#include "measure/drain.h"

#include <string.h>

#include "core/ns.h"
#include "measure/records.h"

#define CAUSE_WORDS (sizeof(struct st_cause_record) / sizeof(int32_t))

int st_drain_init(struct st_drain *drain, struct st_loop *loop, struct st_result *result,
                  const struct st_sink *sink, const struct st_cause_machine *machine)
{
    memset(drain, 0, sizeof(*drain));
    drain->loop = loop;
    drain->result = result;
    if (sink != NULL)
        drain->sink = *sink;
    drain->machine = *machine;
    drain->base[0].at_ns = drain->base[1].at_ns = drain->first.at_ns = INT64_MIN;
    drain->suspended_ns = INT64_MIN;
    drain->pauses = (struct st_pauses){INT64_MIN, INT64_MIN};
    return st_device_init(&drain->device, &loop->period, result->periods, 0);
}

static void add_event(struct st_drain *drain, const struct st_cause_event *event)
{
    struct st_result *result = drain->result;
    struct st_cause_row *row = &result->causes[event->cause];
    row->n++;
    row->total_ns = st_ns_add(row->total_ns, event->lateness_ns);
    if (event->lateness_ns > row->max_ns)
        row->max_ns = event->lateness_ns;
    if (event->explained_ns != INT64_MIN)
        row->explained_ns = st_ns_add(row->explained_ns, event->explained_ns);
    result->cause_explained_n += event->cause != ST_CAUSE_UNKNOWN;
    drain->last_event = *event;
    if (drain->sink.late != NULL)
        drain->sink.late(drain->sink.ctx, event);

    size_t at = result->events_n;
    while (at > 0 && result->events[at - 1].lateness_ns < event->lateness_ns)
        at--;
    if (at == ST_RESULT_EVENTS_MAX)
        return;
    if (result->events_n < ST_RESULT_EVENTS_MAX)
        result->events_n++;
    memmove(&result->events[at + 1], &result->events[at], (result->events_n - at - 1) * sizeof(*event));
    result->events[at] = *event;
}

/* The latest baseline that was taken before this wake-up was due. */
static const struct st_cause_baseline *baseline_for(const struct st_drain *drain,
                                                    const struct st_drain_late *late)
{
    const int64_t due_ns = st_ns_sub(late->at_ns, late->lateness_ns);
    for (size_t i = 0; i < ST_ARRAY_LEN(drain->base); i++) {
        if (drain->base[i].at_ns != INT64_MIN && drain->base[i].at_ns <= due_ns)
            return &drain->base[i];
    }
    return NULL;
}

static void tell_xrun(struct st_drain *drain, int64_t at_ns, int64_t silence_ns,
                      const struct st_cause_event *because)
{
    if (drain->sink.xrun != NULL)
        drain->sink.xrun(drain->sink.ctx, at_ns, silence_ns, because);
}

/* A callback and a wait that spins take what they need, cycle by cycle. */
static bool cpu_time_is_even(const struct st_drain *drain)
{
    return drain->cpu_and_wait.n > 0 && drain->loop->callback == NULL && drain->loop->arms == NULL;
}

/* Judges the late wake-ups that wait for it by a look at the counters after them (NULL: there is none). One
 * has a record of its own, as a rule; those between two records (the loop takes at most 8 a second) share
 * what was counted by their lateness. by_itself: the loop looked, in its last cycle seen. */
static void judge_waiting(struct st_drain *drain, const struct st_thread_counters *counters, bool by_itself)
{
    struct st_cause_context context = {
        .cycle = drain->seen,
        .usual_wait_ns_per_cycle = st_recent_median(&drain->usual_wait),
        .most_cpu_and_wait_ns_per_cycle =
            by_itself && cpu_time_is_even(drain) ? st_recent_max(&drain->cpu_and_wait) : -1,
        .pauses = drain->pauses,
        .quota_holds = drain->result->policy == ST_POLICY_OTHER,
        .together_n = (uint32_t)drain->late_n,
    };
    const struct st_cause_baseline *base =
        drain->late_n > 0 && counters != NULL ? baseline_for(drain, &drain->late[0]) : NULL;
    for (size_t i = 0; i < drain->late_n; i++)
        context.together_ns = st_ns_add(context.together_ns, drain->late[i].lateness_ns);
    if (base != NULL && drain->seen > base->cycle + drain->late_n)
        context.others_late_ns = drain->late_ns - base->late_ns - context.together_ns -
                                 (int64_t)(st_recent_median(&drain->usual_late) *
                                           (double)(drain->seen - base->cycle - drain->late_n));
    for (size_t i = 0; i < drain->late_n; i++) {
        const struct st_drain_late *late = &drain->late[i];
        struct st_cause_record record = {.at_ns = late->at_ns, .lateness_ns = late->lateness_ns};
        if (counters != NULL)
            record.counters = *counters;
        const struct st_cause_event event = st_cause_judge(&record, base, &context, &drain->machine);
        add_event(drain, &event);
        if (late->silence_ns > 0)
            tell_xrun(drain, late->at_ns, late->silence_ns, &event);
    }
    drain->causes_since_base += drain->late_n;
    drain->late_n = 0;
}

/* A cycle that began late: a late wake-up (the next look at the counters explains it), the callback's own
 * doing, or an after-effect. @return true: the first. */
static bool judge_late(struct st_drain *drain, int64_t due_ns, int64_t lateness_ns, int64_t silence_ns)
{
    const bool late = lateness_ns > drain->loop->cause_above_ns, after_late = drain->last_late;
    drain->last_late = late;
    if (!late)
        return false;
    const int64_t at_ns = st_ns_add(due_ns, lateness_ns);
    const bool started_at_once = drain->last_done_ns >= due_ns;
    if (started_at_once && after_late)
        return false;
    drain->result->cause_late_n++;
    if (started_at_once) {
        const struct st_cause_event event = {.cause = ST_CAUSE_OWN_WORK,
                                             .at_ns = at_ns,
                                             .lateness_ns = lateness_ns,
                                             .span_ns = drain->last_callback_ns,
                                             .explained_ns = lateness_ns,
                                             .together_n = 1,
                                             .cpu = -1};
        add_event(drain, &event);
        return false;
    }
    if (drain->late_n == ST_DRAIN_LATE)
        judge_waiting(drain, NULL, false);
    drain->late[drain->late_n++] = (struct st_drain_late){at_ns, lateness_ns, silence_ns};
    return true;
}

/* An xrun in a cycle that did not wake late itself: its callback was too long, or it is the after-effect of
 * the late wake-up before, or it is not known. */
static void judge_xrun(struct st_drain *drain, int64_t done_ns, int64_t silence_ns, int64_t callback_ns)
{
    const int64_t period_ns = st_period_ns(&drain->loop->period);
    if (callback_ns > period_ns) {
        const struct st_cause_event work = {.cause = ST_CAUSE_OWN_WORK,
                                            .at_ns = done_ns,
                                            .lateness_ns = callback_ns - period_ns,
                                            .explained_ns = callback_ns - period_ns,
                                            .together_n = 1,
                                            .cpu = -1};
        tell_xrun(drain, done_ns, silence_ns, &work);
    } else if (drain->late_n > 0) {
        drain->late[drain->late_n - 1].silence_ns += silence_ns;
    } else {
        const int64_t since_ns = done_ns - drain->last_event.at_ns;
        const bool after = drain->last_event.lateness_ns > 0 && since_ns >= 0 &&
                           since_ns <= (int64_t)drain->result->periods * period_ns;
        tell_xrun(drain, done_ns, silence_ns, after ? &drain->last_event : NULL);
    }
}

static void cycle(struct st_drain *drain, int64_t lateness_ns, int64_t callback_ns)
{
    drain->seen++;
    if (!drain->counting) {
        drain->late_ns = st_ns_add(drain->late_ns, lateness_ns > 0 ? lateness_ns : 0);
        return;
    }
    struct st_result *result = drain->result;
    const struct st_period *period = &drain->loop->period;
    const int64_t due_ns = st_period_due_ns(period, drain->t0_ns, drain->k);
    const int64_t next_due_ns = st_period_due_ns(period, drain->t0_ns, drain->k + 1);
    const int64_t response_ns = st_ns_add(lateness_ns, callback_ns);
    const int64_t done_ns = st_ns_add(due_ns, response_ns);

    st_hist_add(&result->lateness, lateness_ns);
    if (result->arms_n > 0) {
        struct st_arm_result *arm = &result->arms[st_arm_of(drain->k, result->arms_n)];
        st_hist_add(&arm->lateness, lateness_ns);
        arm->on_time_n += lateness_ns >= -ST_ON_TIME_NS && lateness_ns <= ST_ON_TIME_NS;
    }
    st_hist_add(&result->response, response_ns);
    if (done_ns > next_due_ns)
        result->misses++;
    const int64_t silence_ns = st_device_cycle(&drain->device, done_ns);
    if (drain->last_done_ns < due_ns && lateness_ns > 0)
        drain->late_ns = st_ns_add(drain->late_ns, lateness_ns);
    if (silence_ns > 0) {
        result->simulated_xruns = drain->device.xruns_n;
        result->silence_ns = drain->device.silence_ns;
        result->silence_max_ns = drain->device.silence_max_ns;
    }
    if (!judge_late(drain, due_ns, lateness_ns, silence_ns) && silence_ns > 0)
        judge_xrun(drain, done_ns, silence_ns, callback_ns);
    if (drain->sink.cycle != NULL)
        drain->sink.cycle(drain->sink.ctx, drain->k, lateness_ns, callback_ns);

    drain->last_callback_ns = callback_ns;
    drain->last_done_ns = done_ns;
    drain->k++;
    result->cycles++;
}

/* Each skipped period is a miss, with the response time it would have had: from its due time to done(k). */
static void skipped(struct st_drain *drain, uint64_t n)
{
    if (!drain->counting || n == 0)
        return;
    struct st_result *result = drain->result;
    const struct st_period *period = &drain->loop->period;
    const uint64_t first = drain->k;
    const int64_t first_ns = st_ns_sub(drain->last_done_ns, st_period_due_ns(period, drain->t0_ns, first));
    uint64_t i = 0;
    if (first_ns >
        ST_HIST_HIGHEST_NS) { /* over an hour: out of the histogram's range whatever the exact value */
        uint64_t over = st_period_index_at(period, 0, first_ns - ST_HIST_HIGHEST_NS);
        over = over < n ? over : n;
        st_hist_add_n(&result->response, first_ns, over);
        i = over;
    }
    for (; i < n; i++)
        st_hist_add(&result->response,
                    st_ns_sub(drain->last_done_ns, st_period_due_ns(period, drain->t0_ns, first + i)));
    result->misses += n;
    result->skipped_periods += n;
    drain->k += n;
    if (drain->sink.skipped != NULL)
        drain->sink.skipped(drain->sink.ctx, first, n, first_ns);
}

static void lost(struct st_drain *drain, uint64_t cycles, uint64_t periods)
{
    drain->seen += cycles;
    if (!drain->counting || cycles + periods == 0)
        return;
    drain->late_ns = /* at most, whatever each of them was late by */
        st_ns_add(drain->late_ns, st_period_due_ns(&drain->loop->period, 0, cycles + periods));
    drain->told_lost += cycles;
    drain->told_lost_skipped += periods;
    drain->result->cycles += cycles;
    drain->result->records_lost += cycles;
    drain->result->skipped_periods += periods;
    drain->result->misses += periods;
    if (drain->sink.lost != NULL)
        drain->sink.lost(drain->sink.ctx, drain->k, cycles + periods);
    drain->k += cycles + periods;
    /* what the device did meanwhile is not known: it starts again with the next cycle */
    drain->device.start_ns = st_period_due_ns(&drain->loop->period, drain->t0_ns, drain->k);
    drain->device.cycles_since_start = 0;
}

static void start(struct st_drain *drain, int64_t t0_ns)
{
    drain->counting = true;
    drain->t0_ns = t0_ns;
    drain->result->t0_ns = t0_ns;
    drain->k = 0;
    drain->seen = drain->loop->warmup_cycles;
    drain->last_done_ns = INT64_MIN;
    drain->last_late = false;
    drain->half = false;
    drain->device.start_ns = t0_ns;
    if (drain->sink.start != NULL)
        drain->sink.start(drain->sink.ctx, t0_ns);
}

/* Keeps the newest first: a record may be older than the baseline that was taken after the last drain. */
static void push_baseline(struct st_drain *drain, const struct st_cause_baseline *base)
{
    if (drain->base[0].at_ns != INT64_MIN && base->at_ns < drain->base[0].at_ns) {
        drain->base[1] = *base;
        return;
    }
    drain->base[1] = drain->base[0];
    drain->base[0] = *base;
}

/* What was counted since the look before is usual: no late wake-up was seen. Some has that of one that was
 * not seen yet. */
static void add_usual(struct st_drain *drain, const struct st_cause_baseline *base)
{
    const struct st_cause_baseline *before = &drain->base[0];
    if (drain->causes_since_base > 0 || before->at_ns == INT64_MIN || base->cycle <= before->cycle)
        return;
    const struct st_thread_counters *now = &base->counters, *then = &before->counters;
    const double cycles = (double)(base->cycle - before->cycle);
    const unsigned valid = now->valid & then->valid;
    const int64_t wait_ns = now->runq_wait_ns - then->runq_wait_ns, cpu_ns = now->cpu_ns - then->cpu_ns;
    if (valid & ST_COUNTER_RUNQ_WAIT)
        st_recent_add(&drain->usual_wait, (double)wait_ns / cycles);
    if (valid & ST_COUNTER_RUNQ_WAIT && valid & ST_COUNTER_CPU)
        st_recent_add(&drain->cpu_and_wait, (double)(cpu_ns + wait_ns) / cycles);
    st_recent_add(&drain->usual_late, (double)(base->late_ns - before->late_ns) / cycles);
}

static void cause(struct st_drain *drain, const int32_t *words)
{
    struct st_cause_record record;
    memcpy(&record, words, sizeof(record));
    judge_waiting(drain, &record.counters, true);
    const struct st_cause_baseline base = {record.at_ns, drain->seen, drain->pauses, record.counters,
                                           drain->late_ns};
    if (record.lateness_ns == 0) { /* at the start and at the end of warm-up */
        add_usual(drain, &base);
        drain->causes_since_base = 0;
    } else {
        drain->causes_since_base++;
    }
    push_baseline(drain, &base);
}

static uint64_t payload(const int32_t *words)
{
    return (uint64_t)(uint32_t)words[1] | (uint64_t)(uint32_t)words[2] << 32;
}

static void lateness(struct st_drain *drain, int64_t lateness_ns)
{
    if (drain->loop->callback == NULL) {
        cycle(drain, lateness_ns, 0);
        return;
    }
    drain->half = true;
    drain->half_lateness_ns = lateness_ns;
}

static void callback(struct st_drain *drain, int64_t callback_ns)
{
    drain->half = false;
    cycle(drain, drain->half_lateness_ns, callback_ns);
}

/* One record at words[0]; n words are there. @return words used, 0 when its end is not there yet. */
static size_t record(struct st_drain *drain, const int32_t *words, size_t n)
{
    if (words[0] > ST_RECORD_LAST) {
        if (drain->half)
            callback(drain, words[0]);
        else
            lateness(drain, words[0]);
        return 1;
    }
    if (n < ST_RECORD_WORDS)
        return 0;
    const uint64_t value = payload(words);
    switch (words[0]) {
    case ST_RECORD_WIDE:
        lateness(drain, (int64_t)value);
        break;
    case ST_RECORD_WIDE_CB:
        callback(drain, (int64_t)value);
        break;
    case ST_RECORD_SKIPPED:
        skipped(drain, value);
        break;
    case ST_RECORD_LOST:
        lost(drain, value, 0);
        break;
    case ST_RECORD_LOST_SKIPPED:
        lost(drain, 0, value);
        break;
    case ST_RECORD_START:
        start(drain, (int64_t)value);
        break;
    case ST_RECORD_CAUSE:
        if (n < ST_RECORD_WORDS + CAUSE_WORDS)
            return 0;
        cause(drain, words + ST_RECORD_WORDS);
        return ST_RECORD_WORDS + CAUSE_WORDS;
    default:
        break;
    }
    return ST_RECORD_WORDS;
}

static void look_at_suspend(struct st_drain *drain)
{
    struct st_platform *p = drain->loop->platform;
    int64_t suspended_ns;
    if (p->suspended_ns(p, &suspended_ns) != 0)
        return;
    if (drain->suspended_ns != INT64_MIN && suspended_ns - drain->suspended_ns > ST_CAUSE_SUSPEND_MIN_NS &&
        drain->counting)
        drain->result->suspends++;
    drain->suspended_ns = suspended_ns;
}

static void take_over(struct st_drain *drain)
{
    struct st_result *result = drain->result;
    result->n = result->lateness.total_n;
    result->early = result->lateness.early_n;
    result->elapsed_periods = drain->k;
    result->ring_high_water = drain->loop->ring->high_water;
    result->books_balance = result->n + result->records_lost == result->cycles &&
                            result->cycles + result->skipped_periods == result->elapsed_periods;
}

void st_drain_step(struct st_drain *drain)
{
    look_at_suspend(drain);
    drain->loop->platform->pauses(drain->loop->platform, &drain->pauses);
    uint64_t taken;
    do {
        taken =
            st_ring_take(drain->loop->ring, drain->words + drain->words_n, ST_DRAIN_WORDS - drain->words_n);
        drain->words_n += taken;
        size_t used = 0;
        while (used < drain->words_n) {
            const size_t n = record(drain, drain->words + used, drain->words_n - used);
            if (n == 0)
                break;
            used += n;
        }
        drain->words_n -= used;
        memmove(drain->words, drain->words + used, drain->words_n * sizeof(drain->words[0]));
    } while (taken > 0);
    take_over(drain);
    if (drain->sink.flush != NULL)
        drain->sink.flush(drain->sink.ctx);
}

/* What the loop costs, while it runs: since the first baseline of the counted part. */
static void running_costs(struct st_drain *drain, const struct st_cause_baseline *base)
{
    if (!drain->counting)
        return;
    if (drain->first.at_ns == INT64_MIN)
        drain->first = *base;
    struct st_result *result = drain->result;
    const struct st_thread_counters *a = &drain->first.counters, *b = &base->counters;
    const unsigned valid = a->valid & b->valid;
    if (valid & ST_COUNTER_CPU && base->cycle > drain->first.cycle)
        result->cpu_ns_per_cycle =
            (double)(b->cpu_ns - a->cpu_ns) / (double)(base->cycle - drain->first.cycle);
    if (valid & ST_COUNTER_FAULTS) {
        result->faults_minor = (int64_t)(b->faults_minor_n - a->faults_minor_n);
        result->faults_major = (int64_t)(b->faults_major_n - a->faults_major_n);
    }
    if (valid & ST_COUNTER_SWITCHES)
        result->switches_involuntary = (int64_t)(b->switches_involuntary_n - a->switches_involuntary_n);
}

void st_drain_baseline(struct st_drain *drain)
{
    struct st_loop *loop = drain->loop;
    struct st_cause_baseline base = {.pauses = drain->pauses};
    if (loop->counters == NULL ||
        loop->platform->counters_other(loop->platform, loop->counters, &base.counters) != 0) {
        judge_waiting(drain, NULL, false);
        return;
    }
    judge_waiting(drain, &base.counters, false);
    base.at_ns = loop->platform->now_ns(loop->platform);
    base.cycle = atomic_load_explicit(&loop->cycles_seen, memory_order_relaxed);
    base.late_ns = drain->late_ns;
    const struct st_cause_baseline *before = &drain->base[0];
    /* No cycle since: a late wake may be under way, and the one before it is its baseline, however long it
     * takes */
    if (before->at_ns != INT64_MIN && base.cycle == before->cycle)
        return;
    add_usual(drain, &base);
    drain->causes_since_base = 0;
    push_baseline(drain, &base);
    running_costs(drain, &base);
}

/* The last cycle was done in the period before the one that comes next; a little early in the one before
 * that, or, when periods were skipped behind it, in the one that comes next. */
static bool agrees_with_clock(const struct st_loop *loop)
{
    if (loop->elapsed_periods == 0)
        return true;
    const uint64_t by_clock = st_period_index_at(&loop->period, loop->t0_ns, loop->end_ns);
    return by_clock <= loop->elapsed_periods && by_clock + 2 >= loop->elapsed_periods;
}

void st_drain_finish(struct st_drain *drain)
{
    struct st_loop *loop = drain->loop;
    struct st_result *result = drain->result;
    lost(drain, loop->lost_cycles - drain->told_lost, loop->lost_skipped - drain->told_lost_skipped);
    judge_waiting(drain, loop->counters != NULL ? &loop->counters_end : NULL, false);
    take_over(drain);
    /* the loop's own books, by its counter and by the clock, against what came through the ring */
    result->elapsed_periods = loop->elapsed_periods;
    result->books_balance = agrees_with_clock(loop) && result->n + result->records_lost == loop->cycles &&
                            result->cycles == loop->cycles &&
                            loop->cycles + result->skipped_periods == loop->elapsed_periods;
    for (size_t i = 0; i < result->arms_n; i++)
        st_arm_take(&loop->arms[i], &result->arms[i]);
    const struct st_thread_counters *a = &loop->counters_start, *b = &loop->counters_end;
    const unsigned valid = a->valid & b->valid;
    if (valid & ST_COUNTER_CPU && loop->cycles > 0)
        result->cpu_ns_per_cycle = (double)(b->cpu_ns - a->cpu_ns) / (double)loop->cycles;
    if (valid & ST_COUNTER_FAULTS) {
        result->faults_minor = (int64_t)(b->faults_minor_n - a->faults_minor_n);
        result->faults_major = (int64_t)(b->faults_major_n - a->faults_major_n);
    }
    if (valid & ST_COUNTER_SWITCHES)
        result->switches_involuntary = (int64_t)(b->switches_involuntary_n - a->switches_involuntary_n);
    result->duration_ns = loop->end_ns > loop->t0_ns ? loop->end_ns - loop->t0_ns : 0;
}
